/* The pieces of the transformer against plain double-precision code written here from the formulas, and a
 * whole network against a plain one. */
#include "attention/network/network.h"
#include "attention/network/activation.h"
#include "attention/network/exponential.h"
#include "attention/network/layer_norm.h"
#include "attention/network/softmax.h"
#include "base/random.h"
#include "base/threads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_near(double measured, double right, double tolerance, const char *what) {
    if (!(fabs(measured - right) <= tolerance))
        print_error("%s: %.9g instead of %.9g\n", what, measured, right);
    assert_true(fabs(measured - right) <= tolerance);
}

static void test_exponential(void **state) {
    (void)state;
    double worst = 0.0;
    for (double x = -86.9; x < 88.0; x += 0.00137) {
        float rounded = (float)x;
        double right = exp((double)rounded);
        worst = fmax(worst, fabs((double)ireneo_exponential(rounded) - right) / right);
    }
    assert_true(worst < 3e-7);
    assert_true(ireneo_exponential(0.0f) == 1.0f);
    assert_true(ireneo_exponential(-1e30f) < 2e-38f);
    assert_true(isfinite(ireneo_exponential(1e30f)));
}

/* One tile, tiles in both directions, every way of reading the operands, against three loops. */
static void check_product(size_t rows, size_t columns, bool turn_a, bool turn_b) {
    enum { INNER = 7 };
    float *a = malloc(rows * INNER * sizeof *a), *b = malloc(columns * INNER * sizeof *b),
          *c = malloc(rows * columns * sizeof *c), *before = malloc(rows * columns * sizeof *before);
    ireneo_fill_normal_floats(31, 0, 0, rows * INNER, a);
    ireneo_fill_normal_floats(31, 1, 0, columns * INNER, b);
    ireneo_fill_normal_floats(31, 2, 0, rows * columns, before);
    memcpy(c, before, rows * columns * sizeof *c);
    ireneo_product(rows, columns, INNER, 2.0f, turn_a ? ireneo_turned(a, rows) : ireneo_plain(a, INNER),
                   turn_b ? ireneo_turned(b, INNER) : ireneo_plain(b, columns), 0.5f, c, columns, 2);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            double sum = 0.5 * (double)before[i * columns + j];
            for (size_t k = 0; k < INNER; k++)
                sum += 2.0 * (double)(turn_a ? a[k * rows + i] : a[i * INNER + k]) *
                       (double)(turn_b ? b[j * INNER + k] : b[k * columns + j]);
            expect_near((double)c[i * columns + j], sum, 1e-4, "product");
        }
    free(a);
    free(b);
    free(c);
    free(before);
}

static void test_products(void **state) {
    (void)state;
    for (int turns = 0; turns < 4; turns++) {
        check_product(5, 2100, turns & 1, turns & 2);
        check_product(900, 5, turns & 1, turns & 2);
        check_product(300, 1030, turns & 1, turns & 2);
        check_product(3, 4, turns & 1, turns & 2);
    }
}

/* ---- rows ---- */

static void check_softmax(size_t count, double spread, uint64_t seed) {
    float row[300], again[300], gradient[300];
    double logits[300], weights[300], most = -INFINITY, sum = 0.0, square = 0.0, entropy = 0.0, mean = 0.0;
    ireneo_fill_normal_floats(seed, 0, 0, count, row);
    ireneo_fill_normal_floats(seed, 1, 0, count, gradient);
    for (size_t i = 0; i < count; i++) {
        row[i] = again[i] = row[i] * (float)spread;
        logits[i] = (double)row[i];
        most = fmax(most, logits[i]);
    }
    for (size_t i = 0; i < count; i++) sum += weights[i] = exp(logits[i] - most);
    for (size_t i = 0; i < count; i++) {
        weights[i] /= sum;
        square += weights[i] * weights[i];
        if (weights[i] > 0.0) entropy -= weights[i] * log(weights[i]);
        mean += weights[i] * (double)gradient[i];
    }
    ireneo_row_report report = ireneo_softmax_row(row, count);
    expect_near((double)report.log_sum, most + log(sum), 1e-5 * (1.0 + fabs(most)), "log sum");
    expect_near((double)report.participation, square, 2e-6, "participation");
    expect_near((double)report.entropy, entropy, 1e-5, "entropy");
    ireneo_softmax_again(again, count, report.log_sum);
    for (size_t i = 0; i < count; i++) {
        expect_near((double)row[i], weights[i], 1e-6, "weight");
        expect_near((double)again[i], weights[i], 1e-5 * (1.0 + fabs(most)), "weight made again");
    }
    double before[300];
    for (size_t i = 0; i < count; i++) before[i] = (double)gradient[i];
    ireneo_softmax_backward(row, gradient, count);
    for (size_t i = 0; i < count; i++)
        expect_near((double)gradient[i], weights[i] * (before[i] - mean), 1e-5, "gradient of a logit");
}

