/* All trials of a store of results as CSV. */
#ifndef IRENEO_LAB_SWEEP_RESULTS_EXPORT_H
#define IRENEO_LAB_SWEEP_RESULTS_EXPORT_H

#include "base/error.h"

#include <stdio.h>

/* A heading and one line for each trial, in an order that does not depend on when they were made: the columns of a sweep,
 * then version, host and finished, and the key with all parameters. The store is only read. */
ireneo_error ireneo_results_export(const char *path, double wait_seconds, FILE *stream, size_t *rows);

#endif
