/* Loads at which all patterns are retrieved, bounds from the literature, and expansions; N = infinity.
 *
 * alpha_1 (dense/ensemble.h) asks about one given pattern. alpha_c asks that every one of the P patterns is a
 * fixed point. For spherical and binary patterns the two agree; for Gaussian patterns some have a small norm
 * or a near twin, and a union bound gives alpha_c >= alpha_c_lower (docs/dense.md, "All patterns at once").
 */
#ifndef IRENEO_DENSE_THEORY_THRESHOLDS_H
#define IRENEO_DENSE_THEORY_THRESHOLDS_H

#include "ireneo.h"

/* -1/N log of the chance that a given Gaussian pattern fails, for alpha < alpha_1; 0 above. */
double ireneo_gaussian_failure_rate(double alpha, double lambda);

/* alpha_c or its lower bound, and the smallest lambda that reaches a given alpha (infinite if none does). */
double ireneo_dense_alpha_c_lower(ireneo_dense_ensemble ensemble, double lambda);
double ireneo_dense_lambda_c_all(ireneo_dense_ensemble ensemble, double alpha);

/* lambda above which the bound of Gaussian patterns stays at log(2)/4. */
double ireneo_gaussian_crossover(void);

/* alpha_1 of spherical patterns for large lambda, to the order lambda^-3: 1/2 log lambda + 1/2 + 1/(8 lambda)
 * - 1/(384 lambda^3). The others saturate: 1/2 (Gaussian) and log 2 - e^(-2 lambda) (binary). */
double ireneo_dense_alpha_1_large(ireneo_dense_ensemble ensemble, double lambda);

/* The bound of Ramsauer et al. (Hopfield networks is all you need, 2021), for spherical patterns. */
typedef enum ireneo_ramsauer_variant {
    IRENEO_RAMSAUER_THEOREM_3,       /* W0(2 lambda / 5) / 4 */
    IRENEO_RAMSAUER_SEPARATION_ONE,  /* separation condition of theorems 4 and 5, one pattern */
    IRENEO_RAMSAUER_SEPARATION_PAIRS /* the same for all pairs: half of it */
} ireneo_ramsauer_variant;
double ireneo_ramsauer_alpha(ireneo_ramsauer_variant variant, double lambda);

/* c of theorem 3 at finite dimension d: sqrt(p) c^((d-1)/4) patterns on the sphere of radius K sqrt(d-1) are
 * stored with probability 1 - p. */
double ireneo_ramsauer_base(double beta, double k, double dimension, double p);

#endif