static void test_softmax(void **state) {
    (void)state;
    const size_t lengths[] = {1, 2, 15, 16, 17, 31, 64, 100, 300};
    const double spreads[] = {0.0, 1.0, 10.0, 60.0};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t k = 0; k < sizeof spreads / sizeof *spreads; k++)
            check_softmax(lengths[i], spreads[k], i);
}

static void test_layer_norm(void **state) {
    (void)state;
    enum { ROWS = 5, WIDTH = 37 };
    float x[ROWS * WIDTH], y[ROWS * WIDTH], scale[ROWS], gradient[ROWS * WIDTH], back[ROWS * WIDTH];
    ireneo_fill_normal_floats(3, 0, 0, ROWS * WIDTH, x);
    ireneo_fill_normal_floats(3, 1, 0, ROWS * WIDTH, gradient);
    for (size_t i = 0; i < ROWS * WIDTH; i++) x[i] = 3.0f * x[i] + 7.0f;
    for (size_t i = 0; i < WIDTH; i++) x[4 * WIDTH + i] = 2.5f; /* a row without variance */
    memcpy(back, gradient, sizeof back);
    ireneo_normalise_rows(x, y, ROWS, WIDTH, scale, 1);
    ireneo_normalise_rows_backward(y, scale, back, ROWS, WIDTH, 1);
    for (size_t row = 0; row < ROWS; row++) {
        double mean = 0.0, variance = 0.0, sum = 0.0, product = 0.0;
        for (size_t i = 0; i < WIDTH; i++) mean += (double)x[row * WIDTH + i] / WIDTH;
        for (size_t i = 0; i < WIDTH; i++) variance += pow((double)x[row * WIDTH + i] - mean, 2.0) / WIDTH;
        double deviation = sqrt(variance + 1e-12);
        for (size_t i = 0; i < WIDTH; i++) {
            double z = ((double)x[row * WIDTH + i] - mean) / deviation;
            expect_near((double)y[row * WIDTH + i], z, 2e-6, "normalised");
            sum += (double)gradient[row * WIDTH + i] / WIDTH;
            product += z * (double)gradient[row * WIDTH + i] / WIDTH;
        }
        for (size_t i = 0; row < 4 && i < WIDTH; i++) {
            double z = ((double)x[row * WIDTH + i] - mean) / deviation;
            expect_near((double)back[row * WIDTH + i],
                        ((double)gradient[row * WIDTH + i] - sum - z * product) / deviation, 2e-6, "back");
        }
    }
    for (size_t i = 0; i < WIDTH; i++) assert_true(y[4 * WIDTH + i] == 0.0f);
}

static double exact_activation(ireneo_activation activation, double x) {
    switch (activation) {
    case IRENEO_ACTIVATION_RELU:
        return fmax(0.0, x);
    case IRENEO_ACTIVATION_TANH:
        return tanh(x);
    case IRENEO_ACTIVATION_GELU:
        return 0.5 * x * erfc(-x * M_SQRT1_2);
    default:
        break;
    }
    return NAN;
}

static void test_activations(void **state) {
    (void)state;
    const ireneo_activation all[] = {IRENEO_ACTIVATION_RELU, IRENEO_ACTIVATION_TANH, IRENEO_ACTIVATION_GELU};
    for (size_t a = 0; a < 3; a++)
        for (double x = -12.0; x < 12.0; x += 0.0371) {
            float in = (float)x, out, slope = 1.0f;
            ireneo_activate(all[a], &in, &out, 1, 1);
            ireneo_activate_backward(all[a], &in, &slope, 1, 1);
            double at = (double)in, h = 1e-5;
            double right = (exact_activation(all[a], at + h) - exact_activation(all[a], at - h)) / (2.0 * h);
            expect_near((double)out, exact_activation(all[a], at), 3e-6, "activation");
            expect_near((double)slope, right, 3e-6, "derivative");
        }
}

/* ---- a plain network in double precision, straight from the formulas ---- */

static double dot(const float *weights, const double *x, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += (double)weights[i] * x[i];
    return sum;
}

