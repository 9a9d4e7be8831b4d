/* How a gradient changes on its way back through the blocks at initialisation.
 *
 * For gradients g_s of the output tokens that are independent of each other and of the weights, the three
 * ways through attention add up without cross terms. With delta_sk = A_sk g_s . (v_k - o_s), and tokens that
 * attention reads with overlaps q and p,
 *
 *     values    |sum_s A_sk W_V^T g_s|^2               -> sigma_v^2 Y_2 |g|^2
 *     queries   beta^2 log T (q - p) sum_k delta_sk^2
 *     keys      beta^2 log T q       sum_s delta_sk^2 ,
 *               E sum_k delta_sk^2 = sigma_v^2 (q - p) E[Y_2 - 2 Y_3 + Y_2^2] |g|^2 .
 *
 * With S the variance of a logit, beta^2 q^2 log T or the squared gain of a norm of queries and keys, that is
 *
 *     sigma_v^2 (Y_2 + S (1 - rho)(2 - rho) E[Y_2 - 2 Y_3 + Y_2^2]) ,
 *
 * and c for the MLP. A norm divides what passes it by the q of its input: on the way into a branch by that of the
 * stream, on its way out (times g^2) by that of the branch, after the skip by that of the sum. Rotations put
 * 1 - rho r in the place of q - p of the queries' part. Under a causal mask this is the law of rows that see all keys. */
#include "attention/theory/gradient_depth.h"
#include "attention/theory/transformer.h"
#include "base/threads.h"

#include <math.h>

/* What the gradient of a branch's output is multiplied by on its way to the stream: `paths` inside, and norms. */
static double through(const ireneo_transformer *t, ireneo_tokens stream, double paths, double power) {
    return paths * ireneo_branch_factor(t, power) * ireneo_branch_input(t, stream).q / stream.q;
}

static double attention_paths(const ireneo_block *block, const ireneo_transformer *t, ireneo_tokens stream,
                              ireneo_attention_averages a, double *power) {
    ireneo_tokens read = ireneo_branch_input(t, stream);
    const ireneo_attention_map *map = &block->attention;
    double uniform = t->gain_control ? 1.0 / map->law.keys : 0.0, distance = fmin(1.0, read.gap / read.q);
    double spread = map->law.spread * (map->unbound ? read.q : 1.0);
    double apart = ireneo_row_distance(&map->law, distance);
    *power = ireneo_block_attend(block, t, IRENEO_MAP_EXACT, read, a).q;
    return t->value_variance *
           (a.participation - uniform + spread * spread * distance * (1.0 + apart) * a.condensed);
}

/* What one block multiplies |dL/dx|^2 by. */
static double block_factor(const ireneo_block *block, const ireneo_transformer *t, ireneo_tokens stream,
                           ireneo_attention_averages a) {
    bool post = t->normalisation == IRENEO_NORMALISATION_POST;
    double power, first = t->residual_attention * t->residual_attention,
                  second = t->residual_mlp * t->residual_mlp;
    double paths = attention_paths(block, t, stream, a, &power);
    double attention = through(t, stream, paths, power);
    ireneo_tokens middle = ireneo_block_middle(block, t, IRENEO_MAP_EXACT, stream, a);
    ireneo_tokens before = t->parallel ? stream : middle, read = ireneo_branch_input(t, before);
    double mlp_power = ireneo_mlp_map_at(&block->mlp, read).q;
    double mlp = through(t, before, ireneo_mlp_map_gain(&block->mlp, read.q), mlp_power);
    if (t->parallel) return (first + attention + mlp) / (post ? middle.q + mlp_power : 1.0);
    double sum = second + mlp_power;
    if (!post) return (first + attention) * (second + mlp);
    return (first + attention) / (first + power) * (sum > 0.0 ? (second + mlp) / sum : 1.0);
}

/* The law over all blocks; the stream ends up as `tokens`. */
static double follow(const ireneo_block *block, const ireneo_transformer *t, ireneo_tokens *end,
                     double *factors) {
    ireneo_tokens tokens = ireneo_block_input(t);
    double growth = 0.0;
    for (size_t layer = 0; layer < t->layers; layer++) {
        ireneo_attention_averages attention = ireneo_block_attention(block, IRENEO_MAP_EXACT, tokens);
        double factor = block_factor(block, t, tokens, attention);
        if (factors != NULL) factors[layer] = factor;
        growth += log(factor);
        tokens = ireneo_block_step(block, t, IRENEO_MAP_EXACT, tokens, attention);
    }
    *end = tokens;
    return growth;
}

double ireneo_relative_growth(const ireneo_block *block, const ireneo_transformer *t) {
    ireneo_tokens end;
    double growth = follow(block, t, &end, NULL);
    return growth + log(ireneo_block_input(t).q / end.q);
}

ireneo_error ireneo_attention_gradient_depth(const ireneo_transformer *transformer, double *gradient) {
    IRENEO_REQUIRE(transformer != NULL && gradient != NULL,
                   "the law of gradients needs a transformer and room");
    IRENEO_TRY(ireneo_check_transformer(transformer));
    ireneo_block block;
    IRENEO_TRY(ireneo_enter(0, NULL));
    ireneo_error failed = ireneo_leave(ireneo_block_open(transformer, &block));
    if (failed != IRENEO_OK) return failed;
    ireneo_tokens end;
    (void)follow(&block, transformer, &end, gradient);
    ireneo_block_close(&block);
    gradient[transformer->layers] = 1.0;
    for (size_t layer = transformer->layers; layer-- > 0;) gradient[layer] *= gradient[layer + 1];
    return IRENEO_OK;
}
