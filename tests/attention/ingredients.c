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

/* Participation of the first layer within `share` of the law, or 3 standard errors. */
static void check_participation(ireneo_transformer t, double share, const char *what) {
    const ireneo_attention_simulate_settings settings = {.draws = 8, .seed = 3, .forward_only = 1};
    ireneo_attention_depth depths[2];
    ireneo_attention_propagation p;
    assert_int_equal(ireneo_attention_simulate(&t, &settings, depths), IRENEO_OK);
    assert_int_equal(ireneo_attention_propagate(&t, &p), IRENEO_OK);
    double measured = depths[1].participation.mean, error = depths[1].participation.error;
    print_message("%s: Y2 %.4f (%.4f), law %.4f\n", what, measured, error, p.participation[0]);
    assert_true(fabs(measured - p.participation[0]) <= share * p.participation[0] + 3.0 * error);
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
        cmocka_unit_test(test_critical_residual_of_gates),
        cmocka_unit_test(test_early_and_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
