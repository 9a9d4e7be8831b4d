/* Parts of a store of results: what a rank makes is kept in a store of its own beside the common one, FILE.rank-R-ID, until
 * the common one has it. Every part has a name of its own and a lock beside it, FILE.rank-R-ID.lock, which is held while
 * its run lives: parts of dead runs are gathered by whichever sweep comes next, those of living ones are left alone. */
#ifndef IRENEO_LAB_SWEEP_PARTS_H
#define IRENEO_LAB_SWEEP_PARTS_H

#include "lab/sweep/results.h"

/* Makes a rank's part, an empty store. Closed with ireneo_results_close it waits to be gathered. */
ireneo_error ireneo_part_open(const char *path, size_t rank, double wait_seconds, results **part);

/* Closes and removes a part whose rows are all in the common store. */
void ireneo_part_discard(results *part);

/* Copies all parts that no living run holds into the common store and removes them. */
ireneo_error ireneo_parts_gather(const char *path, double wait_seconds);

#endif
