/* One attention layer against the tables of docs/attention.md, its variants, and what it refuses. */
#include "near.h"
#include "scratch.h"

#include <math.h>

static const ireneo_attention_input PLAIN = {.beta = 1.0, .context = 512.0, .q = 1.0, .value_variance = 1.0};

static ireneo_attention_report report_of(ireneo_attention_input input) {
    ireneo_attention_report report;
    expect_ok(ireneo_attention_layer(&input, &report));
    return report;
}

static ireneo_attention_input with(double context, double rho, double beta) {
    ireneo_attention_input input = PLAIN;
    input.context = context;
    input.p = rho;
    input.beta = beta;
    return input;
}

/* docs/attention.md, "A full layer": q and p before the values, exact and in the limit. rho has three digits,
 * which moves q and p by up to 5e-4. */
static void test_full_layer_table(void **state) {
    (void)state;
    static const struct {
        double context, rho, beta, q_limit, q, p_limit, p, y2, o12;
    } table[] = {
        {512, 0.000, 0.5, 0.000, 0.0088, 0.0000, 0.0020, 0.0088, 0.00195},
        {512, 0.000, 2, 0.293, 0.425, 0.000, 0.0020, 0.425, 0.0020},
        {512, 0.202, 2, 0.368, 0.496, 0.2019, 0.2084, 0.368, 0.0081},
        {512, 0.195, 3, 0.577, 0.646, 0.1952, 0.2023, 0.560, 0.0087},
        {512, 0.496, 3, 0.665, 0.726, 0.4958, 0.5184, 0.456, 0.045},
        {512, 0.798, 5, 0.873, 0.895, 0.798, 0.835, 0.48, 0.18},
        {512, 0.202, 3, 0.579, 0.647, 0.2018, 0.2091, 0.558, 0.0091},
        {512, 0.498, 1, 0.4977, 0.5123, 0.4977, 0.5017, 0.029, 0.0080},
        {2048, 0.203, 1, 0.2033, 0.2406, 0.2033, 0.2045, 0.0468, 0.0015},
        {2048, 0.203, 3, 0.579, 0.638, 0.2026, 0.2054, 0.546, 0.0035},
        {2048, 0.507, 3, 0.669, 0.721, 0.5067, 0.5203, 0.434, 0.028},
        {4096, 0.000, 2, 0.293, 0.401, 0.000, 0.0002, 0.401, 0.0002},
        {4096, 0.000, 3, 0.529, 0.588, 0.000, 0.0002, 0.588, 0.0002},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ireneo_attention_report r = report_of(with(table[i].context, table[i].rho, table[i].beta));
        assert_near(r.q_out_limit, table[i].q_limit, 1.1e-3);
        assert_near(r.q_out, table[i].q, 1.1e-3);
        assert_near(r.p_out_limit, table[i].p_limit, 5e-4);
        assert_near(r.p_out, table[i].p, 1.1e-3);
        assert_near(r.participation, table[i].y2, table[i].rho > 0.7 ? 6e-3 : 1.5e-3);
        assert_near(r.overlap, table[i].o12, 0.04 * table[i].o12 + 5e-5);
    }
}

static void test_transition(void **state) {
    (void)state;
    assert_near(report_of(with(512, 0.0, 1.0)).beta_c, M_SQRT2, 1e-12);
    assert_near(report_of(with(512, 0.5, 1.0)).beta_c, 2.0, 1e-12);
    assert_near(report_of(with(512, 0.5, 3.0)).participation_limit, 1.0 / 3.0, 1e-12);
    assert_near(report_of(with(512, 0.5, 1.9)).participation_limit, 0.0, 0.0);
    ireneo_attention_input scaled = with(512, 0.0, 1.0); /* q = 4, p = 2: beta_c = sqrt(2 / 8) */
    scaled.q = 4.0;
    scaled.p = 2.0;
    assert_near(report_of(scaled).beta_c, 0.5, 1e-12);
}

