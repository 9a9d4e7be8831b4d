/* The facts that a memory recalls by the smallest gap. */
#ifndef IRENEO_CLI_HARDEST_H
#define IRENEO_CLI_HARDEST_H

#include "ireneo.h"

enum { HARDEST = 3 };

typedef struct hard_fact {
    size_t fact;
    int64_t rival; /* the competitor that comes nearest */
    float gap;     /* between their scores */
} hard_fact;

/* Up to HARDEST of the facts that the memory recalls, the hardest first, at the price of a scan; none for own candidates
 * and for sizes at which a scan takes more than a few seconds. */
ireneo_error find_hardest(const ireneo_memory *memory, const ireneo_facts *facts, int threads,
                          hard_fact *hardest, size_t *count);

#endif
