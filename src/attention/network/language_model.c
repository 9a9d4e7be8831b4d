/* Embeddings, output layer and cross-entropy around the network. */
#include "attention/network/language_model.h"
#include "attention/network/softmax.h"
#include "base/ram.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

/* LayerNorm follows, so that this changes nothing at the start; it sets how fast embeddings learn. */
static const double EMBEDDING_DEVIATION = 0.1;

/* Rotary positions take the place of position embeddings. */
static bool has_positions(const ireneo_language_shape *shape) {
    return !(shape->network.rope_base > 0.0);
}

ireneo_language_layout ireneo_language_model_layout(const ireneo_language_shape *shape) {
    size_t d = shape->network.width;
    ireneo_language_layout at = {0};
    at.positions = at.tokens + (shape->symbols + 1) * d;
    at.layers = at.positions + (has_positions(shape) ? shape->network.context * d : 0);
    at.output = at.layers + ireneo_network_parameters(&shape->network);
    at.output_bias = at.output + (shape->tied ? 0 : shape->symbols * d);
    at.count = at.output_bias + shape->symbols;
    return at;
}

static void fill_normals(uint64_t seed, uint64_t stream, size_t count, double deviation,
                         ireneo_scalar *values) {
#ifdef IRENEO_NETWORK_DOUBLE
    ireneo_fill_normals(seed, stream, 0, count, values);
#else
    ireneo_fill_normal_floats(seed, stream, 0, count, values);
#endif
    for (size_t i = 0; i < count; i++) values[i] *= (ireneo_scalar)deviation;
}

/* positions (context, width): sines and cosines of the position, of wave lengths 4 to 2 context. */
static void draw_waves(size_t context, size_t width, ireneo_scalar *positions) {
    size_t waves = (width + 1) / 2;
    for (size_t i = 0; i < width; i++) {
        size_t wave = i / 2;
        double share = waves > 1 ? (double)wave / (double)(waves - 1) : 0.0;
        double length = 4.0 * pow((double)context / 2.0, share);
        for (size_t place = 0; place < context; place++) {
            double angle = 2.0 * M_PI * (double)place / length;
            positions[place * width + i] =
                (ireneo_scalar)(EMBEDDING_DEVIATION * M_SQRT2 * (i % 2 == 0 ? sin(angle) : cos(angle)));
        }
    }
}

void ireneo_language_model_draw(const ireneo_language_shape *shape, const ireneo_network_scales *scales,
                                const double *frequency, uint64_t seed, uint64_t stream,
                                ireneo_scalar *parameters) {
    ireneo_language_layout at = ireneo_language_model_layout(shape);
    size_t d = shape->network.width;
    fill_normals(seed, stream, at.positions, EMBEDDING_DEVIATION, parameters);
    if (has_positions(shape)) draw_waves(shape->network.context, d, parameters + at.positions);
    ireneo_network_draw(&shape->network, scales, seed, stream + 1, parameters + at.layers, 1);
    fill_normals(seed, stream + 2, at.output_bias - at.output, 0.1 / sqrt((double)d), parameters + at.output);
    for (size_t symbol = 0; symbol < shape->symbols; symbol++)
        parameters[at.output_bias + symbol] = (ireneo_scalar)log(frequency[symbol]);
}

ireneo_error ireneo_language_work_create(const ireneo_language_shape *shape, size_t sequences, int threads,
                                         bool measured, ireneo_language_work *work) {
    memset(work, 0, sizeof *work);
    size_t rows = sequences * shape->network.context, d = shape->network.width;
    ireneo_error failed =
        ireneo_network_trace_create(&shape->network, sequences, threads, !measured, measured, &work->trace);
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&work->embedding, rows * d, "embeddings");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&work->embedding_scale, rows, "embeddings");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&work->features, rows * d, "features");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&work->features_scale, rows, "features");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&work->chosen, rows * d, "features");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&work->logits, rows * shape->symbols, "logits");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&work->masked, rows, "masked positions");
    if (failed != IRENEO_OK) ireneo_language_work_free(work);
    return failed;
}

