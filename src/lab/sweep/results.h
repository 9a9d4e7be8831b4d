/* The store of results: an SQLite file with one row per trial, found by the trial's canonical key.
 *
 * Every row is a transaction of its own, so a process that is killed loses only the trial under way. Several
 * processes may share a file: writers wait for each other, and a trial that two of them finish is kept once.
 * Draws of dense memories have a table of their own, one row each. Arrays that figures need (spectra,
 * histograms) lie beside them in a table of series. */
#ifndef IRENEO_LAB_SWEEP_RESULTS_H
#define IRENEO_LAB_SWEEP_RESULTS_H

#include "lab/sweep/draw_key.h"
#include "lab/sweep/trial.h"

typedef struct results results;

/* Opens a store, or makes one where there is no file. `wait_seconds` is how long to wait for another process
 * that holds it. IRENEO_ERROR_DATA: not a store, damaged, or of another version; IRENEO_ERROR_IO: locked,
 * disk full, no permission. */
ireneo_error ireneo_results_open(const char *path, double wait_seconds, results **store);
void ireneo_results_close(results *store);

/* The result of a trial when it is known. */
ireneo_error ireneo_results_find(results *store, const trial *t, bool *found, trial_result *result);

/* Keeps a result; does nothing when the trial is known. */
ireneo_error ireneo_results_add(results *store, const trial *t, const trial_result *result);

/* The same for draw `index` of an experiment with dense memories. */
ireneo_error ireneo_results_find_draw(results *store, const ireneo_dense_experiment *e, uint64_t index,
                                      bool *found, ireneo_dense_draw *draw);
ireneo_error ireneo_results_add_draw(results *store, const ireneo_dense_experiment *e, uint64_t index,
                                     const ireneo_dense_draw *draw, double seconds);

/* Number of trials and draws kept. */
ireneo_error ireneo_results_count(results *store, size_t *count);

/* An array under a name: *values is NULL when it is not there; release with free. */
ireneo_error ireneo_results_find_series(results *store, const char *name, double **values, size_t *count);
ireneo_error ireneo_results_add_series(results *store, const char *name, const double *values, size_t count);

/* Copies everything that `source` has and the store has not. *added counts trials and draws; *different those
 * that both have with different outcomes (the store's are kept). */
ireneo_error ireneo_results_merge(results *store, const char *source, size_t *added, size_t *different);

#endif