/* out_s = sum_t A_st (W_V x_t + b_V), head by head. */
static void plain_attention(const ireneo_network_shape *s, ireneo_layer_view w, const double *x,
                            double *out) {
    size_t T = s->context, d = s->width, width = d / s->heads;
    double *q = malloc(3 * T * d * sizeof *q), *k = q + T * d, *v = k + T * d, *a = malloc(T * sizeof *a);
    for (size_t t = 0; t < T; t++)
        for (size_t i = 0; i < d; i++) {
            q[t * d + i] = dot(w.query_key_value + i * d, x + t * d, d);
            k[t * d + i] = dot(w.query_key_value + (d + i) * d, x + t * d, d);
            v[t * d + i] = dot(w.query_key_value + (2 * d + i) * d, x + t * d, d) + (double)w.value_bias[i];
        }
    for (size_t row = 0; row < T; row++)
        for (size_t h = 0; h < s->heads; h++) {
            size_t keys = s->causal ? row + 1 : T;
            double sum = 0.0;
            for (size_t t = 0; t < keys; t++) {
                double logit = 0.0;
                for (size_t i = h * width; i < (h + 1) * width; i++) logit += q[row * d + i] * k[t * d + i];
                sum += a[t] = exp(logit / sqrt((double)width));
            }
            for (size_t i = h * width; i < (h + 1) * width; i++) {
                out[row * d + i] = 0.0;
                for (size_t t = 0; t < keys; t++)
                    out[row * d + i] +=
                        (a[t] / sum - (s->gain_control ? 1.0 / (double)T : 0.0)) * v[t * d + i];
            }
        }
    free(q);
    free(a);
}

static void plain_mlp(const ireneo_network_shape *s, ireneo_layer_view w, const double *x, double *out) {
    size_t d = s->width, m = s->mlp_width;
    double *hidden = malloc(m * sizeof *hidden);
    for (size_t t = 0; t < s->context; t++) {
        for (size_t i = 0; i < m; i++)
            hidden[i] = exact_activation(s->activation,
                                         dot(w.mlp_in + i * d, x + t * d, d) + (double)w.mlp_in_bias[i]);
        for (size_t i = 0; i < d; i++)
            out[t * d + i] = dot(w.mlp_out + i * m, hidden, m) + (double)w.mlp_out_bias[i];
    }
    free(hidden);
}

static void plain_norm(const ireneo_network_shape *s, const double *x, double *y) {
    size_t d = s->width;
    for (size_t t = 0; t < s->context; t++) {
        double mean = 0.0, variance = 0.0;
        for (size_t i = 0; i < d; i++) mean += x[t * d + i] / (double)d;
        for (size_t i = 0; i < d; i++) variance += pow(x[t * d + i] - mean, 2.0) / (double)d;
        for (size_t i = 0; i < d; i++) y[t * d + i] = (x[t * d + i] - mean) / sqrt(variance);
    }
}

typedef void (*plain_branch)(const ireneo_network_shape *s, ireneo_layer_view w, const double *x,
                             double *out);

static void plain_half_block(const ireneo_network_shape *s, ireneo_layer_view w, plain_branch branch,
                             double residual, double *x) {
    size_t count = s->context * s->width;
    double *in = malloc(2 * count * sizeof *in), *out = in + count;
    memcpy(in, x, count * sizeof *in);
    if (s->normalisation == IRENEO_NORMALISATION_PRE) plain_norm(s, x, in);
    branch(s, w, in, out);
    for (size_t i = 0; i < count; i++) x[i] = residual * x[i] + out[i];
    if (s->normalisation == IRENEO_NORMALISATION_POST) plain_norm(s, x, x);
    free(in);
}

