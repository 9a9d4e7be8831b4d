/* The trainability diagram, assessments, recommendations and presets. */
#include "near.h"
#include "scratch.h"

#include <math.h>

/* Changes by a step of Adam, docs/attention-network.md. */
static const double LARGEST_UPDATE = 2.8, SAFE_UPDATE = 1.3;

static ireneo_transformer example(void) {
    ireneo_transformer t;
    ireneo_transformer_defaults(&t);
    t.layers = 60;
    return t;
}

/* docs/attention.md, "Trainability": rho after 60 layers. */
static void test_diagram_table(void **state) {
    (void)state;
    static const double betas[] = {0.1, 1.0, 1.4, 2, 3, 5, 10}, residuals[] = {0.5, 1, 1.5, 2, 3, 5};
    static const double limit[7][6] = {
        {1.0000, 0.9998, 0.9608, 0.7948, 0.5370, 0.4005}, {1.0000, 0.9998, 0.9608, 0.7948, 0.5370, 0.4005},
        {1.0000, 0.9998, 0.9608, 0.7948, 0.5370, 0.4005}, {1.0000, 0.9997, 0.9475, 0.7584, 0.5064, 0.3886},
        {1.0000, 0.9987, 0.8653, 0.6124, 0.4413, 0.3697}, {1.0000, 0.9706, 0.6256, 0.4835, 0.3953, 0.3554},
        {1.0000, 0.6411, 0.4621, 0.4036, 0.3643, 0.3451}};
    ireneo_transformer t = example();
    ireneo_attention_trainability d;
    const ireneo_attention_collapse_settings settings = {.rank_limit = 0.05};
    expect_ok(ireneo_attention_trainability_diagram(&t, betas, 7, residuals, 6, &settings, &d));
    for (size_t i = 0; i < 7; i++)
        for (size_t k = 0; k < 6; k++) {
            const ireneo_attention_trainability_cell *c = &d.cells[i * 6 + k];
            assert_near(c->beta, betas[i], 0.0);
            assert_near(c->residual, residuals[k], 0.0);
            assert_near(c->rho_limit, limit[i][k], 6e-5);
            assert_int_equal(c->rank_collapse_limit, limit[i][k] > 0.95);
            assert_int_equal(c->rank_collapse, residuals[k] < d.rank_line[i]);
            assert_int_equal(c->rank_collapse_limit, residuals[k] < d.rank_line_limit[i]);
            assert_int_equal(c->entropy_collapse, betas[i] > d.beta_line);
            assert_int_equal(c->entropy_collapse, c->entropy < log(512.0) / 3.0);
            assert_int_equal(c->entropy_collapse_limit, betas[i] > sqrt(2.0 / 0.95));
            assert_int_equal(c->gradients_explode, c->growth > 1000.0);
            assert_int_equal(c->trainable, !c->rank_collapse && !c->gradients_explode);
        }
    assert_near(d.cells[0 * 6 + 3].rho, 0.7964, 6e-5); /* exact at T = 512, residual 2 */
    assert_near(d.cells[1 * 6 + 3].rho, 0.7865, 6e-5);
    assert_near(d.cells[3 * 6 + 3].rho, 0.6943, 6e-5);
    assert_near(d.cells[4 * 6 + 3].rho, 0.5916, 6e-5);
    ireneo_attention_trainability_free(&d);
}

