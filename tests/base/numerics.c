/* Quadrature, roots, the normal distribution and the text of doubles, against GSL and closed forms. */
#include "base/json.h"
#include "base/normal.h"
#include "base/number_text.h"
#include "base/quadrature.h"
#include "base/random.h"
#include "base/roots.h"
#include "expect.h"
#include "scratch.h"

#include <cjson/cJSON.h>
#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_math.h>

/* ---- Gauss rules ---- */

static void test_legendre_against_gsl(void **state) {
    (void)state;
    static const size_t counts[] = {1, 2, 3, 4, 5, 7, 10, 20, 32, 48, 64, 96, 100, 120, 200, 512};
    double nodes[512], weights[512];
    for (size_t c = 0; c < COUNT(counts); c++) {
        size_t n = counts[c];
        gsl_integration_glfixed_table *table = gsl_integration_glfixed_table_alloc(n);
        ireneo_gauss_legendre(n, -3.0, 5.5, nodes, weights);
        for (size_t i = 0; i < n; i++) {
            double x, w;
            gsl_integration_glfixed_point(-3.0, 5.5, i, &x, &w, table);
            /* GSL has tables for some counts, and stops at 1e-10 for the others. */
            double tolerance = table->precomputed ? 1e-13 : 1e-9;
            expect_close(nodes[i], x, tolerance);
            expect_close(weights[i], w, tolerance);
        }
        gsl_integration_glfixed_table_free(table);
    }
}

/* n points integrate x^k on [0, 1] exactly up to k = 2n - 1, and no further. */
static void test_legendre_is_exact_for_polynomials(void **state) {
    (void)state;
    double nodes[40], weights[40];
    for (size_t n = 1; n <= 40; n++) {
        ireneo_gauss_legendre(n, 0.0, 1.0, nodes, weights);
        for (size_t k = 0; k <= 2 * n; k++) {
            double sum = 0.0, exact = 1.0 / ((double)k + 1.0);
            for (size_t i = 0; i < n; i++) sum += weights[i] * pow(nodes[i], (double)k);
            if (k < 2 * n)
                expect_close(sum, exact, 1e-14);
            else if (n <= 8)
                assert_true(fabs(sum - exact) > 1e-11);
        }
    }
}

/* ---- roots and minima ---- */

typedef struct counted {
    int kind, calls;
    double a;
} counted;

static double g_functions(double x, void *context) {
    counted *c = context;
    c->calls++;
    switch (c->kind) {
    case 0:
        return x * x * x - c->a;
    case 1:
        return cos(x) - x;
    case 2:
        return exp(x) - c->a;
    case 3:
        return x < c->a ? -1.0 : 1.0;
    case 4:
        return pow(x - c->a, 9.0);
    case 5:
        return 1e-200 * (x - c->a);
    case 6:
        return 1e200 * (x - c->a);
    case 7:
        return atan(1e6 * (x - c->a));
    default:
        return NAN;
    }
}

static void expect_root(int kind, double a, double lower, double upper, double wanted, double tolerance) {
    counted c = {kind, 0, a};
    double root = NAN;
    expect_ok(ireneo_find_root(g_functions, &c, lower, upper, 0.0, &root));
    expect_close(root, wanted, tolerance);
    assert_true(c.calls < 250);
    c.calls = 0; /* ends the other way round, and a loose tolerance */
    expect_ok(ireneo_find_root(g_functions, &c, upper, lower, 1e-3, &root));
    expect_close(root, wanted, fmax(1e-3, tolerance));
}

