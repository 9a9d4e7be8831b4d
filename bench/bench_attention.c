/* Attention forward of one layer over the time of its matrix products alone.
 *
 * The layer: projections to queries, keys and values, logits, softmax, output. The products alone: the same
 * four kinds, one BLAS call each per head, over all the threads that BLAS likes. Both are timed in turn in
 * one run and the smallest times are compared, so that a busy machine changes the ratio little. */
#include "attention/network/network.h"
#include "base/blas.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/threads.h"

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 15 };

typedef struct layer {
    ireneo_network_shape shape;
    ireneo_network_trace trace;
    float *parameters, *scores;
} layer;

static void products_alone(layer *l, int threads) {
    int T = (int)l->shape.context, d = (int)l->shape.width, heads = (int)l->shape.heads, width = d / heads;
    const float *x = l->trace.layers[0].attention_input;
    float *qkv = l->trace.layers[0].query_key_value;
    int before = ireneo_blas_threads(); /* BLAS by itself, with threads of its own */
    ireneo_blas_set_threads(threads);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, T, 3 * d, d, 1.0f, x, d, l->parameters, d, 0.0f, qkv,
                3 * d);
    for (int h = 0; h < heads; h++) {
        float *q = qkv + h * width, *k = q + d, *v = k + d;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, T, T, width, 1.0f, q, 3 * d, k, 3 * d, 0.0f,
                    l->scores, T);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, T, width, T, 1e-6f, l->scores, T, v, 3 * d,
                    0.0f, l->trace.branch + h * width, d);
    }
    ireneo_blas_set_threads(before);
}

static void whole_layer(layer *l) {
    ireneo_attention_forward(&l->shape, ireneo_network_layer(&l->shape, l->parameters, 0), &l->trace, 0,
                             l->trace.branch);
}

static double compare(size_t T, size_t d, size_t heads, int threads) {
    layer l = {.shape = {.layers = 1, .width = d, .heads = heads, .context = T, .mlp_width = 1}};
    const ireneo_network_scales scales = {.beta = 1.0, .value_variance = 1.0};
    l.parameters = malloc(ireneo_network_parameters(&l.shape) * sizeof *l.parameters);
    l.scores = malloc(T * T * sizeof *l.scores);
    if (l.parameters == NULL || l.scores == NULL ||
        ireneo_network_trace_create(&l.shape, 1, threads, false, false, &l.trace) != IRENEO_OK) {
        fprintf(stderr, "bench_attention: not enough memory\n");
        exit(1);
    }
    ireneo_network_draw(&l.shape, &scales, 1, 0, l.parameters, threads);
    ireneo_random_normals_float(2, 0, 0, T * d, threads, l.trace.layers[0].attention_input);
    double products = 1e30, layer_time = 1e30;
    ireneo_enter(1, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        double start = ireneo_seconds();
        products_alone(&l, threads);
        double middle = ireneo_seconds();
        whole_layer(&l);
        double end = ireneo_seconds();
        products = middle - start < products ? middle - start : products;
        layer_time = end - middle < layer_time ? end - middle : layer_time;
    }
    ireneo_leave(IRENEO_OK);
    double operations = 6.0 * (double)T * (double)d * (double)d + 4.0 * (double)T * (double)T * (double)d;
    printf(
        "T %5zu  d %4zu  heads %2zu  threads %d   layer %7.2f ms   products %7.2f ms (%5.1f Gflop/s)   ratio "
        "%.2f\n",
        T, d, heads, threads, 1e3 * layer_time, 1e3 * products, 1e-9 * operations / products,
        layer_time / products);
    ireneo_network_trace_free(&l.trace);
    free(l.parameters);
    free(l.scores);
    return layer_time / products;
}

int main(void) {
    int threads = ireneo_thread_count(0);
    double worst = 0.0;
    const size_t cases[][3] = {{512, 768, 12}, {512, 720, 1}, {1024, 768, 12}, {2048, 768, 12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double ratio = compare(cases[i][0], cases[i][1], cases[i][2], threads);
        worst = ratio > worst ? ratio : worst;
    }
    printf("attention layer over its BLAS time: %.2f at worst (goal 1.5)\n", worst);
    return 0;
}
