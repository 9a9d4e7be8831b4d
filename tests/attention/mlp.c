/* Gaussian averages of the activations: closed forms against Gauss-Hermite and GSL's adaptive quadrature, and
 * the interpolation tables. */
#include "near.h"
#include "scratch.h"

#include "attention/theory/attention_map.h"
#include "attention/theory/mlp_map.h"
#include "attention/theory/rem.h"
#include "gsl_quadrature.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <math.h>

static double relu(double x) {
    return x > 0.0 ? x : 0.0;
}
static double gelu(double x) {
    return x * 0.5 * erfc(-x * M_SQRT1_2);
}
static double gelu_slope(double x) {
    return 0.5 * erfc(-x * M_SQRT1_2) + x * exp(-0.5 * x * x) / sqrt(2.0 * M_PI);
}
static double tanh_slope(double x) {
    double t = tanh(x);
    return 1.0 - t * t;
}
static double step(double x) {
    return x > 0.0 ? 1.0 : 0.0;
}

static double silu(double x) {
    return x / (1.0 + exp(-x));
}

static double silu_slope(double x) {
    double s = 1.0 / (1.0 + exp(-x));
    return s + x * s * (1.0 - s);
}

typedef double (*scalar_function)(double);
static const struct {
    ireneo_activation activation;
    scalar_function phi, slope;
} CASES[] = {{IRENEO_ACTIVATION_RELU, relu, step},
             {IRENEO_ACTIVATION_GELU, gelu, gelu_slope},
             {IRENEO_ACTIVATION_TANH, tanh, tanh_slope},
             {IRENEO_ACTIVATION_SILU, silu, silu_slope}};

/* E phi(u) psi(v) by nested adaptive quadrature, broken at 0 where ReLU has its kink. */
typedef struct average {
    scalar_function phi, psi;
    double root_q, c, z;
    gsl_integration_workspace *inner;
} average;

static double inner_integrand(double y, void *context) {
    const average *a = context;
    double v = a->root_q * (a->c * a->z + sqrt(1.0 - a->c * a->c) * y);
    return exp(-0.5 * y * y) / sqrt(2.0 * M_PI) * a->psi(v);
}

static double outer_integrand(double z, void *context) {
    average *a = context;
    a->z = z;
    double value = a->psi(a->root_q * z), error;
    if (a->c < 1.0) {
        double kink = -a->c * z / sqrt(1.0 - a->c * a->c);
        double points[] = {-10.0, fmin(9.9, fmax(-9.9, kink)), 10.0};
        gsl_function g = {inner_integrand, a};
        gsl_integration_qagp(&g, points, 3, 1e-13, 1e-11, 200, a->inner, &value, &error);
    }
    return exp(-0.5 * z * z) / sqrt(2.0 * M_PI) * a->phi(a->root_q * z) * value;
}

static double brute_force(scalar_function phi, scalar_function psi, double q, double c) {
    average a = {phi, psi, sqrt(q), c, 0.0, gsl_integration_workspace_alloc(200)};
    gsl_integration_workspace *outer = gsl_integration_workspace_alloc(200);
    gsl_function g = {outer_integrand, &a};
    double points[] = {-10.0, 0.0, 10.0}, value, error;
    gsl_integration_qagp(&g, points, 3, 1e-12, 1e-10, 200, outer, &value, &error);
    gsl_integration_workspace_free(outer);
    gsl_integration_workspace_free(a.inner);
    return value;
}

static void test_against_quadrature(void **state) {
    (void)state;
    gsl_set_error_handler_off();
    static const double qs[] = {0.05, 1.0, 4.0};
    static const double cs[] = {0.0, 0.5, 0.97};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        for (size_t k = 0; k < 3; k++) {
            double q = qs[k], power = brute_force(CASES[i].phi, CASES[i].phi, q, 1.0);
            assert_near(ireneo_activation_power(CASES[i].activation, q), power, 1e-9);
            assert_near(ireneo_activation_slope(CASES[i].activation, q),
                        brute_force(CASES[i].slope, CASES[i].slope, q, 1.0), 1e-9);
            for (size_t j = 0; j < 3; j++)
                assert_near(ireneo_activation_gap(CASES[i].activation, q, 1.0 - cs[j]),
                            power - brute_force(CASES[i].phi, CASES[i].phi, q, cs[j]), 2e-9);
        }
}

