/* Gain control, head by head: forward and backward every row of one matrix less the mean row of another. */
#include "attention/network/gain_control.h"

#include <string.h>

/* Rows of target (rows, width) less the mean of the rows of source; mean (width) is scratch. */
static void subtract_mean_row(const ireneo_scalar *source, size_t source_stride, ireneo_scalar *target,
                              size_t target_stride, size_t rows, size_t width, ireneo_scalar *mean) {
    ireneo_scalar share = (ireneo_scalar)(-1.0 / (double)rows);
    memset(mean, 0, width * sizeof *mean);
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < width; i++) mean[i] += share * source[row * source_stride + i];
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < width; i++) target[row * target_stride + i] += mean[i];
}

/* Where the values of head `head` of a sequence begin in (rows, projection width). */
static size_t values_at(const ireneo_network_shape *shape, size_t sequence, size_t head) {
    size_t group = shape->heads / ireneo_key_heads(shape);
    return sequence * shape->context * ireneo_projection_width(shape) + ireneo_query_width(shape) +
           ireneo_key_width(shape) + head / group * ireneo_head_width(shape);
}

static size_t head_at(const ireneo_network_shape *shape, size_t sequence, size_t head) {
    return sequence * shape->context * ireneo_query_width(shape) + head * ireneo_head_width(shape);
}

void ireneo_gain_control(const ireneo_network_shape *shape, ireneo_network_trace *trace,
                         const ireneo_scalar *projections, ireneo_scalar *out) {
    for (size_t pair = 0; pair < trace->sequences * shape->heads; pair++) {
        size_t sequence = pair / shape->heads, head = pair % shape->heads;
        subtract_mean_row(projections + values_at(shape, sequence, head), ireneo_projection_width(shape),
                          out + head_at(shape, sequence, head), ireneo_query_width(shape), shape->context,
                          ireneo_head_width(shape), trace->wide);
    }
}

void ireneo_gain_control_backward(const ireneo_network_shape *shape, ireneo_network_trace *trace,
                                  const ireneo_scalar *out_gradient, ireneo_scalar *projections) {
    for (size_t pair = 0; pair < trace->sequences * shape->heads; pair++) {
        size_t sequence = pair / shape->heads, head = pair % shape->heads;
        subtract_mean_row(out_gradient + head_at(shape, sequence, head), ireneo_query_width(shape),
                          projections + values_at(shape, sequence, head), ireneo_projection_width(shape),
                          shape->context, ireneo_head_width(shape), trace->wide);
    }
}
