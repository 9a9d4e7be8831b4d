/* Basins at finite N in the uncondensed phase.
 *
 * A query at the angle theta is x = p xi_1 + q z with z orthogonal to xi_1, |z| = sqrt(N), p = cos theta and
 * q = sin theta. The average over the other patterns depends on rho = |x|/sqrt(N) only, and points along x:
 *     p' = a + (1 - a) A_N(lambda N rho) p/rho ,   q' = (1 - a) A_N(lambda N rho) q/rho ,
 *     a = 1/(1 + R) ,   log R = log(P - 1) + log M_N(lambda N rho) - lambda N p .
 * A binary query is xi_1 with a share f of its bits flipped. All kept bits stay equal, and so do all flipped
 * ones: with y = x_i xi_1i either group moves by y' = a + (1 - a) tanh(lambda y). */
#include "dense/theory/ensemble.h"
#include "dense/theory/finite_size.h"

#include <math.h>
#include <stdbool.h>

double ireneo_finite_one_step_angle(ireneo_dense_ensemble ensemble, double neurons, double lambda,
                                    double log_crowd) {
    double margin = (ireneo_finite_excess(ensemble, neurons, lambda, 1.0) - log_crowd) / (lambda * neurons);
    if (!(margin >= 0.0)) return NAN;
    return margin < 2.0 ? 2.0 * asin(sqrt(0.5 * margin)) : M_PI;
}

typedef struct basin_problem {
    ireneo_dense_ensemble ensemble;
    double neurons, lambda, log_crowd;
    int steps;
} basin_problem;

/* The attention on xi_1. */
static double attention_of(const basin_problem *b, double log_mean, double overlap) {
    return 1.0 / (1.0 + exp(b->log_crowd + log_mean - b->lambda * b->neurons * overlap));
}

static const double STILL = 1e-13;   /* a step that no longer moves */
static const double RETRIEVED = 0.1; /* |x - xi_1|^2 / N */

static bool round_query_returns(const basin_problem *b, double theta) {
    double p = cos(theta), q = sin(theta), moved = 1.0;
    for (int step = 0; step < b->steps && moved > STILL; step++) {
        double rho = hypot(p, q);
        double a = attention_of(b, ireneo_finite_log_mean(b->ensemble, b->neurons, b->lambda, rho), p);
        double rest = rho > 0.0
                          ? (1.0 - a) * ireneo_finite_overlap(b->ensemble, b->neurons, b->lambda, rho) / rho
                          : 0.0;
        double next_p = a + rest * p, next_q = rest * q;
        moved = hypot(next_p - p, next_q - q);
        p = next_p, q = next_q;
    }
    return hypot(1.0 - p, q) < sqrt(RETRIEVED);
}

static bool flipped_query_returns(const basin_problem *b, double theta) {
    double f = 0.5 * (1.0 - cos(theta)), kept = 1.0, flipped = -1.0, moved = 1.0;
    for (int step = 0; step < b->steps && moved > STILL; step++) {
        double log_mean =
            b->neurons * ((1.0 - f) * ireneo_rem_zeta(IRENEO_DENSE_ENSEMBLE_BINARY, b->lambda, kept) +
                          f * ireneo_rem_zeta(IRENEO_DENSE_ENSEMBLE_BINARY, b->lambda, flipped));
        double a = attention_of(b, log_mean, (1.0 - f) * kept + f * flipped);
        double next_kept = a + (1.0 - a) * tanh(b->lambda * kept);
        double next_flipped = a + (1.0 - a) * tanh(b->lambda * flipped);
        moved = hypot(next_kept - kept, next_flipped - flipped);
        kept = next_kept, flipped = next_flipped;
    }
    return (1.0 - f) * (1.0 - kept) * (1.0 - kept) + f * (1.0 - flipped) * (1.0 - flipped) < RETRIEVED;
}

static bool query_returns(const basin_problem *b, double theta) {
    return b->ensemble == IRENEO_DENSE_ENSEMBLE_BINARY ? flipped_query_returns(b, theta)
                                                       : round_query_returns(b, theta);
}

double ireneo_finite_converged_angle(ireneo_dense_ensemble ensemble, double neurons, double lambda,
                                     double log_crowd, int steps) {
    basin_problem problem = {ensemble, neurons, lambda, log_crowd, steps};
    double near = 0.0, far = M_PI;
    if (!query_returns(&problem, near)) return NAN;
    if (query_returns(&problem, far)) return far;
    while (far - near > 1e-9) {
        double middle = 0.5 * (near + far);
        if (query_returns(&problem, middle))
            near = middle;
        else
            far = middle;
    }
    return 0.5 * (near + far);
}
