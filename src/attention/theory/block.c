/* The block map. With delta = (q - p) / q the distance of tokens, attention on tokens of scale q gives
 *
 *     q_att = q (1 - delta (1 - Y2)) ,   q_att - p_att = q delta (Y2 - O12) ,
 *
 * with gain control q_att = q delta (Y2 - 1/T), and the finite width d adds to it what is of the same size when
 * attention is spread out, q delta (1 - rho) tilt sigma^2 / d (layer.c), more where tokens crowd into few directions (crowding.c).
 * Values multiply by their variance and the bias adds to q and p alike, but not under gain control, whose weights sum to 0. Where the norms are decides what a branch reads, whether its output is brought
 * to g^2, and whether the stream is normalised after it:
 *
 *     post      LN(a x + f(x))        pre   a x + f(LN x)             none   a x + f(x)
 *     branch    a x + g LN f(x)       sandwich   a x + g LN f(LN x)
 *
 * LayerNorm and RMSNorm differ by terms of order 1/d, which are left out. Parallel branches read the same
 * tokens; the skip around both has the strength of that around attention. */
#include "attention/theory/block.h"
#include "attention/theory/crowding.h"

#include <math.h>
#include <string.h>

ireneo_error ireneo_block_open(const ireneo_transformer *transformer, ireneo_block *block) {
    memset(block, 0, sizeof *block);
    IRENEO_TRY(ireneo_mlp_map_open(transformer, &block->mlp));
    ireneo_error failed = ireneo_attention_map_open(transformer, &block->attention);
    if (failed == IRENEO_OK && transformer->causal) failed = ireneo_causal_open(transformer, &block->causal);
    if (failed != IRENEO_OK) ireneo_block_close(block);
    return failed;
}

void ireneo_block_close(ireneo_block *block) {
    ireneo_causal_close(block->causal);
    ireneo_attention_map_close(&block->attention);
    ireneo_mlp_map_close(&block->mlp);
}

static bool post(const ireneo_transformer *t) {
    return t->normalisation == IRENEO_NORMALISATION_POST;
}

ireneo_tokens ireneo_block_input(const ireneo_transformer *t) {
    double q = post(t) ? 1.0 : t->q_0;
    return (ireneo_tokens){.q = q, .gap = q * (1.0 - t->rho_0)};
}

static ireneo_tokens normalise(ireneo_tokens tokens) {
    return (ireneo_tokens){1.0, tokens.gap / tokens.q, tokens.crowding};
}

ireneo_tokens ireneo_branch_input(const ireneo_transformer *t, ireneo_tokens stream) {
    bool raw =
        t->normalisation == IRENEO_NORMALISATION_NONE || t->normalisation == IRENEO_NORMALISATION_BRANCH;
    return raw ? stream : normalise(stream);
}

bool ireneo_branches_normed(const ireneo_transformer *t) {
    return t->normalisation == IRENEO_NORMALISATION_BRANCH ||
           t->normalisation == IRENEO_NORMALISATION_SANDWICH;
}

double ireneo_branch_factor(const ireneo_transformer *t, double q) {
    double gain = t->branch_gain > 0.0 ? t->branch_gain : 1.0;
    return ireneo_branches_normed(t) && q > 0.0 ? gain * gain / q : 1.0;
}

ireneo_attention_averages ireneo_block_attention(const ireneo_block *block, ireneo_map_kind kind,
                                                 ireneo_tokens stream) {
    ireneo_attention_averages averages;
    double distance = fmin(1.0, stream.gap / stream.q), q = block->attention.unbound ? stream.q : 1.0;
    if (kind == IRENEO_MAP_LIMIT)
        ireneo_attention_map_limit(&block->attention, q, distance, &averages);
    else
        ireneo_attention_map_at(&block->attention, q, distance, &averages);
    return averages;
}

