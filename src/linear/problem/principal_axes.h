/* Coordinates that keep the norm of W: the caller's data turned to their principal axes and scaled by one
 * number each. */
#ifndef IRENEO_LINEAR_PROBLEM_PRINCIPAL_AXES_H
#define IRENEO_LINEAR_PROBLEM_PRINCIPAL_AXES_H

#include "linear/problem/problem.h"

/* A problem whose coordinates are rotated and scaled instead of whitened: keys of root-mean-square norm one;
 * values minus their mean with unit variance on average over the dimensions they span (own candidates as they
 * are). It is never packed: eight-bit scans expect white scores. |W|_F in these coordinates is |W|_F of the caller times key_scale * value_scale. */
typedef struct ireneo_principal_axes {
    ireneo_problem problem;
    double key_scale, value_scale;
    double *key_variance;   /* (problem.dim_in), sum one */
    double *value_variance; /* (problem.dim_out), mean one */
} ireneo_principal_axes;

ireneo_error ireneo_principal_axes_make(const ireneo_facts *facts, int threads, ireneo_principal_axes *axes);
void ireneo_principal_axes_free(ireneo_principal_axes *axes);

#endif
