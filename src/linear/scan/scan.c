/* The scan: threads over tiles, one-thread BLAS inside (faster than the other way round, see
 * docs/performance.md). */
#include "linear/scan/scan.h"
#include "base/parallel.h"
#include "base/ram.h"

#include <cblas.h>
#include <string.h>

size_t ireneo_scan_tile_rows(size_t rows) {
    size_t share = (rows / 16 + 7) / 8 * 8; /* sixteen tiles of whole kernels, or tiles of the best size */
    if (share < 48) share = 48;
    return share < IRENEO_SCAN_TILE ? share : IRENEO_SCAN_TILE;
}

/* scores (count, columns) of one block. With own candidates the rows are made and multiplied one by one. */
static void score_block(const ireneo_scan *s, size_t first, size_t count, size_t column, size_t columns,
                        const float *h, float *own, float *scores) {
    size_t stride = s->stride > 0 ? s->stride : s->dim;
    if (s->values != NULL) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)columns, (int)s->dim, 1.0f, h,
                    (int)stride, s->values + column * stride, (int)stride, 0.0f, scores, (int)columns);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        s->own_candidates(s->own_context, first + i, column, columns, own);
        cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)columns, (int)s->dim, 1.0f, own, (int)s->dim,
                    h + i * stride, 1, 0.0f, scores + i * columns, 1);
    }
}

/* Integers are first tried on a few candidates, then on twice as many each time, up to a whole block: where rounding
 * is too coarse little is lost, and thresholds that rise as a scan goes on rise early. */
enum { FIRST_TRY = 5 * IRENEO_PANEL_GROUP };

enum {
    CROWDED_SHARE = 5, /* scoring a fifth of the candidates again costs what integers save */
    VAIN_SHARE = 4     /* with a quarter of its rows crowded a tile is scored in float32 */
};

/* What a thread needs for its tiles. */
typedef struct workplace {
    float *h, *scores, *candidates; /* (tile, stride), (tile, block), (block, dim) own candidates */
    ireneo_int8_rows rows;
    float *threshold; /* (tile) */
    uint32_t *hits;   /* (tile, room) */
    uint32_t *found;  /* (tile) */
    float *crowded;   /* (tile, stride) rows of which integers found too many, side by side */
    ireneo_scan_work work;
} workplace;

static void free_workplaces(workplace *all, int threads) {
    for (int k = 0; all != NULL && k < threads; k++) {
        free(all[k].h), free(all[k].scores), free(all[k].candidates);
        free(all[k].threshold), free(all[k].hits), free(all[k].found), free(all[k].crowded);
        ireneo_int8_rows_free(&all[k].rows);
    }
    free(all);
}

static ireneo_error make_workplace(const ireneo_scan *s, size_t tile, size_t block, workplace *w) {
    size_t stride = s->stride > 0 ? s->stride : s->dim;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&w->h, tile * stride, "row tiles")); /* padding stays zero */
    IRENEO_TRY(IRENEO_ALLOCATE(&w->scores, tile * block, "score tiles"));
    if (s->values == NULL) IRENEO_TRY(IRENEO_ALLOCATE(&w->candidates, block * s->dim, "own candidates"));
    if (s->int8 == NULL) return IRENEO_OK;
    IRENEO_TRY(ireneo_int8_rows_allocate(s->int8, tile, block, &w->rows));
    IRENEO_TRY(IRENEO_ALLOCATE(&w->threshold, tile, "score tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&w->hits, tile * s->room, "score tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&w->crowded, tile * stride, "score tiles"));
    return IRENEO_ALLOCATE(&w->found, tile, "score tiles");
}

static void scan_plain(const ireneo_scan *s, workplace *w, int thread, size_t first, size_t count,
                       size_t column, size_t columns) {
    score_block(s, first, count, column, columns, w->h, w->candidates, w->scores);
    s->block(s->context, thread, first, count, column, columns, w->scores);
    w->work.plain += count * columns;
}

/* Rows of which integers found too many get all their scores. */
static void scan_crowded(const ireneo_scan *s, workplace *w, int thread, size_t first, size_t count,
                         size_t column, size_t columns) {
    size_t stride = s->stride > 0 ? s->stride : s->dim, rows = 0;
    for (size_t i = 0; i < count; i++)
        if (w->found[i] == IRENEO_TOO_MANY)
            memcpy(w->crowded + rows++ * stride, w->h + i * stride, stride * sizeof *w->h);
    if (rows == 0) return;
    score_block(s, first, rows, column, columns, w->crowded, NULL, w->scores);
    w->work.plain += rows * columns;
    const float *scores = w->scores;
    for (size_t i = 0; i < count; i++) {
        if (w->found[i] != IRENEO_TOO_MANY) continue;
        s->block(s->context, thread, first + i, 1, column, columns, scores);
        scores += columns;
    }
}

