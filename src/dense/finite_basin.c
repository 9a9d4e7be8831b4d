/* Basins at finite N in the uncondensed phase.
 *
 * A query at the angle theta is x = p xi_1 + q z with z orthogonal to xi_1, |z| = sqrt(N), p = cos theta and
 * q = sin theta. The average over the other patterns depends on rho = |x|/sqrt(N) only, and points along x:
 *     p' = a + (1 - a) A_N(lambda N rho) p/rho ,   q' = (1 - a) A_N(lambda N rho) q/rho ,
 *     a = 1/(1 + R) ,   log R = log(P - 1) + log M_N(lambda N rho) - lambda N p . */
#include "dense/finite_size.h"

#include <math.h>
#include <stdbool.h>

double ireneo_finite_one_step_angle(ireneo_ensemble ensemble, double neurons, double lambda,
                                    double log_competitors) {
    double signal = lambda * neurons;
    double margin =
        (signal - log_competitors - ireneo_finite_log_mean(ensemble, neurons, lambda, 1.0)) / signal;
    if (!(margin >= 0.0)) return NAN;
    return margin < 2.0 ? 2.0 * asin(sqrt(0.5 * margin)) : M_PI;
}

/* Follows the map until it stops moving; true when it ends near xi_1. */
static bool ends_at_pattern(ireneo_ensemble ensemble, double neurons, double lambda, double log_competitors,
                            double theta, int steps) {
    double p = cos(theta), q = sin(theta);
    for (int step = 0; step < steps; step++) {
        double rho = hypot(p, q);
        double log_ratio =
            log_competitors + ireneo_finite_log_mean(ensemble, neurons, lambda, rho) - lambda * neurons * p;
        double attention = 1.0 / (1.0 + exp(log_ratio));
        double rest =
            rho > 0.0 ? (1.0 - attention) * ireneo_finite_overlap(ensemble, neurons, lambda, rho) / rho : 0.0;
        double next_p = attention + rest * p, next_q = rest * q;
        double moved = hypot(next_p - p, next_q - q);
        p = next_p, q = next_q;
        if (moved < 1e-13) break;
    }
    return hypot(1.0 - p, q) < sqrt(0.1);
}

double ireneo_finite_converged_angle(ireneo_ensemble ensemble, double neurons, double lambda,
                                     double log_competitors, int steps) {
    double near = 0.0, far = M_PI;
    if (!ends_at_pattern(ensemble, neurons, lambda, log_competitors, near, steps)) return NAN;
    if (ends_at_pattern(ensemble, neurons, lambda, log_competitors, far, steps)) return far;
    while (far - near > 1e-9) {
        double middle = 0.5 * (near + far);
        if (ends_at_pattern(ensemble, neurons, lambda, log_competitors, middle, steps))
            near = middle;
        else
            far = middle;
    }
    return 0.5 * (near + far);
}
