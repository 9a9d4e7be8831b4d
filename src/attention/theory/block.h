/* One transformer block as a map of two numbers: q, the overlap of a token with itself, and the gap q - p to
 * its overlap with another token. */
#ifndef IRENEO_ATTENTION_THEORY_BLOCK_H
#define IRENEO_ATTENTION_THEORY_BLOCK_H

#include "attention/theory/attention_map.h"
#include "attention/theory/mlp_map.h"

#include <stdbool.h>

/* Which attention map: exact at T, or T to infinity. */
typedef enum ireneo_map_kind { IRENEO_MAP_EXACT, IRENEO_MAP_LIMIT } ireneo_map_kind;

/* Tables that are expensive to make and do not depend on the skips, the values or the number of layers: these
 * come with every call, as the transformer, and may differ from call to call. */
typedef struct ireneo_block {
    ireneo_attention_map attention;
    ireneo_mlp_map mlp;
} ireneo_block;

typedef struct ireneo_tokens {
    double q, gap;
} ireneo_tokens;

/* For a checked transformer. Later calls must bring one with the same beta, context, keys, activation and MLP
 * variances. */
ireneo_error ireneo_block_open(const ireneo_transformer *transformer, ireneo_block *block);
void ireneo_block_close(ireneo_block *block);

ireneo_tokens ireneo_block_input(const ireneo_transformer *transformer);

/* Averages of the attention rows that tokens meet. */
ireneo_attention_averages ireneo_block_attention(const ireneo_block *block, ireneo_map_kind kind,
                                                 ireneo_tokens tokens);

/* The tokens after attention, MLP, skips and LayerNorms. */
ireneo_tokens ireneo_block_step(const ireneo_block *block, const ireneo_transformer *transformer,
                                ireneo_map_kind kind, ireneo_tokens tokens,
                                ireneo_attention_averages attention);

/* 1 - rho after all layers. */
double ireneo_block_final_distance(const ireneo_block *block, const ireneo_transformer *transformer,
                                   ireneo_map_kind kind);

#endif
