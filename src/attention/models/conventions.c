/* How others draw the weights of an architecture, and what follows from it:
 *
 *   gpt2       standard deviation 0.02; matrices that write into the stream over sqrt(2 layers) (Radford and others 2019)
 *   bert       standard deviation 0.02 (Devlin and others 2018)
 *   deepnorm   Glorot's variances, W_V, W_O and the MLP times (8 layers)^(-1/4), skips of (2 layers)^(1/4), norms after the sum
 *              (Wang and others, arXiv 2203.00555, encoders)
 *   mup        variances 1 / inputs, logits divided by the width of a head and not by its root (Yang and others, arXiv
 *              2203.03466)
 *   torch      torch.nn.Linear as it comes: uniform between +-1 / sqrt(inputs), biases too where the MLP has no gate */
#include "attention/theory/block.h"
#include "attention/theory/presets.h"
#include "attention/theory/transformer.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

/* Inputs of W_O. */
static double inner_width(const ireneo_transformer *t) {
    return (double)(t->head_width > 0 ? t->head_width * t->heads : t->width);
}

static ireneo_block_deviations by_inputs(const ireneo_transformer *t, double variance) {
    double wide = sqrt(variance / (double)t->width);
    return (ireneo_block_deviations){.query = wide,
                                     .key = wide,
                                     .value = wide,
                                     .output = sqrt(variance / inner_width(t)),
                                     .mlp_gate = wide,
                                     .mlp_in = wide,
                                     .mlp_out = sqrt(variance / (double)t->mlp_width)};
}

static ireneo_block_deviations all_alike(double std, double written) {
    return (ireneo_block_deviations){std, std, std, written, std, std, written};
}

static void gpt2(ireneo_attention_convention *c) {
    c->std = all_alike(0.02, 0.02 / sqrt(2.0 * (double)c->transformer.layers));
}

static void bert(ireneo_attention_convention *c) {
    c->std = all_alike(0.02, 0.02);
}

static void deepnorm(ireneo_attention_convention *c) {
    c->transformer.normalisation = IRENEO_NORMALISATION_POST;
    c->transformer.branch_gain = 0.0;
    c->transformer.parallel = 0;
    ireneo_deepnorm(&c->transformer, &c->std);
}

static void mup(ireneo_attention_convention *c) {
    c->std = by_inputs(&c->transformer, 1.0);
}

static void torch_linear(ireneo_attention_convention *c) {
    c->std = by_inputs(&c->transformer, 1.0 / 3.0);
}

static const struct {
    const char *name;
    void (*choose)(ireneo_attention_convention *);
} CONVENTIONS[IRENEO_CONVENTIONS] = {
    {"gpt2", gpt2}, {"bert", bert}, {"deepnorm", deepnorm}, {"mup", mup}, {"torch", torch_linear}};

/* What standard deviations do not say: the smaller logits of muP, the biases of torch.nn.Linear. */
static void finish_scales(ireneo_attention_convention *c) {
    ireneo_transformer *t = &c->transformer;
    double head = inner_width(t) / (double)t->heads;
    if (strcmp(c->name, "mup") == 0) {
        t->beta /= sqrt(head);
        t->query_key_norm /= sqrt(head);
    }
    if (strcmp(c->name, "torch") == 0 && !ireneo_is_gated(t->activation)) {
        double bias = 1.0 / (3.0 * (double)t->width);
        t->value_bias_variance = bias / 3.0 + 1.0 / (3.0 * inner_width(t)); /* through W_O, and its own */
        t->mlp_bias_variance = bias;
    }
}

/* As a recommendation is judged: under a mask the last quarter of the rows, and a row that sees all keys. What the
 * theory does not know stays NaN. */
static ireneo_error follow(ireneo_attention_convention *c) {
    ireneo_block block;
    c->rho = c->distance = c->entropy = NAN;
    IRENEO_TRY(ireneo_enter(0, NULL));
    ireneo_error failed = ireneo_check_transformer(&c->transformer);
    if (failed == IRENEO_OK) failed = ireneo_block_open(&c->transformer, &block);
    ireneo_leave(failed);
    if (failed == IRENEO_ERROR_ARGUMENT || failed == IRENEO_ERROR_NUMERIC) return IRENEO_OK;
    if (failed != IRENEO_OK) return failed;
    double distance = ireneo_block_final_distance(&block, &c->transformer, IRENEO_MAP_EXACT);
    if (distance > 0.0 || c->transformer.normalisation != IRENEO_NORMALISATION_NONE) { /* outgrown: 0 */
        c->rho = 1.0 - distance;
        c->distance = distance;
        c->entropy =
            ireneo_block_attention(&block, IRENEO_MAP_EXACT, ireneo_block_input(&c->transformer)).entropy;
    }
    ireneo_block_close(&block);
    return IRENEO_OK;
}

ireneo_error ireneo_attention_conventions(const ireneo_transformer *transformer, int no_output_projection,
                                          ireneo_attention_convention *conventions) {
    IRENEO_REQUIRE(conventions != NULL, "conventions need a place to be written to");
    memset(conventions, 0, IRENEO_CONVENTIONS * sizeof *conventions);
    IRENEO_TRY(ireneo_check_transformer(transformer));
    for (size_t i = 0; i < IRENEO_CONVENTIONS; i++) {
        ireneo_attention_convention *c = &conventions[i];
        c->transformer = *transformer;
        c->transformer.residual_attention = c->transformer.residual_mlp = 1.0;
        memcpy(c->name, CONVENTIONS[i].name, strlen(CONVENTIONS[i].name) + 1);
        CONVENTIONS[i].choose(c);
        if (no_output_projection) c->std.output = 0.0;
        if (!ireneo_is_gated(transformer->activation)) c->std.mlp_gate = 0.0;
        IRENEO_TRY(ireneo_transformer_set_deviations(&c->transformer, &c->std));
        finish_scales(c);
        IRENEO_TRY(follow(c));
    }
    return IRENEO_OK;
}
