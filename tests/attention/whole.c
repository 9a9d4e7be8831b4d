/* Whole networks, with every ingredient by itself and in the company it has in known models, against a plain
 * network in double precision that is written here straight from the formulas of docs/attention-network.md. */
#include "attention/network/network.h"
#include "base/random.h"
#include "base/threads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the plain network ---- */

static double dot(const float *weights, const double *x, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += (double)weights[i] * x[i];
    return sum;
}

static void plain_norm(bool centred, size_t width, const double *x, double *y) {
    double mean = 0.0, variance = 0.0;
    for (size_t i = 0; centred && i < width; i++) mean += x[i] / (double)width;
    for (size_t i = 0; i < width; i++) variance += pow(x[i] - mean, 2.0) / (double)width;
    for (size_t i = 0; i < width; i++) y[i] = (x[i] - mean) / sqrt(variance);
}

/* Query or key of one head at one place: normalised, then turned as complex numbers x_i + i x_{i + half}. */
static void plain_ready(const ireneo_network_shape *s, size_t width, size_t place, double *x) {
    if (s->query_key_norm > 0.0) plain_norm(false, width, x, x);
    if (s->rope_base == 0.0) return;
    for (size_t i = 0; i < width / 2; i++) {
        double angle = (double)place / pow(s->rope_base, (double)(2 * i) / (double)width);
        double real = x[i], imaginary = x[i + width / 2];
        x[i] = real * cos(angle) - imaginary * sin(angle);
        x[i + width / 2] = real * sin(angle) + imaginary * cos(angle);
    }
}

static bool plain_sees(const ireneo_network_shape *s, size_t row, size_t key) {
    if (s->causal && key > row) return false;
    if (s->window == 0 || s->window >= s->context) return true;
    if (s->causal) return row - key < s->window;
    size_t nearer =
        0; /* keys that a window of the nearest would take before this one: of two equally far, the later */
    size_t far = key > row ? key - row : row - key;
    for (size_t other = 0; other < s->context; other++) {
        size_t away = other > row ? other - row : row - other;
        nearer += away < far || (away == far && other > key);
    }
    return nearer < s->window;
}

/* (count, width) projections of all tokens by one head's part of a matrix. */
static double *plain_project(const float *matrix, size_t outputs, const double *x, size_t T, size_t d) {
    double *out = malloc(T * outputs * sizeof *out);
    for (size_t t = 0; t < T; t++)
        for (size_t i = 0; i < outputs; i++) out[t * outputs + i] = dot(matrix + i * d, x + t * d, d);
    return out;
}

/* One head: mixed (T, width of a head) inside rows of `stride`. */
static void plain_head(const ireneo_network_shape *s, ireneo_layer_view w, const double *x, size_t head,
                       double *mixed, size_t stride) {
    size_t T = s->context, d = s->width, width = s->head_width ? s->head_width : d / s->heads;
    size_t key_heads = s->key_heads ? s->key_heads : s->heads, shared = head * key_heads / s->heads;
    const float *keys = w.query_key_value + s->heads * width * d, *values = keys + key_heads * width * d;
    double *q = plain_project(w.query_key_value + head * width * d, width, x, T, d),
           *k = plain_project(keys + shared * width * d, width, x, T, d),
           *v = plain_project(values + shared * width * d, width, x, T, d), *a = malloc(T * sizeof *a);
    for (size_t t = 0; t < T; t++) {
        plain_ready(s, width, t, q + t * width);
        plain_ready(s, width, t, k + t * width);
        for (size_t i = 0; i < width; i++) v[t * width + i] += (double)w.value_bias[shared * width + i];
    }
    for (size_t row = 0; row < T; row++) {
        double sum = 0.0;
        for (size_t t = 0; t < T; t++) {
            double logit = 0.0;
            for (size_t i = 0; i < width; i++) logit += q[row * width + i] * k[t * width + i];
            logit *= (s->query_key_norm > 0.0 ? s->query_key_norm : 1.0) / sqrt((double)width);
            if (s->soft_cap > 0.0) logit = s->soft_cap * tanh(logit / s->soft_cap);
            sum += a[t] = plain_sees(s, row, t) ? exp(logit) : 0.0;
        }
        for (size_t i = 0; i < width; i++) {
            double total = 0.0, uniform = s->gain_control ? 1.0 / (double)T : 0.0;
            for (size_t t = 0; t < T; t++) total += (a[t] / sum - uniform) * v[t * width + i];
            mixed[row * stride + i] = total;
        }
    }
    free(q);
    free(k);
    free(v);
    free(a);
}