static void check_network(ireneo_network_shape shape, int threads) {
    const ireneo_network_scales scales = {.beta = 1.5,
                                          .value_variance = 1.0,
                                          .mlp_in_variance = 1.5,
                                          .mlp_out_variance = 1.5,
                                          .value_bias_variance = 0.1,
                                          .mlp_bias_variance = 0.1};
    enum { SEQUENCES = 2 };
    size_t one = shape.context * shape.width;
    float *parameters = malloc(ireneo_network_parameters(&shape) * sizeof *parameters);
    ireneo_network_draw(&shape, &scales, 11, 0, parameters, 1);
    ireneo_network_trace trace;
    assert_int_equal(ireneo_network_trace_create(&shape, SEQUENCES, threads, false, true, &trace), IRENEO_OK);
    float *scale = malloc(trace.rows * sizeof *scale);
    ireneo_fill_normal_floats(12, 0, 0, SEQUENCES * one, trace.stream);
    ireneo_normalise_rows(trace.stream, trace.stream, trace.rows, shape.width, scale, 1);
    double *x = malloc(SEQUENCES * one * sizeof *x);
    for (size_t i = 0; i < SEQUENCES * one; i++) x[i] = (double)trace.stream[i];
    ireneo_network_begin(&shape, &trace);
    for (size_t layer = 0; layer < shape.layers; layer++)
        ireneo_network_layer_forward(&shape, ireneo_network_layer(&shape, parameters, layer), &trace, layer);
    for (size_t sequence = 0; sequence < SEQUENCES; sequence++)
        for (size_t layer = 0; layer < shape.layers; layer++) {
            ireneo_layer_view w = ireneo_network_layer(&shape, parameters, layer);
            plain_half_block(&shape, w, plain_attention, shape.residual_attention, x + sequence * one);
            plain_half_block(&shape, w, plain_mlp, shape.residual_mlp, x + sequence * one);
        }
    for (size_t i = 0; i < SEQUENCES * one; i++)
        expect_near((double)trace.stream[i], x[i], 2e-4 * (1.0 + fabs(x[i])), "token");
    free(x);
    free(scale);
    free(parameters);
    ireneo_network_trace_free(&trace);
}

static void test_whole_network(void **state) {
    (void)state;
    ireneo_network_shape shape = {.layers = 3,
                                  .width = 24,
                                  .heads = 3,
                                  .context = 130, /* two tiles of queries */
                                  .mlp_width = 20,
                                  .residual_attention = 0.7,
                                  .residual_mlp = 1.2};
    for (int pre = 0; pre < 2; pre++)
        for (int variant = 0; variant < 3; variant++) {
            shape.normalisation = pre ? IRENEO_NORMALISATION_PRE : IRENEO_NORMALISATION_POST;
            shape.activation = (ireneo_activation)variant;
            shape.causal = variant == 1;
            shape.gain_control = variant == 2;
            check_network(shape, 1 + variant % 2);
        }
}

/* Measured row statistics against A made again by hand, from the logits that the trace keeps. */
static void test_row_measures(void **state) {
    (void)state;
    ireneo_network_shape shape = {.layers = 1,
                                  .width = 16,
                                  .heads = 2,
                                  .context = 70,
                                  .mlp_width = 16,
                                  .residual_attention = 1.0,
                                  .residual_mlp = 1.0};
    const ireneo_network_scales scales = {.beta = 2.0, .value_variance = 1.0};
    float *parameters = malloc(ireneo_network_parameters(&shape) * sizeof *parameters);
    ireneo_network_trace trace;
    assert_int_equal(ireneo_network_trace_create(&shape, 1, 2, false, true, &trace), IRENEO_OK);
    ireneo_network_draw(&shape, &scales, 1, 0, parameters, 1);
    ireneo_fill_normal_floats(2, 0, 0, trace.rows * shape.width, trace.layers[0].attention_input);
    ireneo_attention_forward(&shape, ireneo_network_layer(&shape, parameters, 0), &trace, 0, trace.branch);
    for (size_t head = 0; head < 2; head++) {
        double columns[70] = {0};
        for (size_t s = 0; s < 70; s++) {
            double a[70], sum = 0.0, square = 0.0;
            for (size_t t = 0; t < 70; t++) {
                double logit = 0.0;
                for (size_t i = 0; i < 8; i++)
                    logit += (double)trace.layers[0].query_key_value[s * 48 + head * 8 + i] *
                             (double)trace.layers[0].query_key_value[t * 48 + 16 + head * 8 + i];
                sum += a[t] = exp(logit / sqrt(8.0));
            }
            for (size_t t = 0; t < 70; t++) {
                square += a[t] * a[t] / (sum * sum);
                columns[t] += a[t] / sum;
            }
            expect_near((double)trace.participation[head * 70 + s], square, 1e-5, "participation of a row");
        }
        for (size_t t = 0; t < 70; t++)
            expect_near((double)trace.column_sum[head * 70 + t], columns[t], 1e-4, "column sum");
    }
    ireneo_network_trace_free(&trace);
    free(parameters);
}

int main(void) {
    ireneo_enter(1, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponential),  cmocka_unit_test(test_products),
        cmocka_unit_test(test_softmax),      cmocka_unit_test(test_layer_norm),
        cmocka_unit_test(test_activations),  cmocka_unit_test(test_whole_network),
        cmocka_unit_test(test_row_measures),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    ireneo_leave(IRENEO_OK);
    return failures;
}
