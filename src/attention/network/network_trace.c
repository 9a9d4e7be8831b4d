/* The network's parameters in one block, and room for what a pass leaves behind. */
#include "attention/network/network.h"
#include "attention/network/network_tiles.h"
#include "base/ram.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

static size_t layer_size(const ireneo_network_shape *shape) {
    size_t d = shape->width, m = shape->mlp_width;
    return 3 * d * d + d + m * d + m + d * m + d;
}

size_t ireneo_network_parameters(const ireneo_network_shape *shape) {
    return shape->layers * layer_size(shape);
}

ireneo_layer_view ireneo_network_layer(const ireneo_network_shape *shape, ireneo_scalar *block,
                                       size_t layer) {
    size_t d = shape->width, m = shape->mlp_width;
    ireneo_layer_view view;
    view.query_key_value = block + layer * layer_size(shape);
    view.value_bias = view.query_key_value + 3 * d * d;
    view.mlp_in = view.value_bias + d;
    view.mlp_in_bias = view.mlp_in + m * d;
    view.mlp_out = view.mlp_in_bias + m;
    view.mlp_out_bias = view.mlp_out + d * m;
    return view;
}

static void scale(ireneo_scalar *values, size_t count, double variance) {
    ireneo_scalar deviation = (ireneo_scalar)sqrt(variance);
    for (size_t i = 0; i < count; i++) values[i] *= deviation;
}

void ireneo_network_draw(const ireneo_network_shape *shape, const ireneo_network_scales *scales,
                         uint64_t seed, uint64_t stream, ireneo_scalar *block, int threads) {
    size_t d = shape->width, m = shape->mlp_width;
#ifdef IRENEO_NETWORK_DOUBLE
    ireneo_random_normals(seed, stream, 0, ireneo_network_parameters(shape), threads, block);
#else
    ireneo_random_normals_float(seed, stream, 0, ireneo_network_parameters(shape), threads, block);
#endif
    double tokens = scales->context > 0.0 ? scales->context : (double)shape->context;
    double logits = scales->beta * sqrt(log(tokens)) / (double)d;
    for (size_t layer = 0; layer < shape->layers; layer++) {
        ireneo_layer_view view = ireneo_network_layer(shape, block, layer);
        scale(view.query_key_value, 2 * d * d, logits);
        scale(view.query_key_value + 2 * d * d, d * d, scales->value_variance / (double)d);
        scale(view.mlp_in, m * d, scales->mlp_in_variance / (double)d);
        scale(view.mlp_out, d * m, scales->mlp_out_variance / (double)m);
        scale(view.value_bias, d, scales->value_bias_variance);
        scale(view.mlp_in_bias, m, scales->mlp_bias_variance);
        scale(view.mlp_out_bias, d, scales->mlp_bias_variance);
    }
}

/* ---- traces ---- */

/* Hands out pieces of one block; with no block yet it only counts. */
typedef struct cutter {
    ireneo_scalar *block;
    size_t used;
} cutter;

static ireneo_scalar *cut(cutter *from, size_t count) {
    size_t aligned = (count + 15) / 16 * 16;
    ireneo_scalar *piece = from->block == NULL ? NULL : from->block + from->used;
    from->used += aligned;
    return piece;
}

static void cut_layers(const ireneo_network_shape *shape, ireneo_network_trace *trace, cutter *from) {
    size_t rows = trace->rows, d = shape->width;
    for (size_t layer = 0; layer <= shape->layers; layer++) {
        ireneo_layer_trace piece = {0};
        piece.attention_input = cut(from, rows * d);
        if (layer < shape->layers) {
            piece.query_key_value = cut(from, rows * 3 * d);
            piece.log_sum = cut(from, rows * shape->heads);
            piece.mlp_input = cut(from, rows * d);
            piece.hidden = cut(from, rows * shape->mlp_width);
            piece.attention_scale = cut(from, rows);
            piece.mlp_scale = cut(from, rows);
        }
        if (from->block != NULL) trace->layers[layer] = piece;
    }
}

static void cut_trace(const ireneo_network_shape *shape, bool backward, bool measured,
                      ireneo_network_trace *trace, cutter *from) {
    size_t rows = trace->rows, d = shape->width, T = shape->context;
    size_t wide = 3 * d > shape->mlp_width ? 3 * d : shape->mlp_width;
    cut_layers(shape, trace, from);
    trace->stream = cut(from, rows * d);
    trace->branch = cut(from, rows * d);
    trace->wide = cut(from, rows * wide);
    trace->tiles = cut(from, (size_t)trace->threads * NETWORK_TILE_ROWS * T);
    if (measured) {
        trace->participation = cut(from, rows * shape->heads);
        trace->entropy = cut(from, rows * shape->heads);
        trace->column_sum = cut(from, rows * shape->heads);
    }
    if (!backward) return;
    trace->gradient = cut(from, rows * d);
    trace->branch_gradient = cut(from, rows * d);
    trace->wide_gradient = cut(from, rows * wide);
    trace->weights = cut(from, T * T);
    trace->logit_gradient = cut(from, T * T);
}

ireneo_error ireneo_network_trace_create(const ireneo_network_shape *shape, size_t sequences, int threads,
                                         bool backward, bool measured, ireneo_network_trace *trace) {
    memset(trace, 0, sizeof *trace);
    trace->sequences = sequences;
    trace->rows = sequences * shape->context;
    trace->threads = threads;
    cutter count = {0};
    cut_trace(shape, backward, measured, trace, &count);
    IRENEO_TRY(ireneo_ram_require((double)count.used * sizeof *trace->block, "the network's activations"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&trace->layers, shape->layers + 1, "the network's layers"));
    ireneo_error failed = IRENEO_ALLOCATE_ZEROED(&trace->block, count.used, "the network's activations");
    if (failed != IRENEO_OK) {
        ireneo_network_trace_free(trace);
        return failed;
    }
    cutter pieces = {.block = trace->block};
    cut_trace(shape, backward, measured, trace, &pieces);
    return IRENEO_OK;
}

void ireneo_network_trace_free(ireneo_network_trace *trace) {
    free(trace->layers);
    free(trace->block);
    memset(trace, 0, sizeof *trace);
}
