/* The exact method for small memories: the point of least norm in the convex hull of the constraint vectors.
 *
 * Constraint k = (fact i, competitor j) has the vector z_k = (y_target - y_j) x_i^T, and W recalls the fact
 * over that competitor when <z_k, W> > 0. Either the hull of all z_k contains zero, and its weights are a
 * certificate, or its point w of least norm has <z_k, w> >= |w|^2 for all k: then w is the memory with the
 * largest margin for its norm. A primal-dual interior point method finds which, with a dense matrix of
 * (dim_in dim_out)^2 entries. */
#ifndef IRENEO_LINEAR_CERTIFICATE_INTERIOR_POINT_H
#define IRENEO_LINEAR_CERTIFICATE_INTERIOR_POINT_H

#include "base/progress.h"
#include "linear/certificate/pair_loss.h"

typedef struct ireneo_interior_point {
    double *w;       /* (out, in): sum_k weights_k z_k */
    double *weights; /* (pairs), positive, sum one */
    double norm;     /* |w| */
    double gap;      /* smallest <z_k, w> */
    size_t iterations;
} ireneo_interior_point;

/* Runs until gap > (1 - accuracy) norm^2, or norm is below 1e-9 of the constraint vectors' size: then the
 * hull contains zero as far as float64 can tell. Whatever is reached when rounding allows no further step is
 * returned; the caller judges it. Release with ireneo_interior_point_free. */
ireneo_error ireneo_interior_point_solve(const ireneo_pair_loss *pairs, double accuracy,
                                         const ireneo_progress *progress, ireneo_interior_point *point);
void ireneo_interior_point_free(ireneo_interior_point *point);

#endif
