/* The block map. With delta = (q - p) / q the distance of tokens, attention on normalised tokens gives
 *
 *     q_att = 1 - delta (1 - Y2) ,   q_att - p_att = delta (Y2 - O12) ,
 *
 * with gain control q_att = delta (Y2 - 1/T); values multiply by their variance and the bias adds to q and p
 * alike. Post-LN normalises after each skip, pre-LN before each branch. */
#include "attention/theory/block.h"

#include <math.h>
#include <string.h>

ireneo_error ireneo_block_open(const ireneo_transformer *transformer, ireneo_block *block) {
    memset(block, 0, sizeof *block);
    IRENEO_TRY(ireneo_mlp_map_open(transformer->activation, transformer->mlp_in_variance,
                                   transformer->mlp_out_variance, transformer->mlp_bias_variance,
                                   &block->mlp));
    ireneo_error failed = ireneo_attention_map_open(transformer->beta, transformer->context,
                                                    transformer->keys, &block->attention);
    if (failed != IRENEO_OK) ireneo_mlp_map_close(&block->mlp);
    return failed;
}

void ireneo_block_close(ireneo_block *block) {
    ireneo_attention_map_close(&block->attention);
    ireneo_mlp_map_close(&block->mlp);
}

ireneo_tokens ireneo_block_input(const ireneo_transformer *transformer) {
    double q = transformer->normalisation == IRENEO_NORMALISATION_PRE ? transformer->q_0 : 1.0;
    return (ireneo_tokens){q, q * (1.0 - transformer->rho_0)};
}

ireneo_attention_averages ireneo_block_attention(const ireneo_block *block, ireneo_map_kind kind,
                                                 ireneo_tokens tokens) {
    ireneo_attention_averages averages;
    double distance = fmin(1.0, tokens.gap / tokens.q);
    if (kind == IRENEO_MAP_LIMIT)
        ireneo_attention_map_limit(&block->attention, distance, &averages);
    else
        ireneo_attention_map_at(&block->attention, distance, &averages);
    return averages;
}

/* The attention branch on normalised tokens. */
static ireneo_tokens attend(const ireneo_block *block, const ireneo_transformer *t, ireneo_map_kind kind,
                            double distance, ireneo_attention_averages a) {
    double uniform = kind == IRENEO_MAP_LIMIT ? 0.0 : 1.0 / block->attention.keys;
    double q = t->gain_control ? distance * fmax(0.0, a.participation - uniform)
                               : 1.0 - distance * (1.0 - a.participation);
    return (ireneo_tokens){t->value_variance * q + t->value_bias_variance,
                           t->value_variance * distance * (a.participation - a.overlap)};
}

static ireneo_tokens add_skip(double strength, ireneo_tokens skip, ireneo_tokens branch) {
    double square = strength * strength;
    return (ireneo_tokens){square * skip.q + branch.q, square * skip.gap + branch.gap};
}

static ireneo_tokens normalise(ireneo_tokens tokens) {
    return (ireneo_tokens){1.0, tokens.gap / tokens.q};
}

ireneo_tokens ireneo_block_step(const ireneo_block *block, const ireneo_transformer *t, ireneo_map_kind kind,
                                ireneo_tokens tokens, ireneo_attention_averages attention) {
    bool post = t->normalisation == IRENEO_NORMALISATION_POST;
    tokens =
        add_skip(t->residual_attention, tokens, attend(block, t, kind, tokens.gap / tokens.q, attention));
    if (post) tokens = normalise(tokens);
    double gap = ireneo_mlp_map_gap(&block->mlp, fmin(1.0, tokens.gap / tokens.q));
    ireneo_tokens next = add_skip(t->residual_mlp, tokens, (ireneo_tokens){block->mlp.q_out, gap});
    if (next.q <= 0.0) return tokens; /* neither skip nor MLP passes anything: the tokens stay */
    return post ? normalise(next) : next;
}

double ireneo_block_final_distance(const ireneo_block *block, const ireneo_transformer *transformer,
                                   ireneo_map_kind kind) {
    ireneo_tokens tokens = ireneo_block_input(transformer);
    for (size_t layer = 0; layer < transformer->layers; layer++)
        tokens =
            ireneo_block_step(block, transformer, kind, tokens, ireneo_block_attention(block, kind, tokens));
    return tokens.gap / tokens.q;
}
