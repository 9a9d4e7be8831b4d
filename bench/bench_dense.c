/* Dense memory: one retrieval step against the two BLAS passes it needs, and the direct simulation's patterns
 * per second beside the raw rate of the random numbers. Ratios are of times measured in this run. */
#include "base/progress.h"
#include "base/ram.h"
#include "base/threads.h"
#include "ireneo.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    ireneo_dense_recall_settings settings = {.preparation = IRENEO_DENSE_PREPARATION_RAW, .lambda = 1.0};
    settings.steps = 1;
    settings.lambda = 0.2;
    ireneo_dense_recall_result result = {.states = out};
    double blas = INFINITY, ours = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        blas = fmin(blas, two_passes(patterns, queries, scores, out));
        ireneo_dense_recall_info info;
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
           (double)ireneo_ram_peak() / 1e6, 4e-6 * PATTERNS * NEURONS, 4e-6 * PATTERNS * QUERIES);
    free(patterns);
    free(queries);
    free(out);
    free(scores);
    return 0;
}

/* One draw after another on every thread: patterns made, normalised, scored and summed. */
static int bench_direct(void) {
    enum { SMALL = 40, DRAWS = 8 };
    ireneo_dense_experiment e = {.neurons = 100, .log_patterns = 30.0, .lambda = 1.0, .steps = 1, .seed = 1};
    e.neurons = SMALL;
    e.log_patterns = 12.0;
    e.lambda = 0.5;
    double count = round(exp(e.log_patterns)) * DRAWS, made = INFINITY, drawn = INFINITY;
    size_t numbers = (size_t)count * SMALL;
    float *values = malloc(numbers * sizeof *values);
    if (values == NULL) return 4;
    for (int round_number = 0; round_number < ROUNDS; round_number++) {
        double start = ireneo_seconds();
        ireneo_random_normals_float(1, 3, 0, numbers, 0, values);
        made = fmin(made, ireneo_seconds() - start);
        ireneo_dense_summary summary;
        if (ireneo_dense_simulate(&e, DRAWS, NULL, NULL, &summary) != IRENEO_OK) {
            fprintf(stderr, "%s\n", ireneo_last_error());
            return 1;
        }
        drawn = fmin(drawn, summary.seconds);
    }
    printf("direct simulation, N = %d, P = e^12: %.3g patterns/s; its random numbers alone %.3g patterns/s; "
           "ratio "
           "%.2f\n",
           SMALL, count / drawn, count / made, drawn / made);
    free(values);
    return 0;
}

/* The same retrieval step by PyTorch, where it is installed. */
static int bench_torch(void) {
    char line[4096], folder[2048], library[2048] = "";
    snprintf(folder, sizeof folder, "%s", __FILE__);
    char *slash = strrchr(folder, '/');
    if (slash != NULL) *slash = '\0';
    ssize_t length = readlink("/proc/self/exe", library, sizeof library - 32);
    if (length < 0) return 1;
    library[length] = '\0';
    slash = strrchr(library, '/');
    if (slash != NULL) strcpy(slash, "/../libireneo.so");
    snprintf(line, sizeof line, "IRENEO_LIBRARY='%s' /usr/bin/python3 '%s/dense_torch.py' %d %d %d %d",
             library, folder, QUERIES, NEURONS, PATTERNS, ireneo_thread_count(0));
    fflush(stdout);
    return system(line) == 0 ? 0 : 1;
}

int main(void) {
    int outcome = bench_retrieval();
    if (outcome == 0) outcome = bench_direct();
    if (outcome == 0) outcome = bench_torch();
    return outcome;
}
