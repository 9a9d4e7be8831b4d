/* Contradictions that need no solver, each a certificate of one or two weights whose sum vanishes exactly. */
#include "base/hash.h"
#include "base/ram.h"
#include "base/vectorised.h"
#include "linear/certificate/certificate.h"

#include <stdio.h>
#include <string.h>

typedef struct fingerprint {
    uint64_t hash;
    size_t row;
} fingerprint;

static int by_hash_then_row(const void *a, const void *b) {
    const fingerprint *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static bool same_row(const float *a, const float *b, size_t dim) {
    for (size_t k = 0; k < dim; k++)
        if (a[k] != b[k]) return false;
    return true;
}

/* A weight of its own for every column, odd. */
static uint64_t column_weight(size_t k) {
    return ireneo_hash_number(((uint64_t)k + 1) * IRENEO_GOLDEN_RATIO) | 1;
}

/* Weighted sum of the entries' bits: equal rows have equal sums, and others rarely. */
IRENEO_VECTORISED
static uint64_t hash_row(const float *row, const uint64_t *weights, size_t dim) {
    uint64_t sum = 0;
    for (size_t k = 0; k < dim; k++) {
        float value = row[k] + 0.0f; /* -0 and 0 are equal */
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        sum += bits * weights[k];
    }
    return sum;
}

/* Are there two equal hashes? An open table of at least twice as many places answers without sorting. */
static ireneo_error find_equal_hashes(const fingerprint *prints, size_t count, bool *equal) {
    size_t places = 4;
    while (places < 2 * count) places *= 2;
    uint32_t *table = NULL; /* (places) number of a print plus one; 0: free */
    *equal = true;
    if (count >= UINT32_MAX) return IRENEO_OK;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&table, places, "table of fingerprints"));
    *equal = false;
    for (size_t i = 0; i < count && !*equal; i++) {
        size_t at = (prints[i].hash * IRENEO_GOLDEN_RATIO >> 20) & (places - 1);
        while (table[at] != 0 && prints[table[at] - 1].hash != prints[i].hash) at = (at + 1) & (places - 1);
        *equal = table[at] != 0;
        table[at] = (uint32_t)(i + 1);
    }
    free(table);
    return IRENEO_OK;
}

/* Fingerprints of the rows, equal ones side by side; *prints is NULL when no two are equal. */
static ireneo_error sorted_fingerprints(const float *rows, size_t count, size_t dim, fingerprint **prints) {
    uint64_t *weights = NULL;
    bool equal = false;
    ireneo_error failed = IRENEO_ALLOCATE(&weights, dim, "weights of columns");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(prints, count, "fingerprints");
    if (failed == IRENEO_OK) {
        for (size_t k = 0; k < dim; k++) weights[k] = column_weight(k);
        for (size_t i = 0; i < count; i++)
            (*prints)[i] = (fingerprint){hash_row(rows + i * dim, weights, dim), i};
        failed = find_equal_hashes(*prints, count, &equal);
    }
    free(weights);
    if (failed == IRENEO_OK && equal) {
        qsort(*prints, count, sizeof **prints, by_hash_then_row);
        return IRENEO_OK;
    }
    free(*prints);
    *prints = NULL;
    return failed;
}

static ireneo_error make(const ireneo_facts *f, size_t count, const size_t *facts, const size_t *candidates,
                         ireneo_certificate **out) {
    IRENEO_TRY(ireneo_certificate_allocate(count, out));
    for (size_t k = 0; k < count; k++) {
        (*out)->facts[k] = (int64_t)facts[k];
        (*out)->candidates[k] = (int64_t)candidates[k];
        (*out)->weights[k] = 1.0;
    }
    (*out)->facts_hash = ireneo_facts_hash(f);
    return IRENEO_OK;
}

static ireneo_error find_zero_key(const ireneo_facts *f, ireneo_certificate **out) {
    for (size_t i = 0; i < f->facts; i++) {
        size_t k = 0;
        while (k < f->dim_in && f->keys[i * f->dim_in + k] == 0.0f) k++;
        if (k < f->dim_in) continue;
        size_t other = ireneo_target_of(f, i) == 0 ? 1 : 0;
        IRENEO_TRY(make(f, 1, &i, &other, out));
        snprintf((*out)->reason, sizeof(*out)->reason,
                 "the key of fact %zu is zero, so all its scores are equal", i);
        return IRENEO_OK;
    }
    return IRENEO_OK;
}

/* Candidates equal to a target: sort all candidates by fingerprint, then look at the neighbours of each
 * target. */
static ireneo_error find_twin(const ireneo_facts *f, ireneo_certificate **out) {
    fingerprint *prints = NULL;
    size_t *twin = NULL;
    ireneo_error failed = sorted_fingerprints(f->values, f->candidates, f->dim_out, &prints);
    if (failed != IRENEO_OK || prints == NULL) return failed;
    failed = IRENEO_ALLOCATE(&twin, f->candidates, "twins");
    for (size_t i = 0; failed == IRENEO_OK && i < f->candidates; i++) twin[i] = f->candidates;
    for (size_t i = 1; failed == IRENEO_OK && i < f->candidates; i++) {
        size_t a = prints[i - 1].row, b = prints[i].row;
        if (prints[i - 1].hash != prints[i].hash ||
            !same_row(f->values + a * f->dim_out, f->values + b * f->dim_out, f->dim_out))
            continue;
        twin[a] = b;
        twin[b] = a;
    }
    for (size_t i = 0; failed == IRENEO_OK && i < f->facts && *out == NULL; i++) {
        size_t target = ireneo_target_of(f, i);
        if (twin[target] == f->candidates) continue;
        failed = make(f, 1, &i, &twin[target], out);
        if (failed == IRENEO_OK)
            snprintf((*out)->reason, sizeof(*out)->reason,
                     "candidates %zu and %zu are equal, so fact %zu cannot win", target, twin[target], i);
    }
    free(prints);
    free(twin);
    return failed;
}

static ireneo_error find_equal_keys(const ireneo_facts *f, ireneo_certificate **out) {
    fingerprint *prints = NULL;
    ireneo_error failed = sorted_fingerprints(f->keys, f->facts, f->dim_in, &prints);
    if (failed != IRENEO_OK || prints == NULL) return failed;
    for (size_t i = 1; failed == IRENEO_OK && i < f->facts && *out == NULL; i++) {
        size_t a = prints[i - 1].row, b = prints[i].row, ta = ireneo_target_of(f, a),
               tb = ireneo_target_of(f, b);
        if (prints[i - 1].hash != prints[i].hash || ta == tb ||
            !same_row(f->keys + a * f->dim_in, f->keys + b * f->dim_in, f->dim_in))
            continue;
        size_t facts[2] = {a < b ? a : b, a < b ? b : a}, candidates[2] = {a < b ? tb : ta, a < b ? ta : tb};
        failed = make(f, 2, facts, candidates, out);
        if (failed == IRENEO_OK)
            snprintf((*out)->reason, sizeof(*out)->reason,
                     "facts %zu and %zu have equal keys but different values", facts[0], facts[1]);
    }
    free(prints);
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
