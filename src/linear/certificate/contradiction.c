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

static ireneo_error find_zero_key(const ireneo_facts *f, ireneo_certificate **out) {
    for (size_t i = 0; i < f->facts; i++) {
        size_t k = 0;
        while (k < f->dim_in && f->keys[i * f->dim_in + k] == 0.0f) k++;
        if (k < f->dim_in) continue;
        size_t other = unbeaten(f, i);
        if (other == f->candidates) continue;
        IRENEO_TRY(make(1, &i, &other, out));
        snprintf((*out)->reason, sizeof(*out)->reason,
                 f->residuals == NULL ? "the key of fact %zu is zero, so all its scores are equal"
                                      : "the key of fact %zu is zero, and its offset prefers another value",
                 i);
        return IRENEO_OK;
    }
    return IRENEO_OK;
}

/* A fact whose target has an equal among the candidates. */
static ireneo_error find_twin(const ireneo_facts *f, ireneo_certificate **out) {
    size_t *twin = NULL;
    ireneo_equal_rows equal;
    IRENEO_TRY(ireneo_equal_rows_find(f->values, f->candidates, f->dim_out, &equal));
    if (equal.count == 0) return IRENEO_OK;
    ireneo_error failed = IRENEO_ALLOCATE(&twin, f->candidates, "twins");
    for (size_t i = 0; failed == IRENEO_OK && i < f->candidates; i++) twin[i] = f->candidates;
    for (size_t k = 0; failed == IRENEO_OK && k < equal.count; k++) {
        twin[equal.first[k]] = equal.second[k];
        twin[equal.second[k]] = equal.first[k];
    }
    for (size_t i = 0; failed == IRENEO_OK && i < f->facts && *out == NULL; i++) {
        size_t target = ireneo_target_of(f, i);
        if (twin[target] == f->candidates) continue;
        failed = make(1, &i, &twin[target], out);
        if (failed == IRENEO_OK)
            snprintf((*out)->reason, sizeof(*out)->reason,
                     "candidates %zu and %zu are equal, so fact %zu cannot win", target, twin[target], i);
    }
    ireneo_equal_rows_free(&equal);
    free(twin);
    return failed;
}

static ireneo_error find_equal_keys(const ireneo_facts *f, ireneo_certificate **out) {
    ireneo_equal_rows equal;
    IRENEO_TRY(ireneo_equal_rows_find(f->keys, f->facts, f->dim_in, &equal));
    ireneo_error failed = IRENEO_OK;
    for (size_t k = 0; failed == IRENEO_OK && k < equal.count && *out == NULL; k++) {
        size_t facts[2] = {equal.first[k], equal.second[k]};
        size_t candidates[2] = {ireneo_target_of(f, facts[1]), ireneo_target_of(f, facts[0])};
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
