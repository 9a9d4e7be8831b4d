/* Preconditioned conjugate gradients on the Hessian of the pair loss, in float64 or in float32 with
 * corrections. */
#include "linear/certificate/newton.h"
#include "base/ram.h"
#include "linear/certificate/pair_hessian_f32.h"
#include "linear/kernels/vector.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

ireneo_error ireneo_newton_space_make(size_t area, ireneo_newton_space *s) {
    memset(s, 0, sizeof *s);
    ireneo_error failed = IRENEO_ALLOCATE(&s->direction, area, "search direction");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s->product, area, "Hessian product");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s->rest, area, "residual of the step");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s->scaled, area, "residual of the step");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s->right, area, "right side of the step");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s->part, area, "part of the step");
    if (failed != IRENEO_OK) ireneo_newton_space_free(s);
    return failed;
}

void ireneo_newton_space_free(ireneo_newton_space *s) {
    free(s->direction), free(s->product), free(s->rest), free(s->scaled), free(s->right), free(s->part);
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

/* product = Hessian times direction. */
typedef void (*hessian_product)(void *hessian, const double *direction, double *product);

static void product_f64(void *loss, const double *direction, double *product) {
    ireneo_pair_loss_product(loss, direction, product);
}
static void product_f32(void *hessian, const double *direction, double *product) {
    ireneo_pair_hessian_f32_product(hessian, direction, product);
}

typedef struct linear_system {
    hessian_product multiply;
    void *hessian;
    size_t area;
    double ridge;
    const double *diagonal; /* NULL: no preconditioning */
    ireneo_newton_space *space;
} linear_system;

/* solution = (Hessian + ridge)^-1 right by at most `most` conjugate gradients, until the residual is below
 * goal. Leaves the residual in space->rest. Returns how many it took. */
static size_t conjugate_gradients(const linear_system *s, const double *right, double goal, size_t most,
                                  double *solution) {
    /* Rounding in the products lets conjugate gradients wander off along flat directions once the residual is
     * as small as it can get: they end when it has not fallen for this many iterations, or for this share of those
     * that they may take. */
    enum { PATIENCE = 40, SHARE = 15 };
    const size_t patience = most / SHARE > PATIENCE ? most / SHARE : PATIENCE;
    size_t area = s->area, waiting = 0, iteration = 0;
    double *r = s->space->rest, *z = s->space->scaled, *d = s->space->direction, *q = s->space->product;
    memset(solution, 0, area * sizeof *solution);
    memcpy(r, right, area * sizeof *r);
    precondition(s->diagonal, s->ridge, r, area, z);
    memcpy(d, z, area * sizeof *d);
    double rz = ireneo_dot_f64(r, z, area), size = ireneo_dot_f64(r, r, area), least = size;
    for (; iteration < most && size > goal * goal && waiting < patience; iteration++) {
        s->multiply(s->hessian, d, q);
        if (s->ridge > 0.0) cblas_daxpy((int)area, s->ridge, d, 1, q, 1);
        double curvature = ireneo_dot_f64(d, q, area);
        if (!(curvature > 1e-300)) break; /* nothing but flat directions is left */
        cblas_daxpy((int)area, rz / curvature, d, 1, solution, 1);
        cblas_daxpy((int)area, -rz / curvature, q, 1, r, 1);
        precondition(s->diagonal, s->ridge, r, area, z);
        double next = ireneo_dot_f64(r, z, area), beta = next / rz;
        for (size_t k = 0; k < area; k++) d[k] = z[k] + beta * d[k];
        rz = next;
        size = ireneo_dot_f64(r, r, area);
        waiting = size < least ? 0 : waiting + 1;
        least = fmin(least, size);
    }
    return iteration;
}

void ireneo_newton_step(ireneo_pair_loss *loss, const double *gradient, double ridge, const double *diagonal,
                        double accuracy, size_t most, ireneo_newton_space *space, double *step) {
    linear_system system = {product_f64, loss, loss->area, ridge, diagonal, space};
    double *right = space->right;
    for (size_t k = 0; k < loss->area; k++) right[k] = -gradient[k];
    conjugate_gradients(&system, right, accuracy * sqrt(ireneo_dot_f64(right, right, loss->area)), most,
                        step);
}

ireneo_error ireneo_newton_step_mixed(ireneo_pair_loss *loss, const double *gradient, double ridge,
                                      double accuracy, size_t most, ireneo_newton_space *space,
                                      double *step) {
    enum { ROUNDS = 6 };
    const double REACH = 1e-4, WORTH_A_ROUND = 0.5; /* what float32 products can take off, and must */
    size_t area = loss->area;
    double *right = space->right, *part = space->part;
    ireneo_pair_hessian_f32 f32;
    if (loss->y == NULL) {
        ireneo_newton_step(loss, gradient, ridge, NULL, accuracy, most, space, step);
        return IRENEO_OK;
    }
    IRENEO_TRY(ireneo_pair_hessian_f32_make(loss, &f32));
    linear_system fast = {product_f32, &f32, area, ridge, NULL, space};
    memset(step, 0, area * sizeof *step);
    for (size_t k = 0; k < area; k++) right[k] = -gradient[k];
    double size = sqrt(ireneo_dot_f64(right, right, area)), goal = accuracy * size;
    for (int round = 0; round < ROUNDS && size > goal && most > 0; round++) {
        size_t used = conjugate_gradients(&fast, right, fmax(goal, REACH * size), most, part);
        loss->products += used / 2; /* they take half the time */
        most = used < most ? most - used : 0;
        ireneo_pair_loss_product(loss, part, space->product);
        for (size_t k = 0; k < area; k++) {
            step[k] += part[k];
            right[k] -= space->product[k] + ridge * part[k];
        }
        double before = size;
        size = sqrt(ireneo_dot_f64(right, right, area));
        if (size > WORTH_A_ROUND * before) break; /* flat directions: float32 has done what it can */
    }
    ireneo_pair_hessian_f32_free(&f32);
    return IRENEO_OK;
}