static void plain_attention(const ireneo_network_shape *s, ireneo_layer_view w, const double *x,
                            double *out) {
    size_t T = s->context, d = s->width, width = s->head_width ? s->head_width : d / s->heads,
           all = s->heads * width;
    double *mixed = malloc(T * all * sizeof *mixed);
    for (size_t head = 0; head < s->heads; head++) plain_head(s, w, x, head, mixed + head * width, all);
    for (size_t t = 0; t < T; t++)
        for (size_t i = 0; i < d; i++)
            out[t * d + i] =
                s->output_projection ? dot(w.output + i * all, mixed + t * all, all) : mixed[t * all + i];
    free(mixed);
}

static double plain_activation(ireneo_activation activation, double x) {
    switch (activation) {
    case IRENEO_ACTIVATION_RELU:
    case IRENEO_ACTIVATION_REGLU:
        return fmax(0.0, x);
    case IRENEO_ACTIVATION_TANH:
        return tanh(x);
    case IRENEO_ACTIVATION_GELU:
    case IRENEO_ACTIVATION_GEGLU:
        return 0.5 * x * erfc(-x * M_SQRT1_2);
    case IRENEO_ACTIVATION_SILU:
    case IRENEO_ACTIVATION_SWIGLU:
        return x / (1.0 + exp(-x));
    }
    return NAN;
}

static void plain_mlp(const ireneo_network_shape *s, ireneo_layer_view w, const double *x, double *out) {
    size_t d = s->width, m = s->mlp_width;
    bool gated = s->activation >= IRENEO_ACTIVATION_REGLU;
    double *hidden = malloc(m * sizeof *hidden);
    for (size_t t = 0; t < s->context; t++) {
        for (size_t i = 0; i < m; i++) {
            double in = dot(w.mlp_in + i * d, x + t * d, d) + (double)w.mlp_in_bias[i];
            size_t g = m + i; /* the gate's row */
            hidden[i] = gated ? in * plain_activation(s->activation, dot(w.mlp_in + g * d, x + t * d, d) +
                                                                         (double)w.mlp_in_bias[g])
                              : plain_activation(s->activation, in);
        }
        for (size_t i = 0; i < d; i++)
            out[t * d + i] = dot(w.mlp_out + i * m, hidden, m) + (double)w.mlp_out_bias[i];
    }
    free(hidden);
}

typedef void (*plain_branch)(const ireneo_network_shape *s, ireneo_layer_view w, const double *x,
                             double *out);

static void plain_norms(const ireneo_network_shape *s, const double *x, double *y) {
    for (size_t t = 0; t < s->context; t++)
        plain_norm(!s->rms_norm, s->width, x + t * s->width, y + t * s->width);
}

/* What a branch adds to the skip. */
static void plain_addition(const ireneo_network_shape *s, ireneo_layer_view w, plain_branch branch,
                           const double *x, double *out) {
    size_t count = s->context * s->width;
    bool sandwich = s->normalisation == IRENEO_NORMALISATION_SANDWICH;
    double *in = malloc(count * sizeof *in);
    memcpy(in, x, count * sizeof *in);
    if (sandwich || s->normalisation == IRENEO_NORMALISATION_PRE) plain_norms(s, x, in);
    branch(s, w, in, out);
    if (sandwich || s->normalisation == IRENEO_NORMALISATION_BRANCH) {
        plain_norms(s, out, out);
        for (size_t i = 0; i < count; i++) out[i] *= s->branch_gain > 0.0 ? s->branch_gain : 1.0;
    }
    free(in);
}

