/* Recall: the best few candidates of each query.
 *
 * Scores are first seen in int8 or in float32, whose errors have known bounds. Every candidate that may belong to
 * the best is kept, and float64 decides between those; so the answers are those of float64. Rows h = W x are divided by a power of two
 * that brings |h| to 1/2 .. 1, so that float32 scores neither overflow nor vanish; recall_values.h sees to the values. */
#include "base/ram.h"
#include "base/threads.h"
#include "base/vectorised.h"
#include "linear/facts/scale.h"
#include "linear/kernels/best.h"
#include "linear/kernels/dot8.h"
#include "linear/memory/memory.h"
#include "linear/scan/gap.h"
#include "linear/scan/memory_f64.h"
#include "linear/scan/recall_values.h"
#include "linear/scan/scan.h"

#include <cblas.h>
#include <float.h>
#include <math.h>

enum { ROOM = 1024, LEAD = 480 }; /* hits of a row in one integer scan; candidates seen before the first */

/* Far above what float32 loses of entries below its range, far below any bound that matters. */
static const double VANISHING = 1e-35;

typedef struct recall {
    ireneo_memory_f64 f64;
    const float *queries, *values;
    ireneo_recall_values scanned; /* the values as the scan sees them */
    size_t dim_in, dim_out, candidates, tile, top, buffer;
    const ireneo_holding *holding; /* of the queries, or NULL: all are here */
    size_t *begun;                 /* (threads) first row of the tile at hand */
    double error_rate;             /* bound on |h - W x| over |x| */
    double *h;                     /* (threads, tile, dim_out) */
    double *scratch;               /* (threads, scratch_each): keys while h is made, answers at the end */
    size_t scratch_each;
    ireneo_hit *hits; /* (threads, tile, buffer) */
    uint32_t *found;  /* (threads, tile) */
    float *threshold; /* (threads, tile) a candidate that scores less is not among the best */
    float *slack;     /* (threads, tile) by how much two float32 scores may stand in the wrong order */
    bool *crowded;    /* (threads, tile) more candidates than the buffer holds are too close to tell apart */
    float *rescored;  /* (threads, ROOM) */
    ireneo_int8 int8;
    int64_t *indices; /* (queries, top) */
    float *scores;    /* (queries, top) */
    const ireneo_progress *progress;
} recall;

static void make_h(void *context, int thread, size_t first, size_t count, float *h) {
    recall *r = context;
    size_t base = (size_t)thread * r->tile;
    double *f64 = r->h + base * r->dim_out;
    r->begun[thread] = first;
    ireneo_memory_f64_apply(&r->f64, r->queries + first * r->dim_in, count,
                            r->scratch + (size_t)thread * r->scratch_each, f64);
    for (size_t i = 0; i < count; i++) {
        const double *row = f64 + i * r->dim_out;
        double square = 0.0, key_norm = ireneo_norm_f32(r->queries + (first + i) * r->dim_in, r->dim_in);
        for (size_t k = 0; k < r->dim_out; k++) square += row[k] * row[k];
        int exponent = ireneo_exponent(sqrt(square)) + 1;
        double factor = ldexp(1.0, -exponent), norm = sqrt(square) * factor;
        for (size_t k = 0; k < r->dim_out; k++) h[i * r->dim_out + k] = (float)(row[k] * factor);
        double rate = ((double)r->dim_out + 8.0) * 0x1p-24 * norm + r->error_rate * key_norm * factor +
                      VANISHING,
               wide = ((double)r->dim_out + 4.0) * 0x1p-53 * norm; /* what float64 itself may err */
        r->slack[base + i] =
            (float)(2.0 * (rate * r->scanned.largest + wide * r->scanned.longest) * (1.0 + 1e-6));
        r->found[base + i] = 0;
        r->threshold[base + i] = -INFINITY;
        r->crowded[base + i] = false;
    }
}

