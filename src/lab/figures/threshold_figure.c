/* Summaries of thresholds. The law gives the whole distribution: the threshold is at least n when n facts
 * fit, so the share of draws with a threshold of n or more is compared with Pr(n fit). */
#include "lab/figures/threshold_figure.h"
#include "base/ram.h"
#include "lab/figures/figure_trials.h"

#include <math.h>
#include <string.h>

ireneo_error ireneo_threshold_probability(const trial *like, bool own, double facts, double *probability) {
    ireneo_shape shape = ireneo_trial_shape(like, own);
    shape.facts = facts;
    return ireneo_capacity_probability(&shape, probability);
}

static int compare_sizes(const void *a, const void *b) {
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    return (left > right) - (left < right);
}

/* Linear interpolation between order statistics. */
static double quantile(const size_t *sorted, size_t count, double share) {
    double place = share * (double)(count - 1);
    size_t below = (size_t)place, above = below + 1 < count ? below + 1 : below;
    return (double)sorted[below] + (place - (double)below) * ((double)sorted[above] - (double)sorted[below]);
}

/* Pr[K > x] of the Kolmogorov distribution, with Stephens' correction for small samples. */
static double kolmogorov_tail(double distance, size_t count) {
    double root = sqrt((double)count), x = (root + 0.12 + 0.11 / root) * distance, sum = 0.0;
    if (x < 0.2) return 1.0;
    for (int k = 1; k < 50; k++) sum += (k % 2 == 1 ? 2.0 : -2.0) * exp(-2.0 * k * k * x * x);
    return fmin(1.0, fmax(0.0, sum));
}

/* Both step functions change at whole numbers, so they are compared there: thresholds >= n against Pr(n fit).
 */
static ireneo_error compare_with_law(threshold_group *g, bool own) {
    g->distance = 0.0;
    for (size_t i = 0; i < g->draws; i++) {
        for (size_t side = 0; side < 2; side++) {
            size_t n = g->sizes[i] + side, at_least = 0;
            double probability;
            IRENEO_TRY(ireneo_threshold_probability(&g->like, own, (double)n, &probability));
            for (size_t k = 0; k < g->draws; k++) at_least += g->sizes[k] >= n;
            g->distance = fmax(g->distance, fabs((double)at_least / (double)g->draws - probability));
        }
    }
    g->chance = kolmogorov_tail(g->distance, g->draws);
    return IRENEO_OK;
}

static void average(threshold_group *g) {
    double draws = (double)g->draws, sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < g->draws; i++) sum += (double)g->sizes[i];
    g->mean = sum / draws;
    for (size_t i = 0; i < g->draws; i++)
        squares += ((double)g->sizes[i] - g->mean) * ((double)g->sizes[i] - g->mean);
    g->error = (g->draws > 1 ? sqrt(squares / (draws - 1.0) / draws) : 0.0) + 0.5 * (double)g->open;
}

static ireneo_error summarise(threshold_group *g, const threshold *found) {
    bool own = g->like.facts == g->like.candidates;
    size_t draws = g->draws;
    g->draws = g->certified = g->open = 0;
    for (size_t i = 0; i < draws; i++) {
        if (found[i].not_stored == 0) continue; /* a search that failed */
        size_t open = found[i].not_stored - 1 - found[i].stored;
        g->sizes[g->draws++] = found[i].stored + open / 2;
        if (open > g->open) g->open = open;
        if (found[i].certified) g->certified++;
    }
    if (g->draws == 0)
        return ireneo_fail(IRENEO_ERROR_NUMERIC, "all searches for a threshold of %zu x %zu failed",
                           g->like.dim_in, g->like.dim_out);
    qsort(g->sizes, g->draws, sizeof *g->sizes, compare_sizes);
    g->median = quantile(g->sizes, g->draws, 0.5);
    g->low = quantile(g->sizes, g->draws, 0.25);
    g->high = quantile(g->sizes, g->draws, 0.75);
    average(g);
    IRENEO_TRY(ireneo_threshold_law(&g->like, own, &g->law));
    return compare_with_law(g, own);
}

/* ---- thresholds that are known ---- */

ireneo_error ireneo_threshold_known(const figure_request *request, threshold_rows *known) {
    *known = (threshold_rows){0};
    return request->thresholds == NULL ? IRENEO_OK : ireneo_threshold_rows_read(request->thresholds, known);
}

static bool is_square(const trial *t, trial_problem problem) {
    return t->problem == problem && t->solver == TRIAL_PROJECT && t->dim_in == t->dim_out && t->rank == 0 &&
           t->candidates == 0;
}

