/* Soft-capped logits y = c tanh(x / c), which never leave [-c, c]. */
#ifndef IRENEO_ATTENTION_NETWORK_SOFT_CAP_H
#define IRENEO_ATTENTION_NETWORK_SOFT_CAP_H

#include "attention/network/scalar.h"

#include <stddef.h>

/* Logits x (count) become y, in place. */
void ireneo_soft_cap(ireneo_scalar *logits, size_t count, double cap);

/* gradient (count) with respect to y becomes the one with respect to x, in place: dy/dx = 1 - (y / c)^2. */
void ireneo_soft_cap_backward(const ireneo_scalar *capped, size_t count, double cap, ireneo_scalar *gradient);

#endif
