/* Recall: the best few candidates of each query. float32 finds them, float64 puts them in order. */
#include "base/memory.h"
#include "base/threads.h"
#include "linear/proof.h"
#include "linear/sweep.h"
#include "linear/top.h"

#include <math.h>
#include <string.h>

enum {
    SPARE = 8
}; /* candidates beyond the top that are rescored, so that float32 rounding cannot push a winner out */

typedef struct recall {
    ireneo_wide_memory wide;
    const float *queries, *values;
    size_t dim_in, dim_out, tile, top, keep, buffer;
    double *h, *scratch; /* (threads, tile, dim_out), (threads, tile, dim_in + rank) */
    ireneo_hit *hits;    /* (threads, tile, buffer) */
    uint32_t *found;     /* (threads, tile) */
    float *threshold;    /* (threads, tile) */
    int64_t *indices;    /* (queries, top) */
    float *scores;       /* (queries, top) */
} recall;

static void make_h(void *context, int thread, size_t first, size_t count, float *h) {
    recall *r = context;
    double *wide = r->h + (size_t)thread * r->tile * r->dim_out;
    ireneo_wide_memory_apply(&r->wide, r->queries + first * r->dim_in, count,
                             r->scratch + (size_t)thread * r->tile * (r->dim_in + r->wide.rank), wide);
    for (size_t k = 0; k < count * r->dim_out; k++) h[k] = (float)wide[k];
    for (size_t i = 0; i < count; i++) {
        r->found[(size_t)thread * r->tile + i] = 0;
        r->threshold[(size_t)thread * r->tile + i] = -INFINITY;
    }
}

static void scan_block(void *context, int thread, size_t first, size_t count, size_t column, size_t columns,
                       const float *scores) {
    (void)first;
    recall *r = context;
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)thread * r->tile + i, position = 0, found = r->found[at];
        ireneo_hit *hits = r->hits + at * r->buffer;
        while (position < columns) {
            found += ireneo_collect(scores + i * columns, columns, &position, r->threshold[at],
                                    (uint32_t)column, hits + found, r->buffer - found);
            if (found > r->keep) { /* after every piece: a high threshold makes the next one cheap */
                r->threshold[at] = ireneo_select_best(hits, found, r->keep);
                found = r->keep;
            }
        }
        r->found[at] = (uint32_t)found;
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

static void finish_tile(void *context, int thread, size_t first, size_t count, const float *h) {
    (void)h;
    recall *r = context;
    answer answers[512];
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)thread * r->tile + i, found = r->found[at];
        const double *wide = r->h + at * r->dim_out;
        for (size_t k = 0; k < found; k++) {
            const float *value = r->values + (size_t)r->hits[at * r->buffer + k].index * r->dim_out;
            double score = 0.0;
            for (size_t q = 0; q < r->dim_out; q++) score += wide[q] * (double)value[q];
            answers[k] = (answer){score, r->hits[at * r->buffer + k].index};
        }
        qsort(answers, found, sizeof *answers, better_first);
        for (size_t k = 0; k < r->top; k++) {
            r->indices[(first + i) * r->top + k] = k < found ? (int64_t)answers[k].index : -1;
            r->scores[(first + i) * r->top + k] = k < found ? (float)answers[k].score : -INFINITY;
        }
    }
}

static ireneo_error run_recall(recall *r, size_t count, size_t candidates, int threads) {
    size_t slots = (size_t)threads * r->tile;
    IRENEO_TRY(IRENEO_ALLOCATE(&r->h, slots * r->dim_out, "recall tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&r->scratch, slots * (r->dim_in + r->wide.rank), "recall tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&r->hits, slots * r->buffer, "recall tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&r->found, slots, "recall tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&r->threshold, slots, "recall tiles"));
    ireneo_sweep sweep = {.rows = count,
                          .columns = candidates,
                          .dim = r->dim_out,
                          .values = r->values,
                          .threads = threads,
                          .stage = "recalling",
                          .make = make_h,
                          .block = scan_block,
                          .finish = finish_tile,
                          .context = r};
    return ireneo_sweep_run(&sweep);
}

ireneo_error ireneo_recall(const ireneo_memory *memory, const float *queries, size_t count,
                           const float *values, size_t candidates, size_t top, int threads, int64_t *indices,
                           float *scores) {
    if (memory == NULL || queries == NULL || values == NULL || indices == NULL || scores == NULL)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "recall needs a memory, queries, values, and room for answers");
    if (count == 0 || candidates == 0 || candidates > UINT32_MAX)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "recall needs at least one query and 1 to 2^32 - 1 values");
    if (top < 1 || top > 500)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the number of answers must lie between 1 and 500, not %zu",
                           top);
    threads = ireneo_thread_count(threads);
    recall r = {.queries = queries,
                .values = values,
                .dim_in = memory->dim_in,
                .dim_out = memory->dim_out,
                .top = top,
                .indices = indices,
                .scores = scores};
    r.tile = ireneo_sweep_tile_rows(count);
    r.keep = top + SPARE;
    r.buffer = r.keep + 64;
    int before = ireneo_blas_threads(1);
    ireneo_error failed = ireneo_wide_memory_make(memory, &r.wide);
    if (failed == IRENEO_OK) failed = run_recall(&r, count, candidates, threads);
    ireneo_blas_threads(before);
    ireneo_wide_memory_free(&r.wide);
    free(r.h), free(r.scratch), free(r.hits), free(r.found), free(r.threshold);
    return failed;
}