/* Only q (q - p) beta^2 and rho matter for the row; q and p scale through. */
static void test_scaling(void **state) {
    (void)state;
    ireneo_attention_input a = with(300, 0.3, 2.0), b = a;
    b.q = 3.0;
    b.p = 0.9;
    b.beta = 2.0 / 3.0;
    ireneo_attention_report ra = report_of(a), rb = report_of(b);
    assert_near(ra.participation, rb.participation, 1e-12);
    assert_near(ra.entropy, rb.entropy, 1e-12);
    assert_near(3.0 * ra.q_out, rb.q_out, 1e-12);
    assert_near(3.0 * ra.p_out, rb.p_out, 1e-12);
}

static void test_values_and_bias(void **state) {
    (void)state;
    ireneo_attention_input a = with(300, 0.3, 2.0), b = a;
    b.value_variance = 0.2;
    b.value_bias_variance = 0.01;
    ireneo_attention_report ra = report_of(a), rb = report_of(b);
    assert_near(rb.q_out, 0.2 * ra.q_out + 0.01, 1e-13);
    assert_near(rb.p_out, 0.2 * ra.p_out + 0.01, 1e-13);
    assert_near(rb.p_out_limit, 0.2 * ra.p_out_limit + 0.01, 1e-13);
}

/* Simulated q' - Y2 at T = d = 512, rho = 0: .0029, .0079, .0059 for beta .5, 1, 3. */
static void test_finite_width(void **state) {
    (void)state;
    static const double table[][2] = {{0.5, 0.0029}, {1.0, 0.0079}, {3.0, 0.0059}};
    for (size_t i = 0; i < 3; i++) {
        ireneo_attention_input input = with(512, 0.0, table[i][0]);
        input.width = 512;
        assert_near(report_of(input).finite_width_q, table[i][1], 3e-4);
    }
    /* In the limit: sigma^2 below the transition, 2 log T (1 - Y2) above, where T = 1e12 is still 16 % away.
     */
    ireneo_attention_input low = with(1e12, 0.0, 0.4);
    low.width = 1000;
    assert_near(report_of(low).finite_width_q * 1000 / (0.16 * log(1e12)), 1.0, 1e-3);
    double before = 0.0;
    for (double context = 1e3; context < 2e12; context *= 1e3) {
        ireneo_attention_input high = with(context, 0.0, 6.0);
        high.width = 1000;
        ireneo_attention_report r = report_of(high);
        double share = r.finite_width_q * 1000 / (2.0 * log(context) * (1.0 - r.participation_limit));
        assert_true(share > before && share < 1.0);
        before = share;
    }
    assert_true(before > 0.8);
}

/* docs/attention.md, "Gradients"; rho = .30 was measured to two digits. */
static void test_gradient_table(void **state) {
    (void)state;
    static const struct {
        double context, rho, beta, exact, tolerance, limit;
    } table[] = {{512, 0, 0.25, 0.00072, 1e-5, 0},   {512, 0, 1.0, 0.0529, 1e-4, 0},
                 {512, 0, 2.0, 0.189, 6e-4, 0.138},  {512, 0, 3.0, 0.257, 6e-4, 0.249},
                 {512, 0, 6.0, 0.331, 6e-4, 0.360},  {512, 0.3, 3.0, 0.135, 6e-4, 0.121},
                 {2048, 0, 0.25, 0.00020, 1e-5, 0},  {2048, 0, 1.5, 0.1203, 1e-4, 0.0270},
                 {2048, 0, 3.0, 0.257, 6e-4, 0.249}, {2048, 0.3, 2.0, 0.084, 6e-4, 0.042}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ireneo_attention_input input = with(table[i].context, table[i].rho, table[i].beta);
        ireneo_attention_report r = report_of(input);
        assert_near(r.gradient, table[i].exact,
                    table[i].tolerance + 0.01 * table[i].rho / 0.3 * table[i].exact);
        assert_near(r.gradient_limit, table[i].limit, 5.1e-4 + 1.2e-3 * table[i].rho);
        assert_near(r.gradient_floor, 0.0, 0.0);
        input.width = 512;
        double gap = 1.0 - table[i].rho;
        assert_near(report_of(input).gradient_floor, gap * gap * table[i].beta / 512.0, 1e-12);
    }
}

