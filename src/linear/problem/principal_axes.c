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

static ireneo_error turn_values(ireneo_principal_axes *axes) {
    ireneo_problem *p = &axes->problem;
    axes->value_scale = 1.0;
    if (p->y == NULL) {
        for (size_t k = 0; k < p->dim_out; k++) axes->value_variance[k] = 1.0;
        return IRENEO_OK;
    }
    IRENEO_TRY(turn(&p->values, 1.0, (double)p->dim_out, axes->value_variance, &axes->value_scale));
    return ireneo_problem_whiten_values(p);
}

static ireneo_error turn_keys(ireneo_principal_axes *axes) {
    ireneo_problem *p = &axes->problem;
    IRENEO_TRY(turn(&p->keys, 1.0 / (double)p->dim_in, 1.0, axes->key_variance, &axes->key_scale));
    return ireneo_whitening_apply_held(&p->keys, p->facts->keys, &p->holding, p->dim_in, p->threads, p->x);
}

ireneo_error ireneo_principal_axes_make(const ireneo_facts *facts, int threads, ireneo_principal_axes *axes) {
    memset(axes, 0, sizeof *axes);
    ireneo_error failed = ireneo_problem_make(facts, threads, &axes->problem);
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&axes->key_variance, axes->problem.dim_in, "variances");
    if (failed == IRENEO_OK)
        failed = IRENEO_ALLOCATE(&axes->value_variance, axes->problem.dim_out, "variances");
    if (failed == IRENEO_OK) failed = turn_keys(axes);
    if (failed == IRENEO_OK) failed = turn_values(axes);
    if (failed != IRENEO_OK) ireneo_principal_axes_free(axes);
    return failed;
}

void ireneo_principal_axes_free(ireneo_principal_axes *axes) {
    ireneo_problem_free(&axes->problem);
    free(axes->key_variance);
    free(axes->value_variance);
    memset(axes, 0, sizeof *axes);
}
