/* Finite N: where one step and where the whole dynamics stop retrieving, starting from a stored pattern.
 *
 * While the crowd (all patterns but the one looked for) is not condensed, its weight and its mean are their
 * averages, up to exponentially small noise. One step retrieves (attention 1/2 on the pattern) when
 *     log(P - 1) < lambda N - log M_N(lambda N) ,
 * and x = m xi_1 moves by the radial map
 *     m' = a + (1 - a) A_N(lambda N m) ,   a = 1/(1 + R) ,
 *     log R = log(P - 1) + log M_N(lambda N m) - lambda N m ,
 * whose fixed point near m = 1 ends in a saddle-node (docs/dense.md, "Finite N"). Binary and Gaussian
 * patterns (the latter of typical norm) have N zeta for log M_N and zeta' for A_N. */
#ifndef IRENEO_DENSE_THEORY_FINITE_SIZE_H
#define IRENEO_DENSE_THEORY_FINITE_SIZE_H

#include "ireneo.h"

/* log(P - 1) for P = e^log_patterns, rounded to a whole number while that can matter; -inf for P = 1. */
double ireneo_log_crowd(double log_patterns);

/* log E exp(lambda x.xi) for |x| = m sqrt(N); lambda N m less that, when x = m xi_1; and the mean of xi along
 * x under that tilt. */
double ireneo_finite_log_mean(ireneo_dense_ensemble ensemble, double neurons, double lambda, double m);
double ireneo_finite_excess(ireneo_dense_ensemble ensemble, double neurons, double lambda, double m);
double ireneo_finite_overlap(ireneo_dense_ensemble ensemble, double neurons, double lambda, double m);

/* kappa(lambda) = lambda + zeta(lambda) - zeta(2 lambda): at the threshold the crowd's weight has the
 * relative variance e^(-N kappa). */
double ireneo_finite_noise_exponent(ireneo_dense_ensemble ensemble, double lambda);

/* Largest log(P - 1) at this lambda: one step, and the converged dynamics (NaN when the two ends of the
 * dynamics cannot be told apart: no saddle-node, and a state that is not retrieved has |x - xi|^2/N < 0.1).
 */
double ireneo_finite_one_step_load(ireneo_dense_ensemble ensemble, double neurons, double lambda);
double ireneo_finite_converged_load(ireneo_dense_ensemble ensemble, double neurons, double lambda);

/* Their inverses: the smallest lambda for P - 1 = e^log_crowd. Infinite when no lambda is enough, NaN
 * when there is no clean transition. */
double ireneo_finite_one_step_lambda(ireneo_dense_ensemble ensemble, double neurons, double log_crowd);
double ireneo_finite_converged_lambda(ireneo_dense_ensemble ensemble, double neurons, double log_crowd);

/* lambda_c(alpha) with its first correction, log(N)/N, for the converged dynamics. */
double ireneo_finite_converged_law(ireneo_dense_ensemble ensemble, double neurons, double alpha);

/* |x|/sqrt(N) of the state in which a query that is not retrieved ends: the largest m = A_N(lambda N m).
 * neurons = INFINITY gives the limit. NaN for Gaussian patterns at lambda >= 1, where it runs away. */
double ireneo_finite_lost_radius(ireneo_dense_ensemble ensemble, double neurons, double lambda);

/* Largest angle between query and pattern, |x| = sqrt(N): attention above 1/2 in one step (averaged crowd),
 * and retrieved by `steps` of the two-dimensional map. NaN where nothing is retrieved. Uncondensed phase
 * only; for lambda > 1 and N below 1000 the second creeps outwards with the number of steps, which the noise
 * forbids. */
double ireneo_finite_one_step_angle(ireneo_dense_ensemble ensemble, double neurons, double lambda,
                                    double log_crowd);
double ireneo_finite_converged_angle(ireneo_dense_ensemble ensemble, double neurons, double lambda,
                                     double log_crowd, int steps);

#endif