static int compare_groups(const void *a, const void *b) {
    size_t left = ((const threshold_group *)a)->like.dim_in,
           right = ((const threshold_group *)b)->like.dim_in;
    return (left > right) - (left < right);
}

size_t ireneo_threshold_squares(const threshold_rows *known, trial_problem problem, threshold_group *groups,
                                size_t most) {
    size_t count = 0, k;
    for (size_t i = 0; i < known->count; i++) {
        const trial *t = &known->rows[i].like;
        if (!is_square(t, problem)) continue;
        for (k = 0; k < count && groups[k].like.dim_in != t->dim_in; k++) {
        }
        if (k == most || (k < count && groups[k].draws == MOST_DRAWS)) continue;
        if (k == count)
            groups[count++] = (threshold_group){
                .like = ireneo_trial_square(problem, TRIAL_PROJECT, t->dim_in, 1.0, 2, t->seed),
                .known = true};
        groups[k].draws++;
    }
    qsort(groups, count, sizeof *groups, compare_groups);
    return count;
}

const char *ireneo_threshold_text(const threshold_group *groups, size_t count, char text[DIMS_TEXT]) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && used + 40 < DIMS_TEXT; i++)
        used += (size_t)snprintf(text + used, DIMS_TEXT - used, "%s%zu (%zu)", i > 0 ? ", " : "",
                                 groups[i].like.dim_in, groups[i].draws);
    return text;
}

/* ---- searches ---- */

/* A draw: which trial it is, and where its threshold goes. */
typedef struct draw_list {
    trial *likes;
    threshold *found;
    size_t total, searched;
    size_t *places; /* of those that are searched, in found */
} draw_list;

/* The draws of a group that the rows hold, into found; their number is the group's. */
static void copy_known(const threshold_group *g, const threshold_rows *known, threshold *found) {
    size_t at = 0;
    for (size_t i = 0; i < known->count && at < g->draws; i++)
        if (is_square(&known->rows[i].like, g->like.problem) && known->rows[i].like.dim_in == g->like.dim_in)
            found[at++] = known->rows[i].found;
}

static void list_draws(const threshold_group *groups, size_t count, const threshold_rows *known,
                       draw_list *list) {
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (groups[i].known) {
            copy_known(&groups[i], known, list->found + at);
            at += groups[i].draws;
            continue;
        }
        for (size_t draw = 0; draw < groups[i].draws; draw++, at++) {
            trial like = groups[i].like;
            like.seed += draw;
            const threshold *row =
                like.solver == TRIAL_PROJECT
                    ? ireneo_threshold_rows_find(known, &like, like.facts == like.candidates)
                    : NULL; /* the rows of training do not tell its steps */
            if (row != NULL) {
                list->found[at] = *row;
                continue;
            }
            list->places[list->searched] = at;
            list->likes[list->searched++] = like;
        }
    }
}

static ireneo_error search_draws(const figure_request *request, const char *stage, draw_list *list) {
    threshold *fresh = NULL;
    results *store = NULL;
    if (list->searched == 0) return IRENEO_OK;
    ireneo_error failed = IRENEO_ALLOCATE(&fresh, list->searched, "thresholds");
    if (failed == IRENEO_OK) failed = ireneo_figure_store(request, &store);
    if (failed == IRENEO_OK) {
        queue_settings settings = ireneo_figure_queue(request, stage);
        failed = ireneo_threshold_all(store, &settings, list->likes, list->searched, 0.0, fresh);
    }
    for (size_t i = 0; i < list->searched && failed == IRENEO_OK; i++)
        list->found[list->places[i]] = fresh[i];
    ireneo_results_close_shared(store);
    free(fresh);
    return failed;
}

ireneo_error ireneo_threshold_groups(const figure_request *request, const char *stage,
                                     const threshold_rows *known, threshold_group *groups, size_t count) {
    draw_list list = {0};
    for (size_t i = 0; i < count; i++) list.total += groups[i].draws;
    ireneo_error failed = IRENEO_ALLOCATE(&list.likes, list.total, "the list of thresholds");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&list.found, list.total, "thresholds");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&list.places, list.total, "the list of thresholds");
    if (failed == IRENEO_OK) {
        list_draws(groups, count, known, &list);
        failed = search_draws(request, stage, &list);
    }
    for (size_t i = 0, at = 0; i < count && failed == IRENEO_OK; i++) {
        size_t draws = groups[i].draws;
        failed = summarise(&groups[i], list.found + at);
        at += draws;
    }
    free(list.likes);
    free(list.found);
    free(list.places);
    return failed;
}
