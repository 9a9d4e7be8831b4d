/* Bisection between what is stored and what is not. */
#include "lab/sweep/threshold.h"
#include "base/ram.h"

#include <math.h>
#include <string.h>

ireneo_error ireneo_threshold_law(const trial *like, bool own, double *facts) {
    ireneo_shape shape = ireneo_trial_shape(like, own);
    ireneo_capacity_report report;
    IRENEO_TRY(ireneo_capacity(&shape, &report));
    *facts = like->solver == TRIAL_HEBBIAN ? report.facts_capacity_hebbian : report.facts_capacity;
    return IRENEO_OK;
}

typedef struct search {
    queue_worker *worker;
    trial probe;
    bool own;
    threshold *found;
} search;

/* Asks about one number of facts and narrows the bracket. */
static ireneo_error ask(search *s, size_t facts, bool *stored) {
    trial_result result;
    s->probe.facts = facts;
    if (s->own) s->probe.candidates = facts;
    IRENEO_TRY(ireneo_queue_trial(s->worker, &s->probe, &result));
    s->found->probes++;
    *stored = !result.failed && result.status == IRENEO_STATUS_STORED;
    if (*stored) {
        s->found->stored = facts;
    } else {
        s->found->not_stored = facts;
        s->found->certified = !result.failed && result.status == IRENEO_STATUS_IMPOSSIBLE;
    }
    return IRENEO_OK;
}

/* From the law's answer outward in growing strides until both sides are known. */
static ireneo_error bracket(search *s, size_t start) {
    size_t stride = start / 50 + 1, facts = start;
    bool stored;
    IRENEO_TRY(ask(s, facts, &stored));
    bool up = stored;
    while (stored == up) {
        if (!up && facts == 2) {
            s->found->stored = 1; /* one fact alone is always recalled */
            return IRENEO_OK;
        }
        facts = up ? facts + stride : facts > stride + 2 ? facts - stride : 2;
        IRENEO_TRY(ask(s, facts, &stored));
        stride *= 2;
    }
    return IRENEO_OK;
}

/* Searches with the trial's parameters; its facts and, when they are equal, its candidates are chosen by the
 * search, which begins at the capacity law's answer. */
static ireneo_error find_threshold(queue_worker *worker, const trial *like, threshold *found) {
    memset(found, 0, sizeof *found);
    search s = {worker, *like, like->candidates == like->facts, found};
    double law;
    IRENEO_TRY(ireneo_threshold_law(like, s.own, &law));
    IRENEO_TRY(bracket(&s, (size_t)fmax(3.0, floor(law))));
    while (found->not_stored > found->stored + 1) {
        bool stored;
        IRENEO_TRY(ask(&s, found->stored + (found->not_stored - found->stored) / 2, &stored));
    }
    return IRENEO_OK;
}

typedef struct search_list {
    const trial *likes;
    threshold *found;
} search_list;

static ireneo_error run_search(queue_worker *worker, size_t index, void *context) {
    const search_list *list = context;
    ireneo_error failed = find_threshold(worker, &list->likes[index], &list->found[index]);
    if (failed != IRENEO_OK) list->found[index] = (threshold){0}; /* half a search is none */
    return failed;
}

ireneo_error ireneo_threshold_all(results *store, const queue_settings *settings, const trial *likes,
                                  size_t count, threshold *found) {
    double *costs = NULL;
    search_list list = {likes, found};
    IRENEO_TRY(IRENEO_ALLOCATE(&costs, count, "costs of the searches"));
    memset(found, 0, count * sizeof *found);
    for (size_t i = 0; i < count; i++) {
        trial at_law = likes[i];
        double law = 2.0;
        bool own = at_law.facts == at_law.candidates;
        if (ireneo_threshold_law(&at_law, own, &law) == IRENEO_OK) at_law.facts = (size_t)law;
        if (own) at_law.candidates = at_law.facts;
        costs[i] = ireneo_trial_cost(&at_law);
    }
    ireneo_error failed = ireneo_queue_run(store, settings, count, costs, run_search, &list);
    free(costs);
    return failed;
}
