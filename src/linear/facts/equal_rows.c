/* Rows are compared by fingerprint first: a table tells whether any two are equal, which is rare, and only then
 * are they sorted and compared entry by entry. */
#include "linear/facts/equal_rows.h"
#include "base/hash.h"
#include "base/ram.h"
#include "base/vectorised.h"

#include <stdbool.h>
#include <string.h>

typedef struct fingerprint {
    uint64_t hash, other; /* the second, only wanted over ranks, is zero else */
    size_t row;
} fingerprint;

static int by_hash_then_row(const void *a, const void *b) {
    const fingerprint *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    if (x->other != y->other) return x->other < y->other ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static bool same_row(const float *a, const float *b, size_t dim) {
    for (size_t k = 0; k < dim; k++)
        if (a[k] != b[k]) return false;
    return true;
}

/* A weight of its own for every column, odd; another in each of two rounds. */
static uint64_t column_weight(size_t k, uint64_t round) {
    return ireneo_hash_number(((uint64_t)k + 1) * IRENEO_GOLDEN_RATIO + round) | 1;
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

/* Fingerprints of rows (count, dim), the first of which has the number `from`. */
static ireneo_error make_fingerprints(const float *rows, size_t from, size_t count, size_t dim, bool both,
                                      fingerprint *prints) {
    uint64_t *weights = NULL; /* (2, dim) */
    IRENEO_TRY(IRENEO_ALLOCATE(&weights, 2 * dim, "weights of columns"));
    for (size_t k = 0; k < 2 * dim; k++) weights[k] = column_weight(k % dim, k / dim);
    for (size_t i = 0; i < count; i++)
        prints[i] = (fingerprint){.hash = hash_row(rows + i * dim, weights, dim),
                                  .other = both ? hash_row(rows + i * dim, weights + dim, dim) : 0,
                                  .row = from + i};
    free(weights);
    return IRENEO_OK;
}

/* Sorts the prints, equal ones side by side; false when no two are equal. */
static ireneo_error sort_fingerprints(fingerprint *prints, size_t count, bool *equal) {
    IRENEO_TRY(find_equal_hashes(prints, count, equal));
    if (*equal) qsort(prints, count, sizeof *prints, by_hash_then_row);
    return IRENEO_OK;
}

void ireneo_equal_rows_free(ireneo_equal_rows *equal) {
    free(equal->first);
    free(equal->second);
    memset(equal, 0, sizeof *equal);
}

/* Neighbours among the sorted prints that are equal. rows are looked at; NULL: they are not all here, and the prints have
 * to do. */
static ireneo_error list_equal(const fingerprint *prints, size_t count, const float *rows, size_t dim,
                               ireneo_equal_rows *equal) {
    ireneo_error failed = IRENEO_ALLOCATE(&equal->first, count, "equal rows");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&equal->second, count, "equal rows");
    for (size_t i = 1; failed == IRENEO_OK && i < count; i++) {
        size_t a = prints[i - 1].row, b = prints[i].row;
        if (prints[i - 1].hash != prints[i].hash || prints[i - 1].other != prints[i].other) continue;
        if (rows != NULL && !same_row(rows + a * dim, rows + b * dim, dim)) continue;
        equal->first[equal->count] = a; /* rows of equal hash are in rising order */
        equal->second[equal->count++] = b;
    }
    if (failed != IRENEO_OK || equal->count == 0) ireneo_equal_rows_free(equal);
    return failed;
}

ireneo_error ireneo_equal_rows_find(const float *rows, size_t count, size_t dim, ireneo_equal_rows *equal) {
    fingerprint *prints = NULL;
    bool some = false;
    memset(equal, 0, sizeof *equal);
    IRENEO_TRY(IRENEO_ALLOCATE(&prints, count, "fingerprints"));
    ireneo_error failed = make_fingerprints(rows, 0, count, dim, false, prints);
    if (failed == IRENEO_OK) failed = sort_fingerprints(prints, count, &some);
    if (failed == IRENEO_OK && some) failed = list_equal(prints, count, rows, dim, equal);
    free(prints);
    return failed;
}

ireneo_error ireneo_equal_rows_find_held(const float *rows, const ireneo_holding *h, size_t dim,
                                         ireneo_equal_rows *equal) {
    if (h->ranks == NULL || h->ranks->count == 1) return ireneo_equal_rows_find(rows, h->total, dim, equal);
    fingerprint *mine = NULL;
    void *all = NULL;
    size_t total = 0;
    bool some = false;
    memset(equal, 0, sizeof *equal);
    IRENEO_TRY(IRENEO_ALLOCATE(&mine, h->rows, "fingerprints"));
    ireneo_error failed = make_fingerprints(rows, h->first, h->rows, dim, true, mine);
    if (failed == IRENEO_OK)
        failed = ireneo_ranks_gather(h->ranks, IRENEO_ALL_RANKS, mine, h->rows, sizeof *mine, &all, &total);
    if (failed == IRENEO_OK) failed = sort_fingerprints(all, total, &some);
    if (failed == IRENEO_OK && some) failed = list_equal(all, total, NULL, dim, equal);
    free(mine), free(all);
    return failed;
}
