/* What is measured on a trained memory: scores, singular values, distances between laws. */
#ifndef IRENEO_LAB_SWEEP_OBSERVABLES_H
#define IRENEO_LAB_SWEEP_OBSERVABLES_H

#include "base/error.h"

/* Scores in units of the spread of the off-target ones, in bins of equal width. */
enum { SCORE_BINS = 640 };
static const double SCORE_LOWEST = -8.0,
                    SCORE_HIGHEST = 24.0; /* what lies outside is counted in the end bins */

typedef struct score_statistics {
    double off_mean, off_spread;       /* of the raw scores */
    double target_mean, target_spread; /* in units of off_spread */
    double off_distance;               /* Kolmogorov distance of the off-target scores from the normal law */
    double off[SCORE_BINS], target[SCORE_BINS]; /* shares; each sums to 1 */
} score_statistics;

/* The place of a bin's middle. */
double ireneo_score_bin(size_t bin);

/* All scores of a memory over the facts first .. first + count - 1 (one fact: its own histogram). */
ireneo_error ireneo_observe_scores(const ireneo_memory *memory, const ireneo_facts *facts, size_t first,
                                   size_t count, score_statistics *statistics);

/* The non-zero singular values of a memory (its rank, or the smaller dimension), largest first, scaled so
 * that their mean square is `mean_square`; unscaled when that is 0. */
ireneo_error ireneo_observe_spectrum(const ireneo_memory *memory, double mean_square, double *values);

/* The same in the coordinates in which keys and values are white, where the law of the spectrum holds. All candidates must be
 * shared. */
ireneo_error ireneo_observe_white_spectrum(const ireneo_memory *memory, const ireneo_facts *facts,
                                           double mean_square, double *values);

/* Number of values that the spectrum has. */
size_t ireneo_spectrum_size(const ireneo_memory *memory);

/* Largest gap between the distribution of count values, in any order, and a continuous law. Sorts the values.
 */
double ireneo_kolmogorov_distance(double *values, size_t count, double (*cdf)(double x, const void *context),
                                  const void *context);

#endif
