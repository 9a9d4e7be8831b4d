/* What one step of Adam does to the function, as DeepNorm bounds it.
 *
 * Adam moves every weight by about the rate, whatever the gradient. The signs are those of the gradient, an
 * outer product of what comes in and what comes back, so that all inputs of a unit push the same way: where a
 * random step moves the output of n inputs of size x by rate sqrt(n) x, this one moves it by rate n x. For tokens
 * of size 1, over the rate,
 *
 *     attention   d (1 + sigma_v)           W_V writes d inputs; what W_Q and W_K do passes the values
 *                 d' + 2 d sigma_v          with an output projection of d' inputs: W_V passes it, too
 *     MLP         m h + d sigma_2           W_2 writes m inputs of size h = sqrt(E phi^2); W_1 passes W_2
 *                 m h + d sigma_2 (g + sigma_1 g')      gated: h = sigma_1 g, g^2 = E phi^2, g'^2 = E phi'^2 .
 *
 * What a branch reads without a norm is of size sqrt(q), and a norm on its output multiplies by g / sqrt(q_branch).
 *
 * A change counts relative to the stream that it is added to. Where the next norm is that of post-LN it divides by
 * the skip. In the other blocks the stream's q grows from layer to layer, so that later branches change less: a
 * change of size u in a stream of q is u / sqrt(q), and stays that share of the stream on its way through branches
 * that grow with it. Parallel branches are added to one stream. Summed over the layers,
 *
 *     post-LN   U = rate L [ attention / r + MLP / s ]
 *     others    U = rate sum_l [ attention / sqrt(q_l') + MLP / sqrt(q_{l+1}) ] ,    q_l' between the two.
 *
 * Branches made smaller are the same function at first, and a step changes them as much as before: it is the
 * stream that bears the rate. */
#include "attention/theory/update.h"
#include "attention/theory/activation_average.h"

#include <math.h>

/* Inputs of W_O. */
static double inner_width(const ireneo_transformer *t) {
    return (double)(t->head_width > 0 ? t->head_width * t->heads : t->width);
}

/* The change of attention's output, for tokens of size 1. */
static double attention_change(const ireneo_transformer *t) {
    double d = (double)t->width, passed = d * sqrt(t->value_variance);
    return t->output_projection ? inner_width(t) + 2.0 * passed : d + passed;
}

/* The change of the MLP's output, for tokens of q. */
static double mlp_change(const ireneo_transformer *t, double q) {
    double d = (double)t->width * sqrt(q), m = (double)t->mlp_width, passed = d * sqrt(t->mlp_out_variance);
    double in = t->mlp_in_variance * q, gate = t->mlp_gate_variance > 0.0 ? t->mlp_gate_variance * q : in;
    double power = sqrt(ireneo_activation_power(t->activation, gate));
    if (!ireneo_activation_gated(t->activation)) return m * power + passed;
    double slope = sqrt(ireneo_activation_slope(t->activation, gate));
    return m * sqrt(in) * power + passed * (power + sqrt(in) * slope);
}

/* Of one layer, relative to the stream; the stream goes on to the next. */
static double layer_change(const ireneo_block *block, const ireneo_transformer *t, ireneo_tokens *stream) {
    ireneo_attention_averages a = ireneo_block_attention(block, IRENEO_MAP_EXACT, *stream);
    ireneo_tokens read = ireneo_branch_input(t, *stream), middle;
    ireneo_tokens attended = ireneo_block_attend(block, t, IRENEO_MAP_EXACT, read, a);
    double attention = attention_change(t) * sqrt(read.q * ireneo_branch_factor(t, attended.q));
    middle = ireneo_block_middle(block, t, IRENEO_MAP_EXACT, *stream, a);
    read = ireneo_branch_input(t, t->parallel ? *stream : middle);
    double mlp =
        mlp_change(t, read.q) * sqrt(ireneo_branch_factor(t, ireneo_mlp_map_at(&block->mlp, read).q));
    *stream = ireneo_block_step(block, t, IRENEO_MAP_EXACT, *stream, a);
    return attention / sqrt(t->parallel ? stream->q : middle.q) + mlp / sqrt(stream->q);
}

double ireneo_update_per_rate(const ireneo_block *block, const ireneo_transformer *t) {
    if (t->normalisation == IRENEO_NORMALISATION_POST)
        return (double)t->layers *
               (attention_change(t) / t->residual_attention + mlp_change(t, 1.0) / t->residual_mlp);
    ireneo_tokens stream = ireneo_block_input(t);
    double sum = 0.0;
    for (size_t layer = 0; layer < t->layers; layer++) sum += layer_change(block, t, &stream);
    return sum;
}

double ireneo_written_per_rate(const ireneo_transformer *t) {
    ireneo_transformer small = *t;
    small.value_variance = small.mlp_out_variance = 0.0;
    return (double)t->layers * (attention_change(&small) + mlp_change(&small, 1.0));
}
