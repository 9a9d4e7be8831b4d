/* Formulas of docs/dense.md that only tests ask, as oracles for what the library computes in other ways. */
#ifndef IRENEO_TESTS_DENSE_ORACLES_H
#define IRENEO_TESTS_DENSE_ORACLES_H

#include "dense/theory/ensemble.h"
#include "dense/theory/finite_size.h"

#include <gsl/gsl_sf_lambert.h>
#include <math.h>

/* The rate sup_lambda (lambda e - zeta); +inf where no overlap can be. */
static inline double rem_rate(ireneo_dense_ensemble ensemble, double e, double rho) {
    double c = fabs(e / rho);
    if (ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN) return 0.5 * c * c;
    if (ensemble == IRENEO_DENSE_ENSEMBLE_SPHERICAL) return c < 1.0 ? -0.5 * log1p(-c * c) : INFINITY;
    if (c >= 1.0) return c > 1.0 ? INFINITY : M_LN2;
    if (c < 0.5) return c * atanh(c) + 0.5 * log1p(-c * c);
    double flipped = 0.5 * (1.0 - c); /* log 2 minus the entropy of the flipped bits */
    return M_LN2 + flipped * log(flipped) + (1.0 - flipped) * log1p(-flipped);
}

/* -1/N log of the chance that a given Gaussian pattern fails, for alpha < alpha_1; 0 above. */
static inline double gaussian_failure_rate(double alpha, double lambda) {
    double critical = alpha / ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, lambda);
    if (critical >= 1.0) return 0.0;
    double weak = 0.5 * (critical - 1.0 - log(critical));
    return critical < 0.5 ? fmin(weak, 0.5 * M_LN2 - alpha) : weak;
}

/* c of Ramsauer's theorem 3 at finite dimension d: sqrt(p) c^((d-1)/4) patterns on the sphere of radius
 * K sqrt(d-1) are stored with probability 1 - p. */
static inline double ramsauer_base(double beta, double k, double dimension, double p) {
    double a = 2.0 / (dimension - 1.0) * (1.0 + log(2.0 * beta * k * k * p * (dimension - 1.0)));
    double b = 0.4 * k * k * beta;
    return b / gsl_sf_lambert_W0(exp(a + log(b)));
}

/* lambda_c(alpha) with its 1/N correction, for one step. */
static inline double finite_one_step_law(ireneo_dense_ensemble ensemble, double neurons, double alpha) {
    double lambda = ireneo_dense_lambda_c(ensemble, alpha), c = ireneo_rem_overlap(ensemble, lambda, 1.0);
    /* N zeta - log M_N to leading order */
    double prefactor = ensemble == IRENEO_DENSE_ENSEMBLE_SPHERICAL ? 0.5 * log1p(-c * c * c * c) : 0.0;
    return lambda - prefactor / (neurons * (1.0 - c));
}

/* |x|/sqrt(N) where the radial map ends when it starts from the pattern. */
static inline double finite_radial_limit(ireneo_dense_ensemble ensemble, double neurons, double lambda,
                                         double log_crowd) {
    double m = 1.0;
    for (int step = 0; step < 100000; step++) {
        double log_ratio =
            log_crowd + ireneo_finite_log_mean(ensemble, neurons, lambda, m) - lambda * neurons * m;
        double rest = 1.0 / (1.0 + exp(-log_ratio));
        double next = 1.0 - rest * (1.0 - ireneo_finite_overlap(ensemble, neurons, lambda, m));
        double moved = fabs(next - m);
        m = next;
        if (moved < 1e-14) break;
    }
    return m;
}

#endif
