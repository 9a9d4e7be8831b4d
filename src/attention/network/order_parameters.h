/* The order parameters of docs/attention.md (rho, q, Y2, entropy, O12) as measured on a network, in double
 * precision. */
#ifndef IRENEO_ATTENTION_NETWORK_ORDER_PARAMETERS_H
#define IRENEO_ATTENTION_NETWORK_ORDER_PARAMETERS_H

#include "attention/network/network.h"

/* Mean cosine between different rows of x (rows, width), and mean squared length of a row over the width.
 * scratch holds (width) doubles. */
void ireneo_measure_tokens(const float *x, size_t rows, size_t width, double *scratch, double *rho,
                           double *q);

/* Means over rows, heads and sequences of the last attention pass of a trace made with `measured`. */
void ireneo_measure_rows(const ireneo_network_shape *shape, const ireneo_network_trace *trace,
                         double *participation, double *entropy, double *overlap);

/* The first two over the last `last` rows of every sequence only. */
void ireneo_measure_last_rows(const ireneo_network_shape *shape, const ireneo_network_trace *trace,
                              size_t last, double *participation, double *entropy);

#endif
