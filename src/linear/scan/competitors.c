/* Top competitors without a heap: white scores of row i have spread |h_i| exactly, so the score that about
 * `keep` of P Gaussian competitors exceed is known before the pass. Data that are not Gaussian overflow the
 * row's buffer or leave it short; an overflow raises the row's threshold to the `keep`-th best so far. */
#include "linear/scan/competitors.h"
#include "base/normal.h"
#include "base/ram.h"
#include "linear/kernels/best.h"
#include "linear/kernels/dot8.h"
#include "linear/scan/scan.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum {
    SHORT = 4,        /* a row with less than a quarter of its competitors is looked at again */
    SPARE = 4,        /* a quarter more than asked for stay: selecting costs more than carrying them */
    BUFFER_TIMES = 4, /* a row's buffer: room for counts far above the Gaussian one, also when few are kept */
    BUFFER_MORE = 64
};
static const double AIM = 1.05; /* of the number wanted: a few too many are cheaper than a few too few */

typedef struct finder {
    const ireneo_problem *problem;
    ireneo_working_set *set;
    const float *w;
    size_t keep, buffer; /* hits kept, hits a row's buffer can hold */
    float quantile;      /* of the Gaussian threshold, in spreads */
    float reach;         /* competitors down to this far below the target are wanted */
    ireneo_hit *hits;    /* (threads, tile, buffer) */
    uint32_t *found;     /* (threads, tile) */
    float *threshold;    /* (threads, tile) */
    float *scores;       /* (threads, room) of one row's hits */
    size_t *begun;       /* (threads) first row of the tile at hand */
    size_t tile, room;
} finder;

/* The place of a row among the buffers of its tile. */
static size_t place_of(const finder *s, int thread, size_t row) {
    return (size_t)thread * s->tile + row - s->begun[thread];
}

static void make_h(void *context, int thread, size_t first, size_t count, float *h) {
    const finder *s = context;
    const ireneo_problem *p = s->problem;
    s->begun[thread] = first;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)p->dim_out, (int)p->dim_in, 1.0f,
                p->x + first * p->dim_in, (int)p->dim_in, s->w, (int)p->dim_in, 0.0f, h, (int)p->stride);
}

static void begin_tile(void *context, int thread, size_t first, size_t count, const float *h) {
    finder *s = context;
    size_t dim = s->problem->stride, base = (size_t)thread * s->tile;
    for (size_t i = 0; i < count; i++) {
        const float *row = h + i * dim;
        const float *target = ireneo_working_set_target(s->set, s->problem, first + i);
        float spread = cblas_snrm2((int)dim, row, 1), score = cblas_sdot((int)dim, row, 1, target, 1);
        s->set->target_score[first + i] = score;
        s->threshold[base + i] = spread * s->quantile;
        if (s->problem->int8.packed == NULL)
            s->threshold[base + i] = fminf(s->threshold[base + i], score - s->reach);
        s->found[base + i] = 0;
    }
}

static void scan_block(void *context, int thread, size_t first, size_t count, size_t column, size_t columns,
                       const float *scores) {
    finder *s = context;
    size_t base = place_of(s, thread, first);
    for (size_t i = 0; i < count; i++) {
        ireneo_hit *hits = s->hits + (base + i) * s->buffer;
        size_t target = ireneo_problem_target(s->problem, first + i), position = 0,
               found = s->found[base + i], before = found;
        while (position < columns) {
            found += ireneo_best_collect(scores + i * columns, columns, &position, s->threshold[base + i],
                                         (uint32_t)column, hits + found, s->buffer - found);
            if (position < columns) {
                float lowest =
                    ireneo_best_select(hits, found, s->keep + 1); /* one more: the target may be among them */
                s->threshold[base + i] = fmaxf(s->threshold[base + i], lowest);
                found = s->keep + 1;
                before = 0;
            }
        }
        if (target >= column && target < column + columns) /* the target is no competitor of its own */
            for (size_t k = before; k < found; k++)
                if (hits[k].index == target) {
                    hits[k] = hits[--found];
                    break;
                }
        s->found[base + i] = (uint32_t)found;
    }
}

/* Adds a scored competitor; a full buffer is first cut down to its best. */
static void offer(finder *s, size_t at, uint32_t index, float score) {
    if (!(score > s->threshold[at])) return;
    ireneo_hit *hits = s->hits + at * s->buffer;
    if (s->found[at] == s->buffer) {
        s->threshold[at] = fmaxf(s->threshold[at], ireneo_best_select(hits, s->buffer, s->keep));
        s->found[at] = (uint32_t)s->keep;
    }
    hits[s->found[at]++] = (ireneo_hit){score, index};
}

static bool set_thresholds(void *context, int thread, size_t first, size_t count,
                           const ireneo_int8_rows *rows, float *threshold) {
    (void)first, (void)rows;
    const finder *s = context;
    memcpy(threshold, s->threshold + (size_t)thread * s->tile, count * sizeof *threshold);
    return true;
}

/* Keeps the hits above the threshold, but not the target. Without branches as long as there is room. */
static void take_row(finder *s, size_t at, size_t target, const uint32_t *index, const float *score,
                     size_t count) {
    ireneo_hit *hits = s->hits + at * s->buffer;
    size_t found = s->found[at];
    float threshold = s->threshold[at];
    if (found + count < s->buffer) {
        for (size_t k = 0; k < count; k++) {
            hits[found] = (ireneo_hit){score[k], index[k]};
            found += (size_t)((score[k] > threshold) & (index[k] != target));
        }
        s->found[at] = (uint32_t)found;
        return;
    }
    for (size_t k = 0; k < count; k++)
        if (index[k] != target) offer(s, at, index[k], score[k]);
}

