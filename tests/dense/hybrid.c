/* The hybrid sampler of many steps against direct simulation, by Kolmogorov and Smirnov's test.
 *
 * Compared are what the hybrid is for: the first step, the end of draws that retrieve, and the thresholds in
 * lambda and angle, draw by draw. Seeds are fixed; with fresh ones a correct sampler would fail each of the
 * 28 comparisons with the chance 1e-3. A lambda that is wrong by two per cent or an angle that is wrong by
 * five must fail: the tests are sharp enough to see that. What the hybrid leaves out, the noise of the bulk,
 * decides where lost states end; docs/dense-simulation.md. */
#include "scratch.h"

#include "kolmogorov.h"

#include <math.h>
#include <stdbool.h>

static const double CHANCE = 1e-3;

typedef struct point {
    size_t neurons;
    double alpha, lambda, angle;
    size_t steps, draws;
    ireneo_dense_measure measure;
} point;

static ireneo_dense_experiment experiment(const point *at, ireneo_dense_method method) {
    ireneo_dense_experiment e = {.neurons = 100, .log_patterns = 30.0, .lambda = 1.0, .steps = 1, .seed = 1};
    e.method = method;
    e.measure = at->measure;
    e.neurons = at->neurons;
    e.log_patterns = at->alpha * (double)at->neurons;
    e.lambda = at->lambda;
    e.angle = at->angle;
    e.steps = at->steps;
    e.seed = method == IRENEO_DENSE_METHOD_HYBRID ? 1 : 1001; /* methods share streams of one seed */
    return e;
}

static ireneo_dense_draw *simulate(const ireneo_dense_experiment *e, size_t draws) {
    ireneo_dense_draw *all = malloc(draws * sizeof *all);
    ireneo_dense_summary summary;
    assert_non_null(all);
    expect_ok(ireneo_dense_simulate(e, draws, NULL, all, &summary));
    return all;
}

typedef enum quantity { LOG_RATIO, FIRST_OVERLAP, OVERLAP, LENGTH, VALUE } quantity;

/* One quantity of all draws, or of those that retrieve. Rounded: direct simulation keeps states in float32,
 * and states that end at the pattern itself must not be compared by their last digits. */
static size_t collect(const ireneo_dense_draw *draws, size_t count, quantity which, bool retrieved_only,
                      double *values) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const ireneo_dense_draw *d = &draws[i];
        const double all[] = {d->log_ratio, d->first_overlap, d->overlap, d->length, d->value};
        if (!retrieved_only || d->value > 0.0) values[found++] = 1e-5 * round(1e5 * all[which]);
    }
    return found;
}

static double chance_of(const ireneo_dense_draw *a, const ireneo_dense_draw *b, size_t draws, quantity which,
                        bool retrieved_only) {
    double *x = malloc(draws * sizeof *x), *y = malloc(draws * sizeof *y);
    if (x == NULL || y == NULL) abort();
    size_t n = collect(a, draws, which, retrieved_only, x), m = collect(b, draws, which, retrieved_only, y);
    assert_true(n >= draws / 3 && m >= draws / 3);
    double chance = kolmogorov_two(x, n, y, m);
    free(x);
    free(y);
    return chance;
}

static void expect_like(const ireneo_dense_draw *a, const ireneo_dense_draw *b, const point *at,
                        quantity which, bool retrieved_only) {
    double chance = chance_of(a, b, at->draws, which, retrieved_only);
    if (chance <= CHANCE)
        print_error("N = %zu, alpha = %g, lambda = %g, angle = %g, quantity %d: chance %g\n", at->neurons,
                    at->alpha, at->lambda, at->angle, (int)which, chance);
    assert_true(chance > CHANCE);
}