/* Hands over the hits of the rows that are not crowded, neighbours together. */
static void hand_over_hits(const ireneo_scan *s, workplace *w, int thread, size_t first, size_t count,
                           size_t columns, size_t room) {
    size_t stride = s->stride > 0 ? s->stride : s->dim;
    for (size_t from = 0; from < count;) {
        size_t to = from;
        for (; to < count && w->found[to] != IRENEO_TOO_MANY; to++) w->work.again += w->found[to];
        if (to > from)
            s->hits(s->context, thread, first + from, to - from, columns, w->h + from * stride,
                    w->hits + from * room, room, w->found + from);
        from = to + 1;
    }
}

typedef enum outcome { SCANNED, NOT_YET, IN_VAIN } outcome;

static outcome scan_int8(const ireneo_scan *s, workplace *w, int thread, size_t first, size_t count,
                         size_t column, size_t columns) {
    size_t few = columns / CROWDED_SHARE + IRENEO_PANEL_GROUP, room = few < s->room ? few : s->room,
           crowded = 0;
    if (!s->thresholds(s->context, thread, first, count, &w->rows, w->threshold)) return NOT_YET;
    ireneo_int8_scan(s->int8, &w->rows, count, column, columns, w->threshold, s->care, w->hits, room,
                     w->found);
    w->work.integer += count * columns;
    for (size_t i = 0; i < count; i++) crowded += w->found[i] == IRENEO_TOO_MANY;
    if (crowded * VAIN_SHARE > count) return IN_VAIN;
    hand_over_hits(s, w, thread, first, count, columns, room);
    scan_crowded(s, w, thread, first, count, column, columns);
    return SCANNED;
}

/* A tile after h is made. Integers that were in vain are tried again at once, then after one block, three and so on:
 * thresholds may have risen. That depends on the data alone, so results do not depend on threads. */
static void scan_tile(const ireneo_scan *s, workplace *w, int thread, size_t first, size_t count,
                      size_t block) {
    size_t next = FIRST_TRY, wait = s->int8 != NULL ? 0 : SIZE_MAX, pause = 1, columns;
    if (s->int8 != NULL)
        ireneo_int8_rows_set(s->int8, w->h, count, s->stride > 0 ? s->stride : s->dim, &w->rows);
    for (size_t column = 0; column < s->columns; column += columns) {
        size_t rest = s->columns - column;
        columns = block < rest ? block : rest;
        if (wait > 0) {
            wait--;
        } else {
            size_t tried = next < columns ? next : columns;
            outcome scan = scan_int8(s, w, thread, first, count, column, tried);
            if (scan == SCANNED) {
                columns = tried;
                next = 2 * next < block ? 2 * next : block;
                continue;
            }
            if (scan == IN_VAIN) columns = tried, wait = pause - 1, pause *= 2, next = FIRST_TRY;
            if (scan == NOT_YET && s->lead > 0 && s->lead < columns) columns = s->lead;
        }
        scan_plain(s, w, thread, first, count, column, columns);
    }
}

static size_t block_columns(size_t columns) {
    size_t blocks = (columns + IRENEO_SCAN_BLOCK - 1) / IRENEO_SCAN_BLOCK,
           each = (columns + blocks - 1) / blocks;
    return (each + IRENEO_PANEL_GROUP - 1) / IRENEO_PANEL_GROUP * IRENEO_PANEL_GROUP;
}

/* What the tiles of a scan share. */
typedef struct tiling {
    const ireneo_scan *scan;
    size_t tile, block;
    workplace *places; /* (threads) */
} tiling;

static ireneo_error run_tile(void *context, size_t index, int thread) {
    const tiling *t = context;
    const ireneo_scan *s = t->scan;
    workplace *w = &t->places[thread];
    size_t first = index * t->tile, last = s->rows - first < t->tile ? s->rows : first + t->tile;
    if (s->holding != NULL) ireneo_tile_rows(s->holding, t->tile, index, &first, &last);
    size_t count = last - first;
    if (count == 0) return IRENEO_OK;
    s->make(s->context, thread, first, count, w->h);
    if (s->begin != NULL) s->begin(s->context, thread, first, count, w->h);
    scan_tile(s, w, thread, first, count, t->block);
    if (s->finish != NULL) s->finish(s->context, thread, first, count, w->h);
    return IRENEO_OK;
}

ireneo_error ireneo_scan_run(const ireneo_scan *s) {
    size_t tile = ireneo_scan_tile_rows(s->holding != NULL ? s->holding->total : s->rows),
           block = block_columns(s->columns),
           tiles = s->holding != NULL ? ireneo_holding_tiles(s->holding, tile) : (s->rows + tile - 1) / tile;
    workplace *places = NULL;
    ireneo_error failed = IRENEO_ALLOCATE_ZEROED(&places, (size_t)s->threads, "score tiles");
    for (int k = 0; failed == IRENEO_OK && k < s->threads; k++)
        failed = make_workplace(s, tile, block, &places[k]);
    tiling work = {s, tile, block, places};
    if (failed == IRENEO_OK)
        failed = ireneo_parallel(tiles, s->threads, s->progress, s->stage, run_tile, &work);
    for (int k = 0; s->work != NULL && places != NULL && k < s->threads; k++) {
        s->work->integer += places[k].work.integer;
        s->work->plain += places[k].work.plain;
        s->work->again += places[k].work.again;
    }
    free_workplaces(places, s->threads);
    return failed;
}