/* docs/attention.md, "Gradients": Giorlandino and Goldt's Figure 3 over its value at beta 3. Dropout of a tenth makes q = 1/.9. */
static void test_gradient_with_dropout(void **state) {
    (void)state;
    static const double table[][3] = {{0.865, 0.127, 0.136}, {1.08, 0.266, 0.271}, {1.29, 0.401, 0.406},
                                      {1.5, 0.531, 0.530},   {1.93, 0.729, 0.721}, {2.36, 0.859, 0.859}};
    ireneo_attention_input input = with(2048, 0.0, 3.0);
    input.q = 1.0 / 0.9;
    input.width = 256;
    double last = report_of(input).gradient;
    for (size_t i = 0; i < 6; i++) {
        input.beta = table[i][0];
        double share = report_of(input).gradient / last;
        assert_near(share, table[i][1], 0.01);
        assert_near(share, table[i][2], 0.0035);
    }
}

/* Simulated at T = d = 1024: rho .19, beta 3: exact-T .448 and .003, limit .385; rho .50: .226, .017, .170.
 */
static void test_gain_control(void **state) {
    (void)state;
    ireneo_attention_input input = with(1024, 0.19, 3.0);
    input.gain_control = 1;
    ireneo_attention_report r = report_of(input);
    assert_near(r.q_out, 0.448, 1.5e-3);
    assert_near(r.p_out, 0.003, 6e-4);
    assert_near(r.q_out_limit, 0.385, 1.5e-3);
    assert_near(r.p_out_limit, 0.0, 0.0);
    input.p = 0.5;
    r = report_of(input);
    assert_near(r.q_out, 0.226, 4.5e-3);
    assert_near(r.p_out, 0.017, 6e-4);
    assert_near(r.q_out_limit, 0.170, 4.5e-3);
    input.beta = 0.0; /* uniform attention has nothing left */
    r = report_of(input);
    assert_near(r.q_out, 0.0, 1e-15);
}

/* A row that sees s keys, with weights scaled for T, is a row of s keys at beta sqrt(log T / log s). */
static void test_masked_rows(void **state) {
    (void)state;
    ireneo_attention_input masked = with(512, 0.2, 1.3), short_row = with(50, 0.2, 0.0);
    masked.keys = 50.0;
    short_row.beta = 1.3 * sqrt(log(512.0) / log(50.0));
    ireneo_attention_report a = report_of(masked), b = report_of(short_row);
    assert_near(a.participation, b.participation, 1e-12);
    assert_near(a.entropy, b.entropy, 1e-11);
    assert_near(a.overlap, b.overlap, 1e-10);
    assert_near(a.beta_effective, b.beta_effective, 1e-12);
    assert_near(a.participation_limit, b.participation_limit, 1e-12);
    assert_near(a.beta_c * sqrt(log(512.0) / log(50.0)), b.beta_c, 1e-12);
}

