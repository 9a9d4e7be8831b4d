/* Coordinates that keep the norm of W: the caller's data turned to their principal axes and scaled by one
 * number each. */
#ifndef IRENEO_LINEAR_ROTATE_H
#define IRENEO_LINEAR_ROTATE_H

#include "linear/problem.h"

/* A problem whose coordinates are rotated and scaled instead of whitened: keys of root-mean-square norm one;
 * values minus their mean with unit variance on average over the dimensions they span (own candidates as they
 * are). |W|_F in these coordinates is |W|_F of the caller times key_scale * value_scale. */
typedef struct ireneo_rotated {
    ireneo_problem problem;
    double key_scale, value_scale;
    double *key_variance;   /* (problem.dim_in), sum one */
    double *value_variance; /* (problem.dim_out), mean one */
} ireneo_rotated;

ireneo_error ireneo_rotated_make(const ireneo_facts *facts, int threads, ireneo_rotated *rotated);
void ireneo_rotated_free(ireneo_rotated *rotated);

#endif
