/* Recall throughput at d = 256, P = 20 000, in units of one plain sgemm pass of the same size in the same
 * run. A ratio of 1 means that finding the best answers costs nothing beyond the scores. */
#include "base/progress.h"
#include "base/threads.h"
#include "ireneo.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIM = 256, CANDIDATES = 20000, QUERIES = 4096, ROUNDS = 5 };

/* h = X W^T and all scores y_j^T h_i through one buffer a thread, 512 x 2048 tiles, one-thread BLAS inside
 * OpenMP. */
static double plain_pass(const float *x, const float *w, const float *y, float *h, float *space,
                         int threads) {
    enum { ROWS = 512, COLUMNS = 2048 };
    double start = ireneo_seconds();
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int first = 0; first < QUERIES; first += ROWS) {
        float *scores = space + (size_t)omp_get_thread_num() * ROWS * COLUMNS,
              *rows = h + (size_t)first * DIM;
        int count = QUERIES - first < ROWS ? QUERIES - first : ROWS;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, count, DIM, DIM, 1.0f, x + (size_t)first * DIM,
                    DIM, w, DIM, 0.0f, rows, DIM);
        for (int c = 0; c < CANDIDATES; c += COLUMNS) {
            int width = CANDIDATES - c < COLUMNS ? CANDIDATES - c : COLUMNS;
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, count, width, DIM, 1.0f, rows, DIM,
                        y + (size_t)c * DIM, DIM, 0.0f, scores, width);
        }
    }
    return ireneo_seconds() - start;
}

static double recall_pass(const ireneo_memory *memory, const float *x, const float *y, size_t top,
                          int threads, int64_t *indices, float *scores) {
    double start = ireneo_seconds();
    if (ireneo_recall(memory, x, QUERIES, y, CANDIDATES, top, &(ireneo_run_settings){.threads = threads},
                      indices, scores) != IRENEO_OK) {
        fprintf(stderr, "%s\n", ireneo_last_error());
        exit(1);
    }
    return ireneo_seconds() - start;
}

int main(void) {
    enum { MOST_TOP = 10 };
    static const size_t tops[] = {1, MOST_TOP};
    int threads = ireneo_thread_count(0);
    float *x = malloc((size_t)QUERIES * DIM * sizeof *x), *y = malloc((size_t)CANDIDATES * DIM * sizeof *y),
          *w = malloc((size_t)DIM * DIM * sizeof *w), *h = malloc((size_t)QUERIES * DIM * sizeof *h),
          *space = malloc((size_t)threads * 512 * 2048 * sizeof *space),
          *scores = malloc((size_t)QUERIES * MOST_TOP * sizeof *scores);
    int64_t *indices = malloc((size_t)QUERIES * MOST_TOP * sizeof *indices);
    if (x == NULL || y == NULL || w == NULL || h == NULL || space == NULL || scores == NULL ||
        indices == NULL)
        return 4;
    ireneo_random_normals_float(1, 0, 0, (size_t)QUERIES * DIM, 0, x);
    ireneo_random_normals_float(1, 1, 0, (size_t)CANDIDATES * DIM, 0, y);
    ireneo_random_normals_float(1, 2, 0, (size_t)DIM * DIM, 0, w);
    ireneo_memory memory = {.dim_in = DIM, .dim_out = DIM, .matrix = w};
    for (size_t t = 0; t < sizeof tops / sizeof *tops; t++) {
        double plain = INFINITY, recall = INFINITY;
        ireneo_enter(1, NULL);
        for (int round = 0; round < ROUNDS; round++) { /* in turn: both see the same machine */
            plain = fmin(plain, plain_pass(x, w, y, h, space, threads));
            recall = fmin(recall, recall_pass(&memory, x, y, tops[t], threads, indices, scores));
        }
        ireneo_leave(IRENEO_OK);
        printf("d %d  P %d  %d queries  top %2zu  plain pass %.4f s  recall %.4f s = %.0f queries a second, "
               "%.2f of "
               "the pass's throughput\n",
               DIM, CANDIDATES, QUERIES, tops[t], plain, recall, QUERIES / recall, plain / recall);
    }
    free(x), free(y), free(w), free(h), free(space), free(scores), free(indices);
    return 0;
}
