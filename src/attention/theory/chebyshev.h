/* A smooth vector function on [0, 1], tabulated at Chebyshev points until interpolation is accurate. */
#ifndef IRENEO_ATTENTION_THEORY_CHEBYSHEV_H
#define IRENEO_ATTENTION_THEORY_CHEBYSHEV_H

#include "base/error.h"

typedef ireneo_error (*ireneo_sampler)(double x, double *values, void *context);

typedef struct ireneo_chebyshev {
    size_t intervals, outputs;
    double *values; /* (intervals + 1, outputs) at x_j = (1 + cos(pi j / intervals)) / 2 */
    double error;   /* largest difference between the table and the one of half its size, at the new points */
} ireneo_chebyshev;

/* Doubles the number of intervals from 8 until `error` is below the tolerance, or most_intervals are reached.
 * The error of the finished table is far smaller: it falls exponentially with the number of intervals. */
ireneo_error ireneo_chebyshev_build(ireneo_sampler f, void *context, size_t outputs, double tolerance,
                                    size_t most_intervals, ireneo_chebyshev *table);

/* x_j, for tables in a second variable. */
double ireneo_chebyshev_point(size_t j, size_t intervals);

void ireneo_chebyshev_at(const ireneo_chebyshev *table, double x, double *values);
void ireneo_chebyshev_free(ireneo_chebyshev *table);

#endif
