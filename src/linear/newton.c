/* Newton steps on the float64 loss by preconditioned conjugate gradients. */
#include "base/memory.h"
#include "linear/wide_loss.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

ireneo_error ireneo_newton_space_make(size_t area, ireneo_newton_space *s) {
    memset(s, 0, sizeof *s);
    ireneo_error failed = IRENEO_ALLOCATE(&s->direction, area, "search direction");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s->product, area, "Hessian product");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s->rest, area, "residual of the step");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s->scaled, area, "residual of the step");
    if (failed != IRENEO_OK) ireneo_newton_space_free(s);
    return failed;
}

void ireneo_newton_space_free(ireneo_newton_space *s) {
    free(s->direction), free(s->product), free(s->rest), free(s->scaled);
    memset(s, 0, sizeof *s);
}

/* scaled = (diagonal + ridge)^-1 rest. */
static void precondition(const double *diagonal, double ridge, const double *rest, size_t area,
                         double *scaled) {
    if (diagonal == NULL) {
        memcpy(scaled, rest, area * sizeof *scaled);
        return;
    }
    for (size_t k = 0; k < area; k++) scaled[k] = rest[k] / (diagonal[k] + ridge);
}

void ireneo_newton_step(ireneo_wide_loss *loss, const double *gradient, double ridge, const double *diagonal,
                        double accuracy, size_t most, ireneo_newton_space *space, double *step) {
    /* Rounding in the products lets conjugate gradients wander off along flat directions once the residual is
     * as small as it can get: they end when it has not fallen for this many iterations. */
    enum { PATIENCE = 40 };
    size_t area = loss->area, waiting = 0;
    double *r = space->rest, *z = space->scaled, *d = space->direction, *q = space->product;
    memset(step, 0, area * sizeof *step);
    for (size_t k = 0; k < area; k++) r[k] = -gradient[k];
    precondition(diagonal, ridge, r, area, z);
    memcpy(d, z, area * sizeof *d);
    double rz = ireneo_wide_dot(r, z, area), size = ireneo_wide_dot(r, r, area), least = size,
           goal = accuracy * accuracy * size;
    for (size_t iteration = 0; iteration < most && size > goal && waiting < PATIENCE; iteration++) {
        ireneo_wide_loss_product(loss, d, q);
        if (ridge > 0.0) cblas_daxpy((int)area, ridge, d, 1, q, 1);
        double curvature = ireneo_wide_dot(d, q, area);
        if (!(curvature > 1e-300)) break;
        cblas_daxpy((int)area, rz / curvature, d, 1, step, 1);
        cblas_daxpy((int)area, -rz / curvature, q, 1, r, 1);
        precondition(diagonal, ridge, r, area, z);
        double next = ireneo_wide_dot(r, z, area), beta = next / rz;
        for (size_t k = 0; k < area; k++) d[k] = z[k] + beta * d[k];
        rz = next;
        size = ireneo_wide_dot(r, r, area);
        waiting = size < least ? 0 : waiting + 1;
        least = fmin(least, size);
    }
}
