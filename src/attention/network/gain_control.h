/* Gain control: the uniform part of attention is taken away, A - 1/T. */
#ifndef IRENEO_ATTENTION_NETWORK_GAIN_CONTROL_H
#define IRENEO_ATTENTION_NETWORK_GAIN_CONTROL_H

#include "attention/network/network.h"

/* out (rows, query width) less the mean value of its sequence; projections is (rows, projection width). */
void ireneo_gain_control(const ireneo_network_shape *shape, ireneo_network_trace *trace,
                         const ireneo_scalar *projections, ireneo_scalar *out);

/* Values' part of the gradient with respect to the projections less the mean of out_gradient. */
void ireneo_gain_control_backward(const ireneo_network_shape *shape, ireneo_network_trace *trace,
                                  const ireneo_scalar *out_gradient, ireneo_scalar *projections);

#endif
