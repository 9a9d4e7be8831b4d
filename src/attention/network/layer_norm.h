/* LayerNorm of the rows of a matrix, forward and backward. */
#ifndef IRENEO_ATTENTION_NETWORK_LAYER_NORM_H
#define IRENEO_ATTENTION_NETWORK_LAYER_NORM_H

#include "attention/network/scalar.h"

#include <stddef.h>

/* LayerNorm without affine part: every row of x (rows, width) less its mean, over its standard deviation,
 * into y; x and y may be the same. scale (rows) keeps one over the deviation for the way back. */
void ireneo_normalise_rows(const ireneo_scalar *x, ireneo_scalar *y, size_t rows, size_t width,
                           ireneo_scalar *scale, int threads);

/* gradient (rows, width) with respect to y becomes the one with respect to x, in place. */
void ireneo_normalise_rows_backward(const ireneo_scalar *y, const ireneo_scalar *scale,
                                    ireneo_scalar *gradient, size_t rows, size_t width, int threads);

#endif
