/* Zeros and minima of functions of one variable. */
#ifndef IRENEO_BASE_ROOTS_H
#define IRENEO_BASE_ROOTS_H

#include "base/error.h"

typedef double (*ireneo_function)(double x, void *context);

/* A zero of f in [lower, upper], where f has opposite signs at the ends (Brent). Stops when the bracket is
 * below absolute + 4 eps |x|. IRENEO_ERROR_NUMERIC when the signs agree. */
ireneo_error ireneo_find_root(ireneo_function f, void *context, double lower, double upper, double absolute,
                              double *root);

/* A minimum of f in [lower, upper] by golden sections and parabolas (Brent). */
double ireneo_find_minimum(ireneo_function f, void *context, double lower, double upper, double relative,
                           double *at);

#endif
