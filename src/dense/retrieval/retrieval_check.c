/* What is looked at before a recall begins: settings, entries, lengths. */
#include "base/floats.h"
#include "base/pool.h"
#include "base/ram.h"
#include "dense/retrieval/retrieval.h"

#include <limits.h>
#include <math.h>

/* Products of lengths above this could overflow a float32 score. */
static const double LARGEST_SCORE = 1e37;

ireneo_error ireneo_recall_fill_settings(const ireneo_dense_recall_settings *given,
                                         ireneo_dense_recall_settings *filled) {
    *filled = given != NULL ? *given : (ireneo_dense_recall_settings){0};
    IRENEO_TRY(ireneo_check_reserved(filled->reserved, "the recall settings"));
    if (filled->degree == 0) filled->degree = 4;
    if (filled->steps == 0) filled->steps = 100;
    if (filled->look) filled->steps = 0;
    if (isnan(filled->tolerance)) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the tolerance must be a number");
    filled->tolerance = filled->tolerance == 0.0 ? 1e-5 : fmax(0.0, filled->tolerance);
    return IRENEO_OK;
}

/* Beyond lambda_star the nearest patterns alone compete, and basins do not grow any more. lambda acts on x.xi;
 * for patterns of length r sqrt(N) it is r^2 lambda in units of the theory. */
ireneo_error ireneo_recall_theory_lambda(size_t count, size_t neurons, double power, double *lambda) {
    *lambda = 1.0;
    if (count < 2 || neurons < 2) return IRENEO_OK; /* nothing competes */
    ireneo_dense_point point = {.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL,
                                .lambda = 1.0,
                                .neurons = (double)neurons,
                                .patterns = (double)count};
    ireneo_dense_basins_report report;
    IRENEO_TRY(ireneo_dense_basins(&point, &report));
    *lambda = report.lambda_star / power;
    return IRENEO_OK;
}

ireneo_error ireneo_recall_check_settings(const ireneo_dense_recall_settings *s, size_t count,
                                          size_t neurons) {
    if (count == 0 || neurons == 0)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "a memory needs at least one pattern and one neuron, not %zu x %zu", count,
                           neurons);
    if (neurons > INT_MAX) return ireneo_fail(IRENEO_ERROR_DATA, "%zu neurons are too many", neurons);
    if (s->rule != IRENEO_DENSE_RULE_SOFTMAX && s->rule != IRENEO_DENSE_RULE_POLYNOMIAL &&
        s->rule != IRENEO_DENSE_RULE_SIGN)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "there is no retrieval rule number %d", (int)s->rule);
    if ((unsigned)s->preparation > IRENEO_DENSE_PREPARATION_RAW)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "there is no preparation number %d", (int)s->preparation);
    if (s->rule == IRENEO_DENSE_RULE_SOFTMAX && !(s->lambda >= 0.0 && s->lambda <= 1e30))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "lambda must lie above 0 and not above 1e30, or be 0 to be chosen, not %g",
                           s->lambda);
    if (s->rule == IRENEO_DENSE_RULE_POLYNOMIAL && !(s->degree >= 2 && s->degree <= 1000))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the degree must lie between 2 and 1000, not %d",
                           s->degree);
    return IRENEO_OK;
}

/* |row|^2 summed over rows, its smallest and largest value, and the first row that is not finite or has no length. */
typedef struct row_summary {
    double total, least, largest;
    size_t broken, empty;
} row_summary;

static const row_summary NO_ROWS = {0.0, INFINITY, 0.0, SIZE_MAX, SIZE_MAX};

enum { CHUNKS = 64 }; /* a fixed number: the sum does not depend on threads */
typedef struct summing {
    const float *values;
    size_t rows, columns;
    row_summary chunks[CHUNKS];
} summing;

static void summarise_chunk(void *context, size_t c, int thread) {
    (void)thread;
    summing *s = context;
    row_summary all = NO_ROWS;
    for (size_t r = s->rows * c / CHUNKS; r < s->rows * (c + 1) / CHUNKS; r++) {
        double square = ireneo_square_sum(s->values + r * s->columns, s->columns);
        if (!isfinite(square) && r < all.broken) all.broken = r;
        if (square == 0.0 && r < all.empty) all.empty = r;
        all.total += square;
        all.least = square < all.least ? square : all.least;
        all.largest = square > all.largest ? square : all.largest;
    }
    s->chunks[c] = all;
}

static row_summary summarise(const float *values, size_t rows, size_t columns, int threads) {
    summing s = {.values = values, .rows = rows, .columns = columns};
    row_summary all = NO_ROWS;
    ireneo_share(CHUNKS, threads, summarise_chunk, &s);
    for (size_t c = CHUNKS; c-- > 0;) { /* backwards: the first row that is broken or empty stays */
        const row_summary *one = &s.chunks[c];
        if (one->broken != SIZE_MAX) all.broken = one->broken;
        if (one->empty != SIZE_MAX) all.empty = one->empty;
        all.least = fmin(all.least, one->least);
        all.largest = fmax(all.largest, one->largest);
    }
    for (size_t c = 0; c < CHUNKS; c++) all.total += s.chunks[c].total;
    return all;
}

static ireneo_error not_finite(const char *what, const float *values, size_t row, size_t columns) {
    size_t column = 0;
    while (column + 1 < columns && isfinite(values[row * columns + column])) column++;
    return ireneo_fail(IRENEO_ERROR_DATA, "%s: row %zu, column %zu is %g; every entry must be finite", what,
                       row, column, (double)values[row * columns + column]);
}

ireneo_error ireneo_recall_check_data(const float *patterns, size_t count, const float *queries,
                                      size_t query_count, size_t neurons, int threads, double *power,
                                      double *shortest, double *longest) {
    size_t cells;
    IRENEO_TRY(ireneo_multiply_sizes(count, neurons, &cells, "patterns"));
    IRENEO_TRY(ireneo_multiply_sizes(query_count, neurons, &cells, "queries"));
    row_summary p = summarise(patterns, count, neurons, threads),
                q = summarise(queries, query_count, neurons, threads);
    if (p.broken != SIZE_MAX) return not_finite("patterns", patterns, p.broken, neurons);
    if (q.broken != SIZE_MAX) return not_finite("queries", queries, q.broken, neurons);
    if (p.empty != SIZE_MAX)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "patterns: row %zu is all zeros and cannot be retrieved; leave it out", p.empty);
    if (sqrt(p.largest) * fmax(sqrt(q.largest), sqrt(p.largest)) > LARGEST_SCORE)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "the scores of these patterns and queries do not fit in float32; "
                           "scale them down");
    *shortest = sqrt(p.least);
    *longest = sqrt(p.largest);
    *power = p.total / ((double)count * (double)neurons);
    return IRENEO_OK;
}

ireneo_error ireneo_dense_normalise(float *rows, size_t count, size_t neurons) {
    IRENEO_REQUIRE(rows != NULL || count == 0, "there are no rows to normalise");
    for (size_t r = 0; r < count; r++)
        if (!isfinite(ireneo_square_sum(rows + r * neurons, neurons)))
            return not_finite("the rows", rows, r, neurons);
    return ireneo_scale_rows("the rows", rows, count, neurons);
}

ireneo_error ireneo_recall_self_coupling(const float *patterns, size_t count, size_t neurons,
                                         double **coupling) {
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(coupling, neurons, "self couplings"));
    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; i < neurons; i++) {
            double x = (double)patterns[r * neurons + i];
            (*coupling)[i] += x * x;
        }
    return IRENEO_OK;
}
