/* The Cholesky factor of a large matrix by several threads. */
#ifndef IRENEO_LINEAR_CERTIFICATE_CHOLESKY_H
#define IRENEO_LINEAR_CERTIFICATE_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

enum { IRENEO_CHOLESKY_TILE = 96 };

/* Overwrites the lower triangle of matrix (side, side) by L with L L^T = matrix. Of the upper one only the tiles on
 * the diagonal are touched. The
 * bits do not depend on the number of threads. False when the matrix is not positive definite. */
bool ireneo_cholesky(double *matrix, size_t side, int threads);

#endif