static void test_roots(void **state) {
    (void)state;
    expect_root(0, 2.0, 0.0, 2.0, cbrt(2.0), 1e-15);
    expect_root(0, -27.0, -100.0, 50.0, -3.0, 1e-14);
    expect_root(1, 0.0, 0.0, 1.0, 0.73908513321516064, 1e-15);
    expect_root(2, 1e-30, -1000.0, 10.0, log(1e-30), 1e-12);
    expect_root(2, 1e30, -10.0, 700.0, log(1e30), 1e-12);
    expect_root(3, 0.123, -1.0, 1.0, 0.123, 1e-15);
    expect_root(4, 0.3, 0.0, 1.0, 0.3, 1e-2); /* flat: the value is zero long before the place is sharp */
    expect_root(5, 0.7, 0.0, 1.0, 0.7, 1e-15);
    expect_root(6, 0.7, 0.0, 1.0, 0.7, 1e-15);
    expect_root(7, 0.7, 0.0, 1.0, 0.7, 1e-15);
    counted c = {0, 0, 8.0};
    double root;
    expect_ok(ireneo_find_root(g_functions, &c, 2.0, 5.0, 0.0, &root));
    assert_true(root == 2.0); /* an end that is a root */
    expect_ok(ireneo_find_root(g_functions, &c, 0.0, 2.0, 0.0, &root));
    assert_true(root == 2.0);
    expect_error(ireneo_find_root(g_functions, &c, 3.0, 5.0, 0.0, &root), IRENEO_ERROR_NUMERIC,
                 "no sign change", "");
    counted nan = {99, 0, 0.0};
    expect_error(ireneo_find_root(g_functions, &nan, 3.0, 5.0, 0.0, &root), IRENEO_ERROR_NUMERIC,
                 "no sign change", "");
}

static double m_functions(double x, void *context) {
    counted *c = context;
    c->calls++;
    switch (c->kind) {
    case 0:
        return (x - c->a) * (x - c->a) + 3.0;
    case 1:
        return cos(x);
    case 2:
        return fabs(x - c->a);
    case 3:
        return x * log(x);
    default:
        return x;
    }
}

static void expect_minimum(int kind, double a, double lower, double upper, double place, double value) {
    counted c = {kind, 0, a};
    double at = NAN;
    expect_close(ireneo_find_minimum(m_functions, &c, lower, upper, 1e-9, &at), value, 1e-8);
    expect_close(at, place, 2e-7 * fmax(1.0, fabs(place)));
    assert_true(at >= lower && at <= upper && c.calls < 200);
    expect_close(ireneo_find_minimum(m_functions, &c, lower, upper, 1e-9, NULL), value, 1e-8);
}

static void test_minima(void **state) {
    (void)state;
    expect_minimum(0, 2.0, -10.0, 7.0, 2.0, 3.0);
    expect_minimum(0, 2.0, 1.9999, 1e6, 2.0, 3.0);
    expect_minimum(1, 0.0, 2.0, 5.0, M_PI, -1.0);
    expect_minimum(2, 0.3, 0.0, 1.0, 0.3, 0.0);
    expect_minimum(3, 0.0, 0.01, 3.0, exp(-1.0), -exp(-1.0));
    expect_minimum(4, 0.0, 1.0, 2.0, 1.0, 1.0); /* at an end */
}

/* ---- the normal distribution ---- */

static void test_normal_against_gsl(void **state) {
    (void)state;
    for (double x = -37.0; x <= 37.0; x += 0.03125) {
        expect_ratio(ireneo_normal_density(x), exp(-0.5 * x * x) / sqrt(2.0 * M_PI), 1e-14);
        expect_ratio(ireneo_normal_cdf(x), 0.5 * erfc(-x / sqrt(2.0)), 1e-12);
        expect_ratio(ireneo_normal_cdf(x), gsl_cdf_ugaussian_P(x), 1e-11);
        expect_ratio(ireneo_normal_tail(x), gsl_cdf_ugaussian_Q(x), 1e-11);
        expect_close(ireneo_normal_cdf(x) + ireneo_normal_tail(x), 1.0, 2e-16);
        double log_q = x > 0.0 ? log(gsl_cdf_ugaussian_Q(x)) : log1p(-gsl_cdf_ugaussian_P(x));
        expect_ratio(ireneo_normal_log_tail(x), log_q, 2e-12);
        assert_true(ireneo_normal_log_cdf(-x) == ireneo_normal_log_tail(x));
    }
}

