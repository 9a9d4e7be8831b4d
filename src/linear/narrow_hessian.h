/* Products with the Hessian of the projection loss in float32: twice as fast as in float64, and good enough
 * for conjugate gradients whose residual is corrected in float64 from time to time. */
#ifndef IRENEO_LINEAR_NARROW_HESSIAN_H
#define IRENEO_LINEAR_NARROW_HESSIAN_H

#include "linear/wide_loss.h"

typedef struct ireneo_narrow_hessian {
    const ireneo_problem *p;
    size_t *start;          /* (rows + 1) first active pair of each row */
    uint32_t *active;       /* competitors with a residual, row by row */
    float *along, *partial; /* (dim_out, dim_in), (groups, dim_out, dim_in) */
    float *tiles;           /* per-thread space */
    size_t tile_space;
} ireneo_narrow_hessian;

/* The Hessian at the last evaluation of the loss. Needs shared candidates. */
ireneo_error ireneo_narrow_hessian_make(const ireneo_wide_loss *loss, ireneo_narrow_hessian *hessian);
void ireneo_narrow_hessian_free(ireneo_narrow_hessian *hessian);

/* product (dim_out, dim_in) = Hessian times direction. */
void ireneo_narrow_hessian_product(ireneo_narrow_hessian *hessian, const double *direction, double *product);

#endif
