/* What happens to queries and keys before they meet: QK-norm, then rotary positions. */
#ifndef IRENEO_ATTENTION_NETWORK_QUERY_KEY_H
#define IRENEO_ATTENTION_NETWORK_QUERY_KEY_H

#include "attention/network/network.h"

/* In place, in the layer's (rows, projection width). */
void ireneo_ready_query_key(const ireneo_network_shape *shape, ireneo_network_trace *trace, size_t layer);

/* The same way back, in place: projections (rows, projection width) holds gradients. */
void ireneo_ready_query_key_backward(const ireneo_network_shape *shape, ireneo_network_trace *trace,
                                     size_t layer, ireneo_scalar *projections);

#endif
