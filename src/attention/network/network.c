/* Blocks of the network, forward and backward: where the norms stand and what the skip adds.
 *
 *   post        y = norm(a x + f(x))       dx = a du + f'(du),  du = norm'(dy)
 *   all others  y = a x + [norm] f([norm] x)
 *                                          dx = a dy + [norm'] f'([norm'] dy)
 *
 * In post the tokens are the input of the next branch; otherwise they are kept in the stream, and a branch
 * reads a copy. */
#include "attention/network/network.h"
#include "attention/network/layer_norm.h"
#include "attention/network/rms_norm.h"
#include "base/vectorised.h"

#include <string.h>

void ireneo_network_normalise(const ireneo_network_shape *shape, const ireneo_scalar *x, ireneo_scalar *y,
                              size_t rows, ireneo_scalar *scale, int threads) {
    if (shape->rms_norm)
        ireneo_rms_normalise((ireneo_slices){rows, 1, shape->width, shape->width}, x, y, scale, threads);
    else
        ireneo_normalise_rows(x, y, rows, shape->width, scale, threads);
}

void ireneo_network_normalise_backward(const ireneo_network_shape *shape, const ireneo_scalar *y,
                                       const ireneo_scalar *scale, ireneo_scalar *gradient, size_t rows,
                                       int threads) {
    if (shape->rms_norm)
        ireneo_rms_normalise_backward((ireneo_slices){rows, 1, shape->width, shape->width}, y, scale,
                                      gradient, threads);
    else
        ireneo_normalise_rows_backward(y, scale, gradient, rows, shape->width, threads);
}

/* total = factor * kept + added. */
IRENEO_VECTORISED
static void add_scaled(const ireneo_scalar *kept, ireneo_scalar factor, const ireneo_scalar *added,
                       ireneo_scalar *total, size_t count) {
    for (size_t i = 0; i < count; i++) total[i] = factor * kept[i] + added[i];
}

IRENEO_VECTORISED
static void stretch(const ireneo_scalar *from, ireneo_scalar factor, ireneo_scalar *to, size_t count) {
    for (size_t i = 0; i < count; i++) to[i] = factor * from[i];
}

static bool is_post(const ireneo_network_shape *shape) {
    return shape->normalisation == IRENEO_NORMALISATION_POST;
}

static bool normalises_input(const ireneo_network_shape *shape) {
    return shape->normalisation == IRENEO_NORMALISATION_PRE ||
           shape->normalisation == IRENEO_NORMALISATION_SANDWICH;
}

static bool normalises_output(const ireneo_network_shape *shape) {
    return shape->normalisation == IRENEO_NORMALISATION_BRANCH ||
           shape->normalisation == IRENEO_NORMALISATION_SANDWICH;
}

static ireneo_scalar branch_gain(const ireneo_network_shape *shape) {
    return shape->branch_gain > 0.0 ? (ireneo_scalar)shape->branch_gain : 1;
}

void ireneo_network_begin(const ireneo_network_shape *shape, ireneo_network_trace *trace) {
    if (is_post(shape))
        memcpy(trace->layers[0].attention_input, trace->stream,
               trace->rows * shape->width * sizeof *trace->stream);
}

/* ---- forward ---- */

/* What a branch reads. In post it is there already. */
static void read_stream(const ireneo_network_shape *shape, ireneo_network_trace *trace, ireneo_scalar *input,
                        ireneo_scalar *scale) {
    if (normalises_input(shape))
        ireneo_network_normalise(shape, trace->stream, input, trace->rows, scale, trace->threads);
    else if (!is_post(shape))
        memcpy(input, trace->stream, trace->rows * shape->width * sizeof *input);
}

/* The norm of a branch's output, which is kept for the way back. */
static void finish_branch(const ireneo_network_shape *shape, ireneo_network_trace *trace,
                          ireneo_scalar *output, ireneo_scalar *scale) {
    if (!normalises_output(shape)) return;
    ireneo_network_normalise(shape, trace->branch, output, trace->rows, scale, trace->threads);
    stretch(output, branch_gain(shape), trace->branch, trace->rows * shape->width);
}

