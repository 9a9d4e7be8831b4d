/* Near rho = 1: do tokens become alike or part, and which skip strength balances the two. */
#ifndef IRENEO_ATTENTION_THEORY_STABILITY_H
#define IRENEO_ATTENTION_THEORY_STABILITY_H

#include "attention/theory/block.h"

/* Rates of 1 - rho near rho = 1, at scale q of the tokens. */
double ireneo_chi_attention(const ireneo_block *block, const ireneo_transformer *transformer, double q);
double ireneo_chi_mlp(const ireneo_block *block, const ireneo_transformer *transformer, double q);

/* The attention residual strength at which they balance at infinite depth; may be infinite. Where the branches
 * depend on the scale of the stream, at scale q. */
double ireneo_balanced_residual(const ireneo_block *block, const ireneo_transformer *transformer, double q);

/* The attention residual strength at which 1 - rho after all layers is rank_limit: 0 when none is needed,
 * infinite when none is strong enough. That of the transformer does not matter. */
double ireneo_rank_line(const ireneo_block *block, const ireneo_transformer *transformer,
                        ireneo_map_kind kind, double rank_limit);

#endif
