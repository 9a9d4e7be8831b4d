/* Recall throughput at d = 256, P = 20 000, in units of one plain sgemm pass of the same size in the same
 * run. A ratio of 1 means that finding the best answers costs nothing beyond the scores. */
#include "base/progress.h"
#include "base/threads.h"
#include "ireneo.h"
#include "plain_pass.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIM = 256, CANDIDATES = 20000, QUERIES = 4096, ROUNDS = 5 };

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
          *w = malloc((size_t)DIM * DIM * sizeof *w),
          *scores = malloc((size_t)QUERIES * MOST_TOP * sizeof *scores);
    int64_t *indices = malloc((size_t)QUERIES * MOST_TOP * sizeof *indices);
    if (x == NULL || y == NULL || w == NULL || scores == NULL || indices == NULL) return 4;
    ireneo_random_normals_float(1, 0, 0, (size_t)QUERIES * DIM, 0, x);
    ireneo_random_normals_float(1, 1, 0, (size_t)CANDIDATES * DIM, 0, y);
    ireneo_random_normals_float(1, 2, 0, (size_t)DIM * DIM, 0, w);
    ireneo_memory memory = {.dim_in = DIM, .dim_out = DIM, .matrix = w};
    for (size_t t = 0; t < sizeof tops / sizeof *tops; t++) {
        double plain = INFINITY, recall = INFINITY;
        for (int round = 0; round < ROUNDS; round++) { /* in turn: both see the same machine */
            plain = fmin(plain, plain_pass(x, w, y, QUERIES, CANDIDATES, DIM, threads));
            recall = fmin(recall, recall_pass(&memory, x, y, tops[t], threads, indices, scores));
        }
        printf("d %d  P %d  %d queries  top %2zu  plain pass %.4f s  recall %.4f s = %.0f queries a second, "
               "%.2f of "
               "the pass's throughput\n",
               DIM, CANDIDATES, QUERIES, tops[t], plain, recall, QUERIES / recall, plain / recall);
    }
    free(x), free(y), free(w), free(scores), free(indices);
    return 0;
}
