/* Today's blocks: gated MLPs, other places of the norms, parallel branches, and gradients through all of them. */
#include "near.h"
#include "scratch.h"

#include "attention/theory/mlp_map.h"

#include <math.h>

static ireneo_transformer base(size_t layers) {
    ireneo_transformer t;
    ireneo_transformer_defaults(&t);
    t.layers = layers;
    t.value_bias_variance = t.mlp_bias_variance = 0.0;
    return t;
}

static ireneo_attention_propagation propagate(const ireneo_transformer *t) {
    ireneo_attention_propagation p;
    expect_ok(ireneo_attention_propagate(t, &p));
    return p;
}

/* ReGLU, s_v = q2 = s = 1: critical r = sqrt 2. Networks of width 256 had rho_40 = .873, .043, .015. */
static void test_reglu(void **state) {
    (void)state;
    static const double table[][2] = {{1.3, 0.866}, {1.6, 0.014}, {2.0, 0.000}};
    ireneo_transformer t = base(40);
    t.activation = IRENEO_ACTIVATION_REGLU;
    t.beta = 0.5;
    t.value_variance = t.mlp_in_variance = t.mlp_gate_variance = 1.0;
    t.mlp_out_variance = 2.0;
    t.context = 256.0;
    t.rho_0 = 0.2;
    for (size_t i = 0; i < 3; i++) {
        t.residual_attention = table[i][0];
        ireneo_attention_propagation p = propagate(&t);
        assert_near(p.critical_residual, M_SQRT2, 1e-9);
        assert_near(p.chi_mlp, 1.5, 1e-9);
        assert_int_equal(p.chi > 1.0, table[i][0] > M_SQRT2);
        assert_near(p.rho[40], table[i][1], 0.05);
        ireneo_attention_propagation_free(&p);
    }
}

/* Without biases a gated MLP maps c to c k(c), and gate and input may have variances of their own. */
static void test_gated_kernel(void **state) {
    (void)state;
    static const ireneo_activation gated[] = {IRENEO_ACTIVATION_REGLU, IRENEO_ACTIVATION_GEGLU,
                                              IRENEO_ACTIVATION_SWIGLU};
    for (size_t i = 0; i < 3; i++) {
        ireneo_activation gate = ireneo_activation_of_gate(gated[i]);
        ireneo_transformer t = {.activation = gated[i],
                                .mlp_in_variance = 0.7,
                                .mlp_gate_variance = 1.9,
                                .mlp_out_variance = 0.6};
        ireneo_mlp_map map;
        expect_ok(ireneo_mlp_map_open(&t, &map));
        double power = ireneo_activation_power(gate, 1.9);
        assert_near(map.q_out, 0.6 * 0.7 * power, 1e-12);
        for (double c = 0.0; c < 1.0; c += 0.19) {
            ireneo_tokens out = ireneo_mlp_map_at(&map, (ireneo_tokens){1.0, 1.0 - c, 0.0});
            double kernel = 1.0 - ireneo_activation_gap(gate, 1.9, 1.0 - c) / power;
            assert_near((out.q - out.gap) / out.q, c * kernel, 1e-7);
            out = ireneo_mlp_map_at(&map,
                                    (ireneo_tokens){2.5, 2.5 * (1.0 - c), 0.0}); /* tokens without a norm */
            double raw = ireneo_activation_power(gate, 2.5 * 1.9);
            kernel = 1.0 - ireneo_activation_gap(gate, 2.5 * 1.9, 1.0 - c) / raw;
            assert_near((out.q - out.gap) / (0.6 * 0.7 * 2.5 * raw), c * kernel, 1e-7);
        }
        ireneo_mlp_map_close(&map);
    }
}

/* The rate of the iterated map near rho = 1 is chi, wherever the norms are. */
static void test_chi_everywhere(void **state) {
    (void)state;
    for (int norm = IRENEO_NORMALISATION_POST; norm <= IRENEO_NORMALISATION_SANDWICH; norm++)
        for (int activation = IRENEO_ACTIVATION_GELU; activation <= IRENEO_ACTIVATION_SWIGLU; activation++)
            for (int parallel = 0; parallel < 2; parallel++) {
                ireneo_transformer t = base(1);
                t.normalisation = (ireneo_normalisation)norm;
                t.activation = (ireneo_activation)activation;
                t.parallel = parallel;
                t.q_0 = 1.7;
                t.beta = 1.3;
                t.branch_gain = norm >= IRENEO_NORMALISATION_BRANCH ? 0.6 : 0.0;
                t.mlp_in_variance = 0.8;
                t.mlp_out_variance = 1.3;
                t.mlp_bias_variance = 0.1;
                t.rho_0 = 1.0 - 1e-8;
                ireneo_attention_propagation p = propagate(&t);
                assert_near(p.distance[1] / p.distance[0] / p.chi, 1.0, 2e-3);
                assert_near(p.chi, p.chi_attention * p.chi_mlp, 1e-12);
                ireneo_attention_propagation_free(&p);
            }
}

/* A norm on the branches' outputs: q grows by g^2 a branch whatever the values' scale. Without any norm and with
 * spread-out attention the stream's scale does not matter, and q grows as (r^2 + s_v^2 (...)) (s^2 + q2). */