/* The first step of all draws, and where those that retrieve end. */
static void test_steps(void **state) {
    (void)state;
    static const point points[] = {
        {26, 0.3, 0.52, 0.0, 2, 600, IRENEO_DENSE_MEASURE_PROBABILITY},
        {26, 0.3, 0.52, 0.3, 30, 600, IRENEO_DENSE_MEASURE_PROBABILITY},
        {26, 0.3, 0.55, 0.0, 60, 600, IRENEO_DENSE_MEASURE_PROBABILITY},
        {26, 0.3, 1.2, 0.7, 60, 600, IRENEO_DENSE_MEASURE_PROBABILITY},
        {16, 0.5, 0.95, 0.0, 60, 300, IRENEO_DENSE_MEASURE_PROBABILITY},
        {16, 0.5, 1.5, 0.7, 60, 300, IRENEO_DENSE_MEASURE_PROBABILITY},
    };
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const point *at = &points[i];
        ireneo_dense_experiment hybrid = experiment(at, IRENEO_DENSE_METHOD_HYBRID),
                                direct = experiment(at, IRENEO_DENSE_METHOD_DIRECT);
        ireneo_dense_draw *a = simulate(&hybrid, at->draws), *b = simulate(&direct, at->draws);
        expect_like(a, b, at, LOG_RATIO, false);
        expect_like(a, b, at, FIRST_OVERLAP, false);
        expect_like(a, b, at, OVERLAP, true);
        expect_like(a, b, at, LENGTH, true);
        if (i < 3) { /* a wrong lambda is seen */
            free(a);
            hybrid.lambda *= 1.02;
            a = simulate(&hybrid, at->draws);
            assert_true(chance_of(a, b, at->draws, LOG_RATIO, false) < CHANCE);
            assert_true(chance_of(a, b, at->draws, OVERLAP, true) < CHANCE);
        }
        free(a);
        free(b);
    }
}

/* Thresholds of converged runs, draw by draw. */
static void test_thresholds(void **state) {
    (void)state;
    static const point points[] = {
        {22, 0.3, 0.0, 0.0, 400, 80, IRENEO_DENSE_MEASURE_LAMBDA},
        {12, 0.5, 0.0, 0.0, 400, 80, IRENEO_DENSE_MEASURE_LAMBDA},
        {22, 0.3, 0.8, 0.0, 400, 400, IRENEO_DENSE_MEASURE_ANGLE},
        {22, 0.3, 2.0, 0.0, 400, 400, IRENEO_DENSE_MEASURE_ANGLE},
        {16, 0.5, 1.5, 0.0, 400, 300, IRENEO_DENSE_MEASURE_ANGLE},
    };
    const double wrong[] = {1.02, 1.1, 1.05, 1.05, 1.05}; /* factors that must be seen */
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const point *at = &points[i];
        ireneo_dense_experiment hybrid = experiment(at, IRENEO_DENSE_METHOD_HYBRID),
                                direct = experiment(at, IRENEO_DENSE_METHOD_DIRECT);
        ireneo_dense_draw *a = simulate(&hybrid, at->draws), *b = simulate(&direct, at->draws);
        expect_like(a, b, at, VALUE, false);
        for (size_t k = 0; k < at->draws; k++) a[k].value *= wrong[i];
        assert_true(chance_of(a, b, at->draws, VALUE, false) < CHANCE);
        free(a);
        free(b);
    }
}

/* Shares of draws that retrieve near the threshold; 4 standard errors, chance 6e-5 each. */
static void test_shares(void **state) {
    (void)state;
    static const point points[] = {
        {26, 0.3, 0.5, 0.0, 20, 400, IRENEO_DENSE_MEASURE_PROBABILITY},
        {26, 0.3, 0.8, 0.9, 60, 400, IRENEO_DENSE_MEASURE_PROBABILITY},
        {22, 0.3, 1.2, 0.9, 60, 400, IRENEO_DENSE_MEASURE_PROBABILITY},
    };
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        ireneo_dense_experiment hybrid = experiment(&points[i], IRENEO_DENSE_METHOD_HYBRID),
                                direct = experiment(&points[i], IRENEO_DENSE_METHOD_DIRECT);
        ireneo_dense_summary a, b;
        expect_ok(ireneo_dense_simulate(&hybrid, points[i].draws, NULL, NULL, &a));
        expect_ok(ireneo_dense_simulate(&direct, points[i].draws, NULL, NULL, &b));
        assert_true(a.value > 0.05 && a.value < 0.95);
        assert_true(fabs(a.value - b.value) <= 4.0 * hypot(a.error, b.error));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
