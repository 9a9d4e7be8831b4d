/* Bisection between what is stored and what is not. */
#include "lab/sweep/threshold.h"
#include "base/ram.h"

#include <math.h>
#include <string.h>

ireneo_error ireneo_threshold_law(const trial *like, bool own, double *facts) {
    ireneo_shape shape = ireneo_trial_shape(like, own);
    ireneo_capacity_report report;
    if (like->top > 1) return ireneo_capacity_top(&shape, like->top, facts);
    IRENEO_TRY(ireneo_capacity(&shape, &report));
    *facts = like->solver == TRIAL_HEBBIAN ? report.facts_hebbian_half : report.facts_capacity;
    return IRENEO_OK;
}

double ireneo_threshold_middle(const threshold *found) {
    return 0.5 * ((double)found->stored + (double)found->not_stored - 1.0);
}

enum {
    MOST_UNDECIDED = 64,
    PATIENT_ENTRIES =
        10000 /* of W: up to these brief trials that leave a bracket open are followed by patient ones */
};

typedef struct search {
    queue_worker *worker;
    trial probe;
    bool own;
    double within;                    /* share; 0: exact */
    size_t undecided[MOST_UNDECIDED]; /* numbers that were not decided */
    size_t undecided_count;
    threshold *found;
} search;

/* Asks about one number of facts and narrows the bracket. */
static ireneo_error ask(search *s, size_t facts, bool *stored) {
    trial_result result;
    s->probe.facts = facts;
    if (s->own) s->probe.candidates = facts;
    IRENEO_TRY(ireneo_queue_trial(s->worker, &s->probe, &result));
    bool certified = !result.failed && result.status == IRENEO_STATUS_IMPOSSIBLE;
    s->found->probes++;
    *stored = !result.failed && result.status == IRENEO_STATUS_STORED;
    if (*stored) {
        s->found->stored = facts;
    } else if (certified || s->within == 0.0 || s->undecided_count == MOST_UNDECIDED) {
        s->found->not_stored = facts;
        s->found->certified = certified;
    } else {
        s->undecided[s->undecided_count++] = facts;
    }
    return IRENEO_OK;
}

/* From the law's answer outward in growing strides until both sides are known. */
static ireneo_error bracket(search *s, size_t start) {
    size_t stride = s->within > 0.0 ? (size_t)(s->within * (double)start) + 1 : start / 50 + 1;
    bool stored;
    IRENEO_TRY(ask(s, start, &stored));
    for (size_t facts = start, step = stride; s->found->not_stored == 0; step *= 2) {
        facts += step;
        IRENEO_TRY(ask(s, facts, &stored));
    }
    for (size_t facts = start, step = stride; s->found->stored == 0; step *= 2) {
        if (facts == 2) {
            s->found->stored = 1; /* one fact alone is always recalled */
            return IRENEO_OK;
        }
        facts = facts > step + 2 ? facts - step : 2;
        IRENEO_TRY(ask(s, facts, &stored));
    }
    return IRENEO_OK;
}

/* The next number to ask about; 0 when the bracket is as narrow as was asked for, or as it can be. Where numbers in
 * between were undecided, the wider of the gaps below and above them is cut. */
static size_t next_probe(const search *s) {
    size_t low = s->found->stored, high = s->found->not_stored;
    if (high <= low + 1 || (double)(high - low) <= s->within * (double)low) return 0;
    size_t first = high, last = low;
    for (size_t k = 0; k < s->undecided_count; k++) {
        size_t facts = s->undecided[k];
        if (facts > low && facts < first) first = facts;
        if (facts < high && facts > last) last = facts;
    }
    if (first == high) return low + (high - low) / 2;
    if (first - low <= 1 && high - last <= 1) return 0;
    return first - low >= high - last ? low + (first - low) / 2 : last + (high - last) / 2;
}

static ireneo_error close_in(search *s) {
    bool stored;
    for (size_t facts = next_probe(s); facts > 0; facts = next_probe(s)) IRENEO_TRY(ask(s, facts, &stored));
    return IRENEO_OK;
}

/* Searches with the trial's parameters; its facts and, when they are equal, its candidates are chosen by the
 * search, which begins at the capacity law's answer. */
static ireneo_error find_threshold(queue_worker *worker, const trial *like, double within, threshold *found) {
    memset(found, 0, sizeof *found);
    search s = {.worker = worker,
                .probe = *like,
                .own = like->candidates == like->facts,
                .within = within,
                .found = found};
    double law;
    IRENEO_TRY(ireneo_threshold_law(like, s.own, &law));
    s.probe.brief =
        within * law >= 2.0; /* the bracket may stay open: what is hard to decide is passed over */
    IRENEO_TRY(bracket(&s, (size_t)fmax(3.0, floor(law))));
    IRENEO_TRY(close_in(&s));
    if (!s.probe.brief || like->dim_in * like->dim_out > PATIENT_ENTRIES) return IRENEO_OK;
    s.probe.brief = false;
    s.undecided_count = 0;
    return close_in(&s);
}

typedef struct search_list {
    const trial *likes;
    double within;
    threshold *found;
} search_list;

static ireneo_error run_search(queue_worker *worker, size_t index, void *context) {
    const search_list *list = context;
    ireneo_error failed = find_threshold(worker, &list->likes[index], list->within, &list->found[index]);
    if (failed != IRENEO_OK) list->found[index] = (threshold){0}; /* half a search is none */
    return failed;
}

ireneo_error ireneo_threshold_all(results *store, const queue_settings *settings, const trial *likes,
                                  size_t count, double within, threshold *found) {
    double *costs = NULL;
    search_list list = {likes, within, found};
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
