/* Newton steps on the float64 loss by conjugate gradients. */
#ifndef IRENEO_LINEAR_CERTIFICATE_NEWTON_H
#define IRENEO_LINEAR_CERTIFICATE_NEWTON_H

#include "linear/certificate/pair_loss.h"

/* Space of the conjugate gradients: six matrices (out, in). */
typedef struct ireneo_newton_space {
    double *direction, *product, *rest, *scaled, *right, *part;
} ireneo_newton_space;

ireneo_error ireneo_newton_space_make(size_t area, ireneo_newton_space *space);
void ireneo_newton_space_free(ireneo_newton_space *space);

/* step = -(Hessian + ridge)^-1 gradient by at most `most` conjugate gradients, until the residual is
 * `accuracy` times the gradient or rounding lets it fall no further. diagonal (out, in) is an estimate of the
 * Hessian's diagonal for preconditioning; NULL: none. */
void ireneo_newton_step(ireneo_pair_loss *loss, const double *gradient, double ridge, const double *diagonal,
                        double accuracy, size_t most, ireneo_newton_space *space, double *step);

/* The same without preconditioning, with products in float32 whose errors are corrected in float64: twice as
 * fast. */
ireneo_error ireneo_newton_step_mixed(ireneo_pair_loss *loss, const double *gradient, double ridge,
                                      double accuracy, size_t most, ireneo_newton_space *space, double *step);

#endif
