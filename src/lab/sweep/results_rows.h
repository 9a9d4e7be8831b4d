/* A store of results as a small CSV file, and back: what is shipped of a long run, so that its picture is drawn in seconds and
 * a run that was stopped goes on elsewhere. */
#ifndef IRENEO_LAB_SWEEP_RESULTS_ROWS_H
#define IRENEO_LAB_SWEEP_RESULTS_ROWS_H

#include "lab/sweep/results.h"

#include <stdio.h>

/* All trials and series, in an order that does not depend on when they were made. A line is a trial: its key with all
 * parameters, then its outcome; or a series: its name, and its numbers split by spaces. */
ireneo_error ireneo_results_write_rows(results *store, FILE *stream);

/* Adds what the file has and the store has not, all or nothing. IRENEO_ERROR_DATA: not such a file. */
ireneo_error ireneo_results_read_rows(results *store, const char *path, size_t *added);

#endif
