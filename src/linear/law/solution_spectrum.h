/* Singular values of typical solutions below capacity. */
#ifndef IRENEO_LINEAR_LAW_SOLUTION_SPECTRUM_H
#define IRENEO_LINEAR_LAW_SOLUTION_SPECTRUM_H

#include "linear/law/rank_saddle.h"

/* The ends of the law of the non-zero singular values and the mean of s^4 over all d_min, in units in which that of s^2
 * is 1. */
typedef struct spectrum_summary {
    double low, high, fourth;
} spectrum_summary;

ireneo_error ireneo_solution_spectrum_summary(rank_shape shape, double overlap, spectrum_summary *summary);

#endif
