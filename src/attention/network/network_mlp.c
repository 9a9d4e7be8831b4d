/* The MLP branch W_2 phi(W_1 x + b_1) + b_2, forward and backward. */
#include "attention/network/activation.h"
#include "attention/network/network.h"

static void copy_to_rows(ireneo_scalar *x, size_t rows, size_t width, const ireneo_scalar *vector) {
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < width; i++) x[row * width + i] = vector[i];
}

static void add_rows_to(const ireneo_scalar *x, size_t rows, size_t width, ireneo_scalar *vector) {
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < width; i++) vector[i] += x[row * width + i];
}

void ireneo_mlp_forward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                        ireneo_network_trace *trace, size_t layer, ireneo_scalar *branch) {
    size_t rows = trace->rows, d = shape->width, m = shape->mlp_width;
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    copy_to_rows(layer_trace->hidden, rows, m, weights.mlp_in_bias);
    ireneo_product(rows, m, d, 1, ireneo_plain(layer_trace->mlp_input, d), ireneo_turned(weights.mlp_in, d),
                   1, layer_trace->hidden, m, trace->threads);
    ireneo_activate(shape->activation, layer_trace->hidden, trace->wide, rows * m, trace->threads);
    copy_to_rows(branch, rows, d, weights.mlp_out_bias);
    ireneo_product(rows, d, m, 1, ireneo_plain(trace->wide, m), ireneo_turned(weights.mlp_out, m), 1, branch,
                   d, trace->threads);
}

void ireneo_mlp_backward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                         ireneo_layer_view gradients, ireneo_network_trace *trace, size_t layer,
                         const ireneo_scalar *branch_gradient, ireneo_scalar *input_gradient) {
    size_t rows = trace->rows, d = shape->width, m = shape->mlp_width;
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_scalar *inner = trace->wide_gradient; /* (rows, mlp_width) */
    ireneo_activate(shape->activation, layer_trace->hidden, trace->wide, rows * m, trace->threads);
    add_rows_to(branch_gradient, rows, d, gradients.mlp_out_bias);
    ireneo_product(d, m, rows, 1, ireneo_turned(branch_gradient, d), ireneo_plain(trace->wide, m), 1,
                   gradients.mlp_out, m, trace->threads);
    ireneo_product(rows, m, d, 1, ireneo_plain(branch_gradient, d), ireneo_plain(weights.mlp_out, m), 0,
                   inner, m, trace->threads);
    ireneo_activate_backward(shape->activation, layer_trace->hidden, inner, rows * m, trace->threads);
    add_rows_to(inner, rows, m, gradients.mlp_in_bias);
    ireneo_product(m, d, rows, 1, ireneo_turned(inner, m), ireneo_plain(layer_trace->mlp_input, d), 1,
                   gradients.mlp_in, d, trace->threads);
    ireneo_product(rows, d, m, 1, ireneo_plain(inner, m), ireneo_plain(weights.mlp_in, d), 0, input_gradient,
                   d, trace->threads);
}
