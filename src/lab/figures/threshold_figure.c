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

static ireneo_error summarise(threshold_group *g, const threshold *found) {
    bool own = g->like.facts == g->like.candidates;
    g->certified = 0;
    for (size_t i = 0; i < g->draws; i++) {
        g->sizes[i] = found[i].stored;
        if (found[i].certified) g->certified++;
    }
    qsort(g->sizes, g->draws, sizeof *g->sizes, compare_sizes);
    g->median = quantile(g->sizes, g->draws, 0.5);
    g->low = quantile(g->sizes, g->draws, 0.25);
    g->high = quantile(g->sizes, g->draws, 0.75);
    IRENEO_TRY(ireneo_threshold_law(&g->like, own, &g->law));
    return compare_with_law(g, own);
}

ireneo_error ireneo_threshold_groups(const figure_request *request, const char *stage,
                                     threshold_group *groups, size_t count) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++) total += groups[i].draws;
    trial *likes = NULL;
    threshold *found = NULL;
    results *store = NULL;
    ireneo_error failed = IRENEO_ALLOCATE(&likes, total, "the list of thresholds");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&found, total, "thresholds");
    if (failed == IRENEO_OK) failed = ireneo_figure_store(request, &store);
    if (failed == IRENEO_OK) {
        size_t at = 0;
        for (size_t i = 0; i < count; i++) {
            for (size_t draw = 0; draw < groups[i].draws; draw++, at++) {
                likes[at] = groups[i].like;
                likes[at].seed += draw;
            }
        }
        queue_settings settings = ireneo_figure_queue(request, stage);
        failed = ireneo_threshold_all(store, &settings, likes, total, 0.0, found);
    }
    for (size_t i = 0, at = 0; i < count && failed == IRENEO_OK; at += groups[i].draws, i++)
        failed = summarise(&groups[i], found + at);
    ireneo_results_close_shared(store);
    free(likes);
    free(found);
    return failed;
}
