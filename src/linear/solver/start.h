/* Where the solver starts, and how far rounding can move a score. */
#ifndef IRENEO_LINEAR_SOLVER_START_H
#define IRENEO_LINEAR_SOLVER_START_H

#include "linear/solver/minimise.h"

/* Sets the point of `inner` to the Hebbian memory, or to `initial` when it is not NULL, scaled so that scores
 * have spread one. With a rank: the best approximation of that rank. */
ireneo_error ireneo_start(const ireneo_problem *problem, const ireneo_memory *initial, size_t rank,
                          ireneo_minimiser *minimiser);

/* Factors left (rows, rank) and right (columns, rank) of the best approximation left right^T of the matrix
 * (rows, columns), which is destroyed. */
ireneo_error ireneo_factorise(float *matrix, size_t rows, size_t columns, size_t rank, float *left,
                              float *right);

/* Gap between scores that survives the rounding of the exported memory to float32, in white score units. */
double ireneo_rounding_gap(const ireneo_problem *problem, const ireneo_minimiser *minimiser);

/* h (dim_out) = W x of one row. */
void ireneo_row_product(const ireneo_problem *problem, const float *w, size_t row, float *h);

#endif
