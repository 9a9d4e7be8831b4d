/* Gradients of the transformer and of the trainer's model, for every kind of parameter and every variant of
 * the architecture: the double build against central differences, the float build against the double one. */
#include "attention/network/language_model.h"
#include "base/random.h"
#include "base/threads.h"
#include "network_double.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEQUENCES = 2, CONTEXT = 7, SYMBOLS = 5, ROWS = SEQUENCES * CONTEXT, MOST_KINDS = 32 };

typedef struct kind {
    const char *name;
    size_t first, count;
} kind;

/* What every variant is made of; sizes and skips are filled in by shape_of where they are 0. */
static const struct {
    const char *name;
    ireneo_network_shape network;
    bool tied;
} VARIANTS[] = {
    {"post ReLU", {0}, false},
    {"post tanh tied", {.activation = IRENEO_ACTIVATION_TANH}, true},
    {"post GELU causal", {.activation = IRENEO_ACTIVATION_GELU, .causal = true}, false},
    {"post tanh gain control", {.activation = IRENEO_ACTIVATION_TANH, .gain_control = true}, false},
    {"pre ReLU tied", {.normalisation = IRENEO_NORMALISATION_PRE}, true},
    {"pre tanh causal",
     {.normalisation = IRENEO_NORMALISATION_PRE, .activation = IRENEO_ACTIVATION_TANH, .causal = true},
     false},
    {"pre GELU gain control",
     {.normalisation = IRENEO_NORMALISATION_PRE, .activation = IRENEO_ACTIVATION_GELU, .gain_control = true},
     false},
    {"post SiLU RMSNorm", {.activation = IRENEO_ACTIVATION_SILU, .rms_norm = true}, false},
    {"none SiLU", {.normalisation = IRENEO_NORMALISATION_NONE, .activation = IRENEO_ACTIVATION_SILU}, false},
    {"branch GELU gain",
     {.normalisation = IRENEO_NORMALISATION_BRANCH, .activation = IRENEO_ACTIVATION_GELU, .branch_gain = 0.6},
     false},
    {"sandwich tanh",
     {.normalisation = IRENEO_NORMALISATION_SANDWICH, .activation = IRENEO_ACTIVATION_TANH},
     false},
    {"post ReGLU", {.activation = IRENEO_ACTIVATION_REGLU}, false},
    {"post GeGLU", {.activation = IRENEO_ACTIVATION_GEGLU}, false},
    {"post SwiGLU", {.activation = IRENEO_ACTIVATION_SWIGLU}, false},
    {"post tanh window", {.activation = IRENEO_ACTIVATION_TANH, .window = 3}, false},
    {"post tanh causal window", {.activation = IRENEO_ACTIVATION_TANH, .causal = true, .window = 3}, false},
    {"post tanh soft cap", {.activation = IRENEO_ACTIVATION_TANH, .soft_cap = 1.5}, false},
    {"post tanh rotary", {.activation = IRENEO_ACTIVATION_TANH, .rope_base = 50.0}, false},
    {"post tanh QK-norm", {.activation = IRENEO_ACTIVATION_TANH, .query_key_norm = 2.5}, false},
    {"post tanh shared keys", {.activation = IRENEO_ACTIVATION_TANH, .key_heads = 1}, false},
    {"post tanh gain control shared keys",
     {.activation = IRENEO_ACTIVATION_TANH, .key_heads = 1, .gain_control = true},
     false},
    {"post tanh output projection", {.activation = IRENEO_ACTIVATION_TANH, .output_projection = true}, false},
    {"post tanh wide heads",
     {.activation = IRENEO_ACTIVATION_TANH, .output_projection = true, .head_width = 6},
     false},
    {"post tanh parallel", {.activation = IRENEO_ACTIVATION_TANH, .parallel = true}, false},
    {"pre GELU parallel",
     {.normalisation = IRENEO_NORMALISATION_PRE, .activation = IRENEO_ACTIVATION_GELU, .parallel = true},
     false},
    {"sandwich SiLU parallel",
     {.normalisation = IRENEO_NORMALISATION_SANDWICH,
      .activation = IRENEO_ACTIVATION_SILU,
      .parallel = true,
      .branch_gain = 1.7},
     false},
    {"like llama",
     {.normalisation = IRENEO_NORMALISATION_PRE,
      .activation = IRENEO_ACTIVATION_SWIGLU,
      .heads = 4,
      .key_heads = 2,
      .head_width = 4,
      .rms_norm = true,
      .causal = true,
      .rope_base = 1e4,
      .output_projection = true},
     false},
    {"like gemma",
     {.normalisation = IRENEO_NORMALISATION_SANDWICH,
      .activation = IRENEO_ACTIVATION_GEGLU,
      .heads = 4,
      .key_heads = 1,
      .head_width = 4,
      .rms_norm = true,
      .causal = true,
      .window = 4,
      .rope_base = 1e4,
      .query_key_norm = 3.0,
      .soft_cap = 2.0,
      .output_projection = true},
     true},
    {"like olmo",
     {.normalisation = IRENEO_NORMALISATION_BRANCH,
      .activation = IRENEO_ACTIVATION_SWIGLU,
      .rms_norm = true,
      .causal = true,
      .rope_base = 1e4,
      .query_key_norm = 1.0,
      .output_projection = true},
     false},
};
enum { VARIANT_COUNT = sizeof VARIANTS / sizeof *VARIANTS };

