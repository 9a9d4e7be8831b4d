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

#include <math.h>
#include <string.h>

/* Standard deviation `std` everywhere, projections into the stream shrunk by `shrink`. */
static ireneo_transformer with_std(double std, double shrink) {
    ireneo_transformer t;
    ireneo_transformer_defaults(&t);
    t.layers = 12;
    t.width = 768;
    t.heads = 12;
    t.mlp_width = 3072;
    t.activation = IRENEO_ACTIVATION_GELU;
    double inner = std * std * 768.0, projection = shrink * shrink;
    t.value_variance = inner * inner * projection;
    t.mlp_in_variance = inner;
    t.mlp_out_variance = std * std * 3072.0 * projection;
    t.value_bias_variance = t.mlp_bias_variance = 0.0;
    return t;
}

static ireneo_transformer bert_base(void) {
    ireneo_transformer t = with_std(0.02, 1.0);
    t.context = 512.0;
    t.rho_0 = 0.34;
    return t;
}

static ireneo_transformer gpt2_small(void) {
    ireneo_transformer t = with_std(0.02, 1.0 / sqrt(24.0));
    t.context = 1024.0;
    t.normalisation = IRENEO_NORMALISATION_PRE;
    t.rho_0 = 0.01;
    t.q_0 = 0.0008;
    return t;
}

static ireneo_transformer vit_b(void) {
    ireneo_transformer t = with_std(0.02, 1.0);
    t.context = 197.0;
    t.normalisation = IRENEO_NORMALISATION_PRE;
    t.rho_0 = 0.2;
    t.q_0 = 0.31;
    return t;
}

ireneo_error ireneo_transformer_preset(const char *name, ireneo_transformer *transformer) {
    static const struct {
        const char *name;
        ireneo_transformer (*make)(void);
    } presets[] = {{"bert-base", bert_base}, {"gpt2-small", gpt2_small}, {"vit-b", vit_b}};
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (strcmp(name, presets[i].name) == 0) {
            *transformer = presets[i].make();
            transformer->beta =
                ireneo_beta_from_std(0.02, 0.02, (double)transformer->width, transformer->context);
            return IRENEO_OK;
        }
    return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                       "there is no preset '%s'; choose bert-base, gpt2-small or vit-b", name);
}
