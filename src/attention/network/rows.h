/* What the network does to single rows of numbers: softmax, LayerNorm, activation; each forward and backward.
 */
#ifndef IRENEO_ATTENTION_NETWORK_ROWS_H
#define IRENEO_ATTENTION_NETWORK_ROWS_H

#include "attention/network/scalar.h"
#include "ireneo.h"

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

/* LayerNorm without affine part: every row of x (rows, width) less its mean, over its standard deviation,
 * into y; x and y may be the same. scale (rows) keeps one over the deviation for the way back. */
void ireneo_normalise_rows(const ireneo_scalar *x, ireneo_scalar *y, size_t rows, size_t width,
                           ireneo_scalar *scale, int threads);

/* gradient (rows, width) with respect to y becomes the one with respect to x, in place. */
void ireneo_normalise_rows_backward(const ireneo_scalar *y, const ireneo_scalar *scale,
                                    ireneo_scalar *gradient, size_t rows, size_t width, int threads);

/* y = activation(x) for `count` numbers. */
void ireneo_activate(ireneo_activation activation, const ireneo_scalar *x, ireneo_scalar *y, size_t count,
                     int threads);

/* gradient (count) with respect to y becomes the one with respect to x, in place. */
void ireneo_activate_backward(ireneo_activation activation, const ireneo_scalar *x, ireneo_scalar *gradient,
                              size_t count, int threads);

#endif
