/* Rows of logits turned into rows of attention weights, forward and backward. */
#ifndef IRENEO_ATTENTION_NETWORK_SOFTMAX_H
#define IRENEO_ATTENTION_NETWORK_SOFTMAX_H

#include "attention/network/scalar.h"

#include <stddef.h>

/* What one softmax row A (count) is like; both cost nothing beside the row itself. */
typedef struct ireneo_row_report {
    ireneo_scalar log_sum;       /* log sum_k e^{a_k}: enough to make the row again */
    ireneo_scalar participation; /* sum_k A_k^2 */
    ireneo_scalar entropy;       /* -sum_k A_k log A_k, in nats */
} ireneo_row_report;

/* Logits (count) become weights, in place. */
ireneo_row_report ireneo_softmax_row(ireneo_scalar *row, size_t count);

/* The same from the log_sum of an earlier pass, without a look at the whole row first. */
void ireneo_softmax_again(ireneo_scalar *row, size_t count, ireneo_scalar log_sum);

/* Gradients with respect to the weights (count) become gradients with respect to the logits, in place. */
void ireneo_softmax_backward(const ireneo_scalar *weights, ireneo_scalar *gradient, size_t count);

#endif
