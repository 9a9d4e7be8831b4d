/* From the float32 minimum of the loss to a certificate: Newton's method in float64, on the caller's data.
 *
 * At the minimum of an unsolvable instance the residuals r_ij > 0 satisfy
 *     sum_ij r_ij (y_j - y_target) x_i^T = 0 ,
 * which is what a certificate needs. While the set of active pairs stays the same the loss is quadratic, so one
 * exact Newton step lands on the minimum; its linear system is solved by conjugate gradients, whose products
 * touch only the active pairs. Far from the minimum the Hessian may be nearly singular; a ridge in proportion
 * to the gradient keeps the steps short there and vanishes on the way. Keys and values are whitened in float64
 * here: weights that cancel for rounded white data would not cancel for the caller's. */
#include "linear/certificate/certify_newton.h"
#include "base/ram.h"
#include "linear/certificate/newton.h"
#include "linear/kernels/vector.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { MOST_NEWTON = 100, MOST_PRODUCTS = 6000, MOST_A_STEP = 600, MOST_A_SHARP_STEP = 6000 };

/* A patient proof may take this many operations in its products (a minute or so), and does not give up hope. */
static const double PATIENT_OPERATIONS = 3e11;

static const double ENOUGH = 1e10; /* norm bound at which the weights are handed over */
static const double WORTHY = 1e7;  /* and that is worth handing over when no progress is made any more */

/* A loss this far below the first one goes to zero: the pairs can all be satisfied. */
static const double VANISHED_LOSS = 1e-10;

/* And below this share it is on its way there, slowly: patience would be wasted. */
static const double VANISHING = 0.1;

/* Progress is a bound half as large again, or a loss lower by a per cent. */
static const double BETTER_BOUND = 1.5, BETTER_LOSS = 0.99;
enum {
    STALLED_WORTHY = 4,  /* steps without progress after which a worthy bound is taken */
    STALLED_HOPELESS = 8 /* and after which there is no hope for one */
};

/* How exactly a step is solved for: far from the minimum the active set changes and makes exactness useless;
 * once it has settled the next step is exact, and above SHARP_BOUND the last one. */
static const double ROUGH_STEP = 1e-2, FAIR_STEP = 1e-4, FINE_STEP = 1e-5, LAST_STEP = 1e-9,
                    SHARP_BOUND = 1e5;
enum { FAIR_CHANGES = 50, FINE_CHANGES = 500 }; /* one active pair in so many came or went */

/* With this share of gradient over point as ridge no step is much longer than the point itself. */
static const double RIDGE = 0.05;

/* The line search: ends at this share of the first slope; a secant may not come closer to the ends of the
 * bracket than these shares of it; loss may rise by rounding. */
static const double FLAT = 0.1, FROM_LOW = 0.02, FROM_HIGH = 0.1, ROUNDING = 1e-12;
enum { MOST_TRIALS = 30 };

typedef struct newton {
    ireneo_pair_loss loss;
    ireneo_newton_space space;
    double *w, *gradient, *step; /* (out, in) */
} newton;

static double norm(const double *a, size_t count) {
    return sqrt(ireneo_dot_f64(a, a, count));
}

static double move_to(newton *s, double from, double to) {
    cblas_daxpy((int)s->loss.area, to - from, s->step, 1, s->w, 1);
    ireneo_pair_loss_evaluate(&s->loss, s->w, s->gradient);
    return ireneo_dot_f64(s->gradient, s->step, s->loss.area);
}

/* Moves along the Newton step to where the slope is below a tenth of its start; the whole step when it is
 * exact. The loss is convex, so the slope only rises: secants inside the bracket find the place. False when
 * the loss does not fall. */
static bool take_step(newton *s) {
    ireneo_pair_loss *l = &s->loss;
    double before = l->loss, slope = ireneo_dot_f64(s->gradient, s->step, l->area);
    double low = 0.0, low_slope = slope, high = INFINITY, high_slope = 0.0, at = 1.0;
    double here = move_to(s, 0.0, at);
    for (int trial = 0; trial < MOST_TRIALS && fabs(here) > FLAT * fabs(slope); trial++) {
        if (here < 0.0)
            low = at, low_slope = here;
        else
            high = at, high_slope = here;
        if (low >= 1.0 && l->loss < before) break; /* a ridge shortened the step: the next one goes on */
        double width = high - low, next = low + width * low_slope / (low_slope - high_slope);
        if (!(next > low + FROM_LOW * width)) next = low + FROM_LOW * width;
        if (!(next < high - FROM_HIGH * width)) next = high - FROM_HIGH * width;
        here = move_to(s, at, next);
        at = next;
    }
    if (l->loss <= before * (1.0 + ROUNDING)) return true;
    move_to(s, at, 0.0);
    return false;
}

