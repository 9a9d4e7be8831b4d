/* Well-known models as their usual initialisation leaves them. Weight matrices have standard deviation 0.02 (initializer_range
 * of the models' config.json, or its default in Hugging Face's transformers) and biases are zero; the value variance is that of
 * the product W_O W_V, which networks draw apart. Sizes are those of the config.json of bert-base-uncased, gpt2, gpt2-xl, vit-base-patch16-224,
 * Meta-Llama-3-8B, Qwen3-8B, gemma-3-4b-it and OLMo-2-1124-7B. What the input tokens are follows from the embeddings where it
 * can be told from the code:
 *
 *   bert-base     word, position and token-type vectors of equal size are summed and normalised; the type is the same for all
 *                 tokens, which alone makes rho_0 = 1/3; a few repeated words add to it
 *   gpt2-...      word and position vectors of variance 0.0004 each enter the stream as they are, so q_0 is 0.0008;
 *                 projections into the stream are scaled by 1 / sqrt(2 layers)
 *   vit-b         patches of unit-variance pixels give q_0 = 0.31; how alike they are depends on the pictures, and 0.2 is an
 *                 assumption
 *   llama-3-8b, qwen-3, olmo-2
 *                 words of variance 0.0004 enter as they are; one pair of words in a hundred being the same makes rho_0 = 0.01
 *   gemma-3       the same times the width; five of six layers see 1024 tokens and turn with base 1e4, which are the numbers here
 *   deepnorm      the 100 layers of the encoder of DeepNet's 3.2 B model (Wang and others, arXiv 2203.00555): skips of strength
 *                 (2 layers)^(1/4), Glorot's variances, those of W_V, W_O, W_1 and W_2 times (8 layers)^(-1/2) */
#include "attention/theory/presets.h"
#include "attention/theory/transformer.h"

#include <math.h>
#include <string.h>

static const double USUAL_STD = 0.02;

enum { CAUSAL = 1, RMS = 2, NORMED_QUERIES = 4, SHRUNK = 8, OWN_SCALES = 16, DEEPNORM = 32 };

#define POST     IRENEO_NORMALISATION_POST
#define PRE      IRENEO_NORMALISATION_PRE
#define BRANCH   IRENEO_NORMALISATION_BRANCH
#define SANDWICH IRENEO_NORMALISATION_SANDWICH
#define RELU     IRENEO_ACTIVATION_RELU
#define GELU     IRENEO_ACTIVATION_GELU
#define GEGLU    IRENEO_ACTIVATION_GEGLU
#define SWIGLU   IRENEO_ACTIVATION_SWIGLU

typedef struct preset {
    const char *name;
    int layers, width, heads, key_heads, head_width, mlp_width, context, window;
    ireneo_normalisation norm;
    ireneo_activation activation;
    int flags;
    double rope, rho_0, q_0;
} preset;

static const preset PRESETS[] = {
    {"bert-base", 12, 768, 12, 0, 0, 3072, 512, 0, POST, GELU, 0, 0, 0.34, 1.0},
    {"gpt2-small", 12, 768, 12, 0, 0, 3072, 1024, 0, PRE, GELU, CAUSAL | SHRUNK, 0, 0.01, 0.0008},
    {"gpt2-xl", 48, 1600, 25, 0, 0, 6400, 1024, 0, PRE, GELU, CAUSAL | SHRUNK, 0, 0.01, 0.0008},
    {"vit-b", 12, 768, 12, 0, 0, 3072, 197, 0, PRE, GELU, 0, 0, 0.2, 0.31},
    {"llama-3-8b", 32, 4096, 32, 8, 0, 14336, 8192, 0, PRE, SWIGLU, CAUSAL | RMS, 5e5, 0.01, 0.0004},
    {"qwen-3", 36, 4096, 32, 8, 0, 12288, 40960, 0, PRE, SWIGLU, CAUSAL | RMS | NORMED_QUERIES, 1e6, 0.01,
     0.0004},
    {"gemma-3", 34, 2560, 8, 4, 256, 10240, 131072, 1024, SANDWICH, GEGLU, CAUSAL | RMS | NORMED_QUERIES, 1e4,
     0.01, 1.024},
    {"olmo-2", 32, 4096, 32, 0, 0, 11008, 4096, 0, BRANCH, SWIGLU, CAUSAL | RMS | NORMED_QUERIES, 5e5, 0.01,
     0.0004},
    {"deepnorm", 100, 1024, 16, 0, 0, 4096, 512, 0, POST, RELU, DEEPNORM, 0, 0.05, 1.0},
    /* Between the two collapses, and trained in a minute; rho_0 is that of the embedded text of the figures. */
    {"small", 24, 64, 4, 0, 0, 64, 32, 0, POST, RELU, OWN_SCALES, 0, 0.04, 1.0},
};

static ireneo_error find_preset(const char *name, const preset **found) {
    if (strcmp(name, "gpt2") == 0) name = "gpt2-small"; /* the model_type of all of them */
    for (size_t i = 0; i < sizeof PRESETS / sizeof *PRESETS; i++)
        if (strcmp(name, PRESETS[i].name) == 0) return *found = &PRESETS[i], IRENEO_OK;
    return ireneo_fail(
        IRENEO_ERROR_ARGUMENT,
        "there is no preset '%s'; choose bert-base, gpt2-small, gpt2-xl, vit-b, llama-3-8b, qwen-3, gemma-3, "
        "olmo-2, deepnorm or small",
        name);
}