/* The arc-cosine kernel against Gauss-Hermite in two dimensions, which the kink limits to a few digits. */
static void test_arc_cosine(void **state) {
    (void)state;
    enum { NODES = 200 };
    double nodes[NODES], weights[NODES];
    gauss_hermite_with_gsl(NODES, nodes, weights);
    for (double c = 0.0; c < 1.0; c += 0.24) {
        double sum = 0.0, f = (sqrt(1.0 - c * c) + c * (M_PI - acos(c))) / M_PI;
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < NODES; j++)
                sum += weights[i] * weights[j] * relu(nodes[i]) *
                       relu(c * nodes[i] + sqrt(1.0 - c * c) * nodes[j]);
        assert_near(sum, 0.5 * f, 2e-3);
        assert_near(0.5 - ireneo_activation_gap(IRENEO_ACTIVATION_RELU, 1.0, 1.0 - c), 0.5 * f, 1e-14);
    }
}

/* Smooth activations: Gauss-Hermite is accurate. */
static void test_gauss_hermite(void **state) {
    (void)state;
    enum { NODES = 100 };
    double nodes[NODES], weights[NODES];
    gauss_hermite_with_gsl(NODES, nodes, weights);
    for (double c = 0.1; c < 1.0; c += 0.2)
        for (size_t a = 1; a < 3; a++) {
            double sum = 0.0, q = 0.6;
            for (int i = 0; i < NODES; i++)
                for (int j = 0; j < NODES; j++)
                    sum += weights[i] * weights[j] * CASES[a].phi(sqrt(q) * nodes[i]) *
                           CASES[a].phi(sqrt(q) * (c * nodes[i] + sqrt(1.0 - c * c) * nodes[j]));
            double expected = ireneo_activation_power(CASES[a].activation, q) -
                              ireneo_activation_gap(CASES[a].activation, q, 1.0 - c);
            assert_near(sum, expected, 1e-9);
        }
}

/* Near rho = 1 the gap is slope times q times distance; nothing cancels. */
static void test_small_distances(void **state) {
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (double distance = 1e-14; distance < 1e-7; distance *= 100.0) {
            double gap = ireneo_activation_gap(CASES[i].activation, 1.7, distance);
            double linear = 1.7 * distance * ireneo_activation_slope(CASES[i].activation, 1.7);
            assert_near(gap / linear, 1.0, 1e-6 + 2.0 * sqrt(distance));
        }
    /* The two branches of GELU meet. */
    double below = ireneo_activation_gap(IRENEO_ACTIVATION_GELU, 1.0, 0.99999e-4);
    double above = ireneo_activation_gap(IRENEO_ACTIVATION_GELU, 1.0, 1.00001e-4);
    assert_near(above / below, 1.00001 / 0.99999, 1e-9);
}

static ireneo_transformer mlp_of(ireneo_activation activation, double in, double out, double bias) {
    return (ireneo_transformer){
        .activation = activation, .mlp_in_variance = in, .mlp_out_variance = out, .mlp_bias_variance = bias};
}

static ireneo_mlp_map open_map(ireneo_activation activation, double in, double out, double bias) {
    ireneo_transformer t = mlp_of(activation, in, out, bias);
    ireneo_mlp_map map;
    expect_ok(ireneo_mlp_map_open(&t, &map));
    return map;
}

static double gap_at(const ireneo_mlp_map *map, double distance) {
    return ireneo_mlp_map_at(map, (ireneo_tokens){1.0, distance, 0.0}).gap;
}

/* docs/attention.md: simulated MLP at width 4000, variances 0.2, bias 0.0004: q .02044 - .0002... and p(.5)
 * .01261. */