static void plain_block(const ireneo_network_shape *s, ireneo_layer_view w, double *x) {
    size_t count = s->context * s->width;
    bool post = s->normalisation == IRENEO_NORMALISATION_POST;
    double *one = malloc(2 * count * sizeof *one), *two = one + count;
    plain_addition(s, w, plain_attention, x, one);
    if (s->parallel) {
        plain_addition(s, w, plain_mlp, x, two);
        for (size_t i = 0; i < count; i++) x[i] = s->residual_attention * x[i] + one[i] + two[i];
    } else {
        for (size_t i = 0; i < count; i++) x[i] = s->residual_attention * x[i] + one[i];
        if (post) plain_norms(s, x, x);
        plain_addition(s, w, plain_mlp, x, two);
        for (size_t i = 0; i < count; i++) x[i] = s->residual_mlp * x[i] + two[i];
    }
    if (post) plain_norms(s, x, x);
    free(one);
}

/* ---- the comparison ---- */

static const ireneo_network_scales SCALES = {.beta = 1.5,
                                             .value_variance = 1.0,
                                             .mlp_in_variance = 1.5,
                                             .mlp_gate_variance = 1.2,
                                             .mlp_out_variance = 1.5,
                                             .value_bias_variance = 0.1,
                                             .mlp_bias_variance = 0.1};

/* Largest distance of a number from the plain network's, over 1 + its size. */
static double distance(const ireneo_network_shape *shape, int threads) {
    enum { SEQUENCES = 2 };
    size_t one = shape->context * shape->width;
    float *parameters = malloc(ireneo_network_parameters(shape) * sizeof *parameters);
    ireneo_network_draw(shape, &SCALES, 11, 0, parameters, 1);
    ireneo_network_trace trace;
    assert_int_equal(ireneo_network_trace_create(shape, SEQUENCES, threads, false, true, &trace), IRENEO_OK);
    float *scale = malloc(trace.rows * sizeof *scale);
    ireneo_fill_normal_floats(12, 0, 0, SEQUENCES * one, trace.stream);
    ireneo_network_normalise(shape, trace.stream, trace.stream, trace.rows, scale, 1);
    double *x = malloc(SEQUENCES * one * sizeof *x), worst = 0.0;
    for (size_t i = 0; i < SEQUENCES * one; i++) x[i] = (double)trace.stream[i];
    ireneo_network_begin(shape, &trace);
    for (size_t layer = 0; layer < shape->layers; layer++) {
        ireneo_layer_view weights = ireneo_network_layer(shape, parameters, layer);
        ireneo_network_layer_forward(shape, weights, &trace, layer);
        for (size_t sequence = 0; sequence < SEQUENCES; sequence++)
            plain_block(shape, weights, x + sequence * one);
    }
    for (size_t i = 0; i < SEQUENCES * one; i++) {
        double away = fabs((double)trace.stream[i] - x[i]) / (1.0 + fabs(x[i]));
        worst = away <= worst ? worst : away; /* a NaN stays */
    }
    free(x);
    free(scale);
    free(parameters);
    ireneo_network_trace_free(&trace);
    return worst;
}

static void check(const char *name, ireneo_network_shape shape) {
    shape.layers =
        shape.normalisation == IRENEO_NORMALISATION_NONE ? 1 : 3; /* gates square the tokens' length */
    shape.width = 24;
    shape.context = 130; /* two tiles of queries */
    shape.mlp_width = 20;
    shape.residual_attention = 0.7;
    shape.residual_mlp = 1.2;
    if (shape.heads == 0) shape.heads = 3;
    for (int threads = 1; threads <= 2; threads++) {
        double away = distance(&shape, threads);
        if (!(away < 3e-4)) print_error("%s: %g away from the plain network\n", name, away);
        assert_true(away < 3e-4);
    }
}

