/* One transformer block as a map of two numbers: q, the overlap of a token with itself, and the gap q - p to
 * its overlap with another token. */
#ifndef IRENEO_ATTENTION_THEORY_BLOCK_H
#define IRENEO_ATTENTION_THEORY_BLOCK_H

#include "attention/theory/attention_map.h"
#include "attention/theory/mlp_map.h"

#include <stdbool.h>

/* Which attention map: exact at T, or T to infinity. */
typedef enum ireneo_map_kind { IRENEO_MAP_EXACT, IRENEO_MAP_LIMIT } ireneo_map_kind;

typedef struct ireneo_block {
    const ireneo_transformer *transformer;
    ireneo_attention_map attention;
    ireneo_mlp_map mlp;
} ireneo_block;

typedef struct ireneo_tokens {
    double q, gap;
} ireneo_tokens;

/* Tables for a checked transformer, whose beta, context, keys, MLP variances and activation may not change
 * afterwards; other fields may. */
ireneo_error ireneo_block_open(const ireneo_transformer *transformer, ireneo_block *block);
void ireneo_block_close(ireneo_block *block);

ireneo_tokens ireneo_block_input(const ireneo_transformer *transformer);

/* Averages of the attention rows that tokens meet. */
ireneo_attention_averages ireneo_block_attention(const ireneo_block *block, ireneo_map_kind kind,
                                                 ireneo_tokens tokens);

/* The tokens after attention, MLP, skips and LayerNorms. */
ireneo_tokens ireneo_block_step(const ireneo_block *block, ireneo_map_kind kind, ireneo_tokens tokens,
                                ireneo_attention_averages attention);

/* 1 - rho after all layers. */
double ireneo_block_final_distance(const ireneo_block *block, ireneo_map_kind kind);

/* Rates of 1 - rho near rho = 1, at scale q of the tokens. */
double ireneo_chi_attention(const ireneo_block *block, double q);
double ireneo_chi_mlp(const ireneo_block *block, double q);

/* The attention residual strength at which they balance at infinite depth; may be infinite. */
double ireneo_balanced_residual(const ireneo_block *block);

/* The attention residual strength at which 1 - rho after all layers is rank_limit: 0 when none is needed,
 * infinite when none is strong enough. Changes transformer->residual_attention, which block must refer to. */
double ireneo_rank_line(ireneo_transformer *transformer, const ireneo_block *block, ireneo_map_kind kind,
                        double rank_limit);

#endif
