/* Loads at which all patterns are retrieved, and an expansion; N = infinity.
 *
 * alpha_1 (dense/theory/ensemble.h) asks about one given pattern. alpha_c asks that every one of the P patterns
 * is a fixed point. For spherical and binary patterns the two agree; for Gaussian patterns some have a small
 * norm or a near twin, and a union bound gives alpha_c >= alpha_c_lower (docs/dense.md, "All patterns at
 * once"). */
#ifndef IRENEO_DENSE_THEORY_GAUSSIAN_CAPACITY_H
#define IRENEO_DENSE_THEORY_GAUSSIAN_CAPACITY_H

#include "ireneo.h"

/* alpha_c or its lower bound, and the smallest lambda that reaches a given alpha (infinite if none does). */
double ireneo_dense_alpha_c_lower(ireneo_dense_ensemble ensemble, double lambda);
double ireneo_dense_lambda_c_all(ireneo_dense_ensemble ensemble, double alpha);

/* alpha_1 of spherical patterns for large lambda, to the order lambda^-3: 1/2 log lambda + 1/2 + 1/(8 lambda)
 * - 1/(384 lambda^3). The others saturate: 1/2 (Gaussian) and log 2 - e^(-2 lambda) (binary). */
double ireneo_dense_alpha_1_large(ireneo_dense_ensemble ensemble, double lambda);

#endif
