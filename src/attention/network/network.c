/* Blocks of the network, forward and backward: where the LayerNorm stands and what the skip adds.
 *
 *   post-LN  y = LN(a x + branch(x))      dx = a du + branch'(du),  du = LN'(dy)
 *   pre-LN   y = a x + branch(LN x)       dx = a dy + LN'(branch'(dy)) */
#include "attention/network/network.h"
#include "attention/network/layer_norm.h"
#include "base/vectorised.h"

#include <string.h>

/* total = factor * kept + added. */
IRENEO_VECTORISED
static void add_scaled(const ireneo_scalar *kept, ireneo_scalar factor, const ireneo_scalar *added,
                       ireneo_scalar *total, size_t count) {
    for (size_t i = 0; i < count; i++) total[i] = factor * kept[i] + added[i];
}

void ireneo_network_begin(const ireneo_network_shape *shape, ireneo_network_trace *trace) {
    if (shape->normalisation == IRENEO_NORMALISATION_POST)
        memcpy(trace->layers[0].attention_input, trace->stream,
               trace->rows * shape->width * sizeof *trace->stream);
}

static void forward_post(const ireneo_network_shape *shape, ireneo_layer_view weights,
                         ireneo_network_trace *trace, size_t layer) {
    size_t rows = trace->rows, d = shape->width, count = rows * d;
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_attention_forward(shape, weights, trace, layer, trace->branch);
    add_scaled(layer_trace->attention_input, (ireneo_scalar)shape->residual_attention, trace->branch,
               layer_trace->mlp_input, count);
    ireneo_normalise_rows(layer_trace->mlp_input, layer_trace->mlp_input, rows, d,
                          layer_trace->attention_scale, trace->threads);
    ireneo_mlp_forward(shape, weights, trace, layer, trace->branch);
    ireneo_scalar *output = trace->layers[layer + 1].attention_input;
    add_scaled(layer_trace->mlp_input, (ireneo_scalar)shape->residual_mlp, trace->branch, output, count);
    ireneo_normalise_rows(output, output, rows, d, layer_trace->mlp_scale, trace->threads);
    memcpy(trace->stream, output, count * sizeof *output);
}

static void forward_pre(const ireneo_network_shape *shape, ireneo_layer_view weights,
                        ireneo_network_trace *trace, size_t layer) {
    size_t rows = trace->rows, d = shape->width, count = rows * d;
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_normalise_rows(trace->stream, layer_trace->attention_input, rows, d, layer_trace->attention_scale,
                          trace->threads);
    ireneo_attention_forward(shape, weights, trace, layer, trace->branch);
    add_scaled(trace->stream, (ireneo_scalar)shape->residual_attention, trace->branch, trace->stream, count);
    ireneo_normalise_rows(trace->stream, layer_trace->mlp_input, rows, d, layer_trace->mlp_scale,
                          trace->threads);
    ireneo_mlp_forward(shape, weights, trace, layer, trace->branch);
    add_scaled(trace->stream, (ireneo_scalar)shape->residual_mlp, trace->branch, trace->stream, count);
}

void ireneo_network_layer_forward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                                  ireneo_network_trace *trace, size_t layer) {
    if (shape->normalisation == IRENEO_NORMALISATION_POST)
        forward_post(shape, weights, trace, layer);
    else
        forward_pre(shape, weights, trace, layer);
}

static void backward_post(const ireneo_network_shape *shape, ireneo_layer_view weights,
                          ireneo_layer_view gradients, ireneo_network_trace *trace, size_t layer) {
    size_t rows = trace->rows, d = shape->width, count = rows * d;
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_scalar *gradient = trace->gradient, *through = trace->branch_gradient;
    ireneo_normalise_rows_backward(trace->layers[layer + 1].attention_input, layer_trace->mlp_scale, gradient,
                                   rows, d, trace->threads);
    ireneo_mlp_backward(shape, weights, gradients, trace, layer, gradient, through);
    add_scaled(gradient, (ireneo_scalar)shape->residual_mlp, through, gradient, count);
    ireneo_normalise_rows_backward(layer_trace->mlp_input, layer_trace->attention_scale, gradient, rows, d,
                                   trace->threads);
    ireneo_attention_backward(shape, weights, gradients, trace, layer, gradient, through);
    add_scaled(gradient, (ireneo_scalar)shape->residual_attention, through, gradient, count);
}

static void backward_pre(const ireneo_network_shape *shape, ireneo_layer_view weights,
                         ireneo_layer_view gradients, ireneo_network_trace *trace, size_t layer) {
    size_t rows = trace->rows, d = shape->width, count = rows * d;
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_scalar *gradient = trace->gradient, *through = trace->branch_gradient;
    ireneo_mlp_backward(shape, weights, gradients, trace, layer, gradient, through);
    ireneo_normalise_rows_backward(layer_trace->mlp_input, layer_trace->mlp_scale, through, rows, d,
                                   trace->threads);
    add_scaled(gradient, (ireneo_scalar)shape->residual_mlp, through, gradient, count);
    ireneo_attention_backward(shape, weights, gradients, trace, layer, gradient, through);
    ireneo_normalise_rows_backward(layer_trace->attention_input, layer_trace->attention_scale, through, rows,
                                   d, trace->threads);
    add_scaled(gradient, (ireneo_scalar)shape->residual_attention, through, gradient, count);
}

void ireneo_network_layer_backward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                                   ireneo_layer_view gradients, ireneo_network_trace *trace, size_t layer) {
    if (shape->normalisation == IRENEO_NORMALISATION_POST)
        backward_post(shape, weights, gradients, trace, layer);
    else
        backward_pre(shape, weights, gradients, trace, layer);
}
