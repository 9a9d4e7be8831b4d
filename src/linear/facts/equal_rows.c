/* Rows are compared by fingerprint first: a table tells whether any two are equal, which is rare, and only then
 * are they sorted and compared entry by entry. */
#include "linear/facts/equal_rows.h"
#include "base/hash.h"
#include "base/ram.h"
#include "base/vectorised.h"

#include <stdbool.h>
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

void ireneo_equal_rows_free(ireneo_equal_rows *equal) {
    free(equal->first);
    free(equal->second);
    memset(equal, 0, sizeof *equal);
}

ireneo_error ireneo_equal_rows_find(const float *rows, size_t count, size_t dim, ireneo_equal_rows *equal) {
    fingerprint *prints = NULL;
    memset(equal, 0, sizeof *equal);
    IRENEO_TRY(sorted_fingerprints(rows, count, dim, &prints));
    if (prints == NULL) return IRENEO_OK;
    ireneo_error failed = IRENEO_ALLOCATE(&equal->first, count, "equal rows");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&equal->second, count, "equal rows");
    for (size_t i = 1; failed == IRENEO_OK && i < count; i++) {
        size_t a = prints[i - 1].row, b = prints[i].row;
        if (prints[i - 1].hash != prints[i].hash || !same_row(rows + a * dim, rows + b * dim, dim)) continue;
        equal->first[equal->count] = a; /* rows of equal hash are in rising order */
        equal->second[equal->count++] = b;
    }
    free(prints);
    if (failed != IRENEO_OK || equal->count == 0) ireneo_equal_rows_free(equal);
    return failed;
}
