/* The MLP branch W_2 phi(W_1 x + b_1) + b_2, or W_2 [(W_1 x + b_1) phi(W_G x + b_G)] + b_2, forward and backward. */
#include "attention/network/activation.h"
#include "attention/network/gated.h"
#include "attention/network/network.h"

static void copy_to_rows(ireneo_scalar *x, size_t rows, size_t width, const ireneo_scalar *vector) {
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < width; i++) x[row * width + i] = vector[i];
}

static void add_rows_to(const ireneo_scalar *x, size_t rows, size_t width, ireneo_scalar *vector) {
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < width; i++) vector[i] += x[row * width + i];
}

/* hidden (rows, hidden width) through the activation, into y (rows, mlp_width). */
static void activate(const ireneo_network_shape *shape, const ireneo_scalar *hidden, ireneo_scalar *y,
                     size_t rows, int threads) {
    if (ireneo_is_gated(shape->activation))
        ireneo_gated(shape->activation, hidden, y, rows, shape->mlp_width, threads);
    else
        ireneo_activate(shape->activation, hidden, y, rows * shape->mlp_width, threads);
}

void ireneo_mlp_forward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                        ireneo_network_trace *trace, size_t layer, ireneo_scalar *branch) {
    size_t rows = trace->rows, d = shape->width, m = shape->mlp_width, hidden = ireneo_hidden_width(shape);
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    copy_to_rows(layer_trace->hidden, rows, hidden, weights.mlp_in_bias);
    ireneo_product(rows, hidden, d, 1, ireneo_plain(layer_trace->mlp_input, d),
                   ireneo_turned(weights.mlp_in, d), 1, layer_trace->hidden, hidden, trace->threads);
    activate(shape, layer_trace->hidden, trace->wide, rows, trace->threads);
    copy_to_rows(branch, rows, d, weights.mlp_out_bias);
    ireneo_product(rows, d, m, 1, ireneo_plain(trace->wide, m), ireneo_turned(weights.mlp_out, m), 1, branch,
                   d, trace->threads);
}

/* From branch_gradient through W_2 and the activation: returns the gradient of hidden (rows, hidden width),
 * which lies in trace->wide_gradient. */
static ireneo_scalar *gradient_of_hidden(const ireneo_network_shape *shape, ireneo_layer_view weights,
                                         ireneo_network_trace *trace, const ireneo_scalar *hidden,
                                         const ireneo_scalar *branch_gradient) {
    size_t rows = trace->rows, d = shape->width, m = shape->mlp_width;
    bool gated = ireneo_is_gated(shape->activation);
    ireneo_scalar *before = gated ? trace->wide : trace->wide_gradient; /* (rows, mlp_width) */
    ireneo_product(rows, m, d, 1, ireneo_plain(branch_gradient, d), ireneo_plain(weights.mlp_out, m), 0,
                   before, m, trace->threads);
    if (gated)
        ireneo_gated_backward(shape->activation, hidden, before, trace->wide_gradient, rows, m,
                              trace->threads);
    else
        ireneo_activate_backward(shape->activation, hidden, before, rows * m, trace->threads);
    return trace->wide_gradient;
}

void ireneo_mlp_backward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                         ireneo_layer_view gradients, ireneo_network_trace *trace, size_t layer,
                         const ireneo_scalar *branch_gradient, ireneo_scalar *input_gradient) {
    size_t rows = trace->rows, d = shape->width, m = shape->mlp_width, hidden = ireneo_hidden_width(shape);
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    activate(shape, layer_trace->hidden, trace->wide, rows, trace->threads);
    add_rows_to(branch_gradient, rows, d, gradients.mlp_out_bias);
    ireneo_product(d, m, rows, 1, ireneo_turned(branch_gradient, d), ireneo_plain(trace->wide, m), 1,
                   gradients.mlp_out, m, trace->threads);
    const ireneo_scalar *inner =
        gradient_of_hidden(shape, weights, trace, layer_trace->hidden, branch_gradient);
    add_rows_to(inner, rows, hidden, gradients.mlp_in_bias);
    ireneo_product(hidden, d, rows, 1, ireneo_turned(inner, hidden), ireneo_plain(layer_trace->mlp_input, d),
                   1, gradients.mlp_in, d, trace->threads);
    ireneo_product(rows, d, hidden, 1, ireneo_plain(inner, hidden), ireneo_plain(weights.mlp_in, d), 0,
                   input_gradient, d, trace->threads);
}