/* Gradients and rates of the diagram against the law over depth and the formula of docs/attention-network.md. */
static void test_learning(void **state) {
    (void)state;
    static const double betas[] = {0.3, 3.0}, residuals[] = {0.8, 2.0};
    ireneo_transformer t = example();
    t.layers = 24;
    t.width = 64;
    t.mlp_width = 64;
    t.residual_mlp = 1.5;
    ireneo_attention_collapse_settings settings = {.rate = 1e-3, .steps = 1000.0};
    ireneo_attention_trainability d;
    expect_ok(ireneo_attention_trainability_diagram(&t, betas, 2, residuals, 2, &settings, &d));
    for (size_t i = 0; i < 4; i++) {
        const ireneo_attention_trainability_cell *c = &d.cells[i];
        double gradient[25];
        t.beta = c->beta;
        t.residual_attention = c->residual;
        expect_ok(ireneo_attention_gradient_depth(&t, gradient));
        assert_near(c->growth / gradient[0], 1.0, 1e-9);
        /* variances 0.2: sigma_v = sigma_2 = sqrt(0.2), and a ReLU of unit tokens has mean square 0.1 */
        double update =
            1e-3 * 24.0 * 64.0 * ((1.0 + sqrt(0.2)) / c->residual + (sqrt(0.1) + sqrt(0.2)) / 1.5);
        assert_near(c->update, update, 1e-9);
        assert_near(c->safe_rate, 1e-3 * SAFE_UPDATE / update, 1e-9);
        assert_int_equal(c->rate_too_large, update > LARGEST_UPDATE);
        assert_int_equal(c->rate_too_small, 0);
        ireneo_attention_assessment a;
        expect_ok(ireneo_attention_assess(&t, &settings, &a));
        assert_near(a.growth / c->growth, 1.0, 1e-12);
        assert_near(a.safe_rate, c->safe_rate, 0.0);
        assert_int_equal(a.trainable, c->trainable);
    }
    assert_true(d.cells[1].trainable); /* beta 0.3, residual 2 */
    assert_true(d.cells[2].gradients_explode && !d.cells[2].trainable);
    ireneo_attention_trainability_free(&d);
}

/* U of a pre-LN stream, layer by layer: q grows by what the branches add, from the recursion of propagate. Without
 * skips of another strength and with uniform attention of distant tokens nearly nothing but the MLP adds to q. */
static void test_update_of_pre_norm(void **state) {
    (void)state;
    ireneo_transformer t = example();
    t.normalisation = IRENEO_NORMALISATION_PRE;
    t.causal = 1;
    t.layers = 6;
    t.context = 32.0;
    t.width = t.mlp_width = 64;
    t.heads = 1;
    t.value_variance = 1e-12; /* what attention adds to the stream is nothing, what a step changes of it d */
    t.mlp_in_variance = 2.0;
    t.mlp_out_variance = 1.0; /* a ReLU's branch has q = 1 for unit tokens */
    t.value_bias_variance = t.mlp_bias_variance = 0.0;
    t.residual_attention = t.residual_mlp = 1.0;
    t.q_0 = 0.5;
    const ireneo_attention_collapse_settings settings = {.rate = 1e-3, .steps = 1e6};
    ireneo_attention_assessment a;
    expect_ok(ireneo_attention_assess(&t, &settings, &a));
    double update = 0.0, d = 64.0;
    for (int l = 0; l < 6; l++) update += d / sqrt(0.5 + l) + (d * 1.0 + d) / sqrt(1.5 + l);
    assert_near(a.update, 1e-3 * update, 1e-5);
    assert_near(a.growth, 1.0,
                1e-6); /* a ReLU passes as much as it adds: relative to the stream nothing grows */

    t.rope_base = 1e4;
    t.parallel = 1;
    t.output_projection = 1; /* both branches into one sum, W_O of d inputs */
    expect_ok(ireneo_attention_assess(&t, &settings, &a));
    update = 0.0;
    for (int l = 0; l < 6; l++) update += 3.0 * d / sqrt(1.5 + l);
    assert_near(a.update, 1e-3 * update, 1e-5);

    t.parallel = t.output_projection = 0;
    t.activation = IRENEO_ACTIVATION_REGLU; /* h^2 = E phi^2 sigma_1^2 = 1 * 2, slopes sqrt(1/2) */
    t.mlp_out_variance = 0.5;
    expect_ok(ireneo_attention_assess(&t, &settings, &a));
    update = 0.0;
    double mlp = d * sqrt(2.0) + d * sqrt(0.5) * (1.0 + sqrt(2.0) * sqrt(0.5));
    for (int l = 0; l < 6; l++) update += d / sqrt(0.5 + l) + mlp / sqrt(1.5 + l);
    assert_near(a.update, 1e-3 * update, 1e-5);

    t.normalisation =
        IRENEO_NORMALISATION_SANDWICH; /* the branch is divided by sigma_v, d (1 + sigma_v) with it */
    double branch[3];
    for (int i = 0; i < 3; i++) {
        t.value_variance = pow(4.0, i);
        expect_ok(ireneo_attention_assess(&t, &settings, &a));
        branch[i] = a.update;
    }
    assert_near((branch[0] - branch[1]) / (branch[1] - branch[2]), 2.0, 1e-6);
}

