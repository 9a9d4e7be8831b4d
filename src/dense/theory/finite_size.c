/* One-step and converged thresholds at finite N.
 *
 * A fixed point m = 1 - d of the radial map has R/(1+R) = q, q = d / (1 - A_N(lambda N m)), so that
 *     log(P - 1) = log(q / (1 - q)) + lambda N m - log M_N(lambda N m) .
 * The right-hand side rises from -inf at d = 0, has a maximum at d of the order of 1/N, the saddle-node, and
 * rises again towards the state that is not retrieved, where q = 1. Its first maximum is the load; at small N
 * there may be none before d leaves the region that counts as retrieved, and the load at its rim is taken. */
#include "dense/theory/finite_size.h"
#include "base/roots.h"
#include "dense/theory/bessel.h"
#include "dense/theory/ensemble.h"

#include <math.h>

static const double RETRIEVED = 0.1; /* |x - xi|^2 / N below which a state counts as the pattern */
enum { GRID = 96 };

double ireneo_log_crowd(double log_patterns) {
    return log_patterns < 34.0 ? log(round(exp(log_patterns)) - 1.0) : log_patterns;
}

double ireneo_finite_log_mean(ireneo_dense_ensemble ensemble, double neurons, double lambda, double m) {
    if (ensemble == IRENEO_DENSE_ENSEMBLE_SPHERICAL)
        return ireneo_sphere_log_mean(neurons, lambda * neurons * m);
    return neurons * ireneo_rem_zeta(ensemble, lambda, m);
}

double ireneo_finite_excess(ireneo_dense_ensemble ensemble, double neurons, double lambda, double m) {
    double s = lambda * m;
    if (ensemble == IRENEO_DENSE_ENSEMBLE_SPHERICAL) return ireneo_sphere_log_gap(neurons, neurons * s);
    return neurons *
           (ensemble == IRENEO_DENSE_ENSEMBLE_BINARY ? ireneo_dense_alpha_1(ensemble, s) : s - 0.5 * s * s);
}

double ireneo_finite_overlap(ireneo_dense_ensemble ensemble, double neurons, double lambda, double m) {
    if (ensemble == IRENEO_DENSE_ENSEMBLE_SPHERICAL)
        return ireneo_sphere_overlap(neurons, lambda * neurons * m);
    return ensemble == IRENEO_DENSE_ENSEMBLE_BINARY ? tanh(lambda * m) : lambda * m;
}

double ireneo_finite_noise_exponent(ireneo_dense_ensemble ensemble, double lambda) {
    return lambda + ireneo_rem_zeta(ensemble, lambda, 1.0) - ireneo_rem_zeta(ensemble, 2.0 * lambda, 1.0);
}

double ireneo_finite_one_step_load(ireneo_dense_ensemble ensemble, double neurons, double lambda) {
    if (ensemble != IRENEO_DENSE_ENSEMBLE_SPHERICAL) return neurons * ireneo_dense_alpha_1(ensemble, lambda);
    return ireneo_sphere_log_gap(neurons, lambda * neurons);
}

typedef struct radial_problem {
    ireneo_dense_ensemble ensemble;
    double neurons, lambda, log_crowd;
} radial_problem;

/* Minus the load of the fixed point at d = e^log_d; +inf beyond the state that is not retrieved. */
static double minus_fixed_point_load(double log_d, void *context) {
    const radial_problem *problem = context;
    double d = exp(log_d), m = 1.0 - d;
    double away = 1.0 - ireneo_finite_overlap(problem->ensemble, problem->neurons, problem->lambda, m);
    if (d >= away) return INFINITY;
    return -(log(d / (away - d)) +
             ireneo_finite_excess(problem->ensemble, problem->neurons, problem->lambda, m));
}

double ireneo_finite_converged_load(ireneo_dense_ensemble ensemble, double neurons, double lambda) {
    radial_problem problem = {ensemble, neurons, lambda, NAN};
    double slope = lambda * neurons * (1.0 - ireneo_finite_overlap(ensemble, neurons, lambda, 1.0));
    double upper = 0.5 * log(RETRIEVED), lower = fmin(upper - 3.0, -4.0 - log1p(fmax(0.0, slope)));
    double step = (upper - lower) / GRID, before = minus_fixed_point_load(lower, &problem);
    for (int i = 1; i <= GRID; i++) {
        double here = minus_fixed_point_load(lower + i * step, &problem);
        if (!isfinite(here)) return NAN;
        if (here > before)
            return -ireneo_find_minimum(minus_fixed_point_load, &problem, lower + (i - 2) * step,
                                        lower + i * step, 1e-9, NULL);
        before = here;
    }
    return -before; /* no saddle-node: the fixed point slides out of reach */
}

