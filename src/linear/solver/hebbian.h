/* The Hebbian rule W = sum_i y_f(i) x_i^T (docs/linear.md, "The Hebbian rule"). */
#ifndef IRENEO_LINEAR_SOLVER_HEBBIAN_H
#define IRENEO_LINEAR_SOLVER_HEBBIAN_H

#include "linear/problem/problem.h"

/* The sum for the x and y of the problem, into w (dim_out, dim_in). */
ireneo_error ireneo_hebbian_sum(const ireneo_problem *problem, float *w);

/* The memory by the rule settings->solver: from the caller's numbers as they are, in one pass, or in white
 * coordinates, where it recalls more. With a rank its best approximation. Fills in what the rule knows of *info,
 * and counts what the memory recalls. */
ireneo_error ireneo_hebbian_store(const ireneo_facts *facts, const ireneo_store_settings *settings,
                                  ireneo_memory **memory, ireneo_store_info *info);

#endif