void ireneo_language_work_free(ireneo_language_work *work) {
    ireneo_network_trace_free(&work->trace);
    free(work->embedding);
    free(work->embedding_scale);
    free(work->features);
    free(work->features_scale);
    free(work->chosen);
    free(work->logits);
    free(work->masked);
    memset(work, 0, sizeof *work);
}

/* ---- forward ---- */

static void embed(const ireneo_language_shape *shape, const ireneo_scalar *parameters,
                  ireneo_language_work *work, const int *tokens) {
    ireneo_language_layout at = ireneo_language_model_layout(shape);
    size_t d = shape->network.width, T = shape->network.context, rows = work->trace.rows;
    for (size_t row = 0; row < rows; row++) {
        const ireneo_scalar *token = parameters + at.tokens + (size_t)tokens[row] * d;
        const ireneo_scalar *position = parameters + at.positions + row % T * d;
        if (has_positions(shape))
            for (size_t i = 0; i < d; i++) work->embedding[row * d + i] = token[i] + position[i];
        else
            memcpy(work->embedding + row * d, token, d * sizeof *token);
    }
    ireneo_network_normalise(&shape->network, work->embedding, work->embedding, rows, work->embedding_scale,
                             work->trace.threads);
    memcpy(work->trace.stream, work->embedding, rows * d * sizeof *work->embedding);
}

static void run_network(const ireneo_language_shape *shape, ireneo_scalar *parameters,
                        ireneo_language_work *work) {
    const ireneo_network_shape *network = &shape->network;
    ireneo_scalar *layers = parameters + ireneo_language_model_layout(shape).layers;
    ireneo_network_begin(network, &work->trace);
    for (size_t layer = 0; layer < network->layers; layer++)
        ireneo_network_layer_forward(network, ireneo_network_layer(network, layers, layer), &work->trace,
                                     layer);
    size_t rows = work->trace.rows, d = network->width;
    if (network->normalisation != IRENEO_NORMALISATION_POST)
        ireneo_network_normalise(network, work->trace.stream, work->features, rows, work->features_scale,
                                 work->trace.threads);
    else
        memcpy(work->features, work->trace.stream, rows * d * sizeof *work->features);
}

/* The matrix that turns features into logits, and what they are multiplied with. */
static ireneo_operand output_matrix(const ireneo_language_shape *shape, const ireneo_scalar *parameters,
                                    bool transposed, ireneo_scalar *factor) {
    ireneo_language_layout at = ireneo_language_model_layout(shape);
    size_t d = shape->network.width;
    *factor = shape->tied ? (ireneo_scalar)(1.0 / sqrt((double)d)) : 1;
    return (ireneo_operand){parameters + (shape->tied ? at.tokens : at.output), d, transposed};
}

static void predict(const ireneo_language_shape *shape, const ireneo_scalar *parameters,
                    ireneo_language_work *work, const int *targets) {
    ireneo_language_layout at = ireneo_language_model_layout(shape);
    size_t d = shape->network.width, symbols = shape->symbols;
    work->masked_count = 0;
    for (size_t row = 0; row < work->trace.rows; row++) {
        if (targets[row] < 0) continue;
        memcpy(work->chosen + work->masked_count * d, work->features + row * d, d * sizeof *work->chosen);
        memcpy(work->logits + work->masked_count * symbols, parameters + at.output_bias,
               symbols * sizeof *work->logits);
        work->masked[work->masked_count++] = row;
    }
    if (work->masked_count == 0) return;
    ireneo_scalar factor;
    ireneo_operand matrix = output_matrix(shape, parameters, true, &factor);
    ireneo_product(work->masked_count, symbols, d, factor, ireneo_plain(work->chosen, d), matrix, 1,
                   work->logits, symbols, work->trace.threads);
}

/* Logits become probabilities; the sum of -log p of the targets. */
static double cross_entropy(const ireneo_language_shape *shape, ireneo_language_work *work,
                            const int *targets) {
    double sum = 0.0;
    for (size_t k = 0; k < work->masked_count; k++) {
        ireneo_scalar *row = work->logits + k * shape->symbols;
        double logit = (double)row[targets[work->masked[k]]];
        sum += (double)ireneo_softmax_row(row, shape->symbols).log_sum - logit;
    }
    return sum;
}