static double one_step_mismatch(double log_lambda, void *context) {
    const radial_problem *problem = context;
    return ireneo_finite_one_step_load(problem->ensemble, problem->neurons, exp(log_lambda)) -
           problem->log_crowd;
}

static double converged_mismatch(double lambda, void *context) {
    const radial_problem *problem = context;
    return ireneo_finite_converged_load(problem->ensemble, problem->neurons, lambda) - problem->log_crowd;
}

double ireneo_finite_one_step_lambda(ireneo_dense_ensemble ensemble, double neurons, double log_crowd) {
    double alpha = log_crowd / neurons;
    if (!(alpha > 0.0)) return 0.0; /* a crowd of at most one, which never has more weight */
    if (ensemble != IRENEO_DENSE_ENSEMBLE_SPHERICAL) return ireneo_dense_lambda_c(ensemble, alpha);
    radial_problem problem = {ensemble, neurons, NAN, log_crowd};
    /* M_N >= 1 bounds the root from below; from above, the limit's root doubled until it is passed. */
    double lower = log(alpha), upper = log(ireneo_dense_lambda_c(ensemble, alpha)) + 0.1, root = NAN;
    for (int i = 0; i < 100 && one_step_mismatch(upper, &problem) < 0.0; i++) upper += M_LN2;
    (void)ireneo_find_root(one_step_mismatch, &problem, lower, upper, 1e-15, &root);
    return exp(root);
}

double ireneo_finite_converged_lambda(ireneo_dense_ensemble ensemble, double neurons, double log_crowd) {
    double one_step = ireneo_finite_one_step_lambda(ensemble, neurons, log_crowd);
    if (!isfinite(one_step)) return one_step;
    if (log_crowd == -INFINITY) return 0.0;
    radial_problem problem = {ensemble, neurons, NAN, log_crowd};
    /* The saddle-node lies above the one-step threshold by about log(N)/N: small steps up to it. */
    double lower = fmax(one_step, 0.01 / neurons), root = NAN;
    for (double upper = lower; upper < 64.0 * (lower + 1.0 / neurons);) {
        upper += 0.02 * upper + 0.02 / neurons;
        double mismatch = converged_mismatch(upper, &problem);
        if (isnan(mismatch)) return NAN;
        if (mismatch < 0.0) continue;
        if (!(converged_mismatch(lower, &problem) < 0.0)) return NAN;
        (void)ireneo_find_root(converged_mismatch, &problem, lower, upper, 1e-15, &root);
        return root;
    }
    return NAN;
}

/* N zeta - log M_N to leading order: 1/2 log(1 - c^4) for spherical patterns. */
static double prefactor(ireneo_dense_ensemble ensemble, double c) {
    return ensemble == IRENEO_DENSE_ENSEMBLE_SPHERICAL ? 0.5 * log1p(-c * c * c * c) : 0.0;
}

double ireneo_finite_converged_law(ireneo_dense_ensemble ensemble, double neurons, double alpha) {
    double lambda = ireneo_dense_lambda_c(ensemble, alpha);
    if (isinf(lambda)) return lambda;
    double c = ireneo_rem_overlap(ensemble, lambda, 1.0);
    return lambda + (log(neurons) + 1.0 + log(lambda * (1.0 - c) * (1.0 - c)) - prefactor(ensemble, c)) /
                        (neurons * (1.0 - c));
}

static double lost_mismatch(double log_m, void *context) {
    const radial_problem *problem = context;
    double m = exp(log_m);
    return ireneo_finite_overlap(problem->ensemble, problem->neurons, problem->lambda, m) - m;
}

double ireneo_finite_lost_radius(ireneo_dense_ensemble ensemble, double neurons, double lambda) {
    if (lambda <= 1.0) return ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN && lambda == 1.0 ? NAN : 0.0;
    if (ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN) return NAN;
    if (ensemble == IRENEO_DENSE_ENSEMBLE_SPHERICAL && isinf(neurons)) return sqrt(1.0 - 1.0 / lambda);
    radial_problem problem = {ensemble, isinf(neurons) ? 1.0 : neurons, lambda, NAN};
    double log_m = -INFINITY; /* m -> 0: the slope of A is lambda > 1 */
    if (lost_mismatch(log(1e-7), &problem) > 0.0)
        (void)ireneo_find_root(lost_mismatch, &problem, log(1e-7), 0.0, 1e-15, &log_m);
    return exp(log_m);
}
