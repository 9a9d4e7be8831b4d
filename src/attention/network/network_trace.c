/* Room for what a pass through the network leaves behind. */
#include "attention/network/network.h"
#include "attention/network/network_tiles.h"
#include "attention/network/rope.h"
#include "base/ram.h"

#include <string.h>

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

static bool has_branch_norm(const ireneo_network_shape *shape) {
    return shape->normalisation == IRENEO_NORMALISATION_BRANCH ||
           shape->normalisation == IRENEO_NORMALISATION_SANDWICH;
}

static void cut_attention(const ireneo_network_shape *shape, size_t rows, cutter *from,
                          ireneo_layer_trace *piece) {
    piece->query_key_value = cut(from, rows * ireneo_projection_width(shape));
    piece->log_sum = cut(from, rows * shape->heads);
    if (shape->query_key_norm > 0.0)
        piece->query_key_scale = cut(from, rows * (shape->heads + ireneo_key_heads(shape)));
    if (shape->output_projection) piece->mixed = cut(from, rows * ireneo_query_width(shape));
    piece->attention_scale = cut(from, rows);
    if (!has_branch_norm(shape)) return;
    piece->attention_output = cut(from, rows * shape->width);
    piece->attention_output_scale = cut(from, rows);
}

static void cut_mlp(const ireneo_network_shape *shape, size_t rows, cutter *from, ireneo_layer_trace *piece) {
    piece->mlp_input = shape->parallel ? piece->attention_input : cut(from, rows * shape->width);
    piece->hidden = cut(from, rows * ireneo_hidden_width(shape));
    piece->mlp_scale = cut(from, rows);
    if (!has_branch_norm(shape)) return;
    piece->mlp_output = cut(from, rows * shape->width);
    piece->mlp_output_scale = cut(from, rows);
}

static void cut_layers(const ireneo_network_shape *shape, ireneo_network_trace *trace, cutter *from) {
    for (size_t layer = 0; layer <= shape->layers; layer++) {
        ireneo_layer_trace piece = {.attention_input = cut(from, trace->rows * shape->width)};
        if (layer < shape->layers) {
            cut_attention(shape, trace->rows, from, &piece);
            cut_mlp(shape, trace->rows, from, &piece);
        }
        if (from->block != NULL) trace->layers[layer] = piece;
    }
}

static void cut_gradients(const ireneo_network_shape *shape, ireneo_network_trace *trace, size_t wide,
                          cutter *from) {
    size_t count = trace->rows * shape->width, T = shape->context;
    trace->gradient = cut(from, count);
    trace->branch_gradient = cut(from, count);
    if (has_branch_norm(shape)) trace->normed_gradient = cut(from, count);
    if (shape->parallel) trace->other_gradient = cut(from, count);
    if (shape->output_projection) trace->mixed_gradient = cut(from, trace->rows * ireneo_query_width(shape));
    trace->wide_gradient = cut(from, trace->rows * wide);
    trace->weights = cut(from, T * T);
    trace->logit_gradient = cut(from, T * T);
}

static void cut_trace(const ireneo_network_shape *shape, bool backward, bool measured,
                      ireneo_network_trace *trace, cutter *from) {
    size_t rows = trace->rows, T = shape->context, hidden = ireneo_hidden_width(shape),
           projections = ireneo_projection_width(shape), wide = projections > hidden ? projections : hidden;
    cut_layers(shape, trace, from);
    trace->stream = cut(from, rows * shape->width);
    trace->branch = cut(from, rows * shape->width);
    trace->wide = cut(from, rows * wide);
    trace->tiles = cut(from, (size_t)trace->threads * NETWORK_TILE_ROWS * T);
    if (shape->rope_base > 0.0) trace->turns = cut(from, T * ireneo_head_width(shape));
    if (measured) {
        trace->participation = cut(from, rows * shape->heads);
        trace->entropy = cut(from, rows * shape->heads);
        trace->column_sum = cut(from, rows * shape->heads);
    }
    if (backward) cut_gradients(shape, trace, wide, from);
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
    if (trace->turns != NULL)
        ireneo_rope_fill(shape->context, ireneo_head_width(shape), shape->rope_base, trace->turns);
    return IRENEO_OK;
}

void ireneo_network_trace_free(ireneo_network_trace *trace) {
    free(trace->layers);
    free(trace->block);
    memset(trace, 0, sizeof *trace);
}
