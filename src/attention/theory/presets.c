/* Well-known models as their usual initialisation leaves them. Weight matrices have standard deviation 0.02
 * and biases are zero; with an output projection the value variance is that of the product W_O W_V. The
 * similarity of input tokens follows from the embeddings where it can be told from the code:
 *
 *   bert-base    word, position and token-type vectors of equal size are summed and normalised; the type is
 *                the same for all tokens, which alone makes rho_0 = 1/3; a few repeated words add to it
 *   gpt2-small   word and position vectors of variance 0.0004 each enter the stream as they are, so q_0 is
 *                0.0008; projections into the stream are scaled by 1 / sqrt(2 layers)
 *   vit-b        patches of unit-variance pixels give q_0 = 0.31; how alike they are depends on the pictures,
 *                and 0.2 is an assumption */
#include "base/error.h"

#include <string.h>

static const double USUAL_STD = 0.02;

/* The sizes that the three have in common; biases are zero. */
static ireneo_transformer base_sized(double context, double rho_0) {
    ireneo_transformer t;
    ireneo_transformer_defaults(&t);
    t.layers = 12;
    t.width = 768;
    t.heads = 12;
    t.mlp_width = 3072;
    t.activation = IRENEO_ACTIVATION_GELU;
    t.context = context;
    t.rho_0 = rho_0;
    return t;
}

static ireneo_transformer bert_base(void) {
    return base_sized(512.0, 0.34);
}

static ireneo_transformer gpt2_small(void) {
    ireneo_transformer t = base_sized(1024.0, 0.01);
    t.normalisation = IRENEO_NORMALISATION_PRE;
    t.q_0 = 0.0008;
    return t;
}

static ireneo_transformer vit_b(void) {
    ireneo_transformer t = base_sized(197.0, 0.2);
    t.normalisation = IRENEO_NORMALISATION_PRE;
    t.q_0 = 0.31;
    return t;
}

/* Between the two collapses, and trained in a minute; rho_0 is that of the embedded text of the figures. */
static ireneo_transformer small(void) {
    ireneo_transformer t;
    ireneo_transformer_defaults(&t);
    t.layers = 24;
    t.width = t.mlp_width = 64;
    t.heads = 4;
    t.context = 32.0;
    t.beta = 0.5;
    t.residual_attention = 2.0;
    t.rho_0 = 0.04;
    return t;
}

typedef struct preset {
    const char *name;
    ireneo_transformer (*make)(void);
    int usual_std;     /* weights of USUAL_STD, not those of the defaults */
    int shrink_output; /* matrices that write into the stream are divided by sqrt(2 layers) */
} preset;

static const preset PRESETS[] = {{"bert-base", bert_base, 1, 0},
                                 {"gpt2-small", gpt2_small, 1, 1},
                                 {"vit-b", vit_b, 1, 0},
                                 {"small", small, 0, 0}};

static ireneo_error find_preset(const char *name, const preset **found) {
    for (size_t i = 0; i < sizeof PRESETS / sizeof *PRESETS; i++)
        if (strcmp(name, PRESETS[i].name) == 0) return *found = &PRESETS[i], IRENEO_OK;
    return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                       "there is no preset '%s'; choose bert-base, gpt2-small, vit-b or small", name);
}

ireneo_error ireneo_transformer_set_std(ireneo_transformer *t, const char *preset_name, double std,
                                        int no_output_projection) {
    const preset *way = &PRESETS[0];
    IRENEO_REQUIRE(t != NULL, "no transformer was given");
    if (preset_name != NULL) IRENEO_TRY(find_preset(preset_name, &way));
    if (!(std >= 0.0 && std <= 1e3))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the standard deviation must lie between 0 and 1000, not %g", std);
    if (std == 0.0) std = USUAL_STD;
    double inner = std * std * (double)t->width, shrink = way->shrink_output ? 0.5 / (double)t->layers : 1.0;
    t->beta = ireneo_beta_from_std(std, std, (double)t->width, t->context);
    t->value_variance = no_output_projection ? inner : inner * inner * shrink;
    t->mlp_in_variance = inner;
    t->mlp_out_variance = std * std * (double)t->mlp_width * shrink;
    t->value_bias_variance = t->mlp_bias_variance = 0.0;
    return IRENEO_OK;
}

ireneo_error ireneo_transformer_preset(const char *name, ireneo_transformer *transformer) {
    const preset *found = NULL;
    IRENEO_REQUIRE(transformer != NULL, "a preset needs a place to be written to");
    *transformer = (ireneo_transformer){0};
    IRENEO_REQUIRE(name != NULL, "a preset needs a name");
    IRENEO_TRY(find_preset(name, &found));
    *transformer = found->make();
    return found->usual_std ? ireneo_transformer_set_std(transformer, name, 0.0, 0) : IRENEO_OK;
}