static ireneo_language_shape shape_of(size_t variant) {
    ireneo_network_shape network = VARIANTS[variant].network;
    network.layers = 2;
    network.width = 12;
    network.context = CONTEXT;
    network.mlp_width = 10;
    network.residual_attention = 0.8;
    network.residual_mlp = 1.1;
    if (network.heads == 0) network.heads = 3;
    return (ireneo_language_shape){.network = network, .symbols = SYMBOLS, .tied = VARIANTS[variant].tied};
}

/* Every kind of parameter of every layer, as ranges of the flat block. */
static size_t list_kinds(const ireneo_language_shape *shape, kind *kinds) {
    ireneo_language_layout at = ireneo_language_model_layout(shape);
    const ireneo_network_shape *network = &shape->network;
    size_t d = network->width, m = network->mlp_width, queries = ireneo_query_width(network),
           keys = ireneo_key_width(network), gates = ireneo_hidden_width(network) - m, n = 0;
    kinds[n++] = (kind){"token embeddings", at.tokens, at.positions - at.tokens};
    kinds[n++] = (kind){"position embeddings", at.positions, at.layers - at.positions};
    for (size_t layer = 0; layer < shape->network.layers; layer++) {
        size_t first =
            at.layers + layer * (ireneo_network_parameters(&shape->network) / shape->network.layers);
        const kind parts[] = {{"W_Q", 0, queries * d},
                              {"W_K", 0, keys * d},
                              {"W_V", 0, keys * d},
                              {"b_V", 0, keys},
                              {"W_O", 0, network->output_projection ? d * queries : 0},
                              {"W_1", 0, m * d},
                              {"W_G", 0, gates * d},
                              {"b_1", 0, m},
                              {"b_G", 0, gates},
                              {"W_2", 0, d * m},
                              {"b_2", 0, d}};
        for (size_t part = 0; part < sizeof parts / sizeof *parts; part++) {
            kinds[n] = parts[part];
            kinds[n++].first = first;
            first += parts[part].count;
        }
    }
    if (!shape->tied) kinds[n++] = (kind){"output matrix", at.output, at.output_bias - at.output};
    kinds[n++] = (kind){"output bias", at.output_bias, at.count - at.output_bias};
    return n;
}