/* A rate just below the largest one passes, one just above does not; with too few steps no rate is
 * large enough; and where gradients have no law a rate is not judged but refused. */
static void test_rates(void **state) {
    (void)state;
    ireneo_transformer t = example();
    t.layers = 12;
    t.residual_attention = t.residual_mlp = 3.0;
    ireneo_attention_assessment a;
    expect_ok(ireneo_attention_assess(&t, NULL, &a));
    assert_true(a.trainable && a.update == 0.0 && a.safe_rate > 0.0);
    double edge = a.safe_rate * LARGEST_UPDATE / SAFE_UPDATE;
    ireneo_transformer bare = t;
    bare.residual_attention = 0.0; /* no rate is safe without a skip, and none was asked about */
    expect_ok(ireneo_attention_assess(&bare, NULL, &a));
    assert_true(a.update == 0.0 && a.safe_rate == 0.0);
    ireneo_attention_collapse_settings settings = {.rate = edge * 0.999};
    expect_ok(ireneo_attention_assess(&t, &settings, &a));
    assert_true(a.trainable && !a.rate_too_large);
    settings.rate = edge * 1.001;
    expect_ok(ireneo_attention_assess(&t, &settings, &a));
    assert_true(!a.trainable && a.rate_too_large && !a.rank_collapse && !a.gradients_explode);
    settings.rate = edge * 0.999;
    settings.steps = 10.0;
    expect_ok(ireneo_attention_assess(&t, &settings, &a));
    assert_true(!a.trainable && a.rate_too_small && !a.rate_too_large);
    settings = (ireneo_attention_collapse_settings){.growth_limit = 1e-6};
    expect_ok(ireneo_attention_assess(&t, &settings, &a));
    assert_true(!a.trainable && a.gradients_explode);
    t.normalisation = IRENEO_NORMALISATION_PRE;
    t.residual_attention = t.residual_mlp = 1.0;
    expect_ok(ireneo_attention_assess(&t, NULL,
                                      &a)); /* pre-LN encoders did not learn in the runs: no rate is known */
    assert_true(a.growth > 0.0 && isfinite(a.growth) && !a.gradients_explode && isnan(a.safe_rate));
    settings = (ireneo_attention_collapse_settings){.rate = 1e-3};
    expect_error(ireneo_attention_assess(&t, &settings, &a), IRENEO_ERROR_ARGUMENT, "pre-LN", "encoders");
    t.causal = 1;
    t.context = 32.0;
    expect_ok(ireneo_attention_assess(&t, &settings, &a));
    t.activation = IRENEO_ACTIVATION_SWIGLU;
    expect_error(ireneo_attention_assess(&t, &settings, &a), IRENEO_ERROR_ARGUMENT, "swiglu", "--rope");
    t.activation = IRENEO_ACTIVATION_RELU;
    t.parallel = 1;
    expect_error(ireneo_attention_assess(&t, &settings, &a), IRENEO_ERROR_ARGUMENT, "parallel", "--rope");
    t.parallel = 0;
    t.normalisation = IRENEO_NORMALISATION_NONE;
    t.causal = 0;
    expect_error(ireneo_attention_assess(&t, &settings, &a), IRENEO_ERROR_ARGUMENT, "none", "leave the rate");
    t = example();
    settings.rate = -1.0;
    expect_error(ireneo_attention_assess(&t, &settings, &a), IRENEO_ERROR_ARGUMENT, "rate", "-1");
}

/* The same bits for any number of threads, and cancelling. */
static int stop_at_once(void *context, const char *stage, double done, double total) {
    (void)stage;
    (void)done;
    (void)total;
    ++*(int *)context;
    return 1;
}

