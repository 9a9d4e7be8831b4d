/* Small instances by the rational simplex. */
#include "linear/solver/settle.h"
#include "base/ram.h"
#include "linear/certificate/certificate.h"
#include "linear/certificate/rational_lp.h"
#include "linear/memory/memory.h"
#include "linear/scan/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A thin cone of solutions may miss the float32 numbers along one ray and hold some along another: roundings of this
 * many multiples of the matrix are tried. Competitors are added in at most so many rounds. */
enum { MULTIPLES = 512, ROUNDS = 12, ADDED = 8 };

/* The pairs under question, sorted by fact. */
typedef struct pair_list {
    uint32_t *fact, *candidate;
    double *weights;
    size_t count, capacity;
} pair_list;

static ireneo_error grow(pair_list *l, size_t more) {
    size_t capacity = l->count + more;
    uint32_t *fact = NULL, *candidate = NULL;
    double *weights = NULL;
    ireneo_error failed = IRENEO_ALLOCATE(&fact, capacity, "pairs");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&candidate, capacity, "pairs");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&weights, capacity, "pairs");
    if (failed != IRENEO_OK) {
        free(fact), free(candidate), free(weights);
        return failed;
    }
    if (l->count > 0) {
        memcpy(fact, l->fact, l->count * sizeof *fact);
        memcpy(candidate, l->candidate, l->count * sizeof *candidate);
    }
    free(l->fact), free(l->candidate), free(l->weights);
    l->fact = fact, l->candidate = candidate, l->weights = weights, l->capacity = capacity;
    return IRENEO_OK;
}

static bool listed(const pair_list *l, uint32_t fact, uint32_t candidate) {
    for (size_t k = 0; k < l->count; k++)
        if (l->fact[k] == fact && l->candidate[k] == candidate) return true;
    return false;
}

static ireneo_error list_working_set(const ireneo_attempt *a, pair_list *l) {
    const ireneo_working_set *set = &a->set;
    size_t count = 0;
    for (size_t i = 0; i < a->problem.rows; i++) count += set->count[i];
    IRENEO_TRY(grow(l, count + 1));
    for (size_t i = 0; i < a->problem.rows; i++)
        for (size_t k = 0; k < set->count[i]; k++) {
            l->fact[l->count] = (uint32_t)i;
            l->candidate[l->count++] = set->index[i * set->capacity + k];
        }
    return IRENEO_OK;
}

/* Pairs that a check found, without those known; *added tells how many. */
static ireneo_error add_pairs(pair_list *l, const ireneo_pairs *pairs, size_t *added) {
    IRENEO_TRY(grow(l, pairs->count + 1));
    *added = 0;
    for (size_t k = 0; k < pairs->count; k++) {
        if (listed(l, pairs->items[k].fact, pairs->items[k].candidate)) continue;
        l->fact[l->count] = pairs->items[k].fact;
        l->candidate[l->count++] = pairs->items[k].candidate;
        ++*added;
    }
    return IRENEO_OK;
}

typedef struct weighted_pair {
    uint32_t fact, candidate;
    double weight;
} weighted_pair;

static int by_fact(const void *a, const void *b) {
    const weighted_pair *x = a, *y = b;
    if (x->fact != y->fact) return x->fact < y->fact ? -1 : 1;
    return x->candidate < y->candidate ? -1 : x->candidate > y->candidate;
}

static ireneo_error make_certificate(const pair_list *l, ireneo_certificate **certificate) {
    weighted_pair *pairs = NULL;
    size_t count = 0;
    IRENEO_TRY(IRENEO_ALLOCATE(&pairs, l->count, "weights of a certificate"));
    for (size_t k = 0; k < l->count; k++)
        if (l->weights[k] > 0.0) pairs[count++] = (weighted_pair){l->fact[k], l->candidate[k], l->weights[k]};
    qsort(pairs, count, sizeof *pairs, by_fact);
    ireneo_error failed = ireneo_certificate_allocate(count, certificate);
    for (size_t k = 0; failed == IRENEO_OK && k < count; k++) {
        (*certificate)->facts[k] = (int64_t)pairs[k].fact;
        (*certificate)->candidates[k] = (int64_t)pairs[k].candidate;
        (*certificate)->weights[k] = pairs[k].weight;
    }
    free(pairs);
    return failed;
}

/* Roundings of multiples of w, until one recalls all; what failed in the first of them is in near. */
static ireneo_error try_roundings(ireneo_attempt *a, const double *w, ireneo_near *near, bool *standing) {
    ireneo_check_report report;
    size_t area = a->facts->dim_in * a->facts->dim_out;
    *standing = false;
    for (int k = 0; k < MULTIPLES && !*standing; k++) {
        double multiple = 1.0 + (double)k / (double)MULTIPLES;
        for (size_t e = 0; e < area; e++) a->memory->matrix[e] = (float)(multiple * w[e]);
        IRENEO_TRY(
            ireneo_check_near(a->memory, a->facts, 1, 1, NULL, k == 0 ? near : NULL, a->recalled, &report));
        *standing = report.recalled == report.facts;
        if (*standing) a->info->recalled = report.recalled, a->info->margin = report.margin;
    }
    return IRENEO_OK;
}

static ireneo_error settle_pairs(ireneo_attempt *a, pair_list *l, double *w, bool *standing,
                                 ireneo_certificate **certificate) {
    for (int round = 0; round < ROUNDS && !*standing && *certificate == NULL; round++) {
        ireneo_rational_verdict verdict;
        IRENEO_TRY(ireneo_rational_lp(a->facts, l->fact, l->candidate, l->count, w, l->weights, &verdict));
        if (verdict == IRENEO_RATIONAL_OPEN) return IRENEO_OK;
        if (verdict == IRENEO_RATIONAL_IMPOSSIBLE) return make_certificate(l, certificate);
        ireneo_near near = {.most = ADDED};
        size_t added = 0;
        ireneo_error failed = try_roundings(a, w, &near, standing);
        if (failed == IRENEO_OK) failed = add_pairs(l, &near.pairs, &added);
        free(near.pairs.items);
        IRENEO_TRY(failed);
        if (added == 0 && !*standing) /* all pairs are known: rounding is what fails */
            snprintf(a->info->reason, sizeof a->info->reason,
                     "some real matrix recalls all facts, but each rounding of it to float32 that was tried "
                     "loses some");
        if (added == 0) return IRENEO_OK;
    }
    return IRENEO_OK;
}

ireneo_error ireneo_settle(ireneo_attempt *a, bool *standing, ireneo_certificate **certificate) {
    pair_list l = {0};
    double *w = NULL;
    *standing = false;
    *certificate = NULL;
    if (a->settings.rank > 0) return IRENEO_OK;
    ireneo_error failed = list_working_set(a, &l);
    if (failed == IRENEO_OK)
        failed = IRENEO_ALLOCATE(&w, a->facts->dim_in * a->facts->dim_out, "memory in float64");
    if (failed == IRENEO_OK) failed = settle_pairs(a, &l, w, standing, certificate);
    free(l.fact), free(l.candidate), free(l.weights), free(w);
    return failed;
}
