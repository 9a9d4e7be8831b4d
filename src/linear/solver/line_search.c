/* The search along the line: passes over the kept scores alone. */
#include "linear/solver/line_search.h"
#include "base/pool.h"
#include "linear/kernels/vector.h"

#include <math.h>

/* Exact enough at a tenth of the first slope, hopeless when steps no longer differ. */
enum { MOST_TRIALS = 30 };
static const double FLAT = 0.1, STILL = 1e-6;

static ireneo_row row_view(const ireneo_minimiser *minimiser, size_t row) {
    const ireneo_working_set *l = minimiser->set;
    size_t at = row * l->capacity;
    return (ireneo_row){.score = l->score + at,
                        .slope = l->slope + at,
                        .bend = l->factored ? l->bend + at : NULL,
                        .slots = ireneo_working_set_slots(l, row),
                        .excused = minimiser->excused,
                        .target = l->target_score[row],
                        .target_slope = l->target_slope[row],
                        .target_bend = l->target_bend[row]};
}

/* A step that is being tried. */
typedef struct tried_step {
    const ireneo_minimiser *minimiser;
    float step;
    ireneo_row_sums *groups; /* (groups held here) */
} tried_step;

static void try_group(void *context, size_t index, int thread) {
    (void)thread;
    tried_step *t = context;
    const ireneo_minimiser *minimiser = t->minimiser;
    const ireneo_holding *h = &minimiser->problem->holding;
    size_t first, last;
    ireneo_group_rows(h, h->first_group + index, &first, &last);
    ireneo_row_sums mine = {0};
    for (size_t i = first; i < last; i++) {
        ireneo_row row = row_view(minimiser, i);
        ireneo_row_project(&row, t->step, minimiser->margin, minimiser->required, &minimiser->set->level[i],
                           &mine);
    }
    t->groups[index] = mine;
}

ireneo_row_sums ireneo_line_sums(const ireneo_minimiser *minimiser, double step) {
    const ireneo_holding *h = &minimiser->problem->holding;
    ireneo_row_sums total, groups[IRENEO_MOST_GROUPS];
    tried_step t = {.minimiser = minimiser, .step = (float)step, .groups = groups};
    ireneo_share(h->last_group - h->first_group, minimiser->problem->threads, try_group, &t);
    ireneo_sum_groups(h, sizeof total / sizeof(double), (double *)groups, (double *)&total);
    return total;
}

double ireneo_line_search(const ireneo_minimiser *minimiser, bool newton_start, double *violations) {
    double low = 0.0, high = INFINITY, step = 1.0;
    double slope =
        ireneo_dot(minimiser->gradient, minimiser->direction, minimiser->length, minimiser->problem->threads);
    if (!(slope < 0.0)) return 0.0;
    if (newton_start) {
        double curvature = ireneo_line_sums(minimiser, 0.0).curvature;
        if (curvature > 0.0) step = -slope / curvature;
    }
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
        ireneo_row_sums here = ireneo_line_sums(minimiser, step);
        *violations = here.violations;
        if (fabs(here.slope) <= FLAT * fabs(slope) && here.loss <= minimiser->loss) return step;
        if (here.slope < 0.0 && here.loss <= minimiser->loss)
            low = step;
        else
            high = step;
        double next = here.curvature > 0.0 ? step - here.slope / here.curvature : INFINITY;
        if (!(next > low && next < high)) next = isinf(high) ? 2.0 * step : 0.5 * (low + high);
        if (fabs(next - step) <= STILL * step) break;
        step = next;
    }
    return low;
}
