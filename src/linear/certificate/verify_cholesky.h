/* Exact certificates at sizes where rational arithmetic would take too long. */
#ifndef IRENEO_LINEAR_CERTIFICATE_VERIFY_CHOLESKY_H
#define IRENEO_LINEAR_CERTIFICATE_VERIFY_CHOLESKY_H

#include "base/progress.h"
#include "linear/certificate/scaled_pairs.h"

/* *exact: there are weights, all positive, on these very pairs whose sum vanishes exactly. Takes (dim_in dim_out)^3
 * operations and 8 (dim_in dim_out)^2 bytes. Needs BLAS on one thread. */
ireneo_error ireneo_verify_cholesky(const ireneo_scaled_pairs *pairs, int threads,
                                    const ireneo_progress *progress, bool *exact);

#endif
