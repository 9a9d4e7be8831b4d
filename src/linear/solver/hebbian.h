/* The Hebbian rule W = sum_i y_f(i) x_i^T (docs/linear.md, "The Hebbian rule"). */
#ifndef IRENEO_LINEAR_SOLVER_HEBBIAN_H
#define IRENEO_LINEAR_SOLVER_HEBBIAN_H

#include "linear/problem/problem.h"

/* The sum for the x and y of the problem, into w (dim_out, dim_in). */
ireneo_error ireneo_hebbian_sum(const ireneo_problem *problem, float *w);

/* The rule in white coordinates, where it recalls more, into a memory of zeros; with a rank its best approximation.
 * Fills in the spans and the time of whitening. */
ireneo_error ireneo_hebbian_make_white(const ireneo_facts *facts, int threads, ireneo_memory *memory,
                                       ireneo_store_info *info);

#endif
