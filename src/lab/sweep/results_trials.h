/* Results of trials, found by the trial's canonical key. */
#ifndef IRENEO_LAB_SWEEP_RESULTS_TRIALS_H
#define IRENEO_LAB_SWEEP_RESULTS_TRIALS_H

#include "lab/sweep/results.h"
#include "lab/sweep/trial.h"

/* The result of a trial when it is known. */
ireneo_error ireneo_results_find(results *store, const trial *t, bool *found, trial_result *result);

/* Keeps a result; does nothing when the trial is known. */
ireneo_error ireneo_results_add(results *store, const trial *t, const trial_result *result);

#endif
