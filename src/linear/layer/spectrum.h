/* Spectra of matrices: singular values, and eigenvalues of symmetric matrices. */
#ifndef IRENEO_LINEAR_LAYER_SPECTRUM_H
#define IRENEO_LINEAR_LAYER_SPECTRUM_H

#include "base/progress.h"

/* Singular values (min(rows, columns)) of a matrix (rows, columns), largest first: roots of the eigenvalues of the smaller
 * product W W^T or W^T W in float64, so their absolute accuracy is 1e-8 of the largest. */
ireneo_error ireneo_singular_values(const float *matrix, size_t rows, size_t columns, int threads,
                                    const ireneo_progress *progress, double *values);

/* Eigenvalues (dim), largest first, of a symmetric matrix (dim, dim), which is destroyed. None is below zero: what rounding
 * puts there is zero. */
ireneo_error ireneo_eigenvalues(double *matrix, size_t dim, double *values);

#endif
