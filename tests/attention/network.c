/* The pieces of the transformer against plain double-precision code written here from the formulas. */
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
    case IRENEO_ACTIVATION_SILU:
        return x / (1.0 + exp(-x));
    default:
        return NAN;
    }
}

static void test_activations(void **state) {
    (void)state;
    const ireneo_activation all[] = {IRENEO_ACTIVATION_RELU, IRENEO_ACTIVATION_TANH, IRENEO_ACTIVATION_GELU,
                                     IRENEO_ACTIVATION_SILU};
    for (size_t a = 0; a < sizeof all / sizeof *all; a++)
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
        cmocka_unit_test(test_exponential), cmocka_unit_test(test_products),
        cmocka_unit_test(test_softmax),     cmocka_unit_test(test_layer_norm),
        cmocka_unit_test(test_activations), cmocka_unit_test(test_row_measures),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    ireneo_leave(IRENEO_OK);
    return failures;
}
