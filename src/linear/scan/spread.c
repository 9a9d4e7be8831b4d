/* Spread of scores from sampled rows, a few rows at a time. */
#include "linear/scan/spread.h"
#include "base/pool.h"
#include "base/ram.h"
#include "base/vectorised.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { CHUNK = 16 }; /* rows whose scores are held at once */

ireneo_error ireneo_sampled_rows_make(size_t rows, size_t every, size_t stride, ireneo_sampled_rows *s) {
    *s = (ireneo_sampled_rows){.every = every, .rows = (rows + every - 1) / every, .stride = stride};
    ireneo_error failed = IRENEO_ALLOCATE_ZEROED(&s->h, s->rows * stride, "sampled rows");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&s->unit, s->rows, "sampled rows");
    if (failed != IRENEO_OK) ireneo_sampled_rows_free(s);
    return failed;
}

void ireneo_sampled_rows_free(ireneo_sampled_rows *s) {
    free(s->h), free(s->unit);
    memset(s, 0, sizeof *s);
}

void ireneo_sampled_rows_offer(ireneo_sampled_rows *s, size_t row, const float *h, double unit) {
    if (row % s->every != 0) return;
    memcpy(s->h + row / s->every * s->stride, h, s->stride * sizeof *h);
    s->unit[row / s->every] = unit;
}

/* Samples of rows below `row`. */
static size_t samples_before(const ireneo_sampled_rows *s, size_t row) {
    return (row + s->every - 1) / s->every;
}

ireneo_error ireneo_sampled_rows_gather(ireneo_sampled_rows *s, const ireneo_holding *h) {
    if (h->ranks == NULL || h->ranks->count == 1) return IRENEO_OK;
    size_t first = samples_before(s, h->first), mine = samples_before(s, h->first + h->rows) - first, total;
    void *rows = NULL, *units = NULL;
    IRENEO_TRY(ireneo_ranks_gather(h->ranks, IRENEO_ALL_RANKS, s->h + first * s->stride, mine,
                                   s->stride * sizeof *s->h, &rows, &total));
    ireneo_error failed = ireneo_ranks_gather(h->ranks, IRENEO_ALL_RANKS, s->unit + first, mine,
                                              sizeof *s->unit, &units, &total);
    if (failed == IRENEO_OK) {
        memcpy(s->h, rows, total * s->stride * sizeof *s->h);
        memcpy(s->unit, units, total * sizeof *s->unit);
    }
    free(rows), free(units);
    return failed;
}

IRENEO_VECTORISED
static double variance_of(const float *scores, size_t count) {
    double first = 0.0, second = 0.0, columns = (double)count;
#pragma omp simd reduction(+ : first, second)
    for (size_t j = 0; j < count; j++) {
        first += (double)scores[j];
        second += (double)scores[j] * (double)scores[j];
    }
    return fmax(0.0, second / columns - first / columns * first / columns);
}

/* sqrt(mean of (unit^2 variance)), scaled by the largest so that no square overflows. */
static double root_mean_square(const double *unit, const double *variance, size_t count) {
    double largest = 0.0, total = 0.0;
    for (size_t k = 0; k < count; k++) largest = fmax(largest, unit[k]);
    if (largest == 0.0) return 0.0;
    for (size_t k = 0; k < count; k++) total += unit[k] / largest * (unit[k] / largest) * variance[k];
    return largest * sqrt(total / (double)count);
}

/* Scores of the sampled rows under way. */
typedef struct sampling {
    const ireneo_sampled_rows *rows;
    const float *values;
    size_t candidates;
    float *scores;    /* (threads, CHUNK, candidates) */
    double *variance; /* (rows) */
} sampling;

static void score_chunk(void *context, size_t chunk, int thread) {
    const sampling *a = context;
    const ireneo_sampled_rows *s = a->rows;
    size_t first = chunk * CHUNK, many = s->rows - first < CHUNK ? s->rows - first : CHUNK;
    float *mine = a->scores + (size_t)thread * CHUNK * a->candidates;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)many, (int)a->candidates, (int)s->stride, 1.0f,
                s->h + first * s->stride, (int)s->stride, a->values, (int)s->stride, 0.0f, mine,
                (int)a->candidates);
    for (size_t k = 0; k < many; k++)
        a->variance[first + k] = variance_of(mine + k * a->candidates, a->candidates);
}

ireneo_error ireneo_sampled_rows_spread(const ireneo_sampled_rows *s, const float *values, size_t candidates,
                                        int threads, double *spread) {
    sampling a = {.rows = s, .values = values, .candidates = candidates};
    ireneo_error failed =
        IRENEO_ALLOCATE(&a.scores, (size_t)threads * CHUNK * candidates, "scores of a few rows");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&a.variance, s->rows, "scores of a few rows");
    if (failed == IRENEO_OK) {
        ireneo_share((s->rows + CHUNK - 1) / CHUNK, threads, score_chunk, &a);
        *spread = root_mean_square(s->unit, a.variance, s->rows);
    }
    free(a.scores), free(a.variance);
    return failed;
}