static void test_threads_and_cancel(void **state) {
    (void)state;
    static const double betas[] = {0.3, 0.8, 2.1}, residuals[] = {1, 2};
    ireneo_transformer t = example();
    ireneo_attention_trainability one, two;
    ireneo_attention_collapse_settings settings = {.threads = 1};
    expect_ok(ireneo_attention_trainability_diagram(&t, betas, 3, residuals, 2, &settings, &one));
    settings.threads = 3;
    expect_ok(ireneo_attention_trainability_diagram(&t, betas, 3, residuals, 2, &settings, &two));
    for (size_t i = 0; i < 6; i++) {
        assert_true(one.cells[i].rho == two.cells[i].rho);
        assert_true(one.cells[i].entropy == two.cells[i].entropy);
    }
    for (size_t i = 0; i < 3; i++) assert_true(one.rank_line[i] == two.rank_line[i]);
    ireneo_attention_trainability_free(&one);
    ireneo_attention_trainability_free(&two);
    int calls = 0;
    ireneo_progress progress = {stop_at_once, &calls};
    settings.progress = &progress;
    expect_error(ireneo_attention_trainability_diagram(&t, betas, 3, residuals, 2, &settings, &one),
                 IRENEO_ERROR_CANCELLED, "stopped", "");
    assert_int_equal(calls, 1);
    assert_null(one.cells);
}

/* The lines mean what they say when put back through the layer and the recursion. */
static void test_lines(void **state) {
    (void)state;
    ireneo_transformer t = example();
    ireneo_attention_assessment a;
    ireneo_attention_collapse_settings settings = {.rank_limit = 0.1, .entropy_limit = 0.5};
    expect_ok(ireneo_attention_assess(&t, &settings, &a));
    ireneo_attention_input in = {
        .beta = a.beta_line, .context = 512.0, .q = 1.0, .p = 0.05, .value_variance = 1.0};
    ireneo_attention_report r;
    expect_ok(ireneo_attention_layer(&in, &r));
    assert_near(r.entropy, 0.5 * log(512.0), 1e-6);
    ireneo_attention_propagation p;
    t.residual_attention = a.residual_line;
    expect_ok(ireneo_attention_propagate(&t, &p));
    assert_near(p.distance[60], 0.1, 1e-6);
    ireneo_attention_propagation_free(&p);
    t.residual_attention = a.residual_line_limit;
    expect_ok(ireneo_attention_propagate(&t, &p));
    assert_near(p.distance_limit[60], 0.1, 1e-6);
    ireneo_attention_propagation_free(&p);
    assert_near(a.beta_margin, a.beta_line, 1e-12); /* beta is 1 */
    assert_near(a.residual_margin, 1.0 / a.residual_line, 1e-12);
    assert_true(a.rank_collapse && !a.entropy_collapse);
}

/* What the usual initialisation of known models amounts to. */
static void test_presets(void **state) {
    (void)state;
    ireneo_transformer t;
    expect_ok(ireneo_transformer_preset("bert-base", &t));
    assert_near(t.beta, 0.02 * 0.02 * 768 / sqrt(log(512.0)), 1e-12);
    assert_near(t.mlp_out_variance, 1.2288, 1e-10);
    assert_int_equal(t.normalisation, IRENEO_NORMALISATION_POST);
    ireneo_attention_assessment a;
    expect_ok(ireneo_attention_assess(&t, NULL, &a));
    assert_true(!a.rank_collapse && !a.entropy_collapse && a.beta_margin > 10.0);
    assert_true(a.entropy > 0.99 * log(512.0)); /* attention is uniform to begin with */
    expect_ok(ireneo_transformer_preset("gpt2-small", &t));
    assert_int_equal(t.normalisation, IRENEO_NORMALISATION_PRE);
    assert_near(t.value_variance, 0.3072 * 0.3072 / 24.0, 1e-10);
    assert_true(t.causal && t.output_projection);
    expect_ok(ireneo_transformer_preset("small", &t));
    assert_true(t.beta == 0.5 && t.residual_attention == 2.0 && !t.output_projection && !t.causal);
    ireneo_transformer drawn = t;
    expect_ok(ireneo_transformer_set_std(&drawn, "small", 0.02, 0));
    assert_true(drawn.output_projection && drawn.beta < 0.1);
    expect_ok(ireneo_transformer_set_std(&drawn, "small", 0.0, 0)); /* its own weights again */
    drawn.output_projection = 0;
    assert_memory_equal(&drawn, &t, sizeof t);
    expect_ok(ireneo_transformer_preset("vit-b", &t));
    assert_near(t.context, 197.0, 0.0);
    expect_error(ireneo_transformer_preset("bert-huge", &t), IRENEO_ERROR_ARGUMENT, "bert-huge", "bert-base");
}

