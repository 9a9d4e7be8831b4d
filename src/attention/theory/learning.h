/* Whether Adam can train what was drawn: gradients that do not explode, and a rate that fits. */
#ifndef IRENEO_ATTENTION_THEORY_LEARNING_H
#define IRENEO_ATTENTION_THEORY_LEARNING_H

#include "attention/theory/block.h"

typedef struct ireneo_learning {
    double growth, update, safe_rate;                      /* as in ireneo_attention_assessment */
    int gradients_explode, rate_too_large, rate_too_small; /* at the rate and steps of the settings */
} ireneo_learning;

/* Fails with a sentence for blocks whose learning rate cannot be judged. */
ireneo_error ireneo_check_rate(const ireneo_transformer *transformer);

/* Growth of gradients and what a rate does, for limits that were filled in. NaN, and nothing fails, for blocks
 * whose law is not known. */
ireneo_learning ireneo_learning_at(const ireneo_block *block, const ireneo_transformer *transformer,
                                   const ireneo_attention_collapse_settings *limits);

/* The strength of both skips, at least 1, that bears this rate when branches are small. */
double ireneo_bearing_skip(const ireneo_transformer *transformer, double rate);

/* Whether nothing fails. */
int ireneo_learns(const ireneo_learning *learning, int rank_collapse, int entropy_collapse);

#endif