static void test_scales(void **state) {
    (void)state;
    for (int norm = IRENEO_NORMALISATION_BRANCH; norm <= IRENEO_NORMALISATION_SANDWICH; norm++) {
        ireneo_transformer t = base(12);
        t.normalisation = (ireneo_normalisation)norm;
        t.branch_gain = 0.5;
        t.query_key_norm = 0.0;
        t.beta = norm == IRENEO_NORMALISATION_BRANCH ? 0.0 : 1.0;
        ireneo_attention_propagation p = propagate(&t);
        assert_near(p.scale[12], 1.0 + 24.0 * 0.25, 1e-9);
        t.value_variance *= 7.0;
        ireneo_attention_propagation other = propagate(&t);
        assert_near(other.rho[12], p.rho[12], 1e-12);
        ireneo_attention_propagation_free(&other);
        ireneo_attention_propagation_free(&p);
    }
    ireneo_transformer t = base(12);
    t.normalisation = IRENEO_NORMALISATION_NONE;
    t.beta = 0.0;
    ireneo_attention_propagation p = propagate(&t);
    t.q_0 = 30.0;
    ireneo_attention_propagation large = propagate(&t);
    assert_near(large.rho[12], p.rho[12], 1e-12);
    assert_near(large.scale[12] / p.scale[12], 30.0, 1e-9);
    t.normalisation = IRENEO_NORMALISATION_POST; /* the same map of directions */
    ireneo_attention_propagation post = propagate(&t);
    assert_near(post.rho[12], p.rho[12], 1e-9);
    ireneo_attention_propagation_free(&post);
    ireneo_attention_propagation_free(&large);
    ireneo_attention_propagation_free(&p);
}

/* Logits of unnormalised tokens grow with q: one layer is that of normalised tokens at q beta. */
static void test_free_logits(void **state) {
    (void)state;
    for (double q = 0.3; q < 40.0; q *= 2.3) {
        ireneo_transformer t = base(1);
        t.normalisation = IRENEO_NORMALISATION_NONE;
        t.rho_0 = 0.3;
        t.q_0 = q;
        ireneo_attention_propagation p = propagate(&t);
        ireneo_attention_input in = {
            .beta = 1.0, .context = 512.0, .q = q, .p = 0.3 * q, .value_variance = 1.0};
        ireneo_attention_report r;
        expect_ok(ireneo_attention_layer(&in, &r));
        assert_near(p.participation[0] / r.participation, 1.0, 3e-3);
        assert_near(p.entropy[0], r.entropy, 5e-3);
        ireneo_attention_propagation_free(&p);
    }
}

/* |dL/dx|^2 of random networks against the law, wherever both exist: 6 layers of width 128, 12 networks; standard
 * errors are a few per cent, and a wrong factor a layer would be far more. */
static void test_gradients(void **state) {
    (void)state;
    for (int norm = IRENEO_NORMALISATION_POST; norm <= IRENEO_NORMALISATION_PRE; norm++)
        for (double beta = 0.5; beta < 2.0; beta += 1.2) {
            ireneo_transformer t = base(6);
            t.normalisation = (ireneo_normalisation)norm;
            t.width = t.mlp_width = 128;
            t.context = 128.0;
            t.beta = beta;
            ireneo_attention_depth depths[7];
            double law[7];
            ireneo_attention_simulate_settings settings = {.draws = 12, .seed = 5};
            expect_ok(ireneo_attention_simulate(&t, &settings, depths));
            expect_ok(ireneo_attention_gradient_depth(&t, law));
            assert_near(log(law[0] / depths[0].gradient_tokens.mean), 0.0,
                        0.2); /* .15 at beta 1.7, 3 % a layer */
        }
}

static void test_refusals(void **state) {
    (void)state;
    ireneo_attention_propagation p;
    ireneo_transformer t = base(2);
    t.normalisation = IRENEO_NORMALISATION_SANDWICH;
    t.gain_control = 1;
    expect_error(ireneo_attention_propagate(&t, &p), IRENEO_ERROR_ARGUMENT, "gain control", "pre-LN");
    t = base(2);
    t.normalisation = IRENEO_NORMALISATION_NONE;
    t.activation = IRENEO_ACTIVATION_TANH;
    expect_error(ireneo_attention_propagate(&t, &p), IRENEO_ERROR_ARGUMENT, "tanh", "scale is free");
    t = base(30);
    t.normalisation = IRENEO_NORMALISATION_NONE;
    t.activation = IRENEO_ACTIVATION_SWIGLU; /* squares the scale of its tokens */
    t.mlp_in_variance = t.mlp_out_variance = 4.0;
    expect_error(ireneo_attention_propagate(&t, &p), IRENEO_ERROR_NUMERIC, "outgrow", "norms");
}

/* Every kind of block is judged and gets scales that pass the judgement. */
static void test_recommendations(void **state) {
    (void)state;
    for (int norm = IRENEO_NORMALISATION_POST; norm <= IRENEO_NORMALISATION_SANDWICH; norm++)
        for (int activation = IRENEO_ACTIVATION_RELU; activation <= IRENEO_ACTIVATION_SWIGLU;
             activation += 6) {
            ireneo_transformer t = base(24);
            t.normalisation = (ireneo_normalisation)norm;
            t.activation = (ireneo_activation)activation;
            t.rms_norm = 1;
            t.heads = 8;
            t.key_heads = 2;
            t.output_projection = 1;
            ireneo_attention_recommendation r;
            expect_ok(ireneo_attention_recommend(&t, NULL, &r));
            assert_false(r.assessment.rank_collapse || r.assessment.entropy_collapse);
            assert_true(1.0 - r.assessment.rho >= 0.5 * 0.95 - 1e-6);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reglu),       cmocka_unit_test(test_gated_kernel),
        cmocka_unit_test(test_scales),      cmocka_unit_test(test_chi_everywhere),
        cmocka_unit_test(test_free_logits), cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_recommendations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
