/* The check: which facts does this very memory recall? It sees only the memory and the caller's facts, never the
 * solver. A fact counts as recalled when every one of its gaps has been shown to be positive. */
#ifndef IRENEO_LINEAR_SCAN_CHECK_H
#define IRENEO_LINEAR_SCAN_CHECK_H

#include "base/progress.h"

typedef struct ireneo_pair {
    uint32_t fact, candidate;
} ireneo_pair;

/* Pairs (fact, competitor) that come close; a growing array. */
typedef struct ireneo_pairs {
    ireneo_pair *items;
    size_t count, capacity;
    int broken; /* RAM ran out: the list is incomplete */
} ireneo_pairs;

/* Like ireneo_check. When `near` is not NULL it receives the competitors whose score comes within `reach` of the
 * target's, or above it, at most `most` a fact; reach is in scores of keys scaled to norm 1 .. 2 (facts/scale.h). */
ireneo_error ireneo_check_near(const ireneo_memory *memory, const ireneo_facts *facts, int threads,
                               const ireneo_progress *progress, double reach, size_t most, ireneo_pairs *near,
                               unsigned char *recalled, ireneo_check_report *report);

#endif
