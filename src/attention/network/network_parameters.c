/* The network's parameters in one block, layer after layer, and how they are drawn. */
#include "attention/network/gated.h"
#include "attention/network/network.h"
#include "base/random.h"

#include <math.h>

size_t ireneo_hidden_width(const ireneo_network_shape *shape) {
    return (ireneo_is_gated(shape->activation) ? 2 : 1) * shape->mlp_width;
}

static size_t output_size(const ireneo_network_shape *shape) {
    return shape->output_projection ? shape->width * ireneo_query_width(shape) : 0;
}

static size_t layer_size(const ireneo_network_shape *shape) {
    size_t d = shape->width, hidden = ireneo_hidden_width(shape);
    return ireneo_projection_width(shape) * d + ireneo_key_width(shape) + output_size(shape) + hidden * d +
           hidden + d * shape->mlp_width + d;
}

size_t ireneo_network_parameters(const ireneo_network_shape *shape) {
    return shape->layers * layer_size(shape);
}

ireneo_layer_view ireneo_network_layer(const ireneo_network_shape *shape, ireneo_scalar *block,
                                       size_t layer) {
    size_t d = shape->width, hidden = ireneo_hidden_width(shape);
    ireneo_layer_view view;
    view.query_key_value = block + layer * layer_size(shape);
    view.value_bias = view.query_key_value + ireneo_projection_width(shape) * d;
    view.output = view.value_bias + ireneo_key_width(shape);
    view.mlp_in = view.output + output_size(shape);
    view.mlp_in_bias = view.mlp_in + hidden * d;
    view.mlp_out = view.mlp_in_bias + hidden;
    view.mlp_out_bias = view.mlp_out + d * shape->mlp_width;
    return view;
}

static void scale(ireneo_scalar *values, size_t count, double variance) {
    ireneo_scalar deviation = (ireneo_scalar)sqrt(variance);
    for (size_t i = 0; i < count; i++) values[i] *= deviation;
}

/* W_Q, W_K, W_V, the value bias and W_O. */
static void scale_attention(const ireneo_network_shape *shape, const ireneo_network_scales *scales,
                            ireneo_layer_view view) {
    size_t d = shape->width, queries = ireneo_query_width(shape), keys = ireneo_key_width(shape);
    double context = scales->context > 0.0 ? scales->context : (double)shape->context;
    double values = scales->value_variance, bias = scales->value_bias_variance;
    if (shape->output_projection) {
        scale(view.output, d * queries, values / (double)queries);
        bias = values > 0.0 ? bias / values : 0.0;
        values = 1.0;
    }
    scale(view.query_key_value, (queries + keys) * d, scales->beta * sqrt(log(context)) / (double)d);
    scale(view.query_key_value + (queries + keys) * d, keys * d, values / (double)d);
    scale(view.value_bias, keys, bias);
}

static void scale_mlp(const ireneo_network_shape *shape, const ireneo_network_scales *scales,
                      ireneo_layer_view view) {
    size_t d = shape->width, m = shape->mlp_width, hidden = ireneo_hidden_width(shape);
    double gate = scales->mlp_gate_variance > 0.0 ? scales->mlp_gate_variance : scales->mlp_in_variance;
    scale(view.mlp_in, m * d, scales->mlp_in_variance / (double)d);
    scale(view.mlp_in + m * d, (hidden - m) * d, gate / (double)d);
    scale(view.mlp_out, d * m, scales->mlp_out_variance / (double)m);
    scale(view.mlp_in_bias, hidden, scales->mlp_bias_variance);
    scale(view.mlp_out_bias, d, scales->mlp_bias_variance);
}

void ireneo_network_draw(const ireneo_network_shape *shape, const ireneo_network_scales *scales,
                         uint64_t seed, uint64_t stream, ireneo_scalar *block, int threads) {
#ifdef IRENEO_NETWORK_DOUBLE
    ireneo_random_normals(seed, stream, 0, ireneo_network_parameters(shape), threads, block);
#else
    ireneo_random_normals_float(seed, stream, 0, ireneo_network_parameters(shape), threads, block);
#endif
    for (size_t layer = 0; layer < shape->layers; layer++) {
        ireneo_layer_view view = ireneo_network_layer(shape, block, layer);
        scale_attention(shape, scales, view);
        scale_mlp(shape, scales, view);
    }
}
