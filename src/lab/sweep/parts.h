/* A sweep over several ranks: each writes a store of its own beside the common one, FILE.rank-R, and the
 * parts are gathered afterwards. Parts left by a run that was killed are gathered before the next one begins.
 */
#ifndef IRENEO_LAB_SWEEP_PARTS_H
#define IRENEO_LAB_SWEEP_PARTS_H

#include "lab/sweep/results.h"

enum { PART_PATH_SIZE = 4096 };

/* The path of a rank's part. */
ireneo_error ireneo_part_path(const char *path, size_t rank, char part[PART_PATH_SIZE]);

/* Opens a rank's part with everything that the common store knows. */
ireneo_error ireneo_part_open(const char *path, size_t rank, double wait_seconds, results **part);

/* Copies all parts that exist into the common store and removes them. */
ireneo_error ireneo_parts_gather(const char *path, double wait_seconds);

#endif
