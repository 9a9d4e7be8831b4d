/* Measurements on the memory that a trial makes, kept in the store so that they are made once. */
#ifndef IRENEO_LAB_SWEEP_MEASURE_H
#define IRENEO_LAB_SWEEP_MEASURE_H

#include "lab/sweep/observables.h"
#include "lab/sweep/queue.h"

enum { SINGLE_KEYS = 3 }; /* keys that get histograms of their own: the first ones */

typedef struct score_measurement {
    score_statistics all, single[SINGLE_KEYS];
    double accuracy;
} score_measurement;

/* Scores of the trial's memory. For jobs. */
ireneo_error ireneo_measure_scores(queue_worker *worker, const trial *t, score_measurement *scores);

/* Singular values of the trial's memory, largest first, with the given mean square: its rank, or the smaller
 * dimension, of them. For jobs. */
ireneo_error ireneo_measure_spectrum(queue_worker *worker, const trial *t, double mean_square,
                                     double *values);

/* The same in white coordinates. */
ireneo_error ireneo_measure_white_spectrum(queue_worker *worker, const trial *t, double mean_square,
                                           double *values);

#endif
