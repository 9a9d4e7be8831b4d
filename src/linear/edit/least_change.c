/* The augmented Lagrangian of the least change (docs/editing.md).
 *
 * With multipliers l >= 0 and a penalty 1 / ridge, a round minimises |D|^2 / 2 + sum (c + ridge l - <z, D>)_+^2 / (2 ridge) on
 * the listed pairs, which Newton's method does exactly; what is left over, (c + ridge l - <z, D>)_+ / ridge, are the next
 * multipliers. A full pass over all candidates a round extends the lists.
 *
 * For any l >= 0 every D with the margins m' has |D| |sum l z| >= sum l (m' - u^T o): the bound. m' is what this D reaches,
 * at most m. */
#include "linear/edit/least_change.h"
#include "base/ram.h"
#include "linear/edit/pair_newton.h"
#include "linear/kernels/vector.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 200, FOUND_FIRST = 8, FOUND = 8, FIRST_DOUBT = 8, RESTED = 12 };
static const double DUALITY_GAP = 1e-6;

/* 1 / penalty over the mean diagonal of Q: first, its factor a round, where it rests until margins are nearly reached or for some rounds, and
 * its last value. A stiff inner problem far from the solution does not converge. */
static const double FIRST_RIDGE = 0.03, SOFTER = 0.5, RESTING_RIDGE = 1e-3, LAST_RIDGE = 1e-10;
static const double NEARLY = 0.02;       /* margins missed by this share */
static const double ENOUGH = 1e-6;       /* and by this one when the work ends */
static const double ROUNDING = 1e-12;    /* of scores, that no margin is held against */
static const double SMALL_MARGIN = 1e-3; /* of the largest: smaller ones are held to the same error as this */
static const double DOUBTFUL = 1e-3;     /* listed pairs that miss by more may be impossible */

static double reached_margin(const ireneo_least_change *s, size_t row) {
    return fmin(s->pairs.problem->margins[row], s->least[row]);
}

/* |D|, the bound, and by how much margins are missed. */
static void measure(ireneo_least_change *s) {
    ireneo_edit_pairs *p = &s->pairs;
    const ireneo_edit_problem *q = p->problem;
    double sum = 0.0;
    s->norm = sqrt(fmax(0.0, ireneo_dot_f64(p->weight, p->gap, p->count)));
    s->active = 0;
    for (size_t k = 0; k < p->count; k++) {
        if (!(p->weight[k] > 0.0)) continue;
        s->active++;
        sum += p->weight[k] * (p->needed[k] - q->margins[p->row[k]] + reached_margin(s, p->row[k]));
    }
    s->bound = s->norm > 0.0 ? fmax(0.0, sum / s->norm) : 0.0;
    s->shortfall = 0.0;
    double largest = 0.0;
    for (size_t i = 0; i < q->rows; i++) largest = fmax(largest, q->margins[i]);
    for (size_t i = 0; i < q->rows; i++)
        if (q->margins[i] > 0.0)
            s->shortfall = fmax(s->shortfall,
                                (q->margins[i] - s->least[i]) / fmax(q->margins[i], SMALL_MARGIN * largest));
}

/* The largest miss among listed pairs, over the largest need. */
static double listed_miss(const ireneo_edit_pairs *p) {
    double miss = 0.0, need = 0.0;
    for (size_t k = 0; k < p->count; k++) {
        miss = fmax(miss, p->needed[k] - p->gap[k]);
        need = fmax(need, fabs(p->needed[k]));
    }
    return need > 0.0 ? miss / need : 0.0;
}

/* Is there a proof that the listed pairs cannot all be satisfied? The search moves a and gap, which come back. */
static ireneo_error doubt(ireneo_least_change *s) {
    ireneo_edit_pairs *p = &s->pairs;
    free(s->ray);
    s->ray = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&s->ray, p->count, "weights of a proof"));
    ireneo_error failed = ireneo_find_ray(p, s->ray, &s->impossible);
    memcpy(p->a, p->weight, p->count * sizeof *p->a);
    ireneo_edit_pairs_product(p, p->a, p->gap);
    return failed;
}

