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

static void add_draws(const plan *it, const trial *point, trial_writer *to) {
    for (size_t draw = 0; draw < it->trials && to->count < to->capacity; draw++) {
        trial *made = &to->trials[to->count++];
        *made = *point;
        made->seed = point->seed + draw;
    }
}

/* All points of one shape. */
static void add_points(const plan *it, const trial *shape, trial_writer *to) {
    const grid *axis = it->facts.count > 0 ? &it->facts : &it->loads;
    trial point = *shape;
    if (axis->count == 0) { /* a threshold: the search chooses the number of facts */
        point.facts = point.candidates = 2;
        if (it->candidates > 0) {
            point.candidates = it->candidates;
            point.facts = it->candidates == 2 ? 3 : 2;
        }
        add_draws(it, &point, to);
        return;
    }
    size_t first = to->count;
    for (size_t i = 0; i < axis->count; i++) {
        point.facts = it->facts.count > 0 ? (size_t)axis->values[i]
                                          : ireneo_trial_facts(axis->values[i], shape->dim_in, shape->dim_out,
                                                               it->candidates);
        point.candidates = it->candidates > 0 ? it->candidates : point.facts;
        bool known = false;
        for (size_t k = first; k < to->count; k += it->trials)
            if (to->trials[k].facts == point.facts) known = true;
        if (!known) add_draws(it, &point, to);
    }
}

static void add_shapes(const plan *it, trial_problem problem, trial_writer *to) {
    size_t shapes = it->dims.count > 0 ? it->dims.count : 1;
    for (size_t s = 0; s < shapes; s++) {
        trial shape = it->like;
        shape.problem = problem;
        shape.dim_in = it->dims.count > 0 ? (size_t)it->dims.values[s] : it->dim_in;
        shape.dim_out = it->dims.count > 0 ? (size_t)it->dims.values[s] : it->dim_out;
        size_t smaller = shape.dim_in < shape.dim_out ? shape.dim_in : shape.dim_out, last = SIZE_MAX;
        for (size_t r = 0; r < it->ranks.count; r++) {
            size_t rank = (size_t)fmax(1.0, round(it->ranks.values[r] * (double)smaller));
            shape.rank = rank >= smaller ? 0 : rank;
            if (shape.rank != last) add_points(it, &shape, to);
            last = shape.rank;
        }
    }
}

ireneo_error ireneo_plan_trials(const plan *it, trial **trials, size_t *count) {
    size_t shapes = it->dims.count > 0 ? it->dims.count : 1;
    size_t points = it->facts.count > 0 ? it->facts.count : it->loads.count > 0 ? it->loads.count : 1;
    double most = ((it->original ? 1.0 : 0.0) + (it->decoupled ? 1.0 : 0.0)) * (double)shapes *
                  (double)it->ranks.count * (double)points * (double)it->trials;
    if (most > MOST_TRIALS)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the grids make %.3g trials, more than %d", most,
                           MOST_TRIALS);
    trial_writer to = {NULL, 0, (size_t)most};
    IRENEO_TRY(IRENEO_ALLOCATE(&to.trials, to.capacity, "the list of trials"));
    if (it->original) add_shapes(it, TRIAL_ORIGINAL, &to);
    if (it->decoupled) add_shapes(it, TRIAL_DECOUPLED, &to);
    *trials = to.trials;
    *count = to.count;
    return IRENEO_OK;
}