/* Raises the threshold to the worst of the best, less what float32 may err, and drops what is below. */
static void tighten(recall *r, size_t at) {
    ireneo_hit *hits = r->hits + at * r->buffer;
    size_t found = r->found[at], kept = r->top;
    if (found <= r->top) return;
    float bar = nextafterf(ireneo_best_select(hits, found, r->top) - r->slack[at], -INFINITY);
    if (bar > r->threshold[at]) r->threshold[at] = bar;
    for (size_t k = r->top; k < found; k++)
        if (hits[k].score > r->threshold[at]) hits[kept++] = hits[k];
    r->found[at] = (uint32_t)kept;
    if (kept + 32 <= r->buffer) return;
    r->crowded[at] = true; /* float64 will look at all candidates, so none is kept here */
    r->found[at] = 0;
    r->threshold[at] = INFINITY;
}

static void scan_block(void *context, int thread, size_t first, size_t count, size_t column, size_t columns,
                       const float *scores) {
    recall *r = context;
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)thread * r->tile + first + i - r->begun[thread], position = 0;
        while (position < columns) {
            r->found[at] += (uint32_t)ireneo_best_collect(
                scores + i * columns, columns, &position, r->threshold[at], (uint32_t)column,
                r->hits + at * r->buffer + r->found[at], r->buffer - r->found[at]);
            tighten(r, at); /* after every piece: a high threshold makes the next one cheap */
        }
    }
}

static bool set_thresholds(void *context, int thread, size_t first, size_t count,
                           const ireneo_int8_rows *rows, float *level) {
    (void)first, (void)rows;
    const recall *r = context;
    bool ready = true;
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)thread * r->tile + i;
        level[i] = nextafterf(r->threshold[at] - r->slack[at], -INFINITY);
        if (r->threshold[at] == -INFINITY) ready = false;
    }
    return ready;
}

static void take_hits(void *context, int thread, size_t first, size_t count, size_t columns, const float *h,
                      const uint32_t *hits, size_t room, const uint32_t *found) {
    (void)columns;
    recall *r = context;
    float *scores = r->rescored + (size_t)thread * ROOM;
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)thread * r->tile + first + i - r->begun[thread];
        ireneo_dot8_listed(h + i * r->dim_out, r->scanned.entries, r->dim_out, r->dim_out, hits + i * room,
                           found[i], scores);
        for (size_t k = 0; k < found[i]; k++) {
            if (!(scores[k] > r->threshold[at])) continue;
            r->hits[at * r->buffer + r->found[at]++] = (ireneo_hit){scores[k], hits[i * room + k]};
            if (r->found[at] == r->buffer) tighten(r, at);
        }
        tighten(r, at);
    }
}

typedef struct answer {
    double score;
    uint32_t index;
} answer;

static int better_first(const void *a, const void *b) {
    const answer *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

IRENEO_VECTORISED
static double wide_dot(const double *restrict h, const float *restrict value, size_t dim) {
    double score = 0.0;
#pragma omp simd reduction(+ : score)
    for (size_t k = 0; k < dim; k++) score += h[k] * (double)value[k];
    return score;
}

static double wide_score(const recall *r, const double *h, size_t index) {
    return wide_dot(h, r->values + index * r->dim_out, r->dim_out);
}

/* All candidates in float64, a buffer of answers at a time. */
static size_t answer_crowded(const recall *r, const double *h, answer *answers) {
    size_t found = 0;
    for (size_t j = 0; j < r->candidates; j++) {
        answers[found++] = (answer){wide_score(r, h, j), (uint32_t)j};
        if (found < r->buffer) continue;
        qsort(answers, found, sizeof *answers, better_first);
        found = r->top;
    }
    qsort(answers, found, sizeof *answers, better_first);
    return found;
}

/* Scores beyond float32 are told as its largest number. */
static float nearest_float(double score) {
    return (float)fmax(fmin(score, (double)FLT_MAX), -(double)FLT_MAX);
}

static void finish_tile(void *context, int thread, size_t first, size_t count, const float *h) {
    (void)h;
    recall *r = context;
    answer *answers = (answer *)(void *)(r->scratch + (size_t)thread * r->scratch_each);
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)thread * r->tile + i, found = r->found[at];
        const double *f64 = r->h + at * r->dim_out;
        if (r->crowded[at]) {
            found = answer_crowded(r, f64, answers);
        } else {
            for (size_t k = 0; k < found; k++) {
                uint32_t index = r->hits[at * r->buffer + k].index;
                answers[k] = (answer){wide_score(r, f64, index), index};
            }
            qsort(answers, found, sizeof *answers, better_first);
        }
        for (size_t k = 0; k < r->top; k++) {
            r->indices[(first + i) * r->top + k] = k < found ? (int64_t)answers[k].index : -1;
            r->scores[(first + i) * r->top + k] = k < found ? nearest_float(answers[k].score) : -INFINITY;
        }
    }
}

