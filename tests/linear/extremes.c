/* The check and recall on numbers that float32 and float64 cannot be trusted with: ties below float64's last digit,
 * scores beyond float32, lengths from 1e-38 to 1e38, memories that are not finite. */
#include "base/random.h"
#include "scratch.h"

#include <float.h>
#include <math.h>

static float draw_scaled(ireneo_generator *g, int lowest, int highest) {
    int exponent = lowest + (int)ireneo_draw_below(g, (uint64_t)(highest - lowest + 1));
    return ldexpf(1.0f + (float)ireneo_draw_uniform(g), exponent) *
           (ireneo_draw_uniform(g) < 0.5 ? -1.0f : 1.0f);
}

static size_t recalled_of(const ireneo_memory *m, const ireneo_facts *f, ireneo_check_report *report) {
    unsigned char recalled[64];
    assert_int_equal(ireneo_check(m, f, &(ireneo_run_settings){.threads = 1}, recalled, report), IRENEO_OK);
    return report->recalled;
}

/* Two rows of W with the same entries in opposite order have equal scores for a key of equal entries, and float64 sums
 * of them differ when the entries are of many sizes. The smallest change of one entry decides. */
static void test_ties_below_float64(void **state) {
    (void)state;
    enum { DIM = 6 };
    const float values[] = {1.0f, 0.0f, 0.0f, 1.0f};
    ireneo_generator g = {.seed = 5, .stream = 1};
    size_t unlike = 0;
    for (int trial = 0; trial < 3000; trial++) {
        float s = draw_scaled(&g, -10, 10), towards = s > 0.0f ? INFINITY : -INFINITY, key[DIM], w[2 * DIM];
        double first = 0.0, second = 0.0;
        for (int k = 0; k < DIM; k++) key[k] = s, w[k] = w[2 * DIM - 1 - k] = draw_scaled(&g, -52, 3);
        for (int k = 0; k < DIM; k++)
            first += (double)w[k] * (double)s, second += (double)w[DIM + k] * (double)s;
        unlike += first != second;
        ireneo_memory m = {.dim_in = DIM, .dim_out = 2, .matrix = w};
        ireneo_facts f = {
            .facts = 1, .candidates = 2, .dim_in = DIM, .dim_out = 2, .keys = key, .values = values};
        ireneo_check_report report;
        assert_int_equal(recalled_of(&m, &f, &report), 0);
        assert_true(report.gap == 0.0);
        float old = w[2];
        w[2] = nextafterf(old, towards);
        assert_int_equal(recalled_of(&m, &f, &report), 1);
        assert_true(report.gap > 0.0);
        w[2] = old;
        w[DIM + 3] = nextafterf(w[DIM + 3], towards);
        assert_int_equal(recalled_of(&m, &f, &report), 0);
        assert_true(report.gap < 0.0);
    }
    assert_true(unlike > 1000); /* the instances are what they are meant to be */
}

/* Factors: u v^T x with the same entries in two rows of u. */
static void test_ties_of_factors(void **state) {
    (void)state;
    const float values[] = {1.0f, 0.0f, 0.0f, 1.0f};
    ireneo_generator g = {.seed = 6, .stream = 1};
    for (int trial = 0; trial < 500; trial++) {
        float u[6], v[9], x[3];
        for (int k = 0; k < 9; k++) v[k] = draw_scaled(&g, -20, 20);
        for (int k = 0; k < 3; k++)
            x[k] = draw_scaled(&g, -20, 20), u[k] = u[k + 3] = draw_scaled(&g, -40, 20);
        ireneo_memory m = {.dim_in = 3, .dim_out = 2, .rank = 3, .left = u, .right = v};
        ireneo_facts f = {
            .facts = 1, .candidates = 2, .dim_in = 3, .dim_out = 2, .keys = x, .values = values};
        ireneo_check_report report;
        assert_int_equal(recalled_of(&m, &f, &report), 0);
        assert_true(report.gap == 0.0);
        float up = nextafterf(u[0], INFINITY), middle = 0.0f;
        for (int k = 0; k < 3; k++) middle += v[3 * k] * x[k]; /* far from zero: entries of many sizes */
        u[0] = up;
        assert_int_equal(recalled_of(&m, &f, &report), middle > 0.0f);
    }
}

