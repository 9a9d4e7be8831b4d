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

static const struct {
    const char *name;
    ireneo_normalisation normalisation;
    ireneo_activation activation;
    bool causal, gain_control, tied;
} VARIANTS[] = {
    {"post-LN ReLU", IRENEO_NORMALISATION_POST, IRENEO_ACTIVATION_RELU, false, false, false},
    {"post-LN tanh tied", IRENEO_NORMALISATION_POST, IRENEO_ACTIVATION_TANH, false, false, true},
    {"post-LN GELU causal", IRENEO_NORMALISATION_POST, IRENEO_ACTIVATION_GELU, true, false, false},
    {"post-LN tanh gain control", IRENEO_NORMALISATION_POST, IRENEO_ACTIVATION_TANH, false, true, false},
    {"pre-LN ReLU tied", IRENEO_NORMALISATION_PRE, IRENEO_ACTIVATION_RELU, false, false, true},
    {"pre-LN tanh causal", IRENEO_NORMALISATION_PRE, IRENEO_ACTIVATION_TANH, true, false, false},
    {"pre-LN GELU gain control", IRENEO_NORMALISATION_PRE, IRENEO_ACTIVATION_GELU, false, true, false},
};
enum { VARIANT_COUNT = sizeof VARIANTS / sizeof *VARIANTS };

static ireneo_language_shape shape_of(size_t variant) {
    return (ireneo_language_shape){.network = {.layers = 2,
                                               .width = 12,
                                               .heads = 3,
                                               .context = CONTEXT,
                                               .mlp_width = 10,
                                               .normalisation = VARIANTS[variant].normalisation,
                                               .activation = VARIANTS[variant].activation,
                                               .causal = VARIANTS[variant].causal,
                                               .gain_control = VARIANTS[variant].gain_control,
                                               .residual_attention = 0.8,
                                               .residual_mlp = 1.1},
                                   .symbols = SYMBOLS,
                                   .tied = VARIANTS[variant].tied};
}

/* Every kind of parameter of every layer, as ranges of the flat block. */
static size_t list_kinds(const ireneo_language_shape *shape, kind *kinds) {
    ireneo_language_layout at = ireneo_language_model_layout(shape);
    size_t d = shape->network.width, m = shape->network.mlp_width, n = 0;
    kinds[n++] = (kind){"token embeddings", at.tokens, at.positions - at.tokens};
    kinds[n++] = (kind){"position embeddings", at.positions, at.layers - at.positions};
    for (size_t layer = 0; layer < shape->network.layers; layer++) {
        size_t first =
            at.layers + layer * (ireneo_network_parameters(&shape->network) / shape->network.layers);
        const kind parts[] = {{"W_Q", 0, d * d}, {"W_K", 0, d * d}, {"W_V", 0, d * d}, {"b_V", 0, d},
                              {"W_1", 0, m * d}, {"b_1", 0, m},     {"W_2", 0, d * m}, {"b_2", 0, d}};
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
                                             .mlp_out_variance = 1.2,
                                             .value_bias_variance = 0.05,
                                             .mlp_bias_variance = 0.05};

/* |measured - right| / |right| over one kind. A value bias under gain control has no effect, so that its
 * gradient is rounding error: it is held against 1. */
static double distance(const double *measured, const double *right, kind k, bool no_effect) {
    double difference = 0.0, size = no_effect ? 1.0 : 0.0;
    for (size_t i = k.first; i < k.first + k.count; i++) {
        difference += (measured[i] - right[i]) * (measured[i] - right[i]);
        size += right[i] * right[i];
    }
    return sqrt(difference / size);
}

static bool has_no_effect(size_t variant, kind k) {
    return VARIANTS[variant].gain_control && strcmp(k.name, "b_V") == 0;
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
        if (VARIANTS[variant].activation == IRENEO_ACTIVATION_RELU)
            continue; /* a kink may lie within the step */
        ireneo_language_shape shape = shape_of(variant);
        shape.network.context = LONG;
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
