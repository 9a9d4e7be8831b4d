/* The network's options, one table for two commands. */
#include "attention_network.h"

#include <string.h>

void network_options(ireneo_transformer *t, network_words *words, option *options) {
    const option rows[NETWORK_OPTIONS] = {
        {"layers", OPTION_SIZE, &t->layers, "L", "blocks of attention and MLP", 1, 1e5, false},
        {"width", OPTION_SIZE, &t->width, "D", "width of a token", 2, 1 << 18, false},
        {"context", OPTION_SIZE, &words->context, "T", "tokens in a sequence", 2, 1 << 16, false},
        {"heads", OPTION_SIZE, &t->heads, "H", "attention heads (default 1); they divide the width", 1,
         1 << 18, false},
        {"mlp-width", OPTION_SIZE, &t->mlp_width, "M", "hidden units of the MLP (default: the width)", 1,
         1 << 20, false},
        {"beta", OPTION_REAL, &t->beta, "B", "query-key scale: logits have variance B^2 log T", 0, 1e4,
         false},
        {"residual", OPTION_REAL, &t->residual_attention, "A",
         "strength of the skip around attention (default 1)", 0, 1e6, false},
        {"residual-mlp", OPTION_REAL, &t->residual_mlp, "A",
         "strength of the skip around the MLP (default 1)", 0, 1e6, false},
        {"value-variance", OPTION_REAL, &t->value_variance, "V", "of W_V times the width (default 0.2)", 0,
         1e6, false},
        {"mlp-in-variance", OPTION_REAL, &t->mlp_in_variance, "V", "of W_1 times its inputs (default 0.2)", 0,
         1e6, false},
        {"mlp-out-variance", OPTION_REAL, &t->mlp_out_variance, "V", "of W_2 times its inputs (default 0.2)",
         0, 1e6, false},
        {"value-bias-variance", OPTION_REAL, &t->value_bias_variance, "V", "(default 0.0004)", 0, 1e6, false},
        {"mlp-bias-variance", OPTION_REAL, &t->mlp_bias_variance, "V", "(default 0.0004)", 0, 1e6, false},
        {"norm", OPTION_CHOICE, &words->normalisation, "post|pre", "where the LayerNorm is (default post)", 0,
         0, false},
        {"activation", OPTION_CHOICE, &words->activation, "relu|tanh|gelu", "of the MLP (default relu)", 0, 0,
         false},
        {"gain-control", OPTION_FLAG, &words->gain_control, NULL, "take away the uniform part of attention",
         0, 0, false},
    };
    memcpy(options, rows, sizeof rows);
}

void read_network_words(const network_words *words, ireneo_transformer *t) {
    t->context = (double)words->context;
    t->gain_control = words->gain_control;
    if (words->normalisation != NULL)
        t->normalisation = strcmp(words->normalisation, "pre") == 0 ? IRENEO_PRE_LN : IRENEO_POST_LN;
    if (words->activation == NULL) return;
    t->activation = strcmp(words->activation, "tanh") == 0   ? IRENEO_TANH
                    : strcmp(words->activation, "gelu") == 0 ? IRENEO_GELU
                                                             : IRENEO_RELU;
}

void network_json(const ireneo_transformer *t, ireneo_json *json) {
    static const char *const activations[] = {"relu", "tanh", "gelu"};
    ireneo_json_size(json, "layers", t->layers);
    ireneo_json_size(json, "width", t->width);
    ireneo_json_size(json, "context", (uint64_t)t->context);
    ireneo_json_size(json, "heads", t->heads);
    ireneo_json_size(json, "mlp_width", t->mlp_width > 0 ? t->mlp_width : t->width);
    ireneo_json_text(json, "norm", t->normalisation == IRENEO_PRE_LN ? "pre" : "post");
    ireneo_json_text(json, "activation", activations[t->activation]);
    ireneo_json_bool(json, "gain_control", t->gain_control != 0);
    ireneo_json_number(json, "beta", t->beta);
    ireneo_json_number(json, "residual", t->residual_attention);
    ireneo_json_number(json, "residual_mlp", t->residual_mlp);
    ireneo_json_number(json, "value_variance", t->value_variance);
    ireneo_json_number(json, "mlp_in_variance", t->mlp_in_variance);
    ireneo_json_number(json, "mlp_out_variance", t->mlp_out_variance);
    ireneo_json_number(json, "value_bias_variance", t->value_bias_variance);
    ireneo_json_number(json, "mlp_bias_variance", t->mlp_bias_variance);
}
