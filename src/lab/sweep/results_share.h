/* A store of results that the ranks of a job use as one.
 *
 * Rank 0 has the file; every other rank has a part of its own (parts.h), which begins with all that the file knows and
 * whose new rows are sent to rank 0. So one process alone writes the file, whatever file system it is on, and what a rank
 * has finished is on disk when the job is killed. With one rank it is the store itself. All ranks make these calls. */
#ifndef IRENEO_LAB_SWEEP_RESULTS_SHARE_H
#define IRENEO_LAB_SWEEP_RESULTS_SHARE_H

#include "lab/sweep/results.h"

/* Opens the store at `path`, and first gathers the parts that earlier jobs left. */
ireneo_error ireneo_results_open_shared(const char *path, double wait_seconds, results **store);

/* Brings what the ranks have added since the last time to rank 0 and from there to all: afterwards all know the same. */
ireneo_error ireneo_results_share(results *store);

/* A part goes when rank 0 has all of it; else it waits to be gathered. NULL is fine. */
void ireneo_results_close_shared(results *store);

#endif
