/* Exact sums against 128-bit integers, and on sums that float64 cannot decide. */
#include "base/exact.h"
#include "base/random.h"
#include "scratch.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* sum of products a b, as sign and value */
static ireneo_exact products(const float *a, const float *b, size_t count) {
    ireneo_exact sum = {{0}};
    for (size_t k = 0; k < count; k++) {
        int32_t m, n;
        unsigned e = ireneo_exact_split(a[k], &m), f = ireneo_exact_split(b[k], &n);
        ireneo_exact_add(&sum, (int64_t)m * n, e + f);
    }
    return sum;
}

static void test_split(void **state) {
    (void)state;
    const float values[] = {0.0f,     -0.0f,   1.0f,         -1.5f,   FLT_MAX,
                            -FLT_MAX, FLT_MIN, FLT_TRUE_MIN, -3e-42f, 0.1f};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        int32_t m;
        unsigned e = ireneo_exact_split(values[k], &m);
        assert_true(ldexp((double)m, (int)e + IRENEO_EXACT_UNIT) == (double)values[k]);
    }
}

/* Whole numbers small enough for int64 give the same sums, whatever the order of magnitude of the cancellation. */
static void test_against_integers(void **state) {
    (void)state;
    ireneo_generator g = {.seed = 7, .stream = 3};
    for (int trial = 0; trial < 2000; trial++) {
        float a[16], b[16];
        int64_t expected = 0;
        for (int k = 0; k < 16; k++) {
            a[k] = (float)((int)(ireneo_draw_uniform(&g) * 4001.0) - 2000);
            b[k] = (float)((int)(ireneo_draw_uniform(&g) * 4001.0) - 2000);
            expected += (int64_t)a[k] * (int64_t)b[k];
        }
        ireneo_exact sum = products(a, b, 16);
        assert_int_equal(ireneo_exact_sign(&sum), (expected > 0) - (expected < 0));
        assert_true(ireneo_exact_value(&sum, 2 * IRENEO_EXACT_UNIT) == (double)expected);
    }
}

/* (huge)^2 + (tiny)^2 - (huge)^2 is positive: 850 bits apart. */
static void test_beyond_float64(void **state) {
    (void)state;
    const float a[] = {FLT_MAX, FLT_TRUE_MIN, -FLT_MAX}, b[] = {FLT_MAX, FLT_TRUE_MIN, FLT_MAX};
    ireneo_exact sum = products(a, b, 3);
    assert_int_equal(ireneo_exact_sign(&sum), 1);
    assert_true(ireneo_exact_value(&sum, 2 * IRENEO_EXACT_UNIT) == 0x1p-298);
    sum = products(a, b, 2);
    ireneo_exact_add_multiple(&sum, &sum, -1, 0);
    assert_int_equal(ireneo_exact_sign(&sum), 0);
}

/* p q by multiples equals the product in long double, where it is exact, for every combination of signs. */
static void test_multiples(void **state) {
    (void)state;
    ireneo_generator g = {.seed = 8, .stream = 1};
    for (int trial = 0; trial < 2000; trial++) {
        int64_t p = (int64_t)(ireneo_draw_uniform(&g) * 0x1p40) - ((int64_t)1 << 39);
        int32_t q = (int32_t)(ireneo_draw_uniform(&g) * 0x1p24) - (1 << 23);
        unsigned s = (unsigned)(ireneo_draw_uniform(&g) * 500.0),
                 t = (unsigned)(ireneo_draw_uniform(&g) * 500.0);
        ireneo_exact number = {{0}}, sum = {{0}};
        ireneo_exact_add(&number, p, s);
        ireneo_exact_add_multiple(&sum, &number, q, t);
        double product = (double)((long double)p * (long double)q);
        assert_true(fabs(ireneo_exact_value(&sum, -(int)(s + t)) - product) <= 4e-16 * fabs(product));
        ireneo_exact_add_multiple(&sum, &number, -q, t);
        assert_int_equal(ireneo_exact_sign(&sum), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_split), cmocka_unit_test(test_against_integers),
                                       cmocka_unit_test(test_beyond_float64),
                                       cmocka_unit_test(test_multiples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