static void test_relu_mlp(void **state) {
    (void)state;
    ireneo_mlp_map map = open_map(IRENEO_ACTIVATION_RELU, 0.2, 0.2, 4e-4);
    assert_near(map.q_out, 0.02044, 1e-5);
    assert_near(map.q_out - gap_at(&map, 0.5), 0.01261, 1e-5);
    ireneo_mlp_map_close(&map);
}

static void test_tanh_table(void **state) {
    (void)state;
    static const double variances[] = {0.1, 1.0, 4.0, 25.0};
    for (size_t i = 0; i < 4; i++) {
        ireneo_mlp_map map = open_map(IRENEO_ACTIVATION_TANH, variances[i], 1.5, 0.1);
        for (double distance = 0.013; distance < 1.0; distance += 0.07) {
            double hidden = distance * variances[i] / (variances[i] + 0.1);
            double direct = 1.5 * ireneo_activation_gap(IRENEO_ACTIVATION_TANH, variances[i] + 0.1, hidden);
            assert_near(gap_at(&map, distance) / direct, 1.0, 1e-7);
        }
        ireneo_mlp_map_close(&map);
    }
    ireneo_mlp_map map;
    ireneo_transformer wide = mlp_of(IRENEO_ACTIVATION_TANH, 1000.0, 1.0, 0.0);
    expect_error(ireneo_mlp_map_open(&wide, &map), IRENEO_ERROR_ARGUMENT, "tanh", "400");
}

static void test_attention_table(void **state) {
    (void)state;
    static const double cases[][3] = {{0.1, 64, 64}, {1.0, 512, 512}, {2.3, 512, 100}, {3.0, 1e8, 1e8}};
    for (size_t i = 0; i < 4; i++) {
        ireneo_attention_map map;
        double beta = cases[i][0], context = cases[i][1], keys = cases[i][2];
        ireneo_transformer t = {.beta = beta, .context = context, .keys = keys};
        expect_ok(ireneo_attention_map_open(&t, &map));
        for (double distance = 0.004; distance < 1.0; distance *= 1.7) {
            ireneo_attention_averages averages;
            ireneo_rem_row row;
            double sigma = beta * sqrt(log(context) * distance), overlap;
            expect_ok(ireneo_rem_exact(sigma, keys, &row));
            expect_ok(ireneo_rem_row_overlap(sigma, 1.0 - distance, keys, &overlap));
            ireneo_attention_map_at(&map, 1.0, distance, &averages);
            assert_near(averages.participation / row.y[2], 1.0, 1e-7);
            assert_near(averages.overlap / overlap, 1.0, 1e-7);
            assert_near(averages.entropy, row.entropy, 1e-7);
        }
        ireneo_attention_map_close(&map);
    }
}

/* The table over scales against the sums it is made from, between its points: worst 4e-8 for tanh, 5e-9 for SiLU. */
static void test_table_of_scales(void **state) {
    (void)state;
    static const ireneo_activation summed[] = {IRENEO_ACTIVATION_TANH, IRENEO_ACTIVATION_SILU};
    for (size_t i = 0; i < 2; i++) {
        ireneo_activation_table table;
        expect_ok(ireneo_activation_table_open(summed[i], &table));
        for (double q = 1.3e-6; q < 900.0; q *= 6.7) /* the ends lie outside the table */
            for (double distance = 1e-6; distance <= 1.0; distance *= 4.9)
                assert_near(ireneo_activation_table_at(&table, q, distance) /
                                ireneo_activation_gap(summed[i], q, distance),
                            1.0, 1e-7);
        ireneo_activation_table_close(&table);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_quadrature), cmocka_unit_test(test_arc_cosine),
        cmocka_unit_test(test_gauss_hermite),      cmocka_unit_test(test_small_distances),
        cmocka_unit_test(test_relu_mlp),           cmocka_unit_test(test_tanh_table),
        cmocka_unit_test(test_attention_table),    cmocka_unit_test(test_table_of_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
