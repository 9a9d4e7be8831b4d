/* How a gradient changes on its way back through post-LN blocks at initialisation.
 *
 * For gradients g_s of the output tokens that are independent of each other and of the weights, the three
 * ways through attention add up without cross terms. With delta_sk = A_sk g_s . (v_k - o_s),
 *
 *     values    |sum_s A_sk W_V^T g_s|^2               -> sigma_v^2 Y_2 |g|^2
 *     queries   beta^2 log T (q - p) sum_k delta_sk^2
 *     keys      beta^2 log T q       sum_s delta_sk^2 ,
 *               E sum_k delta_sk^2 = sigma_v^2 (q - p) E[Y_2 - 2 Y_3 + Y_2^2] |g|^2 ,
 *
 * and LayerNorm divides by the variance of its input, a^2 + q_out. So one block multiplies |dL/dx|^2 by
 *
 *     (a^2 + sigma_v^2 (Y_2 + beta^2 log T (1 - rho)(2 - rho) E[Y_2 - 2 Y_3 + Y_2^2])) / (a^2 + q_out)
 *
 * in its attention half and by chi_MLP in the other. */
#include "attention/theory/gradient_depth.h"
#include "attention/theory/stability.h"
#include "attention/theory/transformer.h"
#include "base/threads.h"

#include <math.h>

/* The factor of the attention half of one block, for tokens at distance 1 - rho. */
static double attention_factor(const ireneo_transformer *t, double distance, ireneo_attention_averages a) {
    double keys = t->keys > 0.0 ? t->keys : t->context, logits = t->beta * t->beta * log(t->context);
    double uniform = t->gain_control ? 1.0 / keys : 0.0, common = t->gain_control ? 0.0 : 1.0 - distance;
    double paths = a.participation - uniform + logits * distance * (1.0 + distance) * a.condensed;
    double q_out =
        t->value_variance * (common + distance * (a.participation - uniform)) + t->value_bias_variance;
    double skip = t->residual_attention * t->residual_attention;
    return (skip + t->value_variance * paths) / (skip + q_out);
}

bool ireneo_gradients_known(const ireneo_transformer *transformer) {
    return transformer->normalisation == IRENEO_NORMALISATION_POST;
}

ireneo_error ireneo_check_gradients(const ireneo_transformer *transformer) {
    if (!ireneo_gradients_known(transformer))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the law of gradients over depth holds for post-LN only");
    return IRENEO_OK;
}

double ireneo_gradient_growth(const ireneo_block *block, const ireneo_transformer *t, double *factors) {
    ireneo_tokens tokens = ireneo_block_input(t);
    double chi = ireneo_chi_mlp(block, t, 1.0), growth = 0.0;
    for (size_t layer = 0; layer < t->layers; layer++) {
        ireneo_attention_averages attention = ireneo_block_attention(block, IRENEO_MAP_EXACT, tokens);
        double factor = chi * attention_factor(t, tokens.gap / tokens.q, attention);
        if (factors != NULL) factors[layer] = factor;
        growth += log(factor);
        tokens = ireneo_block_step(block, t, IRENEO_MAP_EXACT, tokens, attention);
    }
    return growth;
}

ireneo_error ireneo_attention_gradient_depth(const ireneo_transformer *transformer, double *gradient) {
    IRENEO_REQUIRE(transformer != NULL && gradient != NULL,
                   "the law of gradients needs a transformer and room");
    IRENEO_TRY(ireneo_check_transformer(transformer));
    IRENEO_TRY(ireneo_check_gradients(transformer));
    ireneo_block block;
    IRENEO_TRY(ireneo_enter(0, NULL));
    ireneo_error failed = ireneo_leave(ireneo_block_open(transformer, &block));
    if (failed != IRENEO_OK) return failed;
    (void)ireneo_gradient_growth(&block, transformer, gradient);
    ireneo_block_close(&block);
    gradient[transformer->layers] = 1.0;
    for (size_t layer = transformer->layers; layer-- > 0;) gradient[layer] *= gradient[layer + 1];
    return IRENEO_OK;
}
