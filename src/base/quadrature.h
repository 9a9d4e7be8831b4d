/* Integrals: Gauss rules for smooth integrands, adaptive Gauss-Kronrod for the rest. */
#ifndef IRENEO_BASE_QUADRATURE_H
#define IRENEO_BASE_QUADRATURE_H

#include "base/error.h"

typedef double (*ireneo_function)(double x, void *context);

/* Nodes and weights (count) of Gauss-Legendre on [lower, upper]. */
void ireneo_gauss_legendre(size_t count, double lower, double upper, double *nodes, double *weights);

/* Nodes and weights (count) of Gauss-Hermite for averages over N(0, 1): E f(z) = sum w_i f(z_i). count <=
 * 200. */
void ireneo_gauss_hermite(size_t count, double *nodes, double *weights);

/* Integral over [lower, upper], either of which may be infinite, by Gauss-Kronrod (7, 15) with the worst
 * interval halved first. Stops when the error estimate is below max(absolute, relative * |result|);
 * IRENEO_ERROR_NUMERIC if it cannot get there in 1000 halvings. error_estimate may be NULL. */
ireneo_error ireneo_integrate(ireneo_function f, void *context, double lower, double upper, double absolute,
                              double relative, double *result, double *error_estimate);

#endif