static ireneo_error run_recall(recall *r, size_t count, int threads) {
    size_t slots = (size_t)threads * r->tile, scratch = r->tile * (r->dim_in + r->f64.rank),
           answers = r->buffer * sizeof(answer) / sizeof *r->scratch;
    r->scratch_each = scratch > answers ? scratch : answers;
    IRENEO_TRY(ireneo_recall_values_make(r->values, r->candidates, r->dim_out, threads, &r->scanned));
    if (ireneo_int8_useful(r->holding != NULL ? r->holding->total : count, r->candidates, r->dim_out))
        IRENEO_TRY(ireneo_int8_make(r->scanned.entries, r->candidates, r->dim_out, r->dim_out, threads, NULL,
                                    &r->int8));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&r->begun, (size_t)threads, "recall tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&r->h, slots * r->dim_out, "recall tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&r->scratch, (size_t)threads * r->scratch_each, "recall tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&r->hits, slots * r->buffer, "recall tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&r->found, slots, "recall tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&r->threshold, slots, "recall tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&r->slack, slots, "recall tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&r->crowded, slots, "recall tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&r->rescored, (size_t)threads * ROOM, "recall tiles"));
    ireneo_scan scan = {.rows = count,
                        .holding = r->holding,
                        .columns = r->candidates,
                        .dim = r->dim_out,
                        .values = r->scanned.entries,
                        .threads = threads,
                        .progress = r->progress,
                        .stage = "recalling",
                        .make = make_h,
                        .block = scan_block,
                        .finish = finish_tile,
                        .context = r,
                        .int8 = r->int8.packed != NULL ? &r->int8 : NULL,
                        .room = ROOM,
                        .lead = LEAD,
                        .thresholds = set_thresholds,
                        .hits = take_hits};
    return ireneo_scan_run(&scan);
}

ireneo_error ireneo_recall(const ireneo_memory *memory, const float *queries, size_t count,
                           const float *values, size_t candidates, size_t top,
                           const ireneo_run_settings *settings, int64_t *indices, float *scores) {
    int threads;
    const ireneo_progress *progress;
    IRENEO_TRY(ireneo_memory_check(memory));
    IRENEO_REQUIRE(queries != NULL && values != NULL && indices != NULL && scores != NULL,
                   "recall needs a memory, queries, values, and room for answers");
    if (count == 0 || candidates == 0 || candidates > UINT32_MAX)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "recall needs at least one query and 1 to 2^32 - 1 values");
    if (top < 1 || top > 500)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the number of answers must lie between 1 and 500, not %zu",
                           top);
    IRENEO_TRY(ireneo_enter_run(settings, &threads, &progress));
    recall r = {.queries = queries,
                .values = values,
                .dim_in = memory->dim_in,
                .dim_out = memory->dim_out,
                .candidates = candidates,
                .top = top,
                .indices = indices,
                .scores = scores,
                .holding = settings != NULL ? settings->holding : NULL,
                .progress = progress};
    r.tile = ireneo_scan_tile_rows(r.holding != NULL ? r.holding->total : count);
    r.buffer = 2 * top + 96;
    r.error_rate = ireneo_gap_error_rate(memory);
    ireneo_error failed = ireneo_memory_f64_make(memory, &r.f64);
    if (failed == IRENEO_OK) failed = run_recall(&r, count, threads);
    ireneo_memory_f64_free(&r.f64);
    ireneo_int8_free(&r.int8);
    ireneo_recall_values_free(&r.scanned);
    free(r.h), free(r.scratch), free(r.hits), free(r.found), free(r.threshold);
    free(r.slack), free(r.crowded), free(r.rescored), free(r.begun);
    return ireneo_leave(failed);
}