/* What the finite width adds to q_att of normalised tokens under gain control, over the tilt of a row. */
static double finite_width(const ireneo_block *block, const ireneo_transformer *t, ireneo_tokens read,
                           double distance) {
    double sigma = block->attention.law.spread * (block->attention.unbound ? read.q : 1.0);
    return distance * distance * sigma * sigma * (1.0 + read.crowding) / (double)t->width;
}

ireneo_tokens ireneo_block_attend(const ireneo_block *block, const ireneo_transformer *t,
                                  ireneo_map_kind kind, ireneo_tokens read, ireneo_attention_averages a) {
    double distance = fmin(1.0, read.gap / read.q), scale = t->value_variance * read.q;
    double uniform = kind == IRENEO_MAP_LIMIT ? 0.0 : 1.0 / block->attention.law.keys;
    double q = 1.0 - distance * (1.0 - a.participation), gap = distance * (a.participation - a.overlap);
    if (t->gain_control) {
        double width = kind == IRENEO_MAP_LIMIT ? 0.0 : finite_width(block, t, read, distance),
               tilt = fmax(0.0, a.tilt);
        q = distance * fmax(0.0, a.participation - uniform) + width * tilt;
        gap += width * (tilt - (1.0 - distance) * ireneo_tilt_of_two(tilt, a.participation, distance));
    }
    return (ireneo_tokens){.q = scale * q + (t->gain_control ? 0.0 : t->value_bias_variance),
                           .gap = scale * gap};
}

/* strength^2 skip + branch, the branch through the norm on its output. */
static ireneo_tokens add(const ireneo_transformer *t, double strength, ireneo_tokens skip,
                         ireneo_tokens branch) {
    double square = strength * strength, factor = ireneo_branch_factor(t, branch.q);
    return (ireneo_tokens){.q = square * skip.q + factor * branch.q,
                           .gap = square * skip.gap + factor * branch.gap};
}

ireneo_tokens ireneo_block_middle(const ireneo_block *block, const ireneo_transformer *t,
                                  ireneo_map_kind kind, ireneo_tokens stream,
                                  ireneo_attention_averages attention) {
    ireneo_tokens branch = ireneo_block_attend(block, t, kind, ireneo_branch_input(t, stream), attention);
    ireneo_tokens next = add(t, t->residual_attention, stream, branch);
    if (t->gain_control && kind == IRENEO_MAP_EXACT)
        next.crowding = ireneo_crowding_attention(block, t, stream, branch, attention);
    return post(t) && !t->parallel ? normalise(next) : next;
}

ireneo_tokens ireneo_block_step(const ireneo_block *block, const ireneo_transformer *t, ireneo_map_kind kind,
                                ireneo_tokens stream, ireneo_attention_averages attention) {
    ireneo_tokens middle = ireneo_block_middle(block, t, kind, stream, attention);
    ireneo_tokens branch =
        ireneo_mlp_map_at(&block->mlp, ireneo_branch_input(t, t->parallel ? stream : middle));
    double strength = t->parallel ? 1.0 : t->residual_mlp;
    ireneo_tokens next = add(t, strength, middle, branch);
    if (t->gain_control && kind == IRENEO_MAP_EXACT)
        next.crowding = ireneo_crowding_mlp(block, t, strength, middle, branch);
    if (next.q <= 0.0) return middle; /* neither skip nor MLP passes anything: the tokens stay */
    return post(t) ? normalise(next) : next;
}

double ireneo_block_final_distance(const ireneo_block *block, const ireneo_transformer *transformer,
                                   ireneo_map_kind kind) {
    if (block->causal != NULL && kind == IRENEO_MAP_EXACT)
        return ireneo_causal_final_distance(block->causal, &block->mlp, transformer);
    ireneo_tokens tokens = ireneo_block_input(transformer);
    for (size_t layer = 0; layer < transformer->layers; layer++)
        tokens =
            ireneo_block_step(block, transformer, kind, tokens, ireneo_block_attention(block, kind, tokens));
    double distance = tokens.gap / tokens.q;
    return isfinite(tokens.q) && distance >= 0.0 ? distance
                                                 : 0.0; /* grown beyond all bounds: nothing is left */
}
