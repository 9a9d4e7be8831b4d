/* Tokens through depth: the recursion tables of docs/attention.md, stability, critical residual strengths,
 * the trainability diagram and recommendations. */
#include "near.h"
#include "scratch.h"

#include "attention/theory/mlp_map.h"

#include <math.h>

static ireneo_transformer authors(double beta, size_t layers) {
    ireneo_transformer t;
    ireneo_transformer_defaults(&t);
    t.beta = beta;
    t.layers = layers;
    return t;
}

static ireneo_attention_propagation propagate(ireneo_transformer t, double rho_0) {
    ireneo_attention_propagation p;
    t.rho_0 = rho_0;
    expect_ok(ireneo_attention_propagate(&t, &p));
    return p;
}

/* The tables were started at the similarity that a simulation measured, near .05; rho_0 here is what gives
 * the limit row's entry at layer 20. All other entries are checked. */
static void test_depth_tables(void **state) {
    (void)state;
    static const size_t layers[] = {1, 5, 10, 20, 30, 50};
    static const struct {
        double beta, rho_0, limit[6], exact[6];
    } table[] = {
        {0.5, 0.0498, {0.066, 0.157, 0.343, 0.779, 0.957, 0.999}, {0.066, 0.158, 0.347, 0.782, 0.958, 0.999}},
        {1.0, 0.0493, {0.065, 0.156, 0.343, 0.778, 0.957, 0.999}, {0.065, 0.150, 0.323, 0.759, 0.953, 0.999}},
        {2.0, 0.0467, {0.059, 0.125, 0.253, 0.672, 0.929, 0.998}, {0.058, 0.117, 0.222, 0.553, 0.875, 0.996}},
        {3.0, 0.0481, {0.059, 0.108, 0.190, 0.434, 0.755, 0.992}, {0.058, 0.106, 0.182, 0.402, 0.703, 0.988}},
    };
    for (size_t i = 0; i < 4; i++) {
        ireneo_attention_propagation p = propagate(authors(table[i].beta, 50), table[i].rho_0);
        for (size_t k = 0; k < 6; k++) {
            assert_near(p.rho_limit[layers[k]], table[i].limit[k], 2.5e-3);
            assert_near(p.rho[layers[k]], table[i].exact[k], 2.5e-3);
        }
        ireneo_attention_propagation_free(&p);
    }
    ireneo_attention_propagation p = propagate(authors(3.0, 30), 0.0491); /* the run with ten draws */
    assert_near(p.rho[10], 0.184, 1.5e-3);
    assert_near(p.rho[20], 0.406, 1.5e-3);
    assert_near(p.rho[30], 0.707, 2.5e-3);
    ireneo_attention_propagation_free(&p);
}

static void test_other_settings(void **state) {
    (void)state;
    ireneo_attention_propagation p;
    ireneo_transformer t = authors(0.5, 50);
    t.residual_attention = 3.0;
    expect_ok(ireneo_attention_propagate(&t, &p));
    assert_near(p.rho_limit[50], 0.458, 1e-3);
    ireneo_attention_propagation_free(&p);
    t = authors(3.0, 10);
    t.value_variance = 1.0;
    p = propagate(t, 0.201);
    assert_near(p.rho_limit[5], 0.606, 1e-3);
    assert_near(p.rho[5], 0.558, 2.5e-3);
    assert_near(p.rho_limit[10], 0.973, 2e-3);
    assert_near(p.rho[10], 0.952, 2e-3);
    ireneo_attention_propagation_free(&p);
}

static void test_pre_ln(void **state) {
    (void)state;
    ireneo_attention_propagation p;
    ireneo_transformer t = authors(0.5, 30);
    t.normalisation = IRENEO_NORMALISATION_PRE;
    t.rho_0 = 0.2;
    expect_ok(ireneo_attention_propagate(&t, &p));
    assert_near(p.rho_limit[30], 0.808, 1e-3);
    assert_near(p.scale_limit[30], 5.14, 1e-2);
    ireneo_attention_propagation_free(&p);
    t.beta = 3.0;
    expect_ok(ireneo_attention_propagate(&t, &p));
    assert_near(p.rho_limit[30], 0.537, 1.5e-3);
    assert_near(p.rho[30], 0.497, 1.5e-3);
    assert_near(p.scale_limit[30], 5.43, 1e-2);
    assert_near(p.scale[30], 5.80, 0.04);
    ireneo_attention_propagation_free(&p);
    t.layers = 100; /* a condensed network that falls out of the condensed phase */
    t.value_variance = 1.0;
    t.value_bias_variance = 0.0;
    expect_ok(ireneo_attention_propagate(&t, &p));
    assert_near(p.rho_limit[100], 0.951, 1e-3);
    ireneo_attention_propagation_free(&p);
    t.beta = 0.1;
    expect_ok(ireneo_attention_propagate(&t, &p));
    assert_true(p.chi < 1.0 && p.chi > 0.98); /* tokens outgrow the branches: collapse by a power law */
    assert_near(p.critical_residual, 1.0, 1e-12);
    ireneo_attention_propagation_free(&p);
}

