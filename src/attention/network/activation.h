/* The nonlinearity of the MLP on many numbers, forward and backward; gated ones are in gated.h. */
#ifndef IRENEO_ATTENTION_NETWORK_ACTIVATION_H
#define IRENEO_ATTENTION_NETWORK_ACTIVATION_H

#include "attention/network/scalar.h"
#include "ireneo.h"

#include <stddef.h>

/* y = activation(x) for `count` numbers. */
void ireneo_activate(ireneo_activation activation, const ireneo_scalar *x, ireneo_scalar *y, size_t count,
                     int threads);

/* gradient (count) with respect to y becomes the one with respect to x, in place. */
void ireneo_activate_backward(ireneo_activation activation, const ireneo_scalar *x, ireneo_scalar *gradient,
                              size_t count, int threads);

#endif
