/* Products with the Hessian of the projection loss in float32: twice as fast as in float64, and good enough
 * for conjugate gradients whose residual is corrected in float64 from time to time. */
#ifndef IRENEO_LINEAR_CERTIFICATE_PAIR_HESSIAN_F32_H
#define IRENEO_LINEAR_CERTIFICATE_PAIR_HESSIAN_F32_H

#include "linear/certificate/pair_loss.h"

typedef struct ireneo_pair_hessian_f32 {
    const ireneo_problem *p;
    size_t *start;          /* (rows + 1) first active pair of each row */
    uint32_t *active;       /* competitors with a residual, row by row */
    float *along, *partial; /* (dim_out, dim_in), (groups, dim_out, dim_in) */
    float *tiles;           /* per-thread space */
    size_t tile_space;
} ireneo_pair_hessian_f32;

/* The Hessian at the last evaluation of the loss. Needs shared candidates. */
ireneo_error ireneo_pair_hessian_f32_make(const ireneo_pair_loss *loss, ireneo_pair_hessian_f32 *hessian);
void ireneo_pair_hessian_f32_free(ireneo_pair_hessian_f32 *hessian);

/* product (dim_out, dim_in) = Hessian times direction. */
void ireneo_pair_hessian_f32_product(ireneo_pair_hessian_f32 *hessian, const double *direction,
                                     double *product);

#endif