double ireneo_language_model_loss(const ireneo_language_shape *shape, ireneo_scalar *parameters,
                                  ireneo_language_work *work, const int *tokens, const int *targets) {
    embed(shape, parameters, work, tokens);
    run_network(shape, parameters, work);
    predict(shape, parameters, work, targets);
    return cross_entropy(shape, work, targets);
}

/* ---- backward ---- */

/* Through the softmax and the output layer, to trace.gradient (rows, width). */
static void backward_output(const ireneo_language_shape *shape, const ireneo_scalar *parameters,
                            ireneo_language_work *work, const int *targets, double factor,
                            ireneo_scalar *gradients) {
    ireneo_language_layout at = ireneo_language_model_layout(shape);
    size_t d = shape->network.width, symbols = shape->symbols, count = work->masked_count;
    ireneo_scalar *bias = gradients + at.output_bias, *logits = work->logits;
    for (size_t k = 0; k < count; k++) {
        ireneo_scalar *row = logits + k * symbols;
        row[targets[work->masked[k]]] -= 1;
        for (size_t i = 0; i < symbols; i++) row[i] *= (ireneo_scalar)factor;
        for (size_t i = 0; i < symbols; i++) bias[i] += row[i];
    }
    memset(work->trace.gradient, 0, work->trace.rows * d * sizeof *work->trace.gradient);
    if (count == 0) return;
    ireneo_scalar scale;
    ireneo_operand matrix = output_matrix(shape, parameters, false, &scale);
    ireneo_product(symbols, d, count, scale, ireneo_turned(logits, symbols), ireneo_plain(work->chosen, d), 1,
                   gradients + (shape->tied ? at.tokens : at.output), d, work->trace.threads);
    ireneo_product(count, d, symbols, scale, ireneo_plain(logits, symbols), matrix, 0, work->chosen, d,
                   work->trace.threads);
    for (size_t k = 0; k < count; k++)
        memcpy(work->trace.gradient + work->masked[k] * d, work->chosen + k * d, d * sizeof *work->chosen);
}

static void backward_embedding(const ireneo_language_shape *shape, ireneo_language_work *work,
                               const int *tokens, ireneo_scalar *gradients) {
    ireneo_language_layout at = ireneo_language_model_layout(shape);
    size_t d = shape->network.width, T = shape->network.context, rows = work->trace.rows;
    ireneo_network_normalise_backward(&shape->network, work->embedding, work->embedding_scale,
                                      work->trace.gradient, rows, work->trace.threads);
    for (size_t row = 0; row < rows; row++) {
        ireneo_scalar *token = gradients + at.tokens + (size_t)tokens[row] * d;
        ireneo_scalar *position = gradients + at.positions + row % T * d;
        const ireneo_scalar *gradient = work->trace.gradient + row * d;
        for (size_t i = 0; i < d; i++) token[i] += gradient[i];
        for (size_t i = 0; i < d && has_positions(shape); i++) position[i] += gradient[i];
    }
}

double ireneo_language_model_gradients(const ireneo_language_shape *shape, ireneo_scalar *parameters,
                                       ireneo_language_work *work, const int *tokens, const int *targets,
                                       double factor, ireneo_scalar *gradients) {
    const ireneo_network_shape *network = &shape->network;
    ireneo_language_layout at = ireneo_language_model_layout(shape);
    double loss = ireneo_language_model_loss(shape, parameters, work, tokens, targets);
    backward_output(shape, parameters, work, targets, factor, gradients);
    if (network->normalisation != IRENEO_NORMALISATION_POST)
        ireneo_network_normalise_backward(network, work->features, work->features_scale, work->trace.gradient,
                                          work->trace.rows, work->trace.threads);
    for (size_t layer = network->layers; layer-- > 0;)
        ireneo_network_layer_backward(network, ireneo_network_layer(network, parameters + at.layers, layer),
                                      ireneo_network_layer(network, gradients + at.layers, layer),
                                      &work->trace, layer);
    backward_embedding(shape, work, tokens, gradients);
    return loss;
}