static double bound_of(const newton *s) {
    double size = norm(s->gradient, s->loss.area);
    return size > 0.0 ? s->loss.weight_sum / size : INFINITY;
}

static double ridge_of(const newton *s) {
    return RIDGE * norm(s->gradient, s->loss.area) / (1.0 + norm(s->w, s->loss.area));
}

static double accuracy_of(const newton *s, size_t active_before) {
    size_t active = s->loss.active,
           changed = active_before > active ? active_before - active : active - active_before;
    if (changed * FINE_CHANGES < active) return bound_of(s) > SHARP_BOUND ? LAST_STEP : FINE_STEP;
    return changed * FAIR_CHANGES < active ? FAIR_STEP : ROUGH_STEP;
}

/* Along flat directions float32 products end too early to land on the minimum. */
static ireneo_error solve_step(newton *s, bool sharp, double accuracy) {
    if (!sharp)
        return ireneo_newton_step_mixed(&s->loss, s->gradient, ridge_of(s), accuracy, MOST_A_STEP, &s->space,
                                        s->step);
    ireneo_newton_step(&s->loss, s->gradient, ridge_of(s), NULL, LAST_STEP, MOST_A_SHARP_STEP, &s->space,
                       s->step);
    return IRENEO_OK;
}

/* Products with the Hessian that may be spent: each takes dim_in + dim_out multiplications, twice, for an active pair. */
static size_t most_products(const newton *s, bool patient) {
    const ireneo_problem *p = s->loss.p;
    double one = 4.0 * (double)(s->loss.active + 1) * (double)(p->dim_in + p->dim_out);
    return patient ? (size_t)fmax(MOST_PRODUCTS, PATIENT_OPERATIONS / one) : MOST_PRODUCTS;
}

/* True when the minimum was reached with residuals left over. */
static ireneo_error minimise(newton *s, bool patient, const ireneo_progress *progress, bool *reached) {
    ireneo_pair_loss *l = &s->loss;
    double accuracy = ROUGH_STEP, best = 0.0;
    int stalled = 0;
    ireneo_pair_loss_evaluate(l, s->w, s->gradient);
    double first_loss = l->loss, mark = l->loss;
    size_t most = most_products(s, patient);
    *reached = false;
    for (int step = 0; (step < MOST_NEWTON || patient) && l->products < most; step++) {
        double bound = bound_of(s);
        if (ireneo_report(progress, "proving impossibility", log10(1.0 + bound), log10(ENOUGH)))
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped during the proof");
        if (l->loss <= VANISHED_LOSS * first_loss) return IRENEO_OK;
        if (bound > ENOUGH) break;
        bool better = bound > BETTER_BOUND * best || l->loss < BETTER_LOSS * mark;
        stalled = better ? 0 : stalled + 1;
        if (better) mark = l->loss;
        best = fmax(best, bound);
        if (stalled >= STALLED_WORTHY && bound > WORTHY) break;
        if (patient ? l->loss < VANISHING * first_loss : stalled >= STALLED_HOPELESS) return IRENEO_OK;
        size_t active = l->active;
        IRENEO_TRY(solve_step(s, patient && bound > SHARP_BOUND, accuracy));
        if (!take_step(s) && bound_of(s) <= WORTHY) return IRENEO_OK;
        accuracy = accuracy_of(s, active);
    }
    *reached = bound_of(s) > WORTHY && l->loss > VANISHED_LOSS * first_loss;
    return IRENEO_OK;
}

static ireneo_error prepare(newton *s, const ireneo_problem *problem, const ireneo_working_set *set,
                            const float *w, double margin) {
    size_t area = problem->dim_in * problem->dim_out;
    IRENEO_TRY(ireneo_pair_loss_make(problem, set, margin, &s->loss));
    IRENEO_TRY(ireneo_newton_space_make(area, &s->space));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->w, area, "memory in float64"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->gradient, area, "gradient in float64"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->step, area, "Newton step"));
    for (size_t k = 0; k < area; k++) s->w[k] = (double)w[k];
    return IRENEO_OK;
}

ireneo_error ireneo_certify_newton(const ireneo_problem *problem, const ireneo_working_set *set,
                                   const float *w, double margin, bool patient,
                                   const ireneo_progress *progress, ireneo_certificate **certificate) {
    newton s = {.w = NULL};
    bool reached = false;
    *certificate = NULL;
    ireneo_error failed = prepare(&s, problem, set, w, margin);
    if (failed == IRENEO_OK) failed = minimise(&s, patient, progress, &reached);
    if (failed == IRENEO_OK && reached)
        failed = ireneo_pair_loss_certificate(&s.loss, s.loss.residual, certificate);
    ireneo_pair_loss_free(&s.loss);
    ireneo_newton_space_free(&s.space);
    free(s.w), free(s.gradient), free(s.step);
    return failed;
}