static void attend(const ireneo_network_shape *shape, ireneo_layer_view weights, ireneo_network_trace *trace,
                   size_t layer) {
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_attention_forward(shape, weights, trace, layer, trace->branch);
    finish_branch(shape, trace, layer_trace->attention_output, layer_trace->attention_output_scale);
}

static void think(const ireneo_network_shape *shape, ireneo_layer_view weights, ireneo_network_trace *trace,
                  size_t layer) {
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_mlp_forward(shape, weights, trace, layer, trace->branch);
    finish_branch(shape, trace, layer_trace->mlp_output, layer_trace->mlp_output_scale);
}

/* Where a layer adds its branches up: in post the input of what follows, otherwise the stream. */
static ireneo_scalar *place_of_sum(const ireneo_network_shape *shape, ireneo_network_trace *trace,
                                   ireneo_scalar *next) {
    return is_post(shape) ? next : trace->stream;
}

static void normalise_sum(const ireneo_network_shape *shape, ireneo_network_trace *trace, ireneo_scalar *sum,
                          ireneo_scalar *scale) {
    if (is_post(shape)) ireneo_network_normalise(shape, sum, sum, trace->rows, scale, trace->threads);
}

static void forward_in_turn(const ireneo_network_shape *shape, ireneo_layer_view weights,
                            ireneo_network_trace *trace, size_t layer) {
    size_t count = trace->rows * shape->width;
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_scalar *middle = place_of_sum(shape, trace, layer_trace->mlp_input),
                  *end = place_of_sum(shape, trace, trace->layers[layer + 1].attention_input);
    read_stream(shape, trace, layer_trace->attention_input, layer_trace->attention_scale);
    attend(shape, weights, trace, layer);
    add_scaled(is_post(shape) ? layer_trace->attention_input : middle,
               (ireneo_scalar)shape->residual_attention, trace->branch, middle, count);
    normalise_sum(shape, trace, middle, layer_trace->attention_scale);
    read_stream(shape, trace, layer_trace->mlp_input, layer_trace->mlp_scale);
    think(shape, weights, trace, layer);
    add_scaled(middle, (ireneo_scalar)shape->residual_mlp, trace->branch, end, count);
    normalise_sum(shape, trace, end, layer_trace->mlp_scale);
}

static void forward_parallel(const ireneo_network_shape *shape, ireneo_layer_view weights,
                             ireneo_network_trace *trace, size_t layer) {
    size_t count = trace->rows * shape->width;
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_scalar *end = place_of_sum(shape, trace, trace->layers[layer + 1].attention_input);
    read_stream(shape, trace, layer_trace->attention_input, layer_trace->attention_scale);
    attend(shape, weights, trace, layer);
    add_scaled(is_post(shape) ? layer_trace->attention_input : end, (ireneo_scalar)shape->residual_attention,
               trace->branch, end, count);
    think(shape, weights, trace, layer);
    add_scaled(end, 1, trace->branch, end, count);
    normalise_sum(shape, trace, end, layer_trace->mlp_scale);
}

void ireneo_network_layer_forward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                                  ireneo_network_trace *trace, size_t layer) {
    if (shape->parallel)
        forward_parallel(shape, weights, trace, layer);
    else
        forward_in_turn(shape, weights, trace, layer);
    if (is_post(shape))
        memcpy(trace->stream, trace->layers[layer + 1].attention_input,
               trace->rows * shape->width * sizeof *trace->stream);
}

/* ---- backward ---- */

/* The gradient behind a branch, from that of the stream: through the norm of its output. */
static const ireneo_scalar *enter_branch(const ireneo_network_shape *shape, ireneo_network_trace *trace,
                                         const ireneo_scalar *output, const ireneo_scalar *scale) {
    if (!normalises_output(shape)) return trace->gradient;
    stretch(trace->gradient, branch_gain(shape), trace->normed_gradient, trace->rows * shape->width);
    ireneo_network_normalise_backward(shape, output, scale, trace->normed_gradient, trace->rows,
                                      trace->threads);
    return trace->normed_gradient;
}