/* Masked text: about a third of the positions are asked for. */
static void draw_text(int *tokens, int *targets) {
    ireneo_generator generator = {.seed = 5};
    for (size_t row = 0; row < ROWS; row++) {
        tokens[row] = (int)ireneo_draw_below(&generator, SYMBOLS);
        targets[row] = -1;
        if (ireneo_draw_below(&generator, 3) == 0) {
            targets[row] = tokens[row];
            tokens[row] = SYMBOLS;
        }
    }
}

static const ireneo_network_scales SCALES = {.beta = 1.5,
                                             .value_variance = 1.0,
                                             .mlp_in_variance = 1.5,
                                             .mlp_gate_variance = 2.0,
                                             .mlp_out_variance = 1.2,
                                             .value_bias_variance = 0.05,
                                             .mlp_bias_variance = 0.05};

/* |measured - right| / |right| over one kind. A value bias under gain control has no effect, so that its
 * gradient is rounding error: it is held against 1. */
static double distance(const double *measured, const double *right, kind k, bool no_effect) {
    double difference = 0.0, size = no_effect || k.count == 0 ? 1.0 : 0.0;
    for (size_t i = k.first; i < k.first + k.count; i++) {
        difference += (measured[i] - right[i]) * (measured[i] - right[i]);
        size += right[i] * right[i];
    }
    return sqrt(difference / size);
}

static bool has_no_effect(size_t variant, kind k) {
    return VARIANTS[variant].network.gain_control && strcmp(k.name, "b_V") == 0;
}

static void differences_of_loss(const ireneo_language_shape *shape, double *parameters, const int *tokens,
                                const int *targets, size_t count, double *slopes) {
    const double step = 1e-5;
    for (size_t i = 0; i < count; i++) {
        double middle = parameters[i];
        parameters[i] = middle + step;
        double above = double_loss(shape, parameters, SEQUENCES, tokens, targets, NULL);
        parameters[i] = middle - step;
        double below = double_loss(shape, parameters, SEQUENCES, tokens, targets, NULL);
        parameters[i] = middle;
        slopes[i] = (above - below) / (2.0 * step);
    }
}

static void test_double_gradients_are_slopes(void **state) {
    (void)state;
    int tokens[ROWS], targets[ROWS];
    draw_text(tokens, targets);
    for (size_t variant = 0; variant < VARIANT_COUNT; variant++) {
        ireneo_language_shape shape = shape_of(variant);
        kind kinds[MOST_KINDS];
        size_t kind_count = list_kinds(&shape, kinds), count = ireneo_language_model_layout(&shape).count;
        double *parameters = malloc(count * sizeof *parameters), *slopes = malloc(count * sizeof *slopes),
               *gradients = malloc(count * sizeof *gradients), worst = 0.0;
        double_draw(&shape, &SCALES, 7 + variant, parameters);
        double_loss(&shape, parameters, SEQUENCES, tokens, targets, gradients);
        differences_of_loss(&shape, parameters, tokens, targets, count, slopes);
        for (size_t k = 0; k < kind_count; k++) {
            double away = distance(gradients, slopes, kinds[k], has_no_effect(variant, kinds[k]));
            if (!(away < 1e-6)) print_error("%s, %s: %g\n", VARIANTS[variant].name, kinds[k].name, away);
            assert_true(away < 1e-6);
            worst = fmax(worst, away);
        }
        print_message("%s: worst kind %.1e away from central differences\n", VARIANTS[variant].name, worst);
        free(parameters);
        free(slopes);
        free(gradients);
    }
}

