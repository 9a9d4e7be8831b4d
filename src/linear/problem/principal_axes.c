/* Principal axes from the whitening: back = U S V^T, so U holds the axes and S^2 the variances. */
#include "linear/problem/principal_axes.h"
#include "base/ram.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Turns a whitening into a rotation. white: second moment of each white coordinate; variance (span) receives
 * the second moments along the axes, scaled to the given sum, and *scale the factor taken out. */
static ireneo_error turn(ireneo_whitening *w, double white, double sum_wanted, double *variance,
                         double *scale) {
    size_t dim = w->dim, span = w->span;
    double *right = NULL, total = 0.0;
    IRENEO_TRY(IRENEO_ALLOCATE(&right, span * span, "principal axes"));
    double *axes = NULL;
    ireneo_error failed = IRENEO_ALLOCATE(&axes, dim * span, "principal axes");
    if (failed == IRENEO_OK &&
        LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'S', (lapack_int)dim, (lapack_int)span, w->back, (lapack_int)span,
                       variance, axes, (lapack_int)span, right, (lapack_int)span) != 0)
        failed = ireneo_fail(IRENEO_ERROR_NUMERIC, "the principal axes of the data did not converge");
    if (failed == IRENEO_OK) {
        for (size_t k = 0; k < span; k++) total += variance[k] *= variance[k] * white;
        *scale = sqrt(total / sum_wanted);
        for (size_t k = 0; k < span; k++) {
            variance[k] /= *scale * *scale;
            for (size_t j = 0; j < dim; j++) {
                w->forward[k * dim + j] = axes[j * span + k] / *scale;
                w->back[j * span + k] = axes[j * span + k] * *scale;
            }
        }
    }
    free(right);
    free(axes);
    return failed;
}

static ireneo_error turn_values(ireneo_principal_axes *r) {
    ireneo_problem *p = &r->problem;
    r->value_scale = 1.0;
    if (p->y == NULL) {
        for (size_t k = 0; k < p->dim_out; k++) r->value_variance[k] = 1.0;
        return IRENEO_OK;
    }
    ireneo_int8_free(&p->int8); /* of other coordinates; and these are not white, as its scans expect */
    IRENEO_TRY(turn(&p->values, 1.0, (double)p->dim_out, r->value_variance, &r->value_scale));
    return ireneo_whitening_apply(&p->values, p->facts->values, p->columns, p->stride, p->threads, p->y);
}

static ireneo_error turn_keys(ireneo_principal_axes *r) {
    ireneo_problem *p = &r->problem;
    IRENEO_TRY(turn(&p->keys, 1.0 / (double)p->dim_in, 1.0, r->key_variance, &r->key_scale));
    return ireneo_whitening_apply(&p->keys, p->facts->keys, p->rows, p->dim_in, p->threads, p->x);
}

ireneo_error ireneo_principal_axes_make(const ireneo_facts *facts, int threads, ireneo_principal_axes *r) {
    memset(r, 0, sizeof *r);
    ireneo_error failed = ireneo_problem_make(facts, threads, &r->problem);
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&r->key_variance, r->problem.dim_in, "variances");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&r->value_variance, r->problem.dim_out, "variances");
    if (failed == IRENEO_OK) failed = turn_keys(r);
    if (failed == IRENEO_OK) failed = turn_values(r);
    if (failed != IRENEO_OK) ireneo_principal_axes_free(r);
    return failed;
}

void ireneo_principal_axes_free(ireneo_principal_axes *r) {
    ireneo_problem_free(&r->problem);
    free(r->key_variance);
    free(r->value_variance);
    memset(r, 0, sizeof *r);
}
