/* The minimiser of the projection loss on the working set. Scores are kept and moved along the search line, so
 * that an iteration is
 *     H = X D^T and one inner product per competitor           (direction.c)
 *     a few passes over the kept scores                        (line_search.c)
 *     M = sum_j r_j y_j for rows with r != 0, G = M^T X        (gradient.c)
 * with no other evaluation of the loss. */
#include "linear/solver/minimise.h"
#include "base/progress.h"
#include "base/ram.h"
#include "linear/kernels/vector.h"
#include "linear/solver/direction.h"
#include "linear/solver/factors.h"
#include "linear/solver/gradient.h"
#include "linear/solver/line_search.h"

#include <math.h>
#include <string.h>

/* A wide margin moves all facts at once, a narrow one settles the last: twice the square of the share of facts that
 * are not recalled was found to be right for loads from 0.6 to 1 of the law, and hardly depends on either number. */
static float margin_for(const ireneo_minimiser *minimiser, double violations) {
    static const double WIDEST = 1.0, FACTOR = 2.0;
    double share = violations / (double)minimiser->problem->holding.total;
    return fmaxf(minimiser->least_margin, (float)fmin(WIDEST, FACTOR * share * share));
}

void ireneo_minimiser_evaluate(ireneo_minimiser *minimiser) {
    ireneo_gradient_after(minimiser, 0.0f);
}

void ireneo_minimiser_evaluate_anew(ireneo_minimiser *minimiser) {
    if (minimiser->adapts)
        minimiser->margin = margin_for(minimiser, ireneo_line_sums(minimiser, 0.0).violations);
    ireneo_minimiser_evaluate(minimiser);
}

ireneo_error ireneo_minimiser_restart(ireneo_minimiser *minimiser) {
    const ireneo_problem *p = minimiser->problem;
    ireneo_working_set *l = minimiser->set;
    float *h = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&h, p->stride, "row"));
    for (size_t i = 0; i < p->rows; i++) {
        ireneo_problem_apply(p, minimiser->w, i, h);
        l->target_score[i] = (float)ireneo_dot(h, ireneo_working_set_target(l, p, i), p->dim_out, 1);
        for (size_t k = 0; k < l->count[i]; k++)
            l->score[i * l->capacity + k] =
                (float)ireneo_dot(h, ireneo_working_set_value(l, p, i, k), p->dim_out, 1);
    }
    free(h);
    ireneo_lbfgs_forget(&minimiser->lbfgs);
    ireneo_minimiser_evaluate(minimiser);
    return IRENEO_OK;
}

bool ireneo_minimiser_iterate(ireneo_minimiser *minimiser) {
    double t0 = ireneo_seconds();
    bool first = minimiser->lbfgs.used == 0;
    ireneo_lbfgs_direction(&minimiser->lbfgs, minimiser->gradient, minimiser->direction);
    double t1 = ireneo_seconds();
    ireneo_direction_score(minimiser);
    double t2 = ireneo_seconds();
    double violations = 0.0, step = ireneo_line_search(minimiser, first, &violations);
    double t3 = ireneo_seconds();
    minimiser->seconds_history += t1 - t0;
    minimiser->seconds_direction += t2 - t1;
    minimiser->seconds_line += t3 - t2;
    if (!(step > 0.0)) {
        if (first) return false;
        ireneo_lbfgs_forget(&minimiser->lbfgs); /* a stale history can point uphill; the gradient cannot */
        return true;
    }
    memcpy(minimiser->old_gradient, minimiser->gradient, minimiser->length * sizeof *minimiser->gradient);
    ireneo_axpy(step, minimiser->direction, minimiser->point, minimiser->length, minimiser->problem->threads);
    ireneo_factors_compose(minimiser);
    if (minimiser->adapts) minimiser->margin = fminf(minimiser->margin, margin_for(minimiser, violations));
    ireneo_gradient_after(minimiser, (float)step);
    double t4 = ireneo_seconds();
    ireneo_lbfgs_remember(&minimiser->lbfgs, step, minimiser->direction, minimiser->old_gradient,
                          minimiser->gradient);
    minimiser->seconds_gradient += t4 - t3;
    minimiser->seconds_history += ireneo_seconds() - t4;
    return true;
}