static void test_float_gradients_agree(void **state) {
    (void)state;
    int tokens[ROWS], targets[ROWS];
    draw_text(tokens, targets);
    size_t asked = 0;
    for (size_t row = 0; row < ROWS; row++) asked += targets[row] >= 0;
    for (size_t variant = 0; variant < VARIANT_COUNT; variant++) {
        ireneo_language_shape shape = shape_of(variant);
        kind kinds[MOST_KINDS];
        size_t kind_count = list_kinds(&shape, kinds), count = ireneo_language_model_layout(&shape).count;
        double *parameters = malloc(count * sizeof *parameters), *right = malloc(count * sizeof *right),
               *measured = malloc(count * sizeof *measured);
        float *single = malloc(count * sizeof *single), *gradients = calloc(count, sizeof *gradients);
        double_draw(&shape, &SCALES, 7 + variant, parameters);
        for (size_t i = 0; i < count; i++) {
            single[i] = (float)parameters[i];
            parameters[i] = (double)single[i];
        }
        double loss = double_loss(&shape, parameters, SEQUENCES, tokens, targets, right);
        ireneo_language_work work;
        assert_int_equal(ireneo_language_work_create(&shape, SEQUENCES, 1, false, &work), IRENEO_OK);
        double sum = ireneo_language_model_gradients(&shape, single, &work, tokens, targets,
                                                     1.0 / (double)asked, gradients);
        for (size_t i = 0; i < count; i++) measured[i] = (double)gradients[i];
        assert_true(fabs(sum / (double)asked - loss) < 1e-5);
        for (size_t k = 0; k < kind_count; k++) {
            double away = distance(measured, right, kinds[k], has_no_effect(variant, kinds[k]));
            if (!(away < 1e-4)) print_error("%s, %s: %g\n", VARIANTS[variant].name, kinds[k].name, away);
            assert_true(away < 1e-4);
        }
        ireneo_language_work_free(&work);
        free(parameters);
        free(right);
        free(measured);
        free(single);
        free(gradients);
    }
}

/* Contexts of several tiles, along a random direction of all parameters at once. */
static void test_long_contexts(void **state) {
    (void)state;
    enum { LONG = 150 };
    static int tokens[LONG], targets[LONG];
    ireneo_generator generator = {.seed = 6};
    for (size_t row = 0; row < LONG; row++) {
        tokens[row] = (int)ireneo_draw_below(&generator, SYMBOLS + 1);
        targets[row] = tokens[row] == SYMBOLS ? (int)ireneo_draw_below(&generator, SYMBOLS) : -1;
    }
    for (size_t variant = 1; variant < VARIANT_COUNT; variant++) {
        ireneo_language_shape shape = shape_of(variant);
        if (shape.network.activation == IRENEO_ACTIVATION_RELU ||
            shape.network.activation == IRENEO_ACTIVATION_REGLU)
            continue; /* a kink may lie within the step */
        shape.network.context = LONG;
        if (shape.network.window > 0) shape.network.window = 37;
        size_t count = ireneo_language_model_layout(&shape).count;
        double *parameters = malloc(count * sizeof *parameters),
               *gradients = malloc(count * sizeof *gradients), *direction = malloc(count * sizeof *direction),
               slope = 0.0, loss[2];
        double_draw(&shape, &SCALES, 30 + variant, parameters);
        ireneo_fill_normals(8, variant, 0, count, direction);
        double_loss(&shape, parameters, 1, tokens, targets, gradients);
        for (size_t i = 0; i < count; i++) slope += gradients[i] * direction[i];
        const double step = 1e-6;
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < count; i++)
                parameters[i] += (side == 0 ? step : -2.0 * step) * direction[i];
            loss[side] = double_loss(&shape, parameters, 1, tokens, targets, NULL);
        }
        double measured = (loss[0] - loss[1]) / (2.0 * step);
        if (!(fabs(measured - slope) < 1e-5 * fabs(slope)))
            print_error("%s: slope %.12g, gradient %.12g\n", VARIANTS[variant].name, measured, slope);
        assert_true(fabs(measured - slope) < 1e-5 * fabs(slope));
        free(parameters);
        free(gradients);
        free(direction);
    }
}

int main(void) {
    ireneo_enter(1, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_gradients_are_slopes),
        cmocka_unit_test(test_float_gradients_agree),
        cmocka_unit_test(test_long_contexts),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    ireneo_leave(IRENEO_OK);
    return failures;
}
