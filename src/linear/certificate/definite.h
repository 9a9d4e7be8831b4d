/* Proof that a symmetric matrix is positive definite, with a lower bound of its smallest eigenvalue. */
#ifndef IRENEO_LINEAR_CERTIFICATE_DEFINITE_H
#define IRENEO_LINEAR_CERTIFICATE_DEFINITE_H

#include "base/progress.h"

/* matrix (size, size): the full symmetric matrix, which is destroyed. *bound is below the smallest eigenvalue of the
 * matrix as it is stored, by proof, and above shift / 2; or -infinity when that could not be shown. Needs BLAS on one
 * thread. The bound does not depend on the number of threads. */
ireneo_error ireneo_definite_bound(double *matrix, size_t size, double shift, int threads,
                                   const ireneo_progress *progress, double *bound);

#endif
