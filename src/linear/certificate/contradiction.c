/* Contradictions that need no solver, each a certificate of one or two weights whose sum vanishes exactly. */
#include "linear/certificate/contradiction.h"
#include "base/ram.h"
#include "linear/certificate/certificate.h"
#include "linear/facts/equal_rows.h"
#include "linear/facts/facts.h"

#include <stdbool.h>
#include <stdio.h>

static ireneo_error make(size_t count, const size_t *facts, const size_t *candidates,
                         ireneo_certificate **out) {
    IRENEO_TRY(ireneo_certificate_allocate(count, out));
    for (size_t k = 0; k < count; k++) {
        (*out)->facts[k] = (int64_t)facts[k];
        (*out)->candidates[k] = (int64_t)candidates[k];
        (*out)->weights[k] = 1.0;
    }
    return IRENEO_OK;
}

/* (y_a - y_b)^T (r_i - r_j) in float64; j = facts: r_i alone. */
static double offset_gap(const ireneo_facts *f, size_t a, size_t b, size_t i, size_t j) {
    double sum = 0.0;
    for (size_t k = 0; k < f->dim_out; k++) {
        double r = (double)f->residuals[i * f->dim_out + k];
        if (j < f->facts) r -= (double)f->residuals[j * f->dim_out + k];
        sum += ((double)f->values[a * f->dim_out + k] - (double)f->values[b * f->dim_out + k]) * r;
    }
    return sum;
}

/* A competitor that a fact with a zero key cannot beat; `candidates` when there is none. Without offsets all scores are
 * equal; with them they are y^T r. */
static size_t unbeaten(const ireneo_facts *f, size_t fact) {
    size_t target = ireneo_target_of(f, fact);
    if (f->residuals == NULL) return target == 0 ? 1 : 0;
    if (f->values == NULL) return f->candidates;
    for (size_t j = 0; j < f->candidates; j++)
        if (j != target && offset_gap(f, target, j, fact, f->facts) <= 0.0) return j;
    return f->candidates;
}

/* What one rank found about the first of its facts that cannot be stored. */
typedef struct finding {
    size_t fact, other,
        target; /* its number among all, SIZE_MAX: none; a candidate that it cannot beat; its own */
} finding;

/* The finding about the lowest fact of all ranks. */
static finding first_finding(const ireneo_facts *f, finding mine) {
    ireneo_ranks *ranks = ireneo_facts_ranks(f);
    if (ranks == NULL || ranks->count == 1) return mine;
    finding *all = ireneo_ranks_room(ranks->count, sizeof *all), first = {.fact = SIZE_MAX};
    size_t *sizes = ireneo_ranks_room(ranks->count, sizeof *sizes);
    for (size_t k = 0; k < ranks->count; k++) sizes[k] = sizeof mine;
    ireneo_ranks_gather_into(ranks, &mine, sizes, all);
    for (size_t k = 0; k < ranks->count; k++)
        if (all[k].fact < first.fact) first = all[k];
    free(all), free(sizes);
    return first;
}

static ireneo_error find_zero_key(const ireneo_facts *f, ireneo_certificate **out) {
    finding found = {.fact = SIZE_MAX};
    for (size_t i = 0; i < f->facts && found.fact == SIZE_MAX; i++) {
        size_t k = 0;
        while (k < f->dim_in && f->keys[i * f->dim_in + k] == 0.0f) k++;
        if (k < f->dim_in) continue;
        size_t other = unbeaten(f, i);
        if (other < f->candidates) found = (finding){ireneo_fact_number(f, i), other, 0};
    }
    found = first_finding(f, found);
    if (found.fact == SIZE_MAX) return IRENEO_OK;
    IRENEO_TRY(make(1, &found.fact, &found.other, out));
    snprintf((*out)->reason, sizeof(*out)->reason,
             f->residuals == NULL ? "the key of fact %zu is zero, so all its scores are equal"
                                  : "the key of fact %zu is zero, and its offset prefers another value",
             found.fact);
    return IRENEO_OK;
}

