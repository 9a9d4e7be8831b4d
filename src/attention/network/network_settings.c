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
    if (!(t->context >= 2.0 && t->context <= 65536.0) || t->context != floor(t->context))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "a real network has a whole number of tokens between 2 and 65536, not %g",
                           t->context);
    if (t->keys != 0.0 && (!(t->keys >= 2.0 && t->keys <= t->context) || t->keys != floor(t->keys)))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "a real network has a whole number of tokens that count, 2 to all %g, not %g",
                           t->context, t->keys);
    return IRENEO_OK;
}

/* Heads: how wide they are, and which share keys. */
static ireneo_error check_heads(const ireneo_transformer *t) {
    enum { MOST = 1 << 16 };
    if (t->heads < 1 || (t->head_width == 0 && t->width % t->heads != 0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%zu heads do not divide the width %zu", t->heads,
                           t->width);
    if (t->heads > MOST || t->head_width > MOST || t->heads * t->head_width > 4 * (size_t)MOST)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%zu heads of width %zu are more than a network can have",
                           t->heads, t->head_width);
    if (t->key_heads > 0 && t->heads % t->key_heads != 0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%zu heads cannot share %zu heads of keys and values",
                           t->heads, t->key_heads);
    if (t->head_width > 0 && t->heads * t->head_width != t->width && !t->output_projection)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "%zu heads of width %zu do not fill the width %zu: they need an output projection",
                           t->heads, t->head_width, t->width);
    if (t->rope_base > 0.0 && (t->head_width > 0 ? t->head_width : t->width / t->heads) % 2 != 0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "rotary positions turn pairs of numbers: a head needs an even width");
    return IRENEO_OK;
}

/* Ingredients that do not go together. */
static ireneo_error check_together(const ireneo_transformer *t) {
    bool has_output_norm =
        t->normalisation == IRENEO_NORMALISATION_BRANCH || t->normalisation == IRENEO_NORMALISATION_SANDWICH;
    bool is_gated = (int)t->activation >= IRENEO_ACTIVATION_REGLU;
    const struct {
        bool wrong;
        const char *why;
    } pairs[] = {
        {t->gain_control && t->causal, "gain control is not defined for causal attention"},
        {t->gain_control && t->window > 0.0, "gain control is not defined for a window of keys"},
        {t->branch_gain > 0.0 && !has_output_norm,
         "a gain of the branches needs a norm on their outputs: branch or sandwich"},
        {t->mlp_gate_variance > 0.0 && !is_gated,
         "a variance of the gate needs a gated activation: reglu, geglu or swiglu"},
        {t->query_key_norm > 0.0 && t->beta == 0.0,
         "a norm of queries and keys needs queries to normalise: beta must not be 0"},
        {t->output_projection && t->value_variance == 0.0 && t->value_bias_variance > 0.0,
         "a value bias cannot pass an output projection of variance 0"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].wrong) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s", pairs[i].why);
    return IRENEO_OK;
}

static ireneo_error check_kinds(const ireneo_transformer *t) {
    if ((int)t->normalisation < IRENEO_NORMALISATION_POST ||
        (int)t->normalisation > IRENEO_NORMALISATION_SANDWICH)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "unknown place of the norms");
    if ((int)t->activation < IRENEO_ACTIVATION_RELU || (int)t->activation > IRENEO_ACTIVATION_SWIGLU)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "unknown activation");
    if (t->window != 0.0 && (!(t->window >= 1.0 && t->window <= t->context) || t->window != floor(t->window)))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "a window is a whole number of keys between 1 and all %g, not %g", t->context,
                           t->window);
    if (t->rope_base != 0.0 && !(t->rope_base > 1.0 && t->rope_base <= 1e12))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the base of the rotations must lie between 1 and 1e12, not %g", t->rope_base);
    return IRENEO_OK;
}

static ireneo_error check_scales(const ireneo_transformer *t) {
    const struct {
        double value, most;
        const char *name;
    } scales[] = {{t->beta, 1e4, "beta"},
                  {t->value_variance, 1e6, "the variance of W_V"},
                  {t->mlp_in_variance, 1e6, "the variance of W_1"},
                  {t->mlp_out_variance, 1e6, "the variance of W_2"},
                  {t->mlp_gate_variance, 1e6, "the variance of the gate"},
                  {t->value_bias_variance, 1e6, "the variance of the value bias"},
                  {t->mlp_bias_variance, 1e6, "the variance of the MLP biases"},
                  {t->residual_attention, 1e6, "the residual strength of attention"},
                  {t->residual_mlp, 1e6, "the residual strength of the MLP"},
                  {t->branch_gain, 1e6, "the gain of the branches"},
                  {t->query_key_norm, 1e4, "the gain of queries and keys"},
                  {t->soft_cap, 1e6, "the cap of the logits"},
                  {t->rho_0, 1.0, "rho_0"},
                  {t->q_0, 1e6, "q_0"}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        if (!(scales[i].value >= 0.0 && scales[i].value <= scales[i].most))
            return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s must lie between 0 and %g, not %g", scales[i].name,
                               scales[i].most, scales[i].value);
    return IRENEO_OK;
}

static ireneo_network_shape shape_of(const ireneo_transformer *t) {
    return (ireneo_network_shape){.layers = t->layers,
                                  .width = t->width,
                                  .heads = t->heads,
                                  .context = (size_t)(t->keys > 0.0 ? t->keys : t->context),
                                  .mlp_width = t->mlp_width > 0 ? t->mlp_width : t->width,
                                  .key_heads = t->key_heads,
                                  .head_width = t->head_width,
                                  .window = (size_t)t->window,
                                  .normalisation = t->normalisation,
                                  .activation = t->activation,
                                  .causal = t->causal != 0,
                                  .gain_control = t->gain_control != 0,
                                  .rms_norm = t->rms_norm != 0,
                                  .parallel = t->parallel != 0,
                                  .output_projection = t->output_projection != 0,
                                  .branch_gain = t->branch_gain,
                                  .rope_base = t->rope_base,
                                  .query_key_norm = t->query_key_norm,
                                  .soft_cap = t->soft_cap,
                                  .residual_attention = t->residual_attention,
                                  .residual_mlp = t->residual_mlp};
}

ireneo_error ireneo_network_read(const ireneo_transformer *t, ireneo_network_shape *shape,
                                 ireneo_network_scales *scales) {
    IRENEO_REQUIRE(t != NULL, "no transformer was given");
    IRENEO_TRY(ireneo_check_reserved(t->reserved, "the transformer"));
    IRENEO_TRY(check_sizes(t));
    IRENEO_TRY(check_heads(t));
    IRENEO_TRY(check_kinds(t));
    IRENEO_TRY(check_scales(t));
    IRENEO_TRY(check_together(t));
    *shape = shape_of(t);
    *scales = (ireneo_network_scales){.beta = t->beta,
                                      .value_variance = t->value_variance,
                                      .mlp_in_variance = t->mlp_in_variance,
                                      .mlp_gate_variance = t->mlp_gate_variance,
                                      .mlp_out_variance = t->mlp_out_variance,
                                      .value_bias_variance = t->value_bias_variance,
                                      .mlp_bias_variance = t->mlp_bias_variance,
                                      .context = t->context};
    return IRENEO_OK;
}
