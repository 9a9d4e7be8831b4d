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
#include "attention/theory/rem.h"

#include <math.h>

/* The factor of the attention half of one block, for tokens at distance 1 - rho. */
static ireneo_error attention_factor(const ireneo_transformer *t, double distance, double *factor) {
    double keys = t->keys > 0.0 ? t->keys : t->context, logits = t->beta * t->beta * log(t->context);
    ireneo_rem_row row;
    IRENEO_TRY(ireneo_rem_exact(sqrt(logits * distance), keys, &row));
    double uniform = t->gain_control ? 1.0 / keys : 0.0, common = t->gain_control ? 0.0 : 1.0 - distance;
    double condensed = row.y[2] - 2.0 * row.y[3] + row.y2_squared;
    double paths = row.y[2] - uniform + logits * distance * (1.0 + distance) * condensed;
    double q_out = t->value_variance * (common + distance * (row.y[2] - uniform)) + t->value_bias_variance;
    double skip = t->residual_attention * t->residual_attention;
    *factor = (skip + t->value_variance * paths) / (skip + q_out);
    return IRENEO_OK;
}

ireneo_error ireneo_attention_gradient_depth(const ireneo_transformer *transformer, double *gradient) {
    IRENEO_REQUIRE(transformer != NULL && gradient != NULL,
                   "the law of gradients needs a transformer and room");
    if (transformer->normalisation != IRENEO_NORMALISATION_POST)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the law of gradients over depth holds for post-LN only");
    ireneo_attention_propagation p;
    IRENEO_TRY(ireneo_attention_propagate(transformer, &p));
    ireneo_error failed = IRENEO_OK;
    gradient[p.layers] = 1.0;
    for (size_t l = p.layers; l-- > 0 && failed == IRENEO_OK;) {
        double factor = 0.0;
        failed = attention_factor(transformer, p.distance[l], &factor);
        gradient[l] = gradient[l + 1] * factor * p.chi_mlp;
    }
    ireneo_attention_propagation_free(&p);
    return failed;
}
