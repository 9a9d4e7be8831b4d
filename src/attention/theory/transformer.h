/* Checks of an architecture before any theory is applied to it. */
#ifndef IRENEO_ATTENTION_THEORY_TRANSFORMER_H
#define IRENEO_ATTENTION_THEORY_TRANSFORMER_H

#include "base/error.h"

#include <stdbool.h>

/* Beyond it attention picks the largest logit for every practical purpose. */
#define IRENEO_MOST_BETA 200.0

ireneo_error ireneo_check_transformer(const ireneo_transformer *transformer);

/* For single layers as well: 2 <= T <= 1e12, keys 0 or between 2 and T, beta in range. */
ireneo_error ireneo_check_context(double beta, double context, double keys);

/* The same: a window is 0 or holds between 2 and T keys, the base of rotations is 0 or between 1 and 1e12. */
ireneo_error ireneo_check_sight(double context, double window, double rope_base);

/* Whether the MLP is W_2 (phi(W_g x) * W_1 x). */
static inline bool ireneo_is_gated(ireneo_activation activation) {
    return activation >= IRENEO_ACTIVATION_REGLU;
}

#endif