/* The same memory and facts at every scale that float32 can hold: the same facts are recalled, also with each key at a
 * length of its own. 120 facts among 300 candidates, some of them recalled. */
static void test_every_scale(void **state) {
    (void)state;
    enum { FACTS = 120, CANDIDATES = 300, DIM = 20 };
    static float keys[FACTS * DIM], values[CANDIDATES * DIM], w[DIM * DIM], scaled_keys[FACTS * DIM],
        scaled_values[CANDIDATES * DIM], scaled_w[DIM * DIM], scores[FACTS];
    unsigned char expected[FACTS], recalled[FACTS];
    int64_t best[FACTS];
    ireneo_random_normals_float(3, 1, 0, FACTS * DIM, 1, keys);
    ireneo_random_normals_float(3, 2, 0, CANDIDATES * DIM, 1, values);
    for (size_t i = 0; i < FACTS; i++)
        for (size_t a = 0; a < DIM; a++)
            for (size_t b = 0; b < DIM; b++) w[a * DIM + b] += values[i * DIM + a] * keys[i * DIM + b];
    const int exponents[][3] = {{0, 0, 0},    {110, 0, 0},  {-110, 0, 0},       {0, 115, 0},
                                {0, -115, 0}, {90, 90, 90}, {-100, -100, -100}, {100, -100, 0}};
    ireneo_check_report report;
    for (size_t t = 0; t < sizeof exponents / sizeof *exponents; t++)
        for (int mixed = 0; mixed < 2; mixed++) {
            const int *e = exponents[t];
            for (size_t k = 0; k < FACTS * DIM; k++)
                scaled_keys[k] = ldexpf(keys[k], mixed ? (int)(k / DIM * 37 % 200) - 100 : e[0]);
            for (size_t k = 0; k < CANDIDATES * DIM; k++) scaled_values[k] = ldexpf(values[k], e[1]);
            for (size_t k = 0; k < DIM * DIM; k++) scaled_w[k] = ldexpf(w[k], e[2]);
            ireneo_memory m = {.dim_in = DIM, .dim_out = DIM, .matrix = scaled_w};
            ireneo_facts f = {.facts = FACTS,
                              .candidates = CANDIDATES,
                              .dim_in = DIM,
                              .dim_out = DIM,
                              .keys = scaled_keys,
                              .values = scaled_values};
            assert_int_equal(ireneo_check(&m, &f, &(ireneo_run_settings){.threads = 2}, recalled, &report),
                             IRENEO_OK);
            assert_true(isfinite(report.gap) && isfinite(report.margin));
            if (t == 0 && !mixed) memcpy(expected, recalled, sizeof recalled);
            assert_memory_equal(recalled, expected, sizeof recalled);
            assert_int_equal(ireneo_recall(&m, scaled_keys, FACTS, scaled_values, CANDIDATES, 1,
                                           &(ireneo_run_settings){.threads = 2}, best, scores),
                             IRENEO_OK);
            for (size_t i = 0; i < FACTS; i++) {
                assert_int_equal(best[i] == (int64_t)i, expected[i]);
                assert_true(isfinite(scores[i]));
            }
        }
    assert_true(report.recalled > 5 && report.recalled < 115);
}

static void test_not_finite(void **state) {
    (void)state;
    const float keys[] = {1.0f, 0.0f}, values[] = {1.0f, 0.0f, 0.0f, 1.0f};
    const float bad[] = {NAN, INFINITY, -INFINITY};
    ireneo_facts f = {.facts = 1, .candidates = 2, .dim_in = 2, .dim_out = 2, .keys = keys, .values = values};
    for (size_t k = 0; k < 3; k++) {
        float w[] = {1.0f, 0.0f, 0.0f, bad[k]}, score;
        int64_t index;
        ireneo_memory m = {.dim_in = 2, .dim_out = 2, .matrix = w};
        ireneo_check_report report;
        assert_int_equal(ireneo_check(&m, &f, &(ireneo_run_settings){.threads = 1}, NULL, &report),
                         IRENEO_ERROR_DATA);
        assert_int_equal(
            ireneo_recall(&m, keys, 1, values, 2, 1, &(ireneo_run_settings){.threads = 1}, &index, &score),
            IRENEO_ERROR_DATA);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ties_below_float64),
                                       cmocka_unit_test(test_ties_of_factors),
                                       cmocka_unit_test(test_every_scale), cmocka_unit_test(test_not_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
