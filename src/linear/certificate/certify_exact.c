/* The last word on instances so close to their limit that the minimiser stops short of a verdict. */
#include "base/ram.h"
#include "linear/certificate/certificate.h"
#include "linear/certificate/interior_point.h"
#include "linear/solver/start.h"

#include <math.h>

/* The point becomes w (dim_out, dim_in), scaled to scores of spread one; the lists follow. */
static ireneo_error move_point(ireneo_minimiser *minimiser, const double *w, double norm) {
    const ireneo_problem *p = minimiser->problem;
    ireneo_working_set *l = minimiser->set;
    float *h = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&h, p->stride, "row"));
    double scale = sqrt((double)p->dim_in) / norm;
    for (size_t k = 0; k < p->dim_out * p->dim_in; k++) minimiser->w[k] = (float)(scale * w[k]);
    for (size_t i = 0; i < p->rows; i++) {
        ireneo_row_product(p, minimiser->w, i, h);
        l->target_score[i] = (float)ireneo_dot(h, ireneo_working_set_target(l, p, i), p->dim_out, 1);
        for (size_t k = 0; k < l->count[i]; k++)
            l->score[i * l->capacity + k] =
                (float)ireneo_dot(h, ireneo_working_set_value(l, p, i, k), p->dim_out, 1);
    }
    ireneo_lbfgs_forget(&minimiser->lbfgs);
    ireneo_minimiser_evaluate(minimiser);
    free(h);
    return IRENEO_OK;
}

ireneo_error ireneo_certify_exact(ireneo_minimiser *minimiser, size_t most, const ireneo_progress *progress,
                                  ireneo_certificate **certificate, bool *solved) {
    ireneo_pair_loss pairs;
    ireneo_interior_point point;
    *certificate = NULL;
    *solved = false;
    if (minimiser->rank > 0 || minimiser->problem->dim_in * minimiser->problem->dim_out > most)
        return IRENEO_OK;
    IRENEO_TRY(ireneo_pair_loss_make(minimiser->problem, minimiser->set, 0.0, &pairs));
    ireneo_error failed = ireneo_interior_point_solve(&pairs, 1e-3, progress, &point);
    if (failed == IRENEO_OK) {
        *solved = point.gap > 0.0;
        failed = *solved ? move_point(minimiser, point.w, point.norm)
                         : ireneo_pair_loss_certificate(&pairs, point.weights, certificate);
        ireneo_interior_point_free(&point);
    }
    ireneo_pair_loss_free(&pairs);
    return failed;
}
