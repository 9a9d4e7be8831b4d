/* The score pass: threads over tiles, one-thread BLAS inside (faster than the other way round, see
 * docs/performance.md). */
#include "linear/sweep.h"
#include "base/memory.h"

#include <cblas.h>
#include <omp.h>

size_t ireneo_sweep_tile_rows(size_t rows) {
    size_t eighth = (rows + 7) / 8;
    if (eighth < 48) eighth = 48;
    return eighth < IRENEO_SWEEP_TILE ? eighth : IRENEO_SWEEP_TILE;
}

/* scores (count, columns) of one block. With own candidates the rows are made and multiplied one by one. */
static void score_block(const ireneo_sweep *s, size_t first, size_t count, size_t column, size_t columns,
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

ireneo_error ireneo_sweep_run(const ireneo_sweep *s) {
    size_t tile = ireneo_sweep_tile_rows(s->rows), tiles = (s->rows + tile - 1) / tile;
    size_t blocks = (s->columns + IRENEO_SWEEP_BLOCK - 1) / IRENEO_SWEEP_BLOCK,
           block = (s->columns + blocks - 1) / blocks;
    size_t own = s->values == NULL ? block * s->dim : 0, stride = s->stride > 0 ? s->stride : s->dim;
    size_t each = tile * stride + tile * block + own;
    float *space = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&space, (size_t)s->threads * (each + 64), "score tiles"));
    int cancelled = 0;
    size_t done = 0;
#pragma omp parallel for num_threads(s->threads) schedule(dynamic)
    for (size_t k = 0; k < tiles; k++) {
        int stop;
#pragma omp atomic read
        stop = cancelled;
        if (stop) continue;
        int thread = omp_get_thread_num();
        float *h = space + (size_t)thread * (each + 64), *scores = h + tile * stride,
              *candidates = scores + tile * block;
        size_t first = k * tile, count = s->rows - first < tile ? s->rows - first : tile;
        s->make(s->context, thread, first, count, h);
        if (s->begin != NULL) s->begin(s->context, thread, first, count, h);
        for (size_t column = 0; column < s->columns; column += block) {
            size_t columns = s->columns - column < block ? s->columns - column : block;
            score_block(s, first, count, column, columns, h, candidates, scores);
            s->block(s->context, thread, first, count, column, columns, scores);
        }
        if (s->finish != NULL) s->finish(s->context, thread, first, count, h);
        size_t so_far;
#pragma omp atomic capture
        so_far = done += count;
        if (thread == 0 && ireneo_report(s->progress, s->stage, (double)so_far, (double)s->rows)) {
#pragma omp atomic write
            cancelled = 1;
        }
    }
    free(space);
    return cancelled ? ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped during %s", s->stage) : IRENEO_OK;
}