/* A recommendation put back through the layer and the recursion keeps its promises. */
static void check_recommendation(const ireneo_transformer *t,
                                 const ireneo_attention_recommend_settings *settings) {
    ireneo_attention_recommendation r;
    expect_ok(ireneo_attention_recommend(t, settings, &r));
    double retention = settings->retention > 0.0 ? settings->retention : 0.99;
    ireneo_attention_propagation p;
    expect_ok(ireneo_attention_propagate(&r.transformer, &p));
    double rho = t->causal ? p.rho_late[t->layers] : p.rho[t->layers];
    assert_true(1.0 - rho >= retention * (1.0 - t->rho_0) * (1.0 - 1e-6));
    assert_near(rho, r.assessment.rho, 1e-6);
    assert_true(p.entropy[0] > log(t->context) / 3.0);
    if (t->causal) /* the mean over rows, and a row that sees all keys */
        assert_true(p.entropy[0] < r.assessment.entropy);
    else
        assert_near(p.entropy[0], r.assessment.entropy, 1e-5);
    assert_near(r.assessment.beta_margin, 7.0, 1e-9);
    assert_true(r.assessment.residual_margin > 1.0);
    assert_false(r.assessment.rank_collapse || r.assessment.entropy_collapse);
    double width = (double)t->width;
    assert_near(ireneo_beta_from_std(r.std_query, r.std_key, width, t->context), r.transformer.beta, 1e-12);
    double value = r.std_value * r.std_value * width;
    if (!settings->no_output_projection) value *= r.std_output * r.std_output * width;
    assert_near(value / r.transformer.value_variance, 1.0, 1e-12);
    assert_near(r.std_mlp_in * r.std_mlp_in * width, r.transformer.mlp_in_variance, 1e-12);
    assert_near(r.std_mlp_out * r.std_mlp_out * (double)t->mlp_width, r.transformer.mlp_out_variance, 1e-12);
    if (settings->tune_skips > 0) assert_near(r.branch_scale, 1.0, 0.0);
    if (settings->tune_skips < 0) assert_near(r.transformer.residual_attention, 1.0, 0.0);
    if (t->normalisation == IRENEO_NORMALISATION_POST) assert_true(r.assessment.trainable);
    ireneo_attention_propagation_free(&p);
}

static void test_recommendations(void **state) {
    (void)state;
    static const char *const presets[] = {"bert-base", "gpt2-small", "vit-b"};
    ireneo_transformer t;
    for (size_t i = 0; i < 3; i++)
        for (int skips = -1; skips < 2; skips++) {
            ireneo_attention_recommend_settings settings = {.tune_skips = skips,
                                                            .no_output_projection = skips > 0};
            expect_ok(ireneo_transformer_preset(presets[i], &t));
            if (skips > 0 && t.normalisation == IRENEO_NORMALISATION_PRE)
                t.q_0 = 1.0; /* unit branches need a unit stream */
            check_recommendation(&t, &settings);
        }
    ireneo_attention_recommend_settings keep_most = {.retention = 0.9};
    ireneo_transformer_defaults(&t);
    for (int activation = IRENEO_ACTIVATION_RELU; activation <= IRENEO_ACTIVATION_GELU; activation++) {
        t.activation = (ireneo_activation)activation;
        check_recommendation(&t, &keep_most);
    }
}

/* In post-LN without biases only the ratio of branch and skip matters. */
static void test_two_ways_agree(void **state) {
    (void)state;
    ireneo_transformer t = example();
    ireneo_attention_recommendation branches, skips;
    ireneo_attention_recommend_settings settings = {.tune_skips = -1};
    expect_ok(ireneo_attention_recommend(&t, &settings, &branches));
    settings.tune_skips = 1;
    expect_ok(ireneo_attention_recommend(&t, &settings, &skips));
    assert_near(branches.branch_scale * skips.transformer.residual_attention, 1.0, 1e-6);
    assert_near(branches.assessment.rho, skips.assessment.rho, 1e-6);
}

