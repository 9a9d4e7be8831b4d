/* Rules that see every fact once, and their sums in float64 (docs/linear.md, "Memories that learn in one pass"). */
#ifndef IRENEO_LINEAR_SOLVER_RULES_H
#define IRENEO_LINEAR_SOLVER_RULES_H

#include "base/progress.h"
#include "linear/problem/problem.h"

/* The delta rule, fact after fact in the order of the rows: w (dim_out, dim_in) += rate (y - w x) x^T / |x|^2, from zero.
 * Keys of zero teach nothing. */
ireneo_error ireneo_delta_rule(const ireneo_problem *problem, double rate, const ireneo_progress *progress,
                               double *w);

/* The w (dim_out, dim_in) that minimises sum_i |y_i - w x_i|^2 + ridge t |w|_F^2, where t is the mean diagonal entry of
 * sum_i x_i x_i^T. */
ireneo_error ireneo_least_squares_rule(const ireneo_problem *problem, double ridge,
                                       const ireneo_progress *progress, double *w);

#endif
