/* RMSNorm of slices of rows, forward and backward: of whole tokens, or of every head's queries and keys. */
#ifndef IRENEO_ATTENTION_NETWORK_RMS_NORM_H
#define IRENEO_ATTENTION_NETWORK_RMS_NORM_H

#include "attention/network/scalar.h"
#include "attention/network/slices.h"

/* Every slice of x over its root mean square, into y, which lies like x and may be x. scale (rows, count)
 * keeps one over the root for the way back. */
void ireneo_rms_normalise(ireneo_slices at, const ireneo_scalar *x, ireneo_scalar *y, ireneo_scalar *scale,
                          int threads);

/* gradient, which lies like y, with respect to y becomes the one with respect to x, in place. */
void ireneo_rms_normalise_backward(ireneo_slices at, const ireneo_scalar *y, const ireneo_scalar *scale,
                                   ireneo_scalar *gradient, int threads);

#endif