/* log Q(x) = -x^2/2 - log(x sqrt(2 pi)) + log(1 - 1/x^2 + 3/x^4 - 15/x^6 + ...), Mills' series. */
static void test_far_log_tails(void **state) {
    (void)state;
    static const double places[] = {30.0, 38.0, 40.0, 100.0, 1e3, 3e3, 1e4, 1e5, 1e6, 1e100, 1e150};
    for (size_t k = 0; k < COUNT(places); k++) {
        double x = places[k], s = 1.0 / (x * x);
        double series = log1p(-s * (1.0 - s * (3.0 - s * (15.0 - s * (105.0 - s * (945.0 - s * 10395.0))))));
        expect_ratio(ireneo_normal_log_tail(x), -0.5 * x * x - log(x) - 0.5 * log(2.0 * M_PI) + series,
                     1e-15);
    }
    assert_true(ireneo_normal_log_tail(INFINITY) == -INFINITY && ireneo_normal_log_tail(-INFINITY) == 0.0);
    assert_true(ireneo_normal_tail(INFINITY) == 0.0 && ireneo_normal_cdf(INFINITY) == 1.0);
    assert_true(isnan(ireneo_normal_log_tail(NAN)) && isnan(ireneo_normal_cdf(NAN)));
}

static void test_quantiles(void **state) {
    (void)state;
    for (double p = 1.0 / 4096.0; p < 1.0; p += 1.0 / 4096.0) {
        expect_close(ireneo_normal_quantile(p), gsl_cdf_ugaussian_Pinv(p), 1e-13);
        expect_close(ireneo_normal_tail_quantile(log(p)), gsl_cdf_ugaussian_Qinv(p), 1e-12);
    }
    for (double e = -1.0; e > -307.0; e -= 1.0) {
        double p = pow(10.0, e);
        expect_ratio(ireneo_normal_quantile(p), gsl_cdf_ugaussian_Pinv(p), 1e-12);
        expect_ratio(ireneo_normal_tail_quantile(e * M_LN10), gsl_cdf_ugaussian_Qinv(p), 1e-12);
    }
    for (double y = -1e-300; y > -1e6; y *= 1.7) { /* there and back, in the log domain */
        double x = ireneo_normal_tail_quantile(y);
        expect_ratio(ireneo_normal_log_tail(x), y,
                     y > -1e-3 ? 1e-12 * fmax(1.0, x * x) : 1e-13 * (1.0 + x * x));
    }
    expect_ratio(ireneo_normal_log_tail(ireneo_normal_tail_quantile(-1e6)), -1e6, 1e-14);
    expect_ratio(ireneo_normal_log_tail(ireneo_normal_tail_quantile(-1e12)), -1e12, 1e-14);
    expect_close(ireneo_normal_quantile(0.5), 0.0, 1e-15);
    assert_true(ireneo_normal_quantile(0.0) == -INFINITY && ireneo_normal_quantile(1.0) == INFINITY);
    assert_true(isnan(ireneo_normal_quantile(-0.1)) && isnan(ireneo_normal_quantile(1.1)) &&
                isnan(ireneo_normal_quantile(NAN)));
    assert_true(ireneo_normal_tail_quantile(0.0) == -INFINITY &&
                ireneo_normal_tail_quantile(-INFINITY) == INFINITY);
    assert_true(isnan(ireneo_normal_tail_quantile(0.1)) && isnan(ireneo_normal_tail_quantile(NAN)));
}

/* ---- text of doubles ---- */

static int significant_digits(const char *text) {
    char digits[40];
    int count = 0;
    for (; *text != '\0' && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (count > 0 || *text != '0')) digits[count++] = *text;
    while (count > 1 && digits[count - 1] == '0') count--;
    return count;
}

