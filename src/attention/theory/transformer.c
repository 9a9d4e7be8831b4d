/* The architecture struct: defaults, checks, names. */
#include "attention/theory/transformer.h"

#include <math.h>
#include <stdbool.h>

const char *ireneo_normalisation_name(ireneo_normalisation normalisation) {
    switch (normalisation) {
    case IRENEO_NORMALISATION_POST:
        return "post";
    case IRENEO_NORMALISATION_PRE:
        return "pre";
    case IRENEO_NORMALISATION_NONE:
        return "none";
    case IRENEO_NORMALISATION_BRANCH:
        return "branch";
    case IRENEO_NORMALISATION_SANDWICH:
        return "sandwich";
    }
    return "unknown";
}

const char *ireneo_activation_name(ireneo_activation activation) {
    switch (activation) {
    case IRENEO_ACTIVATION_RELU:
        return "relu";
    case IRENEO_ACTIVATION_TANH:
        return "tanh";
    case IRENEO_ACTIVATION_GELU:
        return "gelu";
    case IRENEO_ACTIVATION_SILU:
        return "silu";
    case IRENEO_ACTIVATION_REGLU:
        return "reglu";
    case IRENEO_ACTIVATION_GEGLU:
        return "geglu";
    case IRENEO_ACTIVATION_SWIGLU:
        return "swiglu";
    }
    return "unknown";
}

void ireneo_transformer_defaults(ireneo_transformer *transformer) {
    if (transformer == NULL) return;
    *transformer = (ireneo_transformer){.layers = 50,
                                        .width = 720,
                                        .heads = 1,
                                        .mlp_width = 720,
                                        .context = 512.0,
                                        .normalisation = IRENEO_NORMALISATION_POST,
                                        .activation = IRENEO_ACTIVATION_RELU,
                                        .beta = 1.0,
                                        .value_variance = 0.2,
                                        .mlp_in_variance = 0.2,
                                        .mlp_out_variance = 0.2,
                                        .value_bias_variance = 4e-4,
                                        .mlp_bias_variance = 4e-4,
                                        .residual_attention = 1.0,
                                        .residual_mlp = 1.0,
                                        .rho_0 = 0.05,
                                        .q_0 = 1.0};
}

double ireneo_beta_from_std(double std_query, double std_key, double width, double context) {
    return std_query * std_key * width / sqrt(log(context));
}

ireneo_error ireneo_check_context(double beta, double context, double keys) {
    if (!(beta >= 0.0 && beta <= IRENEO_MOST_BETA))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "beta must lie between 0 and %g, not %g", IRENEO_MOST_BETA,
                           beta);
    if (!(context >= 2.0 && context <= 1e12))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the context must have between 2 and 1e12 tokens, not %g",
                           context);
    if (keys != 0.0 && !(keys >= 2.0 && keys <= context))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "a row must see between 2 and all %g keys of its context, not %g", context, keys);
    return IRENEO_OK;
}

ireneo_error ireneo_check_sight(double context, double window, double rope_base) {
    if (window != 0.0 && !(window >= 2.0 && window <= context))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "a window holds between 2 and all %g tokens, not %g",
                           context, window);
    if (rope_base != 0.0 && !(rope_base > 1.0 && rope_base <= 1e12))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the base of the rotations must lie between 1 and 1e12, not %g", rope_base);
    return IRENEO_OK;
}

static ireneo_error check_shape(const ireneo_transformer *t) {
    if (t->layers < 1 || t->layers > 1000000)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "a transformer has between 1 and 1000000 layers, not %zu",
                           t->layers);
    if (t->width < 1 || t->heads < 1 || t->mlp_width < 1)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "width, heads and MLP width must be at least 1");
    if (t->head_width == 0 && t->width % t->heads != 0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "width %zu cannot be divided among %zu heads", t->width,
                           t->heads);
    if (t->key_heads > 0 && t->heads % t->key_heads != 0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%zu heads cannot share %zu heads of keys and values",
                           t->heads, t->key_heads);
    return ireneo_check_sight(t->context, t->window, t->rope_base);
}

