/* The last word on instances so close to their limit that the minimiser stops short of a verdict. */
#include "base/memory.h"
#include "linear/certificate.h"
#include "linear/interior.h"
#include "linear/start.h"

#include <math.h>

/* The point becomes w (dim_out, dim_in), scaled to scores of spread one; the lists follow. */
static ireneo_error move_point(ireneo_inner *inner, const double *w, double norm) {
    const ireneo_problem *p = inner->problem;
    ireneo_lists *l = inner->lists;
    float *h = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&h, p->stride, "row"));
    double scale = sqrt((double)p->dim_in) / norm;
    for (size_t k = 0; k < p->dim_out * p->dim_in; k++) inner->w[k] = (float)(scale * w[k]);
    for (size_t i = 0; i < p->rows; i++) {
        ireneo_row_product(p, inner->w, i, h);
        l->target_score[i] = (float)ireneo_dot(h, ireneo_list_target(l, p, i), p->dim_out, 1);
        for (size_t k = 0; k < l->count[i]; k++)
            l->score[i * l->capacity + k] =
                (float)ireneo_dot(h, ireneo_list_value(l, p, i, k), p->dim_out, 1);
    }
    ireneo_lbfgs_forget(&inner->lbfgs);
    ireneo_inner_evaluate(inner);
    free(h);
    return IRENEO_OK;
}

ireneo_error ireneo_settle(ireneo_inner *inner, size_t most, const ireneo_progress *progress,
                           ireneo_certificate **certificate, bool *solved) {
    ireneo_wide_loss pairs;
    ireneo_interior_point point;
    *certificate = NULL;
    *solved = false;
    if (inner->rank > 0 || inner->problem->dim_in * inner->problem->dim_out > most) return IRENEO_OK;
    IRENEO_TRY(ireneo_wide_loss_make(inner->problem, inner->lists, 0.0, &pairs));
    ireneo_error failed = ireneo_interior_solve(&pairs, 1e-3, progress, &point);
    if (failed == IRENEO_OK) {
        *solved = point.gap > 0.0;
        failed = *solved ? move_point(inner, point.w, point.norm)
                         : ireneo_wide_loss_certificate(&pairs, point.weights, certificate);
        ireneo_interior_free(&point);
    }
    ireneo_wide_loss_free(&pairs);
    return failed;
}
