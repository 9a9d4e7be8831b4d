/* Rows of scores turned into rows of attention weights, with vector instructions.
 *
 * A row holds the scores s_mu = x . xi_mu of one state with a block of patterns. The weights are relative to
 * the largest score seen so far, so that nothing overflows however large lambda is. Sums run over 16 lanes in
 * a fixed order: every instruction set gives the same bits. */
#ifndef IRENEO_DENSE_RETRIEVAL_WEIGHTS_H
#define IRENEO_DENSE_RETRIEVAL_WEIGHTS_H

#include <stddef.h>

/* scores[i] = exp(lambda (scores[i] - peak)), where peak is at least every score; returns the sum. Weights
 * below e^-60 become 0. */
double ireneo_softmax_weights(float *scores, size_t count, float lambda, float peak);

/* scores[i] = (scores[i] / peak)^(degree - 1) where scores[i] > 0, else 0; peak > 0. Returns the sum of the
 * weights; *power_sum is the sum of (scores[i] / peak)^degree. */
double ireneo_polynomial_weights(float *scores, size_t count, int degree, float peak, double *power_sum);

#endif