static void attend_backward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                            ireneo_layer_view gradients, ireneo_network_trace *trace, size_t layer,
                            ireneo_scalar *through) {
    const ireneo_layer_trace *layer_trace = &trace->layers[layer];
    const ireneo_scalar *behind =
        enter_branch(shape, trace, layer_trace->attention_output, layer_trace->attention_output_scale);
    ireneo_attention_backward(shape, weights, gradients, trace, layer, behind, through);
}

static void think_backward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                           ireneo_layer_view gradients, ireneo_network_trace *trace, size_t layer,
                           ireneo_scalar *through) {
    const ireneo_layer_trace *layer_trace = &trace->layers[layer];
    const ireneo_scalar *behind =
        enter_branch(shape, trace, layer_trace->mlp_output, layer_trace->mlp_output_scale);
    ireneo_mlp_backward(shape, weights, gradients, trace, layer, behind, through);
}

/* Through the norm of a sum, post only. */
static void normalise_sum_backward(const ireneo_network_shape *shape, ireneo_network_trace *trace,
                                   const ireneo_scalar *sum, const ireneo_scalar *scale) {
    if (is_post(shape))
        ireneo_network_normalise_backward(shape, sum, scale, trace->gradient, trace->rows, trace->threads);
}

/* What came through a branch, through the norm of its input too, joins what came along the skip. */
static void join(const ireneo_network_shape *shape, ireneo_network_trace *trace, const ireneo_scalar *input,
                 const ireneo_scalar *scale, double residual, ireneo_scalar *through) {
    if (normalises_input(shape))
        ireneo_network_normalise_backward(shape, input, scale, through, trace->rows, trace->threads);
    add_scaled(trace->gradient, (ireneo_scalar)residual, through, trace->gradient,
               trace->rows * shape->width);
}

static void backward_in_turn(const ireneo_network_shape *shape, ireneo_layer_view weights,
                             ireneo_layer_view gradients, ireneo_network_trace *trace, size_t layer) {
    const ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_scalar *through = trace->branch_gradient;
    normalise_sum_backward(shape, trace, trace->layers[layer + 1].attention_input, layer_trace->mlp_scale);
    think_backward(shape, weights, gradients, trace, layer, through);
    join(shape, trace, layer_trace->mlp_input, layer_trace->mlp_scale, shape->residual_mlp, through);
    normalise_sum_backward(shape, trace, layer_trace->mlp_input, layer_trace->attention_scale);
    attend_backward(shape, weights, gradients, trace, layer, through);
    join(shape, trace, layer_trace->attention_input, layer_trace->attention_scale, shape->residual_attention,
         through);
}

static void backward_parallel(const ireneo_network_shape *shape, ireneo_layer_view weights,
                              ireneo_layer_view gradients, ireneo_network_trace *trace, size_t layer) {
    const ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_scalar *through = trace->branch_gradient, *other = trace->other_gradient;
    normalise_sum_backward(shape, trace, trace->layers[layer + 1].attention_input, layer_trace->mlp_scale);
    think_backward(shape, weights, gradients, trace, layer, other);
    attend_backward(shape, weights, gradients, trace, layer, through);
    add_scaled(other, 1, through, through, trace->rows * shape->width);
    join(shape, trace, layer_trace->attention_input, layer_trace->attention_scale, shape->residual_attention,
         through);
}

void ireneo_network_layer_backward(const ireneo_network_shape *shape, ireneo_layer_view weights,
                                   ireneo_layer_view gradients, ireneo_network_trace *trace, size_t layer) {
    if (shape->parallel)
        backward_parallel(shape, weights, gradients, trace, layer);
    else
        backward_in_turn(shape, weights, gradients, trace, layer);
}