static ireneo_error check_scales(const ireneo_transformer *t) {
    const struct {
        const char *name;
        double value;
    } scales[] = {{"value variance", t->value_variance},
                  {"MLP input variance", t->mlp_in_variance},
                  {"MLP output variance", t->mlp_out_variance},
                  {"value bias variance", t->value_bias_variance},
                  {"MLP bias variance", t->mlp_bias_variance},
                  {"attention residual strength", t->residual_attention},
                  {"MLP residual strength", t->residual_mlp},
                  {"gain of the branches", t->branch_gain},
                  {"gate variance", t->mlp_gate_variance},
                  {"gain of queries and keys", t->query_key_norm},
                  {"cap of the logits", t->soft_cap}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        if (!(scales[i].value >= 0.0 && scales[i].value <= 1e12))
            return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the %s must lie between 0 and 1e12, not %g",
                               scales[i].name, scales[i].value);
    if (t->residual_attention == 0.0 && t->value_variance == 0.0 && t->value_bias_variance == 0.0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "nothing passes the attention layers: residual strength and values are all zero");
    return IRENEO_OK;
}

/* Names the first ingredient, or pair of them, that the theory does not know, and what to use instead. */
static ireneo_error check_covered(const ireneo_transformer *t) {
    bool raw =
        t->normalisation == IRENEO_NORMALISATION_NONE || t->normalisation == IRENEO_NORMALISATION_BRANCH;
    bool normed_branch =
        t->normalisation == IRENEO_NORMALISATION_BRANCH || t->normalisation == IRENEO_NORMALISATION_SANDWICH;
    const struct {
        const char *name, *instead;
        bool used;
    } parts[] = {
        {"causal masks where logits follow the scale of the tokens",
         "add a norm of queries and keys, or choose pre-LN", t->causal && raw && t->query_key_norm == 0.0},
        {"causal masks without norms", "choose pre-LN",
         t->causal && t->normalisation == IRENEO_NORMALISATION_NONE},
        {"causal masks with gain control", "leave one of them out", t->causal && t->gain_control},
        {"rotary positions or a cap where logits follow the scale of the tokens",
         "add a norm of queries and keys, or choose pre-LN",
         (t->rope_base > 0.0 || t->soft_cap > 0.0) && raw && t->query_key_norm == 0.0},
        {"gain control with a norm on the branches' outputs, which divides by nothing where tokens are alike",
         "choose pre-LN", normed_branch && t->gain_control},
        {"tanh on tokens whose scale is free", "choose another activation or pre-LN",
         raw && t->activation == IRENEO_ACTIVATION_TANH}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].used)
            return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the theory does not cover %s; %s", parts[i].name,
                               parts[i].instead);
    return IRENEO_OK;
}

ireneo_error ireneo_check_transformer(const ireneo_transformer *t) {
    IRENEO_REQUIRE(t != NULL, "no transformer was given");
    IRENEO_TRY(ireneo_check_reserved(t->reserved, "the transformer"));
    IRENEO_TRY(check_shape(t));
    IRENEO_TRY(ireneo_check_context(t->beta, t->context, t->keys));
    IRENEO_TRY(check_scales(t));
    if ((int)t->normalisation < IRENEO_NORMALISATION_POST ||
        (int)t->normalisation > IRENEO_NORMALISATION_SANDWICH)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "unknown place of the norms");
    if ((int)t->activation < IRENEO_ACTIVATION_RELU || (int)t->activation > IRENEO_ACTIVATION_SWIGLU)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "unknown activation");
    if (!(t->rho_0 >= 0.0 && t->rho_0 <= 1.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the similarity of input tokens must lie between 0 and 1, not %g", t->rho_0);
    if (!(t->q_0 > 0.0 && t->q_0 <= 1e12))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the scale of input tokens must lie between 0 and 1e12, not %g", t->q_0);
    return check_covered(t);
}