static void take_hits(void *context, int thread, size_t first, size_t count, size_t columns, const float *h,
                      const uint32_t *hits, size_t room, const uint32_t *found) {
    (void)columns;
    finder *s = context;
    const ireneo_problem *p = s->problem;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *mine = hits + i * room;
        size_t target = ireneo_problem_target(p, first + i);
        float *scores = s->scores + (size_t)thread * s->room;
        ireneo_dot8_listed(h + i * p->stride, p->y, p->stride, p->stride, mine, found[i], scores);
        take_row(s, place_of(s, thread, first + i), target, mine, scores, found[i]);
    }
}

/* Scores that are not Gaussian can leave a row short of competitors that beat its target: then all its scores
 * are looked at again, from the target on. */
static void look_again(finder *s, size_t row, size_t at, const float *h, float lowest) {
    const ireneo_problem *p = s->problem;
    enum { PIECE = 1024 };
    float scores[PIECE];
    s->threshold[at] = lowest;
    s->found[at] = 0;
    for (size_t column = 0; column < p->columns; column += PIECE) {
        size_t columns = p->columns - column < PIECE ? p->columns - column : PIECE;
        cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)columns, (int)p->stride, 1.0f,
                    p->y + column * p->stride, (int)p->stride, h, 1, 0.0f, scores, 1);
        for (size_t k = 0; k < columns; k++)
            if (column + k != ireneo_problem_target(p, row)) offer(s, at, (uint32_t)(column + k), scores[k]);
    }
}

static void finish_tile(void *context, int thread, size_t first, size_t count, const float *h) {
    finder *s = context;
    const ireneo_problem *p = s->problem;
    size_t base = (size_t)thread * s->tile;
    for (size_t i = 0; i < count; i++) {
        ireneo_hit *hits = s->hits + (base + i) * s->buffer;
        float lowest = s->set->target_score[first + i] - s->reach;
        if (s->found[base + i] < s->keep / SHORT && lowest < s->threshold[base + i])
            look_again(s, first + i, base + i, h + i * p->stride, lowest);
        size_t found = s->found[base + i];
        if (found > s->keep + s->keep / SPARE || found > s->set->capacity) {
            ireneo_best_select(hits, found, s->keep);
            found = s->keep;
        }
        uint32_t index[IRENEO_MOST_SLOTS]; /* found <= capacity, which is never larger */
        float score[IRENEO_MOST_SLOTS];
        for (size_t k = 0; k < found; k++) index[k] = hits[k].index, score[k] = hits[k].score;
        ireneo_working_set_fill(s->set, s->problem, first + i, index, score, found);
    }
}

ireneo_error ireneo_find_competitors(const ireneo_problem *problem, const float *w, size_t keep, float reach,
                                     const ireneo_progress *progress, ireneo_working_set *set) {
    finder s = {.problem = problem, .set = set, .w = w, .reach = reach};
    s.keep = keep < set->capacity ? keep : set->capacity;
    if (s.keep > problem->columns - 1) s.keep = problem->columns - 1;
    s.buffer = BUFFER_TIMES * s.keep + BUFFER_MORE;
    s.tile = ireneo_scan_tile_rows(problem->holding.total);
    double share = AIM * (double)s.keep / (double)problem->columns;
    bool all = s.keep + 1 == problem->columns; /* few candidates: every competitor is kept */
    s.quantile = share < 1.0 && !all ? (float)ireneo_normal_tail_quantile(log(share)) : -INFINITY;
    size_t slots = (size_t)problem->threads * s.tile;
    ireneo_error failed = IRENEO_ALLOCATE(&s.hits, slots * s.buffer, "competitor buffers");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s.found, slots, "competitor buffers");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s.threshold, slots, "competitor buffers");
    if (failed == IRENEO_OK)
        failed = IRENEO_ALLOCATE_ZEROED(&s.begun, (size_t)problem->threads, "competitor buffers");
    s.room = s.buffer + IRENEO_PANEL_GROUP;
    if (failed == IRENEO_OK)
        failed = IRENEO_ALLOCATE(&s.scores, (size_t)problem->threads * s.room, "competitor buffers");
    if (failed == IRENEO_OK) {
        ireneo_scan scan = {.rows = problem->rows,
                            .holding = &problem->holding,
                            .columns = problem->columns,
                            .dim = problem->dim_out,
                            .stride = problem->stride,
                            .values = problem->y,
                            .own_candidates = problem->facts->own_candidates,
                            .own_context = problem->facts->own_context,
                            .threads = problem->threads,
                            .progress = progress,
                            .stage = "scanning all candidates",
                            .make = make_h,
                            .begin = begin_tile,
                            .block = scan_block,
                            .finish = finish_tile,
                            .context = &s,
                            .int8 = problem->int8.packed != NULL ? &problem->int8 : NULL,
                            .care = IRENEO_INT8_LIKELY,
                            .room = s.room,
                            .thresholds = set_thresholds,
                            .hits = take_hits};
        failed = ireneo_scan_run(&scan);
    }
    free(s.hits);
    free(s.found);
    free(s.threshold);
    free(s.scores);
    free(s.begun);
    return ireneo_ranks_agree(problem->holding.ranks, failed);
}
