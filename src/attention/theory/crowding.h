/* How many directions tokens fill, which decides what a finite width does under gain control. */
#ifndef IRENEO_ATTENTION_THEORY_CROWDING_H
#define IRENEO_ATTENTION_THEORY_CROWDING_H

#include "attention/theory/block.h"

/* The crowding of strength^2 stream + branch after attention, and after the MLP. */
double ireneo_crowding_attention(const ireneo_block *block, const ireneo_transformer *transformer,
                                 ireneo_tokens stream, ireneo_tokens branch,
                                 ireneo_attention_averages attention);
double ireneo_crowding_mlp(const ireneo_block *block, const ireneo_transformer *transformer, double strength,
                           ireneo_tokens stream, ireneo_tokens branch);

#endif
