/* The unit of the benchmarks: all scores y_j^T h_i through one buffer a thread, 512 x 2048 tiles, one-thread BLAS in each
 * thread. */
#ifndef IRENEO_BENCH_PLAIN_PASS_H
#define IRENEO_BENCH_PLAIN_PASS_H

#include "base/clock.h"
#include "base/pool.h"
#include "base/threads.h"

#include <cblas.h>
#include <stdlib.h>

enum { PASS_ROWS = 512, PASS_COLUMNS = 2048 };

typedef struct plain_pass_work {
    const float *x, *w,
        *y; /* rows (n, dim); h = W x with w (dim, dim), or h = x when NULL; candidates (columns, dim) */
    size_t n, columns, dim, tile;
    float *space; /* (threads, PASS_ROWS, PASS_COLUMNS + dim) */
} plain_pass_work;

static inline void plain_pass_tile(void *context, size_t k, int thread) {
    const plain_pass_work *p = context;
    int dim = (int)p->dim;
    float *scores = p->space + (size_t)thread * PASS_ROWS * (PASS_COLUMNS + p->dim),
          *h = scores + PASS_ROWS * PASS_COLUMNS;
    size_t first = k * p->tile, count = p->n - first < p->tile ? p->n - first : p->tile;
    const float *rows = p->x + first * p->dim;
    if (p->w != NULL)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, dim, dim, 1.0f, rows, dim, p->w, dim,
                    0.0f, h, dim);
    for (size_t c = 0; c < p->columns; c += PASS_COLUMNS) {
        size_t width = p->columns - c < PASS_COLUMNS ? p->columns - c : PASS_COLUMNS;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)width, dim, 1.0f,
                    p->w != NULL ? h : rows, dim, p->y + c * p->dim, dim, 0.0f, scores, (int)width);
    }
}

/* Seconds of one pass; exits when there is no RAM for it. */
static inline double plain_pass(const float *x, const float *w, const float *y, size_t n, size_t columns,
                                size_t dim, int threads) {
    plain_pass_work p = {.x = x, .w = w, .y = y, .n = n, .columns = columns, .dim = dim, .tile = PASS_ROWS};
    if (n / (size_t)threads < PASS_ROWS) p.tile = (n + (size_t)threads - 1) / (size_t)threads;
    p.space = malloc((size_t)threads * PASS_ROWS * (PASS_COLUMNS + dim) * sizeof *p.space);
    if (p.space == NULL) exit(4);
    ireneo_enter(1, NULL); /* one thread of BLAS in each of ours */
    double start = ireneo_seconds();
    ireneo_share((n + p.tile - 1) / p.tile, threads, plain_pass_tile, &p);
    double seconds = ireneo_seconds() - start;
    ireneo_leave(IRENEO_OK);
    free(p.space);
    return seconds;
}

#endif
