/* Integrals of smooth functions by Gauss's rule. */
#ifndef IRENEO_BASE_QUADRATURE_H
#define IRENEO_BASE_QUADRATURE_H

#include <stddef.h>

/* Nodes and weights (count) of Gauss-Legendre on [lower, upper]. */
void ireneo_gauss_legendre(size_t count, double lower, double upper, double *nodes, double *weights);

#endif
