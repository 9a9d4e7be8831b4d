/* Preparation of patterns and queries. Scores x . xi of patterns of unequal lengths favour the long ones, and a
 * common mean or a few strong directions make all patterns alike; the first is mended by normalising, the second by
 * white coordinates (docs/dense.md, "Real patterns"). */
#include "dense/retrieval/prepare.h"
#include "base/floats.h"
#include "base/ram.h"
#include "base/whiten.h"

#include <math.h>
#include <string.h>

const char *ireneo_dense_preparation_name(ireneo_dense_preparation preparation) {
    static const char *const names[] = {"normalised", "whitened", "raw"};
    return (unsigned)preparation < sizeof names / sizeof *names ? names[preparation] : "unknown";
}

void ireneo_prepared_free(ireneo_prepared *prepared) {
    free(prepared->own_patterns);
    free(prepared->own_queries);
    memset(prepared, 0, sizeof *prepared);
}

ireneo_error ireneo_scale_rows(const char *what, float *rows, size_t count, size_t neurons) {
    for (size_t r = 0; r < count; r++) {
        float *row = rows + r * neurons;
        double square = ireneo_square_sum(row, neurons);
        if (!(square > 0.0))
            return ireneo_fail(
                IRENEO_ERROR_DATA,
                "%s: row %zu is all zeros (or, whitened, the mean) and has no direction; leave it out", what,
                r);
        double scale = sqrt((double)neurons / square);
        for (size_t i = 0; i < neurons; i++) row[i] = (float)(scale * (double)row[i]);
    }
    return IRENEO_OK;
}

/* rows (count, neurons) in the coordinates of w, or copied when w is NULL, then of one length. */
static ireneo_error transform(const char *what, const ireneo_whitening *w, const float *rows, size_t count,
                              size_t neurons, int threads, float **out) {
    size_t width = w != NULL ? w->span : neurons, cells;
    IRENEO_TRY(ireneo_multiply_sizes(count, width, &cells, what));
    IRENEO_TRY(IRENEO_ALLOCATE(out, cells, what));
    if (w != NULL)
        IRENEO_TRY(ireneo_whitening_apply(w, rows, count, width, threads, *out));
    else
        memcpy(*out, rows, cells * sizeof **out);
    return ireneo_scale_rows(what, *out, count, width);
}

static ireneo_error make_whitening(const float *patterns, size_t count, size_t neurons, int threads,
                                   ireneo_whitening *w) {
    IRENEO_TRY(ireneo_whitening_make(patterns, count, neurons, true, false, threads, w));
    if (w->span >= 2) return IRENEO_OK;
    return ireneo_fail(
        IRENEO_ERROR_DATA,
        "the %zu patterns vary in %zu direction%s and cannot be whitened; two or more are needed", count,
        w->span, w->span == 1 ? "" : "s");
}

ireneo_error ireneo_prepare(ireneo_dense_preparation preparation, const float *patterns, size_t count,
                            const float *queries, size_t query_count, size_t neurons, double power,
                            int threads, ireneo_prepared *prepared) {
    *prepared =
        (ireneo_prepared){.neurons = neurons, .patterns = patterns, .queries = queries, .power = power};
    if (preparation == IRENEO_DENSE_PREPARATION_RAW) return IRENEO_OK;
    ireneo_whitening whitening = {0}, *w = NULL;
    ireneo_error failed = IRENEO_OK;
    if (preparation == IRENEO_DENSE_PREPARATION_WHITENED) {
        failed = make_whitening(patterns, count, neurons, threads, &whitening);
        w = &whitening;
        prepared->neurons = whitening.span;
    }
    if (failed == IRENEO_OK)
        failed = transform("patterns", w, patterns, count, neurons, threads, &prepared->own_patterns);
    if (failed == IRENEO_OK && queries != NULL)
        failed = transform("queries", w, queries, query_count, neurons, threads, &prepared->own_queries);
    ireneo_whitening_free(&whitening);
    prepared->patterns = prepared->own_patterns;
    prepared->queries = prepared->own_queries;
    prepared->power = 1.0;
    if (failed != IRENEO_OK) ireneo_prepared_free(prepared);
    return failed;
}