/* A fact whose target has an equal among the candidates. */
static ireneo_error find_twin(const ireneo_facts *f, ireneo_certificate **out) {
    size_t *twin = NULL;
    ireneo_equal_rows equal;
    ireneo_holding mine = ireneo_holding_spread(ireneo_facts_ranks(f), f->candidates);
    IRENEO_TRY(ireneo_equal_rows_find_held(f->values + mine.first * f->dim_out, &mine, f->dim_out, &equal));
    if (equal.count == 0) return IRENEO_OK;
    finding found = {.fact = SIZE_MAX};
    ireneo_error failed = IRENEO_ALLOCATE(&twin, f->candidates, "twins");
    for (size_t i = 0; failed == IRENEO_OK && i < f->candidates; i++) twin[i] = f->candidates;
    for (size_t k = 0; failed == IRENEO_OK && k < equal.count; k++) {
        twin[equal.first[k]] = equal.second[k];
        twin[equal.second[k]] = equal.first[k];
    }
    for (size_t i = 0; failed == IRENEO_OK && i < f->facts && found.fact == SIZE_MAX; i++) {
        size_t target = ireneo_target_of(f, i);
        if (twin[target] < f->candidates) found = (finding){ireneo_fact_number(f, i), twin[target], target};
    }
    if (failed == IRENEO_OK) found = first_finding(f, found);
    if (failed == IRENEO_OK && found.fact < SIZE_MAX) {
        failed = make(1, &found.fact, &found.other, out);
        if (failed == IRENEO_OK)
            snprintf((*out)->reason, sizeof(*out)->reason,
                     "candidates %zu and %zu are equal, so fact %zu cannot win", found.target, found.other,
                     found.fact);
    }
    ireneo_equal_rows_free(&equal);
    free(twin);
    return failed;
}

/* The answers of all facts: the caller's own when they are all here, else gathered into *block. */
static ireneo_error all_targets(const ireneo_facts *f, void **block, const int64_t **targets) {
    size_t total;
    ireneo_ranks *ranks = ireneo_facts_ranks(f);
    *block = NULL;
    *targets = f->targets;
    if (f->targets == NULL || ranks == NULL || ranks->count == 1) return IRENEO_OK;
    IRENEO_TRY(ireneo_ranks_gather(ranks, IRENEO_ALL_RANKS, f->targets, f->facts, sizeof *f->targets, block,
                                   &total));
    *targets = *block;
    return IRENEO_OK;
}

static ireneo_error find_equal_keys(const ireneo_facts *f, ireneo_certificate **out) {
    ireneo_equal_rows equal;
    ireneo_holding holding = ireneo_facts_holding(f);
    void *block = NULL;
    const int64_t *targets = NULL;
    IRENEO_TRY(ireneo_equal_rows_find_held(f->keys, &holding, f->dim_in, &equal));
    ireneo_error failed = equal.count > 0 ? all_targets(f, &block, &targets) : IRENEO_OK;
    for (size_t k = 0; failed == IRENEO_OK && k < equal.count && *out == NULL; k++) {
        size_t facts[2] = {equal.first[k], equal.second[k]};
        size_t candidates[2] = {targets == NULL ? facts[1] : (size_t)targets[facts[1]],
                                targets == NULL ? facts[0] : (size_t)targets[facts[0]]};
        if (candidates[0] == candidates[1]) continue;
        if (f->residuals != NULL && offset_gap(f, candidates[1], candidates[0], facts[0], facts[1]) > 0.0)
            continue; /* the offsets tell them apart */
        failed = make(2, facts, candidates, out);
        if (failed == IRENEO_OK)
            snprintf(
                (*out)->reason, sizeof(*out)->reason,
                f->residuals == NULL
                    ? "facts %zu and %zu have equal keys but different values"
                    : "facts %zu and %zu have equal keys, different values, and offsets that do not help",
                facts[0], facts[1]);
    }
    ireneo_equal_rows_free(&equal);
    free(block);
    return failed;
}

ireneo_error ireneo_find_contradiction(const ireneo_facts *facts, ireneo_certificate **certificate) {
    *certificate = NULL;
    ireneo_error failed = find_zero_key(facts, certificate);
    if (failed == IRENEO_OK && *certificate == NULL && facts->values != NULL)
        failed = find_twin(facts, certificate);
    if (failed == IRENEO_OK && *certificate == NULL && facts->values != NULL)
        failed = find_equal_keys(facts, certificate);
    return failed;
}