/* Networks of T = 512 and heads of 128: RoPE to 10 %, QK-norm to 5 %; and what `propagate` says of such a layer. */
static void test_ingredients(void **state) {
    (void)state;
    static const struct {
        double rho, beta, rope, norm, cap, window, networks, within;
    } table[] = {{0.3, 1, 1e4, 0, 0, 0, 0.0816, 0.1}, {0.7, 2, 1e4, 0, 0, 0, 0.290, 0.1},
                 {0.0, 1, 0, 1, 0, 0, 0.0051, 0.05},  {0.0, 1, 0, 3, 0, 0, 0.156, 0.05},
                 {0.0, 1, 0, 6, 0, 0, 0.494, 0.05},   {0.2, 2, 0, 0, 4, 0, NAN, 0},
                 {0.2, 2, 0, 0, 0, 64, NAN, 0},       {0.2, 2, 1e4, 4, 0, 64, NAN, 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ireneo_attention_input input = with(512, table[i].rho, table[i].beta);
        input.rope_base = table[i].rope;
        input.query_key_norm = table[i].norm;
        input.soft_cap = table[i].cap;
        input.window = table[i].window;
        input.head_width = 128;
        ireneo_transformer t;
        ireneo_transformer_defaults(&t);
        t.layers = 1;
        t.rho_0 = table[i].rho;
        t.beta = table[i].beta;
        t.rope_base = table[i].rope;
        t.query_key_norm = table[i].norm;
        t.soft_cap = table[i].cap;
        t.window = table[i].window;
        t.head_width = 128;
        ireneo_attention_propagation p;
        expect_ok(ireneo_attention_propagate(&t, &p));
        ireneo_attention_report r = report_of(input);
        assert_near(r.participation, p.participation[0], 1e-5 * r.participation);
        assert_near(r.participation_limit, p.participation_limit[0], 1e-12);
        assert_near(r.entropy, p.entropy[0], 1e-5);
        ireneo_attention_propagation_free(&p);
        if (!isnan(table[i].networks))
            assert_near(r.participation, table[i].networks, table[i].within * table[i].networks);
    }
}

/* A window is a number of keys; a cap that is out of reach, and heads without end under a norm, are plain logits. */
static void test_plain_ends(void **state) {
    (void)state;
    ireneo_attention_input plain = with(512, 0.3, 1.3), other = plain;
    plain.keys = other.window = 50.0;
    assert_near(report_of(other).q_out, report_of(plain).q_out, 0.0);
    /* two rows share 1 - |x - y| / 50 of their keys, middles x and y clamped to [25, 487] */
    double sum = 0.0, rows = 512.0;
    for (int s = 0; s < 512; s++)
        for (int u = 0; u < 512; u++)
            sum += fmax(0.0, 1.0 - fabs(fmin(fmax(s + 0.5, 25.0), 487.0) - fmin(fmax(u + 0.5, 25.0), 487.0)) /
                                       50.0);
    assert_near(report_of(other).overlap / report_of(plain).overlap, sum / (rows * rows), 1e-4);
    other = plain;
    other.soft_cap = 1e6;
    plain.width = other.width = 512;
    ireneo_attention_report a = report_of(plain), b = report_of(other);
    assert_near(b.participation, a.participation, 1e-5);
    assert_near(b.gradient, a.gradient, 1e-5);
    assert_near(b.finite_width_q, a.finite_width_q, 1e-5);
    assert_near(b.overlap, a.overlap, 2e-4);
    assert_true(isinf(b.beta_c) && b.participation_limit == 0.0);
    other = plain;
    other.query_key_norm = 1.3 * sqrt(log(512.0));
    other.beta = 0.0;
    other.width = plain.width = 0;
    a = report_of(plain), b = report_of(other);
    assert_near(b.participation, a.participation, 1e-5);
    assert_near(b.gradient, a.gradient, 1e-5);
    assert_near(b.beta_c, a.beta_c, 1e-12);
    other.beta = 2.6; /* weights twice as wide before the norm have half the gradient */
    assert_near(report_of(other).gradient, 0.5 * b.gradient, 1e-12);
    other.head_width = 8;
    assert_true(report_of(other).participation < 0.98 * b.participation);
    other.query_key_norm = 1e9; /* and no gain takes for ever */
    assert_near(report_of(other).participation, 1.0, 1e-3);
    other = with(512, 0.5, 200.0);
    other.q = 1e6;
    other.p = 5e5;
    assert_near(report_of(other).participation, 1.0, 1e-3);
}

/* A value bias meets weights that sum to 0 under gain control. */
static void test_bias_under_gain_control(void **state) {
    (void)state;
    ireneo_attention_input input = with(512, 0.3, 1.3);
    input.gain_control = 1;
    ireneo_attention_report without = report_of(input);
    input.value_bias_variance = 5.0;
    assert_near(report_of(input).q_out, without.q_out, 0.0);
    assert_near(report_of(input).p_out, without.p_out, 0.0);
    assert_near(report_of(input).q_out_limit, without.q_out_limit, 0.0);
}

static void test_extremes(void **state) {
    (void)state;
    ireneo_attention_report r = report_of(with(1e12, 0.05, 1.0));
    assert_true(r.participation > 0.0 && r.participation < 0.01 && r.entropy > 10.0);
    r = report_of(with(2, 0.5, 100.0));
    assert_true(r.participation > 0.98 && r.participation < 1.0 && r.entropy > 0.0);
    r = report_of(with(512, 1.0, 5.0)); /* all tokens alike: uniform attention, beta_c infinite */
    assert_near(r.participation, 1.0 / 512, 1e-15);
    assert_true(isinf(r.beta_c));
    assert_near(r.q_out, 1.0, 1e-12);
    assert_near(r.p_out, 1.0, 1e-12);
}

static void test_bad_input(void **state) {
    (void)state;
    ireneo_attention_report r;
    ireneo_attention_input in = with(512, 0.1, -1.0);
    expect_error(ireneo_attention_layer(&in, &r), IRENEO_ERROR_ARGUMENT, "beta", "-1");
    in = with(1.0, 0.1, 1.0);
    expect_error(ireneo_attention_layer(&in, &r), IRENEO_ERROR_ARGUMENT, "context", "2");
    in = with(NAN, 0.1, 1.0);
    expect_error(ireneo_attention_layer(&in, &r), IRENEO_ERROR_ARGUMENT, "context", "");
    in = with(512, 1.5, 1.0);
    expect_error(ireneo_attention_layer(&in, &r), IRENEO_ERROR_ARGUMENT, "p", "1.5");
    in = with(512, 0.1, 1.0);
    in.q = -1.0; /* 0 is 1 */
    expect_error(ireneo_attention_layer(&in, &r), IRENEO_ERROR_ARGUMENT, "q", "-1");
    in = with(512, 0.1, 1.0);
    in.keys = 1000.0;
    expect_error(ireneo_attention_layer(&in, &r), IRENEO_ERROR_ARGUMENT, "keys", "1000");
    in = with(512, 0.1, 1.0);
    in.value_variance = -0.1;
    expect_error(ireneo_attention_layer(&in, &r), IRENEO_ERROR_ARGUMENT, "value variance", "-0.1");
    in = with(512, 0.1, 1.0);
    in.value_bias_variance = NAN;
    expect_error(ireneo_attention_layer(&in, &r), IRENEO_ERROR_ARGUMENT, "bias", "");
    in = with(512, 0.1, 1.0);
    in.rope_base = 1e4;
    expect_error(ireneo_attention_layer(&in, &r), IRENEO_ERROR_ARGUMENT, "head", "width");
    in.head_width = 64;
    in.rope_base = 0.5;
    expect_error(ireneo_attention_layer(&in, &r), IRENEO_ERROR_ARGUMENT, "rotations", "0.5");
    in.rope_base = 0.0;
    in.window = 600.0;
    expect_error(ireneo_attention_layer(&in, &r), IRENEO_ERROR_ARGUMENT, "window", "600");
    in.window = 0.0;
    in.soft_cap = NAN;
    expect_error(ireneo_attention_layer(&in, &r), IRENEO_ERROR_ARGUMENT, "cap", "");
    in.soft_cap = 0.0;
    in.query_key_norm = -2.0;
    expect_error(ireneo_attention_layer(&in, &r), IRENEO_ERROR_ARGUMENT, "gain", "-2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_layer_table), cmocka_unit_test(test_transition),
        cmocka_unit_test(test_scaling),          cmocka_unit_test(test_values_and_bias),
        cmocka_unit_test(test_finite_width),     cmocka_unit_test(test_gradient_table),
        cmocka_unit_test(test_gain_control),     cmocka_unit_test(test_gradient_with_dropout),
        cmocka_unit_test(test_masked_rows),      cmocka_unit_test(test_ingredients),
        cmocka_unit_test(test_plain_ends),       cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_bad_input),        cmocka_unit_test(test_bias_under_gain_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
