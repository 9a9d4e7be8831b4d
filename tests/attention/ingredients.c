/* Ingredients of today's blocks in real networks against the laws that `propagate` has for them. Seeds are
 * fixed; over seeds a bound of 3 standard errors would be passed by one number in a hundred or so. */
#include "ireneo.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* One attention layer of 4 heads of width 64. */
static ireneo_transformer one_layer(double rho, double beta) {
    ireneo_transformer t;
    ireneo_transformer_defaults(&t);
    t.layers = 1;
    t.width = t.mlp_width = 256;
    t.heads = 4;
    t.context = 256;
    t.rho_0 = rho;
    t.beta = beta;
    return t;
}

/* Within `share` of the law, or 3 standard errors. */
static void check_number(const char *what, const char *number, ireneo_attention_estimate e, double law,
                         double share) {
    print_message("%s: %s %.5f (%.5f), law %.5f\n", what, number, e.mean, e.error, law);
    assert_true(fabs(e.mean - law) <= share * fabs(law) + 3.0 * e.error);
}

/* Participation of the first layer within `share` of the law, or 3 standard errors. */
static void check_participation(ireneo_transformer t, double share, const char *what) {
    const ireneo_attention_simulate_settings settings = {.draws = 8, .seed = 3, .forward_only = 1};
    ireneo_attention_depth depths[2];
    ireneo_attention_propagation p;
    assert_int_equal(ireneo_attention_simulate(&t, &settings, depths), IRENEO_OK);
    assert_int_equal(ireneo_attention_propagate(&t, &p), IRENEO_OK);
    check_number(what, "Y2", depths[1].participation, p.participation[0], share);
    ireneo_attention_propagation_free(&p);
}

static void test_rotary(void **state) {
    (void)state;
    ireneo_transformer near = one_layer(0.3, 1.0), far = one_layer(0.7, 2.0);
    near.rope_base = far.rope_base = 1e4;
    check_participation(near, 0.1, "rotary, rho 0.3");
    check_participation(far, 0.1, "rotary, rho 0.7");
}

static void test_query_key_norm(void **state) {
    (void)state;
    const double gains[] = {1.0, 3.0, 6.0};
    for (size_t i = 0; i < 3; i++) {
        ireneo_transformer t = one_layer(0.0, 1.0);
        t.query_key_norm = gains[i];
        check_participation(t, 0.05, "QK-norm");
    }
}

static ireneo_attention_estimate over(ireneo_attention_estimate e, double unit) {
    return (ireneo_attention_estimate){e.mean / unit, e.error / unit};
}

/* A network that is one attention layer and nothing else against `layer`: rows, what leaves it, and the gradient of W_Q. */
static void check_layer(ireneo_attention_input input, const char *what) {
    ireneo_transformer t = one_layer(input.p, input.beta);
    t.normalisation = IRENEO_NORMALISATION_NONE;
    t.residual_attention = t.mlp_in_variance = t.mlp_out_variance = 0.0;
    t.value_bias_variance = t.mlp_bias_variance = 0.0;
    t.value_variance = 1.0;
    t.window = input.window;
    t.rope_base = input.rope_base;
    t.query_key_norm = input.query_key_norm;
    t.soft_cap = input.soft_cap;
    input.context = t.context;
    input.width = t.width;
    input.head_width = t.width / t.heads;
    input.value_variance = 1.0;
    const ireneo_attention_simulate_settings settings = {.draws = 8, .seed = 5};
    ireneo_attention_depth depths[2];
    ireneo_attention_report r;
    assert_int_equal(ireneo_attention_simulate(&t, &settings, depths), IRENEO_OK);
    input.p = fmax(0.0, depths[0].rho.mean);
    assert_int_equal(ireneo_attention_layer(&input, &r), IRENEO_OK);
    double unit = (double)t.width * sqrt(log(t.context));
    check_number(what, "Y2", depths[1].participation, r.participation, 0.08);
    check_number(what, "entropy", depths[1].entropy, r.entropy, 0.05);
    check_number(what, "O12", depths[1].overlap, r.overlap, 0.12);
    check_number(what, "q_out", depths[1].q, r.q_out + r.finite_width_q, 0.05);
    check_number(what, "gradient", over(depths[1].gradient_query, unit), r.gradient, 0.15);
}

static void test_layers(void **state) {
    (void)state;
    check_layer((ireneo_attention_input){.beta = 1.0, .q = 1.0, .p = 0.2}, "plain layer");
    check_layer((ireneo_attention_input){.beta = 1.0, .q = 1.0, .p = 0.3, .rope_base = 1e4}, "rotary layer");
    check_layer((ireneo_attention_input){.beta = 2.0, .q = 1.0, .p = 0.2, .query_key_norm = 3.0},
                "QK-norm layer");
    check_layer((ireneo_attention_input){.beta = 1.5, .q = 1.0, .p = 0.2, .soft_cap = 3.0}, "capped layer");
    check_layer((ireneo_attention_input){.beta = 1.0, .q = 1.0, .p = 0.1, .window = 64.0}, "window layer");
}

