/* The store of results: an SQLite file with one row per trial, found by the trial's canonical key.
 *
 * Every row is a transaction of its own, so a process that is killed loses only the trial under way. Several
 * processes may share a file: writers wait for each other, and a trial that two of them finish is kept once.
 * Draws of dense memories have a table of their own, one row each; arrays that figures need (spectra,
 * histograms) lie beside them in a table of series. results_trials.h, results_draws.h and results_series.h read and write
 * them, results_merge.h brings stores together. */
#ifndef IRENEO_LAB_SWEEP_RESULTS_H
#define IRENEO_LAB_SWEEP_RESULTS_H

#include "base/error.h"

typedef struct results results;

/* Opens a store, or makes one where there is no file. `wait_seconds` is how long to wait for another process
 * that holds it. IRENEO_ERROR_DATA: not a store, damaged, or of another version; IRENEO_ERROR_IO: locked,
 * disk full, no permission. */
ireneo_error ireneo_results_open(const char *path, double wait_seconds, results **store);
void ireneo_results_close(results *store);

/* The same for a store that is only looked at. */
ireneo_error ireneo_results_open_to_read(const char *path, double wait_seconds, results **store);

/* Number of trials and draws kept. */
ireneo_error ireneo_results_count(results *store, size_t *count);

#endif