ireneo_error ireneo_transformer_set_deviations(ireneo_transformer *t, const ireneo_block_deviations *std) {
    IRENEO_REQUIRE(t != NULL && std != NULL, "no transformer or no standard deviations were given");
    double width = (double)t->width;
    double inner = (double)(t->head_width > 0 ? t->head_width * t->heads : t->width);
    double projected = std->output > 0.0 ? inner * std->output * std->output : 1.0;
    t->beta = ireneo_beta_from_std(std->query, std->key, width, t->context);
    t->value_variance = width * std->value * std->value * projected;
    t->mlp_in_variance = width * std->mlp_in * std->mlp_in;
    t->mlp_gate_variance = ireneo_is_gated(t->activation) ? width * std->mlp_gate * std->mlp_gate : 0.0;
    t->mlp_out_variance = (double)t->mlp_width * std->mlp_out * std->mlp_out;
    t->value_bias_variance = t->mlp_bias_variance = 0.0;
    t->output_projection = std->output > 0.0;
    return IRENEO_OK;
}

void ireneo_deepnorm(ireneo_transformer *t, ireneo_block_deviations *std) {
    double layers = (double)t->layers, width = (double)t->width, gain = pow(8.0 * layers, -0.25);
    double inner = (double)(t->head_width > 0 ? t->head_width * t->heads : t->width);
    double square = sqrt(2.0 / (width + inner)), wide = gain * sqrt(2.0 / (width + (double)t->mlp_width));
    *std = (ireneo_block_deviations){.query = square,
                                     .key = square,
                                     .value = gain * square,
                                     .output = gain * square,
                                     .mlp_gate = wide,
                                     .mlp_in = wide,
                                     .mlp_out = wide};
    t->residual_attention = t->residual_mlp = pow(2.0 * layers, 0.25);
}

/* The weights of the defaults, as "small" has them. */
static void set_own_scales(ireneo_transformer *t) {
    ireneo_transformer usual;
    ireneo_transformer_defaults(&usual);
    t->beta = 0.5;
    t->value_variance = usual.value_variance;
    t->mlp_in_variance = usual.mlp_in_variance;
    t->mlp_out_variance = usual.mlp_out_variance;
    t->value_bias_variance = usual.value_bias_variance;
    t->mlp_bias_variance = usual.mlp_bias_variance;
    t->residual_attention = 2.0;
    t->residual_mlp = usual.residual_mlp;
}

ireneo_error ireneo_transformer_set_std(ireneo_transformer *t, const char *preset_name, double std,
                                        int no_output_projection) {
    const preset *way = &PRESETS[0];
    IRENEO_REQUIRE(t != NULL, "no transformer was given");
    if (preset_name != NULL) IRENEO_TRY(find_preset(preset_name, &way));
    if (!(std >= 0.0 && std <= 1e3))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the standard deviation must lie between 0 and 1000, not %g", std);
    if (std == 0.0 && (way->flags & OWN_SCALES) != 0) return set_own_scales(t), IRENEO_OK;
    bool deep = std == 0.0 && (way->flags & DEEPNORM) != 0;
    if (std == 0.0) std = USUAL_STD;
    double shrunk = (way->flags & SHRUNK) != 0 ? std * sqrt(0.5 / (double)t->layers) : std;
    ireneo_block_deviations all = {std, std, std, shrunk, std, std, shrunk};
    if (deep) ireneo_deepnorm(t, &all);
    if (no_output_projection) all.output = 0.0;
    return ireneo_transformer_set_deviations(t, &all);
}

/* The architecture of a row of the table, with the weights of the defaults. */
static ireneo_transformer build(const preset *p) {
    ireneo_transformer t;
    ireneo_transformer_defaults(&t);
    t.layers = (size_t)p->layers;
    t.width = (size_t)p->width;
    t.heads = (size_t)p->heads;
    t.key_heads = (size_t)p->key_heads;
    t.head_width = (size_t)p->head_width;
    t.mlp_width = (size_t)p->mlp_width;
    t.context = p->context;
    t.window = p->window;
    t.normalisation = p->norm;
    t.activation = p->activation;
    t.causal = (p->flags & CAUSAL) != 0;
    t.rms_norm = (p->flags & RMS) != 0;
    t.query_key_norm = (p->flags & NORMED_QUERIES) != 0 ? 1.0 : 0.0;
    t.rope_base = p->rope;
    t.rho_0 = p->rho_0;
    t.q_0 = p->q_0;
    return t;
}

ireneo_error ireneo_transformer_preset(const char *name, ireneo_transformer *transformer) {
    const preset *found = NULL;
    IRENEO_REQUIRE(transformer != NULL, "a preset needs a place to be written to");
    *transformer = (ireneo_transformer){0};
    IRENEO_REQUIRE(name != NULL, "a preset needs a name");
    IRENEO_TRY(find_preset(name, &found));
    *transformer = build(found);
    return ireneo_transformer_set_std(transformer, name, 0.0, 0);
}