/* In post-LN the default makes skips for a rate that falls as one over the width, and both ways agree with it
 * in what the tokens see. */
static void test_recommended_rate(void **state) {
    (void)state;
    ireneo_transformer t = example();
    for (size_t width = 64; width <= 1024; width *= 4) {
        t.width = t.mlp_width = width;
        ireneo_attention_recommendation r;
        expect_ok(ireneo_attention_recommend(&t, NULL, &r));
        double rate = r.assessment.safe_rate * (double)width / 64.0;
        assert_true(rate > 0.001 && rate <= 0.003 && r.transformer.residual_attention > 1.0);
        ireneo_attention_recommend_settings settings = {.tune_skips = 1};
        ireneo_attention_recommendation skips;
        expect_ok(ireneo_attention_recommend(&t, &settings, &skips));
        assert_near(r.assessment.rho, skips.assessment.rho, 1e-6);
        assert_near(r.transformer.residual_attention / r.branch_scale, skips.transformer.residual_attention,
                    1e-5 * skips.transformer.residual_attention);
    }
}

static void test_bad_input(void **state) {
    (void)state;
    ireneo_transformer t = example();
    ireneo_attention_propagation p;
    t.layers = 0;
    expect_error(ireneo_attention_propagate(&t, &p), IRENEO_ERROR_ARGUMENT, "layers", "0");
    t = example();
    t.heads = 7;
    expect_error(ireneo_attention_propagate(&t, &p), IRENEO_ERROR_ARGUMENT, "720", "7 heads");
    t = example();
    t.value_variance = -1.0;
    expect_error(ireneo_attention_propagate(&t, &p), IRENEO_ERROR_ARGUMENT, "value variance", "-1");
    t = example();
    t.mlp_bias_variance = NAN;
    expect_error(ireneo_attention_propagate(&t, &p), IRENEO_ERROR_ARGUMENT, "MLP bias variance", "");
    t = example();
    t.beta = -0.5;
    expect_error(ireneo_attention_propagate(&t, &p), IRENEO_ERROR_ARGUMENT, "beta", "-0.5");
    t = example();
    t.context = 1.5;
    expect_error(ireneo_attention_propagate(&t, &p), IRENEO_ERROR_ARGUMENT, "context", "1.5");
    t = example();
    t.rho_0 = 1.1;
    expect_error(ireneo_attention_propagate(&t, &p), IRENEO_ERROR_ARGUMENT, "similarity", "1.1");
    t = example();
    t.q_0 = 0.0;
    expect_error(ireneo_attention_propagate(&t, &p), IRENEO_ERROR_ARGUMENT, "scale", "");
    t = example();
    t.residual_attention = t.value_variance = t.value_bias_variance = 0.0;
    expect_error(ireneo_attention_propagate(&t, &p), IRENEO_ERROR_ARGUMENT, "nothing passes", "");
    t = example();
    t.rho_0 = 0.9995;
    ireneo_attention_recommendation r;
    expect_error(ireneo_attention_recommend(&t, NULL, &r), IRENEO_ERROR_ARGUMENT, "collapsed", "0.9995");
    ireneo_attention_recommend_settings bad = {.retention = 2.0};
    t = example();
    expect_error(ireneo_attention_recommend(&t, &bad, &r), IRENEO_ERROR_ARGUMENT, "kept", "2");
    ireneo_attention_trainability d;
    double beta = 1.0, residual = -1.0;
    expect_error(ireneo_attention_trainability_diagram(&t, &beta, 1, &residual, 1, NULL, &d),
                 IRENEO_ERROR_ARGUMENT, "residual", "-1");
    expect_error(ireneo_attention_trainability_diagram(&t, &beta, 0, &residual, 1, NULL, &d),
                 IRENEO_ERROR_ARGUMENT, "between 1", "");
    double x;
    expect_error(ireneo_attention_critical_residual(&t, 0.0, &x, NULL), IRENEO_ERROR_ARGUMENT, "1 - rho",
                 "0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diagram_table),
        cmocka_unit_test(test_learning),
        cmocka_unit_test(test_update_of_pre_norm),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_threads_and_cancel),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_recommendations),
        cmocka_unit_test(test_two_ways_agree),
        cmocka_unit_test(test_recommended_rate),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
