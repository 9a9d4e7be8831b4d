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
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_layer_table), cmocka_unit_test(test_transition),
        cmocka_unit_test(test_scaling),          cmocka_unit_test(test_values_and_bias),
        cmocka_unit_test(test_finite_width),     cmocka_unit_test(test_gradient_table),
        cmocka_unit_test(test_gain_control),     cmocka_unit_test(test_masked_rows),
        cmocka_unit_test(test_extremes),         cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