/* Reads back as the same bits, and one digit less would not. */
static void expect_shortest(double value) {
    char buffer[32], shorter[64];
    const char *text = ireneo_shortest_double(value, buffer);
    double back = strtod(text, NULL);
    if (memcmp(&back, &value, sizeof back) != 0) fail_msg("%a became %s", value, text);
    assert_true(strlen(text) < sizeof buffer);
    int digits = significant_digits(text);
    if (digits <= 1) return;
    snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
    if (strtod(shorter, NULL) == value) fail_msg("%s is not the shortest: %s", text, shorter);
}

static void test_doubles_survive_as_text(void **state) {
    (void)state;
    static const double special[] = {0.0,     -0.0,        1.0,
                                     0.1,     1.0 / 3.0,   100.0,
                                     1e22,    1e23,        5e-324,
                                     -5e-324, DBL_MIN,     2.2250738585072e-308,
                                     DBL_MAX, DBL_EPSILON, 123456789012345680.0,
                                     0.3,     2.0 / 3.0,   1e15,
                                     1e16,    1e17};
    for (size_t k = 0; k < COUNT(special); k++) expect_shortest(special[k]);
    ireneo_generator g = {5, 0, 0};
    for (int k = 0; k < 100000; k++) {
        uint64_t bits = ireneo_draw_below(&g, UINT64_MAX);
        if (k % 10 == 0) bits &= 0x800fffffffffffffull >> (bits % 50); /* subnormal numbers */
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        expect_shortest(value);
    }
}

/* What the writer writes, cJSON reads back: structure, escapes, numbers. */
static void test_json_round_trip(void **state) {
    (void)state;
    ireneo_json json = {0};
    const char *awkward = "quote \" backslash \\ newline \n tab \t bell \a caf\xc3\xa9";
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_text(&json, "text", awkward);
    ireneo_json_text(&json, "none", NULL);
    ireneo_json_number(&json, "third", 1.0 / 3.0);
    ireneo_json_number(&json, "nan", NAN);
    ireneo_json_number(&json, "infinite", -INFINITY);
    ireneo_json_size(&json, "size", UINT64_MAX);
    ireneo_json_bool(&json, "yes", true);
    ireneo_json_begin_array(&json, "list");
    for (int k = 0; k < 3; k++) {
        ireneo_json_begin_object(&json, NULL);
        ireneo_json_number(&json, awkward, k);
        ireneo_json_end_object(&json);
    }
    ireneo_json_end_array(&json);
    ireneo_json_begin_array(&json, "empty");
    ireneo_json_end_array(&json);
    ireneo_json_end_object(&json);
    assert_false(json.broken);
    assert_int_equal(strlen(json.text), json.length);
    assert_non_null(strstr(json.text, "18446744073709551615"));
    cJSON *read = cJSON_ParseWithOpts(json.text, NULL, 1);
    assert_non_null(read);
    assert_string_equal(cJSON_GetObjectItem(read, "text")->valuestring, awkward);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(read, "none")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(read, "nan")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(read, "infinite")));
    assert_true(cJSON_GetObjectItem(read, "third")->valuedouble == 1.0 / 3.0);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(read, "yes")));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(read, "list")), 3);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(read, "empty")), 0);
    const cJSON *last = cJSON_GetArrayItem(cJSON_GetObjectItem(read, "list"), 2);
    assert_true(cJSON_GetObjectItem(last, awkward)->valuedouble == 2.0);
    cJSON_Delete(read);
    ireneo_json_free(&json);
    assert_null(json.text);
}

int main(void) {
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_legendre_against_gsl),
        cmocka_unit_test(test_legendre_is_exact_for_polynomials),
        cmocka_unit_test(test_roots),
        cmocka_unit_test(test_minima),
        cmocka_unit_test(test_normal_against_gsl),
        cmocka_unit_test(test_far_log_tails),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_doubles_survive_as_text),
        cmocka_unit_test(test_json_round_trip),
    };
    return cmocka_run_group_tests_name("numerics", tests, NULL, NULL);
}