static bool done(const ireneo_least_change *s, size_t added, double goal) {
    double gap = s->norm > 0.0 ? 1.0 - s->bound / s->norm : 0.0;
    return added == 0 && s->shortfall <= ENOUGH && gap <= goal;
}

static double next_ridge(const ireneo_least_change *s, double ridge, bool converged) {
    double unit = s->pairs.diagonal,
           floor = s->shortfall < NEARLY || s->rounds >= RESTED ? LAST_RIDGE : RESTING_RIDGE;
    if (!converged) return ridge / SOFTER;
    return fmax(SOFTER * ridge, fmin(ridge, floor * unit));
}

/* The next multipliers are the coefficients themselves: at the minimum a = (c + ridge l - Q a)_+ / ridge. */
static void take_multipliers(ireneo_edit_pairs *p, bool converged) {
    for (size_t k = 0; converged && k < p->count; k++) p->weight[k] = fmax(0.0, p->a[k]);
    if (converged) memcpy(p->a, p->weight, p->count * sizeof *p->a);
    ireneo_edit_pairs_product(p, p->a, p->gap);
}

static ireneo_error run_rounds(ireneo_least_change *s, size_t most, double goal) {
    ireneo_edit_pairs *p = &s->pairs;
    size_t added = 0, next_doubt = FIRST_DOUBT;
    double ridge = FIRST_RIDGE * p->diagonal;
    for (s->rounds = 0; s->rounds < most; s->rounds++) {
        bool converged;
        if (ireneo_report(p->problem->progress, "changing the matrix",
                          fmin(6.0, -log10(fmax(1e-6, s->shortfall))), 6.0))
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped during the edit");
        IRENEO_TRY(ireneo_pair_newton(p, ridge, &s->steps, &converged));
        take_multipliers(p, converged);
        IRENEO_TRY(ireneo_edit_scan(p, FOUND, 0.1 * ENOUGH, s->least, &added));
        s->scans++;
        if (!converged) {
            ridge = next_ridge(s, ridge, false);
            continue;
        }
        measure(s);
        s->reached = s->shortfall <= ENOUGH;
        if (done(s, added, goal)) return IRENEO_OK;
        ridge = next_ridge(s, ridge, true);
        if (s->rounds < next_doubt || listed_miss(p) < DOUBTFUL) continue;
        next_doubt *= 2;
        IRENEO_TRY(doubt(s));
        if (s->impossible) return IRENEO_OK;
    }
    return IRENEO_OK;
}

/* Facts that have their margin already need no pair. */
static ireneo_error first_scan(ireneo_least_change *s, size_t *added) {
    IRENEO_TRY(ireneo_edit_scan(&s->pairs, FOUND_FIRST, ROUNDING, s->least, added));
    s->scans++;
    measure(s);
    s->reached = s->shortfall <= ENOUGH;
    return IRENEO_OK;
}

ireneo_error ireneo_least_change_find(const ireneo_edit_problem *problem, size_t most, double gap,
                                      ireneo_least_change *s) {
    size_t added = 0;
    *s = (ireneo_least_change){.reached = false};
    IRENEO_TRY(ireneo_edit_pairs_make(problem, &s->pairs));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->least, problem->rows, "gaps"));
    for (size_t i = 0; i < problem->rows; i++) s->least[i] = -INFINITY;
    IRENEO_TRY(first_scan(s, &added));
    if (added == 0) return IRENEO_OK;
    return run_rounds(s, most > 0 ? most : MOST_ROUNDS, gap > 0.0 ? gap : DUALITY_GAP);
}

void ireneo_least_change_free(ireneo_least_change *s) {
    ireneo_edit_pairs_free(&s->pairs);
    free(s->least), free(s->ray);
    *s = (ireneo_least_change){.reached = false};
}