static void test_norms_and_activations(void **state) {
    (void)state;
    for (int norm = IRENEO_NORMALISATION_POST; norm <= IRENEO_NORMALISATION_SANDWICH; norm++)
        for (int activation = IRENEO_ACTIVATION_RELU; activation <= IRENEO_ACTIVATION_SWIGLU; activation++) {
            char name[64];
            ireneo_network_shape shape = {.normalisation = (ireneo_normalisation)norm,
                                          .activation = (ireneo_activation)activation,
                                          .causal = activation % 3 == 1,
                                          .gain_control = activation % 3 == 2,
                                          .rms_norm = activation % 2 == 1,
                                          .parallel = (norm + activation) % 4 == 3,
                                          .branch_gain = norm == 3 ? 0.6 : 0.0};
            snprintf(name, sizeof name, "%s %s", ireneo_normalisation_name(shape.normalisation),
                     ireneo_activation_name(shape.activation));
            check(name, shape);
        }
}

static void test_attention(void **state) {
    (void)state;
    check("window", (ireneo_network_shape){.window = 9});
    check("even window", (ireneo_network_shape){.window = 100});
    check("causal window", (ireneo_network_shape){.causal = true, .window = 40});
    check("window of one", (ireneo_network_shape){.causal = true, .window = 1});
    check("soft cap", (ireneo_network_shape){.soft_cap = 2.0});
    check("rotary", (ireneo_network_shape){.rope_base = 1e4});
    check("QK-norm", (ireneo_network_shape){.query_key_norm = 3.0});
    check("QK-norm, rotary", (ireneo_network_shape){.query_key_norm = 3.0, .rope_base = 100.0});
    check("shared keys", (ireneo_network_shape){.heads = 6, .key_heads = 2});
    check("one head of keys", (ireneo_network_shape){.heads = 4, .key_heads = 1});
    check("shared keys, gain control",
          (ireneo_network_shape){.heads = 6, .key_heads = 3, .gain_control = true});
    check("output projection", (ireneo_network_shape){.output_projection = true});
    check("narrow heads", (ireneo_network_shape){.heads = 4, .head_width = 4, .output_projection = true});
    check("wide heads", (ireneo_network_shape){.heads = 4, .head_width = 10, .output_projection = true});
}

static void test_known_models(void **state) {
    (void)state;
    check("like llama", (ireneo_network_shape){.heads = 6,
                                               .key_heads = 2,
                                               .normalisation = IRENEO_NORMALISATION_PRE,
                                               .activation = IRENEO_ACTIVATION_SWIGLU,
                                               .causal = true,
                                               .rms_norm = true,
                                               .output_projection = true,
                                               .rope_base = 1e4});
    check("like gemma", (ireneo_network_shape){.heads = 4,
                                               .key_heads = 1,
                                               .head_width = 8,
                                               .window = 30,
                                               .normalisation = IRENEO_NORMALISATION_SANDWICH,
                                               .activation = IRENEO_ACTIVATION_GEGLU,
                                               .causal = true,
                                               .rms_norm = true,
                                               .output_projection = true,
                                               .rope_base = 1e4,
                                               .query_key_norm = 4.0,
                                               .soft_cap = 5.0});
    check("like olmo", (ireneo_network_shape){.normalisation = IRENEO_NORMALISATION_BRANCH,
                                              .activation = IRENEO_ACTIVATION_SWIGLU,
                                              .causal = true,
                                              .rms_norm = true,
                                              .output_projection = true,
                                              .rope_base = 1e4,
                                              .query_key_norm = 4.0});
    check("like gpt-j", (ireneo_network_shape){.normalisation = IRENEO_NORMALISATION_PRE,
                                               .activation = IRENEO_ACTIVATION_GELU,
                                               .causal = true,
                                               .parallel = true,
                                               .output_projection = true,
                                               .rope_base = 1e4});
}

int main(void) {
    ireneo_enter(1, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_norms_and_activations),
        cmocka_unit_test(test_attention),
        cmocka_unit_test(test_known_models),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    ireneo_leave(IRENEO_OK);
    return failures;
}
