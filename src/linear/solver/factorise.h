/* The best approximation of a matrix by one of low rank. */
#ifndef IRENEO_LINEAR_SOLVER_FACTORISE_H
#define IRENEO_LINEAR_SOLVER_FACTORISE_H

#include "base/error.h"

/* Factors left (rows, rank) and right (columns, rank) of the best approximation left right^T of the matrix
 * (rows, columns), which is destroyed. */
ireneo_error ireneo_factorise(float *matrix, size_t rows, size_t columns, size_t rank, float *left,
                              float *right);

#endif
