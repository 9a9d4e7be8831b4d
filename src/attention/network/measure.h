/* What is measured on the tokens and on the attention rows of a network, in double precision. */
#ifndef IRENEO_ATTENTION_NETWORK_MEASURE_H
#define IRENEO_ATTENTION_NETWORK_MEASURE_H

#include "attention/network/network.h"

/* Mean cosine between different rows of x (rows, width), and mean squared length of a row over the width.
 * scratch holds (width) doubles. */
void ireneo_measure_tokens(const float *x, size_t rows, size_t width, double *scratch, double *rho,
                           double *q);

/* Means over rows, heads and sequences of the last attention pass of a trace made with `measured`. */
void ireneo_measure_rows(const ireneo_network_shape *shape, const ireneo_network_trace *trace,
                         double *participation, double *entropy, double *overlap);

/* Sum of squares. */
double ireneo_squared_norm(const float *x, size_t count);

#endif
