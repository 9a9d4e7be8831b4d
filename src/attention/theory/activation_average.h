/* Gaussian averages of activation functions, for u, v ~ N(0, q). Gated activations stand for the function of
 * their gate. */
#ifndef IRENEO_ATTENTION_THEORY_ACTIVATION_AVERAGE_H
#define IRENEO_ATTENTION_THEORY_ACTIVATION_AVERAGE_H

#include "base/error.h"

#include <stdbool.h>

/* Whether it multiplies two projections, and which function its gate has. */
bool ireneo_activation_gated(ireneo_activation activation);
ireneo_activation ireneo_activation_of_gate(ireneo_activation activation);

/* Whether its averages need a sum over two dimensions, worth a table. */
bool ireneo_activation_summed(ireneo_activation activation);

/* E phi(u)^2 and E phi'(u)^2. */
double ireneo_activation_power(ireneo_activation activation, double q);
double ireneo_activation_slope(ireneo_activation activation, double q);

/* E phi(u)^2 - E phi(u) phi(v) for correlation 1 - distance. */
double ireneo_activation_gap(ireneo_activation activation, double q, double distance);

#endif
