/* alpha_c of the three ensembles; for Gaussian patterns the union bound over two ways to fail.
 *
 * A Gaussian pattern of norm |xi|^2 = u N has u with rate (u - 1 - log u)/2. It fails when u <= u_c =
 * alpha / alpha_1(lambda), where the crowd wins; or, with a larger norm, when some other pattern has the
 * overlap u N with it, at rate u/2 - alpha. The cheapest failure has the rate
 *     A(alpha, lambda) = min( (u_c - 1 - log u_c)/2 , min_(u > u_c) [(u - 1 - log u)/2 + u/2 - alpha] ) ,
 * whose second term is log(2)/2 - alpha, at u = 1/2, and matters when u_c < 1/2. All P patterns are retrieved
 * when A > alpha. */
#include "dense/theory/gaussian_capacity.h"
#include "base/roots.h"
#include "dense/theory/ensemble.h"

#include <math.h>

static const double PAIR_CAPACITY = 0.25 * M_LN2;

/* (1 - 2 alpha_1) u - 1 - log u with u = e^-t. */
static double weak_norm_balance(double t, void *context) {
    double alpha_1 = *(const double *)context;
    return -expm1(-t) - t + 2.0 * alpha_1 * exp(-t);
}

/* alpha_A = u alpha_1: the load at which a pattern of norm u_c appears among the P. */
static double weak_norm_capacity(double alpha_1) {
    double t = 1.0;
    if (alpha_1 < 0.5) (void)ireneo_find_root(weak_norm_balance, &alpha_1, 0.0, 1.0, 1e-16, &t);
    return exp(-t) * alpha_1;
}

double ireneo_dense_alpha_c_lower(ireneo_dense_ensemble ensemble, double lambda) {
    double alpha_1 = ireneo_dense_alpha_1(ensemble, lambda);
    return ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN ? fmin(weak_norm_capacity(alpha_1), PAIR_CAPACITY)
                                                      : alpha_1;
}

static double weak_norm_mismatch(double lambda, void *context) {
    return weak_norm_capacity(ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, lambda)) -
           *(const double *)context;
}

double ireneo_dense_lambda_c_all(ireneo_dense_ensemble ensemble, double alpha) {
    if (ensemble != IRENEO_DENSE_ENSEMBLE_GAUSSIAN) return ireneo_dense_lambda_c(ensemble, alpha);
    if (alpha > PAIR_CAPACITY) return INFINITY;
    double lambda = NAN; /* alpha_A <= alpha_1 <= lambda bounds it from below */
    (void)ireneo_find_root(weak_norm_mismatch, &alpha, alpha, 1.0, 1e-16, &lambda);
    return lambda;
}

double ireneo_dense_alpha_1_large(ireneo_dense_ensemble ensemble, double lambda) {
    if (ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN) return 0.5;
    if (ensemble == IRENEO_DENSE_ENSEMBLE_BINARY) return M_LN2 - exp(-2.0 * lambda);
    return 0.5 * log(lambda) + 0.5 + 1.0 / (8.0 * lambda) - 1.0 / (384.0 * lambda * lambda * lambda);
}