/* Post-LN networks of width 64 under gain control, where what a finite width adds decides: with tokens that fill all
 * directions alike the recursion would end at 0.18, five standard errors lower. */
static void test_gain_control(void **state) {
    (void)state;
    ireneo_transformer t = one_layer(0.3, 1.0);
    t.layers = 20;
    t.width = t.mlp_width = 64;
    t.heads = 1;
    t.context = 128;
    t.value_variance = 1.0;
    t.mlp_bias_variance = 0.0;
    t.value_bias_variance = 3.0; /* meets weights that sum to 0 */
    t.gain_control = 1;
    const ireneo_attention_simulate_settings settings = {.draws = 40, .seed = 7, .forward_only = 1};
    ireneo_attention_depth depths[21];
    ireneo_attention_propagation p, unbiased;
    assert_int_equal(ireneo_attention_simulate(&t, &settings, depths), IRENEO_OK);
    t.rho_0 = depths[0].rho.mean;
    assert_int_equal(ireneo_attention_propagate(&t, &p), IRENEO_OK);
    check_number("gain control, layer 10", "rho", depths[10].rho, p.rho[10], 0.0);
    check_number("gain control, layer 20", "rho", depths[20].rho, p.rho[20], 0.0);
    assert_true(depths[20].rho.error < 0.02);
    t.value_bias_variance = 0.0;
    assert_int_equal(ireneo_attention_propagate(&t, &unbiased), IRENEO_OK);
    for (size_t layer = 0; layer <= 20; layer++) assert_true(p.rho[layer] == unbiased.rho[layer]);
    assert_true(p.chi_attention == 1.0);
    ireneo_attention_propagation_free(&p);
    ireneo_attention_propagation_free(&unbiased);
}

/* 1 - rho of ReGLU networks near rho = 1, whose critical attention skip is sqrt 2: it shrinks at 1.3 and grows at
 * 1.55. */
static void test_critical_residual_of_gates(void **state) {
    (void)state;
    const double residuals[] = {1.3, 1.55};
    for (size_t i = 0; i < 2; i++) {
        ireneo_transformer t = one_layer(0.98, 0.1);
        t.layers = 6;
        t.heads = 1;
        t.context = 96;
        t.activation = IRENEO_ACTIVATION_REGLU;
        t.value_variance = t.mlp_in_variance = 1.0;
        t.mlp_out_variance = 2.0;
        t.value_bias_variance = t.mlp_bias_variance = 0.0;
        t.residual_attention = residuals[i];
        const ireneo_attention_simulate_settings settings = {.draws = 30, .seed = 3, .forward_only = 1};
        ireneo_attention_depth depths[7];
        assert_int_equal(ireneo_attention_simulate(&t, &settings, depths), IRENEO_OK);
        double growth = (1.0 - depths[6].rho.mean) / (1.0 - depths[1].rho.mean);
        print_message("ReGLU, skip %g: 1 - rho grows %.3f times in 5 layers\n", residuals[i], growth);
        assert_true(i == 0 ? growth < 0.95 : growth > 1.05);
    }
}

/* A causal network: first tokens, which see few keys, are more alike than the last. */
static void test_early_and_late(void **state) {
    (void)state;
    ireneo_transformer t = one_layer(0.03, 0.5);
    t.layers = 8;
    t.heads = 1;
    t.context = 192;
    t.causal = 1;
    const ireneo_attention_simulate_settings settings = {.draws = 8, .seed = 3, .forward_only = 1};
    ireneo_attention_depth depths[9];
    ireneo_attention_propagation p;
    assert_int_equal(ireneo_attention_simulate(&t, &settings, depths), IRENEO_OK);
    assert_int_equal(ireneo_attention_propagate(&t, &p), IRENEO_OK);
    const ireneo_attention_estimate early = depths[8].rho_early, late = depths[8].rho_late;
    print_message("causal, layer 8: early %.3f (%.3f), law %.3f; late %.3f (%.3f), law %.3f\n", early.mean,
                  early.error, p.rho_early[8], late.mean, late.error, p.rho_late[8]);
    assert_true(fabs(late.mean - p.rho_late[8]) < 3.0 * late.error + 0.03);
    assert_true(isfinite(early.mean) && early.mean != late.mean);
    ireneo_attention_propagation_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotary),
        cmocka_unit_test(test_query_key_norm),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_gain_control),
        cmocka_unit_test(test_critical_residual_of_gates),
        cmocka_unit_test(test_early_and_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
