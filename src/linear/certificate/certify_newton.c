/* From the float32 minimum of the loss to a certificate: Newton's method in float64, on the caller's data.
 *
 * At the minimum of an unsolvable instance the residuals r_ij > 0 satisfy sum_ij r_ij (y_j - y_target) x_i^T
 * = 0, which is what a certificate needs. While the set of active pairs stays the same the loss is quadratic,
 * so one exact Newton step lands on the minimum; its linear system is solved by conjugate gradients, whose
 * products touch only the active pairs. Far from the minimum the Hessian may be nearly singular; a ridge in
 * proportion to the gradient keeps the steps short there and vanishes on the way. Keys and values are
 * whitened in float64 here: weights that cancel for rounded white data would not cancel for the caller's. */
#include "base/progress.h"
#include "base/ram.h"
#include "linear/certificate/certificate.h"
#include "linear/certificate/pair_loss.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { MOST_NEWTON = 100, MOST_PRODUCTS = 6000, MOST_A_STEP = 600 };
static const double ENOUGH = 1e10; /* sum of weights over |gradient| at which the weights are handed over */
static const double WORTHY = 1e7;  /* and that is worth handing over when no progress is made any more */

typedef struct polish {
    ireneo_pair_loss loss;
    ireneo_newton_space space;
    double *w, *gradient, *step; /* (out, in) */
} polish;

static double norm(const double *a, size_t count) {
    return sqrt(ireneo_dot_f64(a, a, count));
}

static double move_to(polish *s, double from, double to) {
    cblas_daxpy((int)s->loss.area, to - from, s->step, 1, s->w, 1);
    ireneo_pair_loss_evaluate(&s->loss, s->w, s->gradient);
    return ireneo_dot_f64(s->gradient, s->step, s->loss.area);
}

/* Moves along the Newton step to where the slope is below a tenth of its start; the whole step when it is
 * exact. The loss is convex, so the slope only rises: secants inside the bracket find the place. False when
 * the loss does not fall. */
static bool take_step(polish *s) {
    ireneo_pair_loss *l = &s->loss;
    double before = l->loss, slope = ireneo_dot_f64(s->gradient, s->step, l->area);
    double low = 0.0, low_slope = slope, high = INFINITY, high_slope = 0.0, at = 1.0;
    double here = move_to(s, 0.0, at);
    for (int trial = 0; trial < 30 && fabs(here) > 0.1 * fabs(slope); trial++) {
        if (here < 0.0)
            low = at, low_slope = here;
        else
            high = at, high_slope = here;
        if (low >= 1.0 && l->loss < before) break; /* a ridge shortened the step: the next one goes on */
        double width = high - low, next = low + width * low_slope / (low_slope - high_slope);
        if (!(next > low + 0.02 * width)) next = low + 0.02 * width;
        if (!(next < high - 0.1 * width)) next = high - 0.1 * width;
        here = move_to(s, at, next);
        at = next;
    }
    if (l->loss <= before * (1.0 + 1e-12)) return true;
    move_to(s, at, 0.0);
    return false;
}

static double bound_of(const polish *s) {
    double size = norm(s->gradient, s->loss.area);
    return size > 0.0 ? s->loss.weight_sum / size : INFINITY;
}

/* A ridge with which no step is much longer than the point itself. */
static double ridge_of(const polish *s) {
    return 0.05 * norm(s->gradient, s->loss.area) / (1.0 + norm(s->w, s->loss.area));
}

/* True when the minimum was reached with residuals left over. */
static ireneo_error minimise(polish *s, const ireneo_progress *progress, bool *reached) {
    ireneo_pair_loss *l = &s->loss;
    double accuracy = 1e-2, best = 0.0;
    int stalled = 0;
    ireneo_pair_loss_evaluate(l, s->w, s->gradient);
    double first_loss = l->loss, mark = l->loss;
    *reached = false;
    for (int newton = 0; newton < MOST_NEWTON && l->products < MOST_PRODUCTS; newton++) {
        double bound = bound_of(s);
        if (ireneo_report(progress, "proving impossibility", log10(1.0 + bound), log10(ENOUGH)))
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped during the proof");
        if (l->loss <= 1e-10 * first_loss) return IRENEO_OK; /* it can be solved after all, on these lists */
        if (bound > ENOUGH) break;
        bool better = bound > 1.5 * best || l->loss < 0.99 * mark;
        stalled = better ? 0 : stalled + 1;
        if (better) mark = l->loss;
        best = fmax(best, bound);
        if (stalled >= 4 && best > WORTHY) break;
        if (stalled >= 8) return IRENEO_OK;
        size_t active = l->active;
        IRENEO_TRY(
            ireneo_newton_step_mixed(l, s->gradient, ridge_of(s), accuracy, MOST_A_STEP, &s->space, s->step));
        if (!take_step(s) && bound_of(s) <= WORTHY) return IRENEO_OK;
        /* A settled active set makes the next step exact: then it pays to solve for it exactly. */
        size_t changed = active > l->active ? active - l->active : l->active - active;
        accuracy = changed * 500 < l->active  ? (bound_of(s) > 1e5 ? 1e-9 : 1e-5)
                   : changed * 50 < l->active ? 1e-4
                                              : 1e-2;
    }
    *reached = bound_of(s) > WORTHY && l->loss > 1e-10 * first_loss;
    return IRENEO_OK;
}

static ireneo_error prepare(polish *s, const ireneo_minimiser *minimiser) {
    size_t area = minimiser->problem->dim_in * minimiser->problem->dim_out;
    IRENEO_TRY(
        ireneo_pair_loss_make(minimiser->problem, minimiser->set, (double)minimiser->margin, &s->loss));
    IRENEO_TRY(ireneo_newton_space_make(area, &s->space));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->w, area, "memory in float64"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->gradient, area, "gradient in float64"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->step, area, "Newton step"));
    for (size_t k = 0; k < area; k++) s->w[k] = (double)minimiser->w[k];
    return IRENEO_OK;
}

ireneo_error ireneo_certify_newton(const ireneo_minimiser *minimiser, const ireneo_progress *progress,
                                   ireneo_certificate **certificate) {
    polish s = {.w = NULL};
    bool reached = false;
    *certificate = NULL;
    ireneo_error failed = prepare(&s, minimiser);
    if (failed == IRENEO_OK) failed = minimise(&s, progress, &reached);
    if (failed == IRENEO_OK && reached)
        failed = ireneo_pair_loss_certificate(&s.loss, s.loss.residual, certificate);
    ireneo_pair_loss_free(&s.loss);
    ireneo_newton_space_free(&s.space);
    free(s.w), free(s.gradient), free(s.step);
    return failed;
}
