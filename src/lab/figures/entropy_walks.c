/* A draw is a job of the queue, and its rows are a series of the store: a run that was stopped goes on where it was. */
#include "lab/figures/entropy_walks.h"
#include "base/ram.h"
#include "lab/figures/figure_trials.h"
#include "linear/sampling/volume.h"

#include <math.h>
#include <stdlib.h>

enum { FIELDS = sizeof(entropy_row) / sizeof(double) };
_Static_assert(sizeof(entropy_row) % sizeof(double) == 0, "rows are an array of doubles");

bool ireneo_entropy_facts(const entropy_group *group, size_t k, size_t *facts) {
    double load = 0.1 * (double)k, d = (double)group->dim;
    *facts = (size_t)lround(load * d * d / log((double)group->candidates));
    return load <= group->load_to + 1e-9 && k < ENTROPY_MOST_LOADS;
}

static size_t count_loads(const entropy_group *g, size_t *most_facts) {
    size_t loads = 0, facts;
    while (ireneo_entropy_facts(g, loads, &facts)) {
        *most_facts = facts;
        loads++;
    }
    return loads;
}

/* ---- one draw ---- */

/* The volume at every number of facts; those at the group's loads become rows. */
static ireneo_error walk(const solution_cone *cone, size_t facts, const entropy_draw *draw,
                         const ireneo_progress *progress, entropy_row *rows) {
    const entropy_group *g = draw->group;
    volume_settings settings = {.rank = g->rank, .steps = g->steps, .seed = draw->seed, .progress = progress};
    volume_row *volumes = NULL;
    size_t reached = 0, at;
    double entries = (double)(g->dim * g->dim);
    IRENEO_TRY(IRENEO_ALLOCATE(&volumes, facts + 1, "volumes"));
    ireneo_error failed = ireneo_solution_volume(cone, &settings, volumes, &reached);
    for (size_t k = 0; failed == IRENEO_OK && ireneo_entropy_facts(g, k, &at); k++) {
        const volume_row *v = &volumes[at];
        rows[k] = at <= reached ? (entropy_row){v->log_volume / entries,
                                                v->difference / entries,
                                                v->error / entries,
                                                v->overlap,
                                                v->apart,
                                                v->fourth}
                                : (entropy_row){NAN, NAN, NAN, NAN, NAN, NAN};
    }
    free(volumes);
    return failed;
}

static ireneo_error walk_among(const entropy_draw *draw, size_t facts, float *keys, float *values,
                               int64_t *targets, const ireneo_progress *progress, entropy_row *rows) {
    const entropy_group *g = draw->group;
    ireneo_sample sample = {draw->seed, g->dim, g->dim};
    IRENEO_TRY(ireneo_sample_keys(&sample, 0, facts, keys));
    IRENEO_TRY(ireneo_sample_values(&sample, 0, g->candidates, values));
    for (size_t i = 0; i < facts; i++) targets[i] = (int64_t)(i % g->candidates);
    ireneo_facts problem = {.facts = facts,
                            .candidates = g->candidates,
                            .dim_in = g->dim,
                            .dim_out = g->dim,
                            .keys = keys,
                            .values = g->decoupled ? NULL : values,
                            .targets = targets,
                            .own_candidates = g->decoupled ? ireneo_sample_own_candidates : NULL,
                            .own_context = g->decoupled ? &sample : NULL};
    solution_cone cone;
    IRENEO_TRY(ireneo_solution_cone_make(&problem, &cone));
    ireneo_error failed = walk(&cone, facts, draw, progress, rows);
    ireneo_solution_cone_free(&cone);
    return failed;
}

static ireneo_error make_rows(queue_worker *worker, const void *context, double *numbers, size_t count) {
    const entropy_draw *draw = context;
    const entropy_group *g = draw->group;
    size_t facts = 0;
    float *keys = NULL, *values = NULL;
    int64_t *targets = NULL;
    (void)count;
    (void)count_loads(g, &facts);
    ireneo_error failed = IRENEO_ALLOCATE(&keys, facts * g->dim, "keys");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&values, g->candidates * g->dim, "values");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&targets, facts, "targets");
    if (failed == IRENEO_OK)
        failed = walk_among(draw, facts, keys, values, targets, &worker->progress, (entropy_row *)numbers);
    free(keys);
    free(values);
    free(targets);
    return failed;
}

static ireneo_error run_draw(queue_worker *worker, size_t index, void *context) {
    entropy_draw *draw = (entropy_draw *)context + index;
    const entropy_group *g = draw->group;
    char name[256];
    size_t facts = 0, loads = count_loads(g, &facts);
    snprintf(name, sizeof name, "walks %s dim=%zu rank=%zu candidates=%zu steps=%zu loads=%zu seed=%llu",
             g->decoupled ? "decoupled" : "original", g->dim, g->rank, g->candidates, g->steps, loads,
             (unsigned long long)draw->seed);
    return ireneo_queue_array(worker, name, make_rows, draw, (double *)draw->rows, FIELDS * loads);
}

/* ---- all draws ---- */

/* A step goes over all parameters and facts, and there are walks at every number of facts. */
static double cost_of(const entropy_group *g) {
    size_t facts = 0;
    (void)count_loads(g, &facts);
    return (double)g->steps * (double)(g->dim * g->dim) * (double)facts * (double)facts;
}

ireneo_error ireneo_entropy_run(const figure_request *request, entropy_draw *draws, size_t count) {
    results *store = NULL;
    double *costs = NULL;
    queue_settings settings = ireneo_figure_queue(request, "walks (entropy)");
    IRENEO_TRY(IRENEO_ALLOCATE(&costs, count, "costs of the walks"));
    for (size_t i = 0; i < count; i++) costs[i] = cost_of(draws[i].group);
    ireneo_error failed = ireneo_figure_store(request, &store);
    if (failed == IRENEO_OK) failed = ireneo_queue_run(store, &settings, count, costs, run_draw, draws);
    ireneo_results_close_shared(store);
    free(costs);
    return failed;
}
