/* A sweep over several ranks: each writes a store of its own beside the common one, FILE.rank-R-ID, and the parts are
 * gathered afterwards. Every part has a name of its own and a lock beside it, FILE.rank-R-ID.lock, which is held while
 * its run lives: parts of dead runs are gathered by whichever sweep comes next, those of living ones are left alone. */
#ifndef IRENEO_LAB_SWEEP_PARTS_H
#define IRENEO_LAB_SWEEP_PARTS_H

#include "lab/sweep/results.h"

enum { PART_PATH_SIZE = 4096 };

typedef struct sweep_part {
    results *store;
    int lock;
    char path[PART_PATH_SIZE];
} sweep_part;

/* Makes a rank's part with everything that the common store knows. Closed parts wait to be gathered. */
ireneo_error ireneo_part_open(const char *path, size_t rank, double wait_seconds, sweep_part *part);
void ireneo_part_close(sweep_part *part);

/* Copies all parts that no living run holds into the common store and removes them. */
ireneo_error ireneo_parts_gather(const char *path, double wait_seconds);

#endif
