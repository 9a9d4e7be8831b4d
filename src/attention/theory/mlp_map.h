/* What a wide random MLP does to the overlaps of tokens:  W_2 phi(W_1 x + b_1) + b_2 , or gated,
 * W_2 (phi(W_g x + b_g) * (W_1 x + b_1)) + b_2 . */
#ifndef IRENEO_ATTENTION_THEORY_MLP_MAP_H
#define IRENEO_ATTENTION_THEORY_MLP_MAP_H

#include "attention/theory/activation_average.h"
#include "attention/theory/activation_table.h"
#include "attention/theory/chebyshev.h"
#include "attention/theory/tokens.h"

typedef struct ireneo_mlp_map {
    ireneo_activation activation;
    double in_variance, gate_variance, out_variance, bias_variance;
    double q_out, gain;                /* for tokens of q = 1, see below */
    ireneo_chebyshev table;            /* of gap / distance of the activation at q = 1, where it is a sum */
    ireneo_activation_table any_scale; /* the same for tokens that no norm brings to q = 1 */
} ireneo_mlp_map;

/* For a checked transformer. */
ireneo_error ireneo_mlp_map_open(const ireneo_transformer *transformer, ireneo_mlp_map *map);

/* Changes the scale of W_2; everything else stays. */
void ireneo_mlp_map_set_out(ireneo_mlp_map *map, double out_variance);

void ireneo_mlp_map_close(ireneo_mlp_map *map);

/* The MLP's output for tokens of any q; those of q = 1 have a table. */
ireneo_tokens ireneo_mlp_map_at(const ireneo_mlp_map *map, ireneo_tokens tokens);

/* What a small gap of tokens of this q is multiplied by; the mean square of a derivative. */
double ireneo_mlp_map_gain(const ireneo_mlp_map *map, double q);

#endif
