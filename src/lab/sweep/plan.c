/* Nested loops over the grids of a sweep. */
#include "lab/sweep/plan.h"
#include "base/ram.h"

#include <math.h>
#include <string.h>

enum { MOST_TRIALS = 10000000 };

typedef struct trial_writer {
    trial *trials;
    size_t count, capacity;
} trial_writer;

static void add_draws(const plan *p, const trial *point, trial_writer *to) {
    for (size_t draw = 0; draw < p->trials && to->count < to->capacity; draw++) {
        trial *made = &to->trials[to->count++];
        *made = *point;
        made->seed = point->seed + draw;
    }
}

/* All points of one shape. */
static void add_points(const plan *p, const trial *shape, trial_writer *to) {
    const grid *axis = p->facts.count > 0 ? &p->facts : &p->loads;
    trial point = *shape;
    if (axis->count == 0) { /* a threshold: the search chooses the number of facts */
        point.facts = point.candidates = 2;
        if (p->candidates > 0) {
            point.candidates = p->candidates;
            point.facts = p->candidates == 2 ? 3 : 2;
        }
        add_draws(p, &point, to);
        return;
    }
    size_t first = to->count;
    for (size_t i = 0; i < axis->count; i++) {
        point.facts = p->facts.count > 0
                          ? (size_t)axis->values[i]
                          : ireneo_trial_facts(axis->values[i], shape->dim_in, shape->dim_out, p->candidates);
        point.candidates = p->candidates > 0 ? p->candidates : point.facts;
        bool known = false;
        for (size_t k = first; k < to->count; k += p->trials)
            if (to->trials[k].facts == point.facts) known = true;
        if (!known) add_draws(p, &point, to);
    }
}

static size_t rank_count(const plan *p) {
    size_t count = p->ranks.count + p->rank_shares.count;
    return count > 0 ? count : 1;
}

/* The r-th rank of the plan, for a memory whose smaller side is given; 0: full. */
static size_t rank_at(const plan *p, size_t r, size_t smaller) {
    double rank = (double)smaller;
    if (r < p->ranks.count)
        rank = p->ranks.values[r];
    else if (r - p->ranks.count < p->rank_shares.count)
        rank = fmax(1.0, round(p->rank_shares.values[r - p->ranks.count] * (double)smaller));
    return rank >= (double)smaller ? 0 : (size_t)rank;
}

static void add_shapes(const plan *p, trial_problem problem, trial_writer *to) {
    size_t shapes = p->dims.count > 0 ? p->dims.count : 1;
    for (size_t s = 0; s < shapes; s++) {
        trial shape = p->like;
        shape.problem = problem;
        shape.dim_in = p->dims.count > 0 ? (size_t)p->dims.values[s] : p->dim_in;
        shape.dim_out = p->dims.count > 0 ? (size_t)p->dims.values[s] : p->dim_out;
        size_t smaller = shape.dim_in < shape.dim_out ? shape.dim_in : shape.dim_out, last = SIZE_MAX;
        for (size_t r = 0; r < rank_count(p); r++) {
            shape.rank = rank_at(p, r, smaller);
            if (shape.rank != last) add_points(p, &shape, to);
            last = shape.rank;
        }
    }
}

ireneo_error ireneo_plan_trials(const plan *p, trial **trials, size_t *count) {
    size_t shapes = p->dims.count > 0 ? p->dims.count : 1;
    size_t points = p->facts.count > 0 ? p->facts.count : p->loads.count > 0 ? p->loads.count : 1;
    double most = ((p->original ? 1.0 : 0.0) + (p->decoupled ? 1.0 : 0.0)) * (double)shapes *
                  (double)rank_count(p) * (double)points * (double)p->trials;
    if (most > MOST_TRIALS)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the grids make %.3g trials, more than %d", most,
                           MOST_TRIALS);
    trial_writer to = {NULL, 0, (size_t)most};
    IRENEO_TRY(IRENEO_ALLOCATE(&to.trials, to.capacity, "the list of trials"));
    if (p->original) add_shapes(p, TRIAL_ORIGINAL, &to);
    if (p->decoupled) add_shapes(p, TRIAL_DECOUPLED, &to);
    *trials = to.trials;
    *count = to.count;
    return IRENEO_OK;
}