/* Power law of pre-LN with unit skips: 1 - rho ~ l^-k with k = (a + q_out - c) / (a + q_out). */
static void test_pre_ln_power(void **state) {
    (void)state;
    ireneo_attention_propagation p;
    ireneo_transformer t = authors(0.5, 4000);
    t.normalisation = IRENEO_NORMALISATION_PRE;
    t.value_bias_variance = t.mlp_bias_variance = 0.0;
    t.activation = IRENEO_ACTIVATION_TANH; /* smooth: the kink of ReLU adds a correction that decays slowly */
    t.rho_0 = 0.9999;                      /* where the map is linear */
    t.mlp_in_variance = t.mlp_out_variance = 1.0;
    expect_ok(ireneo_attention_propagate(&t, &p));
    double local = log(p.distance[4000] / p.distance[2000]) / log(2.0);
    double a = 0.2, q_out = ireneo_activation_power(IRENEO_ACTIVATION_TANH, 1.0),
           c = ireneo_activation_slope(IRENEO_ACTIVATION_TANH, 1.0);
    assert_near(local, -(a + q_out - c) / (a + q_out), 4e-3);
    ireneo_attention_propagation_free(&p);
}

static void test_chi(void **state) {
    (void)state;
    ireneo_attention_propagation p;
    ireneo_transformer t = authors(0.5, 120);
    expect_ok(ireneo_attention_propagate(&t, &p));
    assert_near(p.chi_attention, 0.83306, 5e-6);
    assert_near(p.chi_mlp, 0.99957, 5e-6);
    assert_near(p.chi, 0.83270, 5e-6);
    assert_near(p.correlation_depth, -1.0 / log(0.83270), 1e-3);
    assert_near(p.distance[101] / p.distance[100], 0.83269, 1e-5);
    assert_near(p.distance_limit[101] / p.distance_limit[100], 0.83269, 1e-5);
    assert_near(pow(p.distance_limit[50] / p.distance_limit[30], 0.05), 0.8340, 5e-4);
    assert_true(isinf(p.critical_residual)); /* ReLU */
    ireneo_attention_propagation_free(&p);
}

/* The rate of the iterated map near rho = 1 is chi, for every activation, with and without gain control. */
static void test_chi_of_the_map(void **state) {
    (void)state;
    for (int activation = IRENEO_ACTIVATION_RELU; activation <= IRENEO_ACTIVATION_GELU; activation++)
        for (int gain = 0; gain < 2; gain++)
            for (int norm = IRENEO_NORMALISATION_POST; norm <= IRENEO_NORMALISATION_PRE; norm++) {
                ireneo_transformer t = authors(1.3, 1);
                ireneo_attention_propagation p;
                t.activation = (ireneo_activation)activation;
                t.normalisation = (ireneo_normalisation)norm;
                t.gain_control = gain;
                t.q_0 = 1.7;
                t.mlp_in_variance = 0.8;
                t.mlp_out_variance = 1.3;
                t.rho_0 = 1.0 - 1e-9;
                expect_ok(ireneo_attention_propagate(&t, &p));
                assert_near(p.distance[1] / p.distance[0] / p.chi, 1.0, 1e-4);
                ireneo_attention_propagation_free(&p);
            }
}

/* tanh, variances 4, value variance 1, no biases; tables started at rho_0 = 0.5, 55 layers. */
static void test_tanh_transition(void **state) {
    (void)state;
    static const double table[][2] = {{1.1, 1.0000}, {1.4, 0.9911}, {1.8, 0.7496}, {2.5, 0.229}};
    for (size_t i = 0; i < 4; i++) {
        ireneo_transformer t = authors(0.5, 55);
        ireneo_attention_propagation p;
        t.activation = IRENEO_ACTIVATION_TANH;
        t.mlp_in_variance = t.mlp_out_variance = 4.0;
        t.value_variance = 1.0;
        t.value_bias_variance = t.mlp_bias_variance = 0.0;
        t.residual_attention = table[i][0];
        t.rho_0 = 0.5;
        expect_ok(ireneo_attention_propagate(&t, &p));
        assert_near(p.rho_limit[55], table[i][1], 6e-4);
        assert_near(p.chi_mlp, 1.4389, 1e-4);
        assert_near(p.critical_residual, 1.5094, 1e-4);
        assert_int_equal(p.chi > 1.0, table[i][0] > p.critical_residual);
        ireneo_attention_propagation_free(&p);
    }
}

