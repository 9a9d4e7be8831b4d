/* zeta, its Legendre transform and the random energy model for spherical, Gaussian and binary patterns.
 *
 * Written so that nothing cancels: with s = lambda rho
 *     spherical  zeta = (D - 1)/2 - 1/2 log((1 + D)/2),  D = sqrt(1 + 4 s^2),  zeta' = 2s/(1 + D)
 *     Gaussian   zeta = s^2/2
 *     binary     zeta = log cosh s */
#include "dense/theory/ensemble.h"
#include "base/roots.h"

#include <math.h>

const char *ireneo_dense_ensemble_name(ireneo_dense_ensemble ensemble) {
    switch (ensemble) {
    case IRENEO_DENSE_ENSEMBLE_SPHERICAL:
        return "spherical";
    case IRENEO_DENSE_ENSEMBLE_GAUSSIAN:
        return "gaussian";
    case IRENEO_DENSE_ENSEMBLE_BINARY:
        return "binary";
    }
    return "unknown";
}

/* Half of D - 1. */
static double half_excess(double s) {
    return 2.0 * s * (s / (1.0 + hypot(1.0, 2.0 * s)));
}

static double log_cosh(double s) {
    double half = sinh(0.5 * fmin(fabs(s), 1.0));
    return fabs(s) < 1.0 ? log1p(2.0 * half * half) : fabs(s) + log1p(exp(-2.0 * fabs(s))) - M_LN2;
}

double ireneo_rem_zeta(ireneo_dense_ensemble ensemble, double lambda, double rho) {
    double s = lambda * rho;
    if (ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN) return 0.5 * s * s;
    if (ensemble == IRENEO_DENSE_ENSEMBLE_BINARY) return log_cosh(s);
    double excess = half_excess(s);
    return excess - 0.5 * log1p(excess);
}

double ireneo_rem_overlap(ireneo_dense_ensemble ensemble, double lambda, double rho) {
    double s = lambda * rho;
    if (ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN) return rho * s;
    if (ensemble == IRENEO_DENSE_ENSEMBLE_BINARY) return rho * tanh(s);
    return rho * 2.0 * s / (1.0 + hypot(1.0, 2.0 * s));
}

/* log 2 - alpha_star(lambda): the entropy of the bits that differ. */
static double binary_entropy(double lambda) {
    return log1p(exp(-2.0 * lambda)) + 2.0 * lambda / (1.0 + exp(2.0 * lambda));
}

static double binary_alpha_star(double s) {
    return s < 1.0 ? s * tanh(s) - log_cosh(s) : M_LN2 - binary_entropy(s);
}

static double binary_mismatch(double log_lambda, void *context) {
    double alpha = *(const double *)context, lambda = exp(log_lambda);
    if (lambda < 1.0) return binary_alpha_star(lambda) - alpha;
    return (M_LN2 - alpha) - binary_entropy(lambda);
}

/* lambda_star of binary patterns at rho = 1. */
static double binary_lambda_star(double alpha) {
    if (alpha >= M_LN2) return INFINITY;
    double log_lambda =
        0.0; /* alpha_star <= lambda^2 / 2; the entropy at lambda = 40 is below any gap of doubles */
    (void)ireneo_find_root(binary_mismatch, &alpha, 0.5 * log(alpha), log(40.0), 1e-15, &log_lambda);
    return exp(log_lambda);
}

double ireneo_rem_edge(ireneo_dense_ensemble ensemble, double alpha, double rho) {
    if (ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN) return rho * sqrt(2.0 * alpha);
    if (ensemble == IRENEO_DENSE_ENSEMBLE_BINARY) return rho * tanh(binary_lambda_star(alpha));
    return rho * sqrt(-expm1(-2.0 * alpha));
}

double ireneo_rem_lambda_star(ireneo_dense_ensemble ensemble, double alpha, double rho) {
    if (ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN) return sqrt(2.0 * alpha) / rho;
    if (ensemble == IRENEO_DENSE_ENSEMBLE_BINARY) return binary_lambda_star(alpha) / rho;
    return exp(2.0 * alpha) * sqrt(-expm1(-2.0 * alpha)) / rho;
}

double ireneo_rem_alpha_star(ireneo_dense_ensemble ensemble, double lambda, double rho) {
    double s = lambda * rho;
    if (ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN) return 0.5 * s * s;
    if (ensemble == IRENEO_DENSE_ENSEMBLE_BINARY) return binary_alpha_star(s);
    return 0.5 * log1p(half_excess(s));
}

double ireneo_rem_free_energy(ireneo_dense_ensemble ensemble, double alpha, double lambda, double rho) {
    if (lambda < ireneo_rem_lambda_star(ensemble, alpha, rho))
        return (alpha + ireneo_rem_zeta(ensemble, lambda, rho)) / lambda;
    return ireneo_rem_edge(ensemble, alpha, rho);
}

/* lambda - zeta(lambda) at rho = 1: the load at which signal and uncondensed crowd are level. */
static double signal_excess(ireneo_dense_ensemble ensemble, double lambda) {
    if (ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN) return lambda - 0.5 * lambda * lambda;
    if (ensemble == IRENEO_DENSE_ENSEMBLE_BINARY) return -log1p(0.5 * expm1(-2.0 * lambda));
    return 0.5 * log1p(half_excess(lambda)) + lambda / (lambda + 0.5 + hypot(lambda, 0.5));
}

double ireneo_rem_margin(ireneo_dense_ensemble ensemble, double alpha, double lambda) {
    if (lambda < ireneo_rem_lambda_star(ensemble, alpha, 1.0))
        return (signal_excess(ensemble, lambda) - alpha) / lambda;
    if (ensemble == IRENEO_DENSE_ENSEMBLE_BINARY) return 2.0 / (1.0 + exp(2.0 * binary_lambda_star(alpha)));
    double edge = ireneo_rem_edge(ensemble, alpha, 1.0);
    if (ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN) return (1.0 - 2.0 * alpha) / (1.0 + edge);
    return exp(-2.0 * alpha) / (1.0 + edge);
}

double ireneo_dense_alpha_1(ireneo_dense_ensemble ensemble, double lambda) {
    if (ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN && lambda >= 1.0) return 0.5;
    return signal_excess(ensemble, lambda);
}

static double spherical_mismatch(double log_lambda, void *context) {
    return signal_excess(IRENEO_DENSE_ENSEMBLE_SPHERICAL, exp(log_lambda)) - *(const double *)context;
}

double ireneo_dense_lambda_c(ireneo_dense_ensemble ensemble, double alpha) {
    if (ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN)
        return alpha < 0.5 ? 2.0 * alpha / (1.0 + sqrt(1.0 - 2.0 * alpha)) : INFINITY;
    if (ensemble == IRENEO_DENSE_ENSEMBLE_BINARY) /* lambda = -1/2 log(2 e^-alpha - 1) */
        return alpha < M_LN2 ? -0.5 * log1p(2.0 * expm1(-alpha)) : INFINITY;
    /* alpha_1 < lambda, and alpha_1 > 1/2 log lambda, so that the root lies between alpha and e^(2 alpha). */
    double log_lambda = 0.0;
    (void)ireneo_find_root(spherical_mismatch, &alpha, log(alpha), 2.0 * alpha, 1e-15, &log_lambda);
    return exp(log_lambda);
}
