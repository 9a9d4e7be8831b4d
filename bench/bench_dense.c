/* Dense memory: one retrieval step against the two BLAS passes it needs, and the direct simulation's patterns
 * per second beside the raw rate of the random numbers. Ratios are of times measured in this run. */
#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "ireneo.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NEURONS = 128, PATTERNS = 200000, QUERIES = 1000, BLOCK = 4096, ROUNDS = 3 };

/* Scores and weighted sum without anything between them, in blocks that suit BLAS, on all threads. */
static double two_passes(const float *patterns, const float *queries, float *scores, float *out) {
    double start = ireneo_seconds();
    for (int first = 0; first < PATTERNS; first += BLOCK) {
        int count = PATTERNS - first < BLOCK ? PATTERNS - first : BLOCK;
        const float *block = patterns + (size_t)first * NEURONS;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, QUERIES, count, NEURONS, 1.0f, queries, NEURONS,
                    block, NEURONS, 0.0f, scores, count);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, QUERIES, NEURONS, count, 1.0f, scores, count,
                    block, NEURONS, 1.0f, out, NEURONS);
    }
    return ireneo_seconds() - start;
}

static int bench_retrieval(void) {
    float *patterns = malloc((size_t)PATTERNS * NEURONS * sizeof *patterns);
    float *queries = malloc((size_t)QUERIES * NEURONS * sizeof *queries);
    float *out = calloc((size_t)QUERIES * NEURONS, sizeof *out);
    float *scores = malloc((size_t)QUERIES * BLOCK * sizeof *scores);
    if (patterns == NULL || queries == NULL || out == NULL || scores == NULL) return 4;
    ireneo_random_normals_float(1, 1, 0, (size_t)PATTERNS * NEURONS, 0, patterns);
    ireneo_random_normals_float(1, 2, 0, (size_t)QUERIES * NEURONS, 0, queries);
    ireneo_recall_settings settings = ireneo_recall_defaults();
    settings.steps = 1;
    settings.lambda = 0.2;
    ireneo_recall_result result = {.states = out};
    double blas = INFINITY, ours = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        blas = fmin(blas, two_passes(patterns, queries, scores, out));
        ireneo_recall_info info;
        if (ireneo_dense_recall(patterns, PATTERNS, NEURONS, queries, QUERIES, &settings, &result, &info) !=
            IRENEO_OK) {
            fprintf(stderr, "%s\n", ireneo_last_error());
            return 1;
        }
        ours = fmin(ours, info.seconds);
    }
    printf("retrieval, 1 step, %d queries, N = %d, P = %d: %.3f s; two BLAS passes %.3f s; ratio %.2f (goal "
           "1.5)\n",
           QUERIES, NEURONS, PATTERNS, ours, blas, ours / blas);
    printf("peak memory %.0f MB, patterns alone %.0f MB, all scores would be %.0f MB\n",
           (double)ireneo_memory_peak() / 1e6, 4e-6 * PATTERNS * NEURONS, 4e-6 * PATTERNS * QUERIES);
    free(patterns);
    free(queries);
    free(out);
    free(scores);
    return 0;
}

int main(void) {
    return bench_retrieval();
}
