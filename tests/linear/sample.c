/* Random instances: targets in turn and drawn. */
#include "linear_instance.h"

#include <string.h>

enum { FACTS = 60000, CANDIDATES = 40 };

/* Drawn in pieces, or fewer of them: the first are the same. */
static void test_prefix(void **state) {
    (void)state;
    ireneo_sample sample = {3, 5, 5};
    int64_t all[500], part[500];
    for (int e = 0; e < 3; e++) {
        double zipf = 1.3 * e;
        expect_ok(ireneo_sample_targets(&sample, IRENEO_TARGETS_ZIPF, zipf, 77, 0, 500, all));
        expect_ok(ireneo_sample_targets(&sample, IRENEO_TARGETS_ZIPF, zipf, 77, 0, 13, part));
        expect_ok(ireneo_sample_targets(&sample, IRENEO_TARGETS_ZIPF, zipf, 77, 13, 487, part + 13));
        assert_memory_equal(all, part, sizeof all);
        for (size_t i = 0; i < 500; i++) assert_in_range(all[i], 0, 76);
    }
    sample.seed = 4;
    expect_ok(ireneo_sample_targets(&sample, IRENEO_TARGETS_ZIPF, 2.6, 77, 0, 500, all));
    assert_memory_not_equal(all, part, sizeof all);
    expect_ok(ireneo_sample_targets(&sample, IRENEO_TARGETS_EACH, 0.0, 7, 3, 500, all));
    for (size_t i = 0; i < 500; i++) assert_int_equal(all[i], (i + 3) % 7);
    expect_ok(ireneo_sample_targets(&sample, IRENEO_TARGETS_ZIPF, 10.0, 1, 0, 500, all));
    for (size_t i = 0; i < 500; i++) assert_int_equal(all[i], 0);
}

/* Counts against their chances: chi-squared with 39 degrees of freedom is above 90 with a chance of 6e-6 a case. */
static void test_frequencies(void **state) {
    (void)state;
    static const double exponents[] = {0.0, 0.5, 1.0, 1.5};
    int64_t *targets = malloc(FACTS * sizeof *targets);
    for (size_t e = 0; e < COUNT(exponents); e++) {
        ireneo_sample sample = {11 + e, 5, 5};
        double counts[CANDIDATES] = {0.0}, sum = 0.0, squares = 0.0;
        expect_ok(
            ireneo_sample_targets(&sample, IRENEO_TARGETS_ZIPF, exponents[e], CANDIDATES, 0, FACTS, targets));
        for (size_t i = 0; i < FACTS; i++) counts[targets[i]] += 1.0;
        for (size_t t = 1; t <= CANDIDATES; t++) sum += exp(-exponents[e] * log((double)t));
        for (size_t t = 1; t <= CANDIDATES; t++) {
            double wanted = FACTS * exp(-exponents[e] * log((double)t)) / sum;
            squares += (counts[t - 1] - wanted) * (counts[t - 1] - wanted) / wanted;
        }
        expect_between(squares, 10.0, 90.0);
    }
    free(targets);
}

/* Targets are independent of keys and values: no stream is used twice. */
static void test_streams(void **state) {
    (void)state;
    ireneo_sample sample = {1, 1, 1};
    float keys[2000], values[2000];
    int64_t targets[2000];
    double with_keys = 0.0, with_values = 0.0;
    expect_ok(ireneo_sample_keys(&sample, 0, 2000, keys));
    expect_ok(ireneo_sample_values(&sample, 0, 2000, values));
    expect_ok(ireneo_sample_targets(&sample, IRENEO_TARGETS_ZIPF, 0.0, 2, 0, 2000, targets));
    for (size_t i = 0; i < 2000; i++) {
        double sign = targets[i] == 0 ? -1.0 : 1.0;
        with_keys += sign * (double)keys[i], with_values += sign * (double)values[i];
    }
    assert_true(fabs(with_keys) < 5.0 * sqrt(2000.0) &&
                fabs(with_values) < 5.0 * sqrt(2000.0)); /* chance 1e-6 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_frequencies),
        cmocka_unit_test(test_streams),
    };
    return cmocka_run_group_tests_name("random instances", tests, NULL, NULL);
}
