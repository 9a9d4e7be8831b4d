/* One transformer block as a map of two numbers, q and the gap q - p of its tokens. */
#ifndef IRENEO_ATTENTION_THEORY_BLOCK_H
#define IRENEO_ATTENTION_THEORY_BLOCK_H

#include "attention/theory/attention_map.h"
#include "attention/theory/causal.h"
#include "attention/theory/mlp_map.h"

#include <stdbool.h>

/* Which attention map: exact at T, or T to infinity. */
typedef enum ireneo_map_kind { IRENEO_MAP_EXACT, IRENEO_MAP_LIMIT } ireneo_map_kind;

/* Tables that are expensive to make and do not depend on the skips, the values or the number of layers: these
 * come with every call, as the transformer, and may differ from call to call. */
typedef struct ireneo_block {
    ireneo_attention_map attention;
    ireneo_mlp_map mlp;
    ireneo_causal *causal; /* NULL without a causal mask */
} ireneo_block;

/* For a checked transformer. Later calls must bring one with the same beta, context, keys, activation, place of
 * the norms and MLP variances. */
ireneo_error ireneo_block_open(const ireneo_transformer *transformer, ireneo_block *block);
void ireneo_block_close(ireneo_block *block);

ireneo_tokens ireneo_block_input(const ireneo_transformer *transformer);

/* What a branch reads of the stream: tokens of q = 1 where there is a norm before it. */
ireneo_tokens ireneo_branch_input(const ireneo_transformer *transformer, ireneo_tokens stream);

/* Whether there is a norm on a branch's output, and what it multiplies the branch's q by: 1 where there is none. */
bool ireneo_branches_normed(const ireneo_transformer *transformer);
double ireneo_branch_factor(const ireneo_transformer *transformer, double q);

/* Averages of the attention rows that tokens of the stream meet. */
ireneo_attention_averages ireneo_block_attention(const ireneo_block *block, ireneo_map_kind kind,
                                                 ireneo_tokens stream);

/* The attention branch of the tokens that it reads, before the norm on its output. */
ireneo_tokens ireneo_block_attend(const ireneo_block *block, const ireneo_transformer *transformer,
                                  ireneo_map_kind kind, ireneo_tokens read,
                                  ireneo_attention_averages attention);

/* The stream between attention and MLP. */
ireneo_tokens ireneo_block_middle(const ireneo_block *block, const ireneo_transformer *transformer,
                                  ireneo_map_kind kind, ireneo_tokens stream,
                                  ireneo_attention_averages attention);

/* The stream after attention, MLP, skips and norms. */
ireneo_tokens ireneo_block_step(const ireneo_block *block, const ireneo_transformer *transformer,
                                ireneo_map_kind kind, ireneo_tokens stream,
                                ireneo_attention_averages attention);

/* 1 - rho after all layers. */
double ireneo_block_final_distance(const ireneo_block *block, const ireneo_transformer *transformer,
                                   ireneo_map_kind kind);

#endif
