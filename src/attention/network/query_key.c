/* QK-norm and rotary positions. Every head's query and key has length sqrt(d_head) after the norm, and the
 * constant product of the gains is in the factor of the logits (network_attention.c). Turns keep lengths, so
 * that the way back may pass the norm first, by the turned numbers that were kept. */
#include "attention/network/query_key.h"
#include "attention/network/rms_norm.h"
#include "attention/network/rope.h"

/* Heads of queries and of keys lie one behind the other. */
static ireneo_slices query_key_slices(const ireneo_network_shape *shape, const ireneo_network_trace *trace) {
    return (ireneo_slices){.rows = trace->rows,
                           .count = shape->heads + ireneo_key_heads(shape),
                           .width = ireneo_head_width(shape),
                           .stride = ireneo_projection_width(shape)};
}

void ireneo_ready_query_key(const ireneo_network_shape *shape, ireneo_network_trace *trace, size_t layer) {
    ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_scalar *projections = layer_trace->query_key_value;
    ireneo_slices at = query_key_slices(shape, trace);
    if (shape->query_key_norm > 0.0)
        ireneo_rms_normalise(at, projections, projections, layer_trace->query_key_scale, trace->threads);
    if (shape->rope_base > 0.0)
        ireneo_rope_turn(at, shape->context, trace->turns, 1, projections, trace->threads);
}

void ireneo_ready_query_key_backward(const ireneo_network_shape *shape, ireneo_network_trace *trace,
                                     size_t layer, ireneo_scalar *projections) {
    const ireneo_layer_trace *layer_trace = &trace->layers[layer];
    ireneo_slices at = query_key_slices(shape, trace);
    if (shape->query_key_norm > 0.0)
        ireneo_rms_normalise_backward(at, layer_trace->query_key_value, layer_trace->query_key_scale,
                                      projections, trace->threads);
    if (shape->rope_base > 0.0)
        ireneo_rope_turn(at, shape->context, trace->turns, -1, projections, trace->threads);
}