/* At the balanced residual chi is 1; a little stronger skips keep tokens apart at any depth. */
static void test_balance(void **state) {
    (void)state;
    for (int norm = IRENEO_NORMALISATION_POST; norm <= IRENEO_NORMALISATION_PRE; norm++) {
        ireneo_transformer t = authors(0.5, 3000);
        ireneo_attention_propagation p;
        t.activation = IRENEO_ACTIVATION_TANH;
        t.normalisation = (ireneo_normalisation)norm;
        t.mlp_in_variance = t.mlp_out_variance = 4.0;
        t.value_bias_variance = t.mlp_bias_variance = 0.0;
        t.residual_mlp = 0.7;
        expect_ok(ireneo_attention_propagate(&t, &p));
        double critical = p.critical_residual;
        ireneo_attention_propagation_free(&p);
        assert_true(critical > 0.0 && isfinite(critical));
        for (int side = -1; side <= 1; side += 2) {
            t.residual_attention = critical * (1.0 + 0.03 * side);
            expect_ok(ireneo_attention_propagate(&t, &p));
            if (side < 0)
                assert_true(p.distance[3000] < 1e-9);
            else
                assert_true(p.distance[3000] > 1e-3);
            assert_int_equal(p.chi > 1.0, side > 0);
            ireneo_attention_propagation_free(&p);
        }
    }
}

/* Without an MLP and biases the odds rho / (1 - rho) multiply: o_L = o_0 (1 + s_v^2 / r^2)^L. */
static void test_odds(void **state) {
    (void)state;
    ireneo_transformer t = authors(0.0, 7);
    ireneo_attention_propagation p;
    t.mlp_in_variance = t.mlp_out_variance = t.mlp_bias_variance = t.value_bias_variance = 0.0;
    t.residual_attention = 1.5;
    expect_ok(ireneo_attention_propagate(&t, &p));
    double odds = 0.05 / 0.95 * pow(1.0 + 0.2 / 2.25, 7);
    assert_near(p.rho_limit[7], odds / (1.0 + odds), 1e-12);
    ireneo_attention_propagation_free(&p);
    /* and the critical residual of the same formula: r^2 = s_v^2 / ((o* / o_0)^{1/L} - 1) */
    double residual, limit, wanted = 0.2 / (pow(0.95 / 0.05 * 0.95 / 0.05, 1.0 / 7.0) - 1.0);
    expect_ok(ireneo_attention_critical_residual(&t, 0.05, &residual, &limit));
    assert_near(limit, sqrt(wanted), 1e-9);
    assert_true(residual > limit); /* 1/T of uniform attention brings tokens a little closer still */
}

static void test_gain_control(void **state) {
    (void)state;
    ireneo_transformer t = authors(0.1, 100);
    ireneo_attention_propagation p;
    t.rho_0 = 0.2;
    t.value_variance = 1.0;
    t.value_bias_variance = 0.0;
    expect_ok(ireneo_attention_propagate(&t, &p));
    assert_true(p.rho[100] > 0.999);
    ireneo_attention_propagation_free(&p);
    t.gain_control = 1;
    expect_ok(ireneo_attention_propagate(&t, &p));
    assert_true(p.rho[100] < 0.6);
    assert_near(p.chi_attention, 1.0, 1e-12);
    ireneo_attention_propagation_free(&p);
    /* the limit map of one step with condensed attention: p = r^2 p, q = r^2 q + (q - p) Y2 */
    t = authors(3.0, 1);
    t.gain_control = 1;
    t.rho_0 = 0.2;
    t.value_variance = 1.0;
    t.mlp_in_variance = t.mlp_out_variance = t.mlp_bias_variance = t.value_bias_variance = 0.0;
    expect_ok(ireneo_attention_propagate(&t, &p));
    assert_near(p.rho_limit[1], 0.2 / (1.0 + 0.8 * (1.0 - sqrt(2.5) / 3.0)), 1e-12);
    ireneo_attention_propagation_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_depth_tables),
        cmocka_unit_test(test_other_settings),
        cmocka_unit_test(test_pre_ln),
        cmocka_unit_test(test_pre_ln_power),
        cmocka_unit_test(test_chi),
        cmocka_unit_test(test_chi_of_the_map),
        cmocka_unit_test(test_tanh_transition),
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_odds),
        cmocka_unit_test(test_gain_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
