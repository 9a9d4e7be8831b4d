/* Ranges of what a real network can be made of; the theory allows more. */
#include "attention/network/network_settings.h"

#include <math.h>

static ireneo_error check_sizes(const ireneo_transformer *t) {
    enum { MOST = 1 << 20 }; /* keeps every index of a BLAS call inside an int */
    if (t->layers < 1 || t->layers > 100000)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "a network has 1 to 100000 layers, not %zu", t->layers);
    if (t->width < 2 || t->width > MOST / 4 || t->mlp_width > MOST)
        return ireneo_fail(
            IRENEO_ERROR_ARGUMENT,
            "the width must lie between 2 and %d and that of the MLP below %d, not %zu and %zu", MOST / 4,
            MOST, t->width, t->mlp_width);
    if (t->heads < 1 || t->width % t->heads != 0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%zu heads do not divide the width %zu", t->heads,
                           t->width);
    if (!(t->context >= 2.0 && t->context <= 65536.0) || t->context != floor(t->context))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "a real network has a whole number of tokens between 2 and 65536, not %g",
                           t->context);
    if (t->keys != 0.0 && t->keys != t->context)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "real networks have no padding: every token is a key");
    return IRENEO_OK;
}

static ireneo_error check_scale(double value, double most, const char *name) {
    if (!(value >= 0.0 && value <= most))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s must lie between 0 and %g, not %g", name, most, value);
    return IRENEO_OK;
}

/* Names the first ingredient that is not known here. */
static ireneo_error check_covered(const ireneo_transformer *t) {
    const struct {
        const char *name;
        bool used;
    } parts[] = {{"a window", t->window > 0.0},
                 {"RMSNorm", t->rms_norm != 0},
                 {"parallel branches", t->parallel != 0},
                 {"an output projection", t->output_projection != 0},
                 {"shared keys and values", t->key_heads > 0 && t->key_heads != t->heads},
                 {"a width of heads of its own", t->head_width > 0 && t->head_width * t->heads != t->width},
                 {"this place of the norms", (int)t->normalisation > IRENEO_NORMALISATION_PRE},
                 {"this activation", (int)t->activation > IRENEO_ACTIVATION_GELU},
                 {"rotary positions", t->rope_base > 0.0},
                 {"a norm of queries and keys", t->query_key_norm > 0.0},
                 {"a cap of the logits", t->soft_cap > 0.0}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].used)
            return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the network does not have %s", parts[i].name);
    return IRENEO_OK;
}

ireneo_error ireneo_network_read(const ireneo_transformer *t, ireneo_network_shape *shape,
                                 ireneo_network_scales *scales) {
    IRENEO_REQUIRE(t != NULL, "no transformer was given");
    IRENEO_TRY(ireneo_check_reserved(t->reserved, "the transformer"));
    IRENEO_TRY(check_sizes(t));
    IRENEO_TRY(check_scale(t->beta, 1e4, "beta"));
    IRENEO_TRY(check_scale(t->value_variance, 1e6, "the variance of W_V"));
    IRENEO_TRY(check_scale(t->mlp_in_variance, 1e6, "the variance of W_1"));
    IRENEO_TRY(check_scale(t->mlp_out_variance, 1e6, "the variance of W_2"));
    IRENEO_TRY(check_scale(t->value_bias_variance, 1e6, "the variance of the value bias"));
    IRENEO_TRY(check_scale(t->mlp_bias_variance, 1e6, "the variance of the MLP biases"));
    IRENEO_TRY(check_scale(t->residual_attention, 1e6, "the residual strength of attention"));
    IRENEO_TRY(check_scale(t->residual_mlp, 1e6, "the residual strength of the MLP"));
    IRENEO_TRY(check_scale(t->rho_0, 1.0, "rho_0"));
    IRENEO_TRY(check_scale(t->q_0, 1e6, "q_0"));
    IRENEO_TRY(check_covered(t));
    if (t->causal && t->gain_control)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "gain control is not defined for causal attention");
    *shape = (ireneo_network_shape){.layers = t->layers,
                                    .width = t->width,
                                    .heads = t->heads,
                                    .context = (size_t)t->context,
                                    .mlp_width = t->mlp_width > 0 ? t->mlp_width : t->width,
                                    .normalisation = t->normalisation,
                                    .activation = t->activation,
                                    .causal = t->causal != 0,
                                    .gain_control = t->gain_control != 0,
                                    .residual_attention = t->residual_attention,
                                    .residual_mlp = t->residual_mlp};
    *scales = (ireneo_network_scales){.beta = t->beta,
                                      .value_variance = t->value_variance,
                                      .mlp_in_variance = t->mlp_in_variance,
                                      .mlp_out_variance = t->mlp_out_variance,
                                      .value_bias_variance = t->value_bias_variance,
                                      .mlp_bias_variance = t->mlp_bias_variance};
    return IRENEO_OK;
}
