/* Newton's method in the space of pairs: while the set of active pairs stays the same the loss is quadratic, and its
 * minimum solves (Q_AA + ridge) x = t_A. Between the point and x the loss is convex, and its slope is found from the gaps
 * alone, so the line search costs nothing. */
#include "linear/edit/pair_newton.h"
#include "base/ram.h"
#include "linear/kernels/vector.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 60, MOST_HALVINGS = 60 };
static const double ACCURACY = 1e-10; /* |ridge a - (t - Q a)_+| over |t_+| */

typedef struct newton {
    ireneo_edit_pairs *pairs;
    double ridge;
    double *t, *x, *gap; /* (count) shifted needs; the next point and its gaps */
    size_t *list;        /* (count) active pairs */
    size_t active;
} newton;

static double above(double value) {
    return value > 0.0 ? value : 0.0;
}

/* Lists the active pairs; the norm of ridge a - (t - Q a)_+ over that of t_+. */
static double look(newton *s) {
    const ireneo_edit_pairs *p = s->pairs;
    double missing = 0.0, size = 0.0;
    s->active = 0;
    for (size_t k = 0; k < p->count; k++) {
        double loss = s->t[k] - p->gap[k], miss = s->ridge * p->a[k] - above(loss);
        if (loss > 0.0) s->list[s->active++] = k;
        missing += miss * miss;
        size += above(s->t[k]) * above(s->t[k]);
    }
    return size > 0.0 ? sqrt(missing / size) : 0.0;
}

/* Slope of the loss at a + at (x - a): the gradient in the space of pairs times the change of the gaps. */
static double slope(const newton *s, double at) {
    const ireneo_edit_pairs *p = s->pairs;
    double sum = 0.0;
    for (size_t k = 0; k < p->count; k++) {
        double step = s->gap[k] - p->gap[k], a = p->a[k] + at * (s->x[k] - p->a[k]);
        sum += (s->ridge * a - above(s->t[k] - p->gap[k] - at * step)) * step;
    }
    return sum;
}

/* Are the pairs that are active at x those that x was solved for? Then x is the minimum. */
static bool same_active(const newton *s) {
    size_t seen = 0;
    for (size_t k = 0; k < s->pairs->count; k++) {
        bool listed = seen < s->active && s->list[seen] == k;
        seen += listed;
        if (listed != (s->t[k] - s->gap[k] > 0.0)) return false;
    }
    return true;
}

/* Where the slope changes sign in 0 .. 1; it only rises. */
static double search(const newton *s) {
    double low = 0.0, high = 1.0;
    if (same_active(s) || slope(s, 1.0) <= 0.0) return 1.0;
    for (int k = 0; k < MOST_HALVINGS && high - low > 1e-9 * high; k++) {
        double middle = 0.5 * (low + high);
        if (slope(s, middle) > 0.0)
            high = middle;
        else
            low = middle;
    }
    return low;
}

static ireneo_error take_step(newton *s) {
    ireneo_edit_pairs *p = s->pairs;
    IRENEO_TRY(ireneo_pair_solve(p, s->list, s->active, s->ridge, s->t, s->x));
    ireneo_edit_pairs_product(p, s->x, s->gap);
    double at = search(s);
    for (size_t k = 0; k < p->count; k++) {
        p->a[k] += at * (s->x[k] - p->a[k]);
        p->gap[k] += at * (s->gap[k] - p->gap[k]);
    }
    return IRENEO_OK;
}

static ireneo_error minimise(newton *s, size_t *steps, bool *converged) {
    ireneo_edit_pairs *p = s->pairs;
    double before = INFINITY;
    *converged = false;
    for (int step = 0; step < MOST_STEPS; step++) {
        double missing = look(s);
        *converged = missing <= ACCURACY || (missing <= 1e-7 && missing >= 0.5 * before);
        if (*converged) break;
        before = missing;
        if (ireneo_report(p->problem->progress, "a round of Newton steps", (double)step, MOST_STEPS))
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped during the edit");
        IRENEO_TRY(take_step(s));
        ++*steps;
    }
    return IRENEO_OK;
}

ireneo_error ireneo_pair_newton(ireneo_edit_pairs *p, double ridge, size_t *steps, bool *converged) {
    newton s = {.pairs = p, .ridge = ridge};
    ireneo_error failed = IRENEO_ALLOCATE(&s.t, p->count, "Newton's method");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s.x, p->count, "Newton's method");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s.gap, p->count, "Newton's method");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s.list, p->count, "Newton's method");
    if (failed == IRENEO_OK) {
        for (size_t k = 0; k < p->count; k++) s.t[k] = p->needed[k] + ridge * p->weight[k];
        failed = minimise(&s, steps, converged);
    }
    free(s.t), free(s.x), free(s.gap), free(s.list);
    return failed;
}
