/* How a gradient changes on its way back through post-LN blocks at initialisation.
 *
 * For gradients g_s of the output tokens that are independent of each other and of the weights, the three
 * ways through attention add up without cross terms. With delta_sk = A_sk g_s . (v_k - o_s), values    |sum_s
 * A_sk W_V^T g_s|^2          -> sigma_v^2 Y_2 |g|^2 queries   beta^2 log T (q - p) sum_k delta^2 keys beta^2
 * log T q sum_s delta^2 ,      E sum_k delta_sk^2 = sigma_v^2 (q - p) E[Y_2 - 2 Y_3 + Y_2^2] |g|^2 and
 * LayerNorm divides by the variance of its input, a^2 + q_out. So one block multiplies |dL/dx|^2 by (a^2 +
 * sigma_v^2 (Y_2 + beta^2 log T (1 - rho)(2 - rho) E[Y_2 - 2 Y_3 + Y_2^2])) / (a^2 + q_out) chi_MLP . */
#include "attention/network.h"

#include <math.h>

/* The factor of the attention half of one block, for tokens of similarity rho. */
static ireneo_error attention_factor(const ireneo_transformer *t, double rho, double *factor) {
    ireneo_attention_input input = {.beta = t->beta,
                                    .context = t->context,
                                    .keys = t->keys,
                                    .q = 1.0,
                                    .p = rho,
                                    .value_variance = t->value_variance,
                                    .value_bias_variance = t->value_bias_variance,
                                    .gain_control = t->gain_control};
    ireneo_attention_report r;
    IRENEO_TRY(ireneo_attention_layer(&input, &r));
    double spread = t->beta * t->beta * log(t->context) * (1.0 - rho) * (2.0 - rho);
    double paths = r.participation + spread * (r.participation - 2.0 * r.y3 + r.y2_squared);
    double skip = t->residual_attention * t->residual_attention;
    *factor = (skip + t->value_variance * paths) / (skip + r.q_out);
    return IRENEO_OK;
}

ireneo_error ireneo_gradient_depth(const ireneo_transformer *transformer, double *gradient) {
    if (transformer->normalisation != IRENEO_POST_LN)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the law of gradients over depth holds for post-LN only");
    ireneo_propagation p;
    IRENEO_TRY(ireneo_propagate(transformer, &p));
    ireneo_error failed = IRENEO_OK;
    gradient[p.layers] = 1.0;
    for (size_t l = p.layers; l-- > 0 && failed == IRENEO_OK;) {
        double factor = 0.0;
        failed = attention_factor(transformer, fmin(p.rho[l], 1.0 - 1e-12), &factor);
        gradient[l] = gradient[l + 1] * factor * p.chi_mlp;
    }
    ireneo_propagation_free(&p);
    return failed;
}
