/* Gated activations of the MLP: y = u phi(g) for u = W_1 x and a gate g = W_G x of its own. */
#ifndef IRENEO_ATTENTION_NETWORK_GATED_H
#define IRENEO_ATTENTION_NETWORK_GATED_H

#include "attention/network/scalar.h"
#include "ireneo.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether ReGLU, GeGLU or SwiGLU. */
bool ireneo_is_gated(ireneo_activation activation);

/* hidden (rows, 2 width): u, then g. y is (rows, width). */
void ireneo_gated(ireneo_activation activation, const ireneo_scalar *hidden, ireneo_scalar *y, size_t rows,
                  size_t width, int threads);

/* From the gradient (rows, width) with respect to y to that with respect to hidden (rows, 2 width). */
void ireneo_gated_backward(ireneo_activation activation, const ireneo_scalar *hidden,
                           const ireneo_scalar *gradient, ireneo_scalar *hidden_gradient, size_t rows,
                           size_t width, int threads);

#endif
