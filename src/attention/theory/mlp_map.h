/* What a wide random MLP  W_2 phi(W_1 x + b_1) + b_2  does to the overlaps of normalised tokens (q = 1). */
#ifndef IRENEO_ATTENTION_THEORY_MLP_MAP_H
#define IRENEO_ATTENTION_THEORY_MLP_MAP_H

#include "attention/theory/chebyshev.h"

typedef struct ireneo_mlp_map {
    ireneo_activation activation;
    double in_variance, out_variance;
    double bias_variance, power; /* power: E phi(u)^2 */
    double q_hidden;             /* variance of a preactivation */
    double q_out;                /* overlap of an output token with itself */
    double slope;                /* E phi'(u)^2 */
    ireneo_chebyshev table;      /* tanh only */
} ireneo_mlp_map;

ireneo_error ireneo_mlp_map_open(ireneo_activation activation, double in_variance, double out_variance,
                                 double bias_variance, ireneo_mlp_map *map);

/* Changes the scale of W_2; everything else stays. */
void ireneo_mlp_map_set_out(ireneo_mlp_map *map, double out_variance);

void ireneo_mlp_map_close(ireneo_mlp_map *map);

/* q_out - p_out of the outputs, for inputs at distance = 1 - rho. */
double ireneo_mlp_map_gap(const ireneo_mlp_map *map, double distance);

/* E phi(u)^2 and E phi'(u)^2 for u ~ N(0, q). */
double ireneo_activation_power(ireneo_activation activation, double q);
double ireneo_activation_slope(ireneo_activation activation, double q);

/* E phi(u)^2 - E phi(u) phi(v) for u, v ~ N(0, q) with correlation 1 - distance. */
double ireneo_activation_gap(ireneo_activation activation, double q, double distance);

#endif
