/* Simulations that take minutes: the converged threshold at N = 38 with all of its 89 322 patterns, hybrid
 * and direct against each other at more sizes, and more draws for the sampler of astronomic P. */
#include "scratch.h"

#include <math.h>

#define expect_near(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))

static ireneo_dense_summary measure(ireneo_dense_method method, ireneo_dense_measure what, size_t neurons,
                                    double alpha, double lambda, size_t steps, size_t draws) {
    ireneo_dense_experiment e = {.neurons = 100, .log_patterns = 30.0, .lambda = 1.0, .steps = 1, .seed = 1};
    ireneo_dense_summary summary;
    e.method = method;
    e.measure = what;
    e.neurons = neurons;
    e.log_patterns = alpha * (double)neurons;
    e.lambda = lambda;
    e.steps = steps;
    e.seed = 2024;
    expect_ok(ireneo_dense_simulate(&e, draws, NULL, NULL, &summary));
    return summary;
}

/* The radial map says 0.47692; 4 standard errors and the search's resolution (chance of failing with a fresh
 * seed 1e-4). */
static void test_direct_threshold_at_38(void **state) {
    (void)state;
    ireneo_dense_summary s =
        measure(IRENEO_DENSE_METHOD_DIRECT, IRENEO_DENSE_MEASURE_LAMBDA, 38, 0.3, 0.0, 400, 12);
    assert_true(s.error < 1e-3);
    expect_near(s.value, 0.47692, 4.0 * hypot(s.error, 2e-4));
    s = measure(IRENEO_DENSE_METHOD_DIRECT, IRENEO_DENSE_MEASURE_LAMBDA, 34, 0.3, 0.0, 1, 100);
    assert_true(s.error < 4e-4);
    expect_near(s.value, 0.36199, 4.0 * s.error);
}

static void test_hybrid_and_direct_thresholds(void **state) {
    (void)state;
    static const struct {
        size_t neurons, draws;
        double alpha;
    } sizes[] = {{22, 300, 0.3}, {26, 160, 0.3}, {30, 70, 0.3}, {14, 200, 0.5}, {18, 40, 0.5}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ireneo_dense_summary direct = measure(IRENEO_DENSE_METHOD_DIRECT, IRENEO_DENSE_MEASURE_LAMBDA,
                                              sizes[i].neurons, sizes[i].alpha, 0.0, 400, sizes[i].draws);
        ireneo_dense_summary hybrid = measure(IRENEO_DENSE_METHOD_HYBRID, IRENEO_DENSE_MEASURE_LAMBDA,
                                              sizes[i].neurons, sizes[i].alpha, 0.0, 400, 400);
        expect_near(direct.value, hybrid.value, 4.0 * hypot(hypot(direct.error, hybrid.error), 3e-4));
    }
}

static void test_angles_with_many_draws(void **state) {
    (void)state;
    const double expected[] = {0.83735, 0.65374, 0.37768}, alphas[] = {0.3, 0.5, 1.0};
    const double stars[] = {1.2239273354, 2.1611974159, 6.8708874197};
    for (size_t i = 0; i < 3; i++) {
        ireneo_dense_summary s = measure(IRENEO_DENSE_METHOD_TAIL, IRENEO_DENSE_MEASURE_ANGLE, 1000,
                                         alphas[i], 1.5 * stars[i], 1, 20000);
        assert_true(s.error < 3e-5);
        expect_near(s.value, expected[i], 2e-4); /* the numbers come from 400 draws */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_direct_threshold_at_38),
        cmocka_unit_test(test_hybrid_and_direct_thresholds),
        cmocka_unit_test(test_angles_with_many_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
