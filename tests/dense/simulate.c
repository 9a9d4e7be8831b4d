/* The samplers (hybrid: test_dense_hybrid.c) against each other and against the theory, and what a draw
 * depends on.
 *
 * Comparisons by Kolmogorov and Smirnov's test with fixed seeds: a correct sampler would fail one of them
 * with the chance 1e-3 if the seed were fresh. Numbers of the theory: docs/dense.md and
 * docs/dense-simulation.md. */
#include "scratch.h"

#include "kolmogorov.h"

#include <math.h>
#include <stdbool.h>

#define expect_near(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))

static ireneo_dense_experiment experiment(ireneo_dense_method method, ireneo_dense_ensemble ensemble,
                                          size_t neurons, double alpha, double lambda, double angle) {
    ireneo_dense_experiment e = {.neurons = 100, .log_patterns = 30.0, .lambda = 1.0, .steps = 1, .seed = 1};
    e.method = method;
    e.ensemble = ensemble;
    e.neurons = neurons;
    e.log_patterns = alpha * (double)neurons;
    e.lambda = lambda;
    e.angle = angle;
    return e;
}

static ireneo_dense_summary simulate(const ireneo_dense_experiment *e, size_t draws, ireneo_dense_draw *all) {
    ireneo_dense_summary summary;
    expect_ok(ireneo_dense_simulate(e, draws, NULL, all, &summary));
    return summary;
}

/* Draws of two methods have the same law of log R, of what is left of the start, and of the end. */
static void expect_same_law(ireneo_dense_experiment a, size_t draws_a, ireneo_dense_experiment b,
                            size_t draws_b, bool ends) {
    ireneo_dense_draw *left = malloc(draws_a * sizeof *left), *right = malloc(draws_b * sizeof *right);
    double *x = malloc(draws_a * sizeof *x), *y = malloc(draws_b * sizeof *y);
    b.seed = a.seed + 1000; /* methods share streams of one seed */
    simulate(&a, draws_a, left);
    simulate(&b, draws_b, right);
    for (int k = 0; k < (ends ? 4 : 2); k++) {
        for (size_t i = 0; i < draws_a; i++)
            x[i] = k == 0   ? left[i].log_ratio
                   : k == 1 ? left[i].first_overlap
                   : k == 2 ? left[i].overlap
                            : left[i].length;
        for (size_t i = 0; i < draws_b; i++)
            y[i] = k == 0   ? right[i].log_ratio
                   : k == 1 ? right[i].first_overlap
                   : k == 2 ? right[i].overlap
                            : right[i].length;
        double chance = kolmogorov_two(x, draws_a, y, draws_b);
        if (chance <= 1e-3)
            print_error("%s against %s, quantity %d: chance %g\n", ireneo_dense_method_name(a.method),
                        ireneo_dense_method_name(b.method), k, chance);
        assert_true(chance > 1e-3);
    }
    free(left);
    free(right);
    free(x);
    free(y);
}

static const struct {
    ireneo_dense_ensemble ensemble;
    size_t neurons;
    double alpha, lambda, angle;
} points[] = {
    {IRENEO_DENSE_ENSEMBLE_SPHERICAL, 30, 0.3, 0.362, 0.0},
    {IRENEO_DENSE_ENSEMBLE_SPHERICAL, 18, 0.5, 0.717, 0.0},
    {IRENEO_DENSE_ENSEMBLE_SPHERICAL, 18, 0.5, 4.0, 0.62},
    {IRENEO_DENSE_ENSEMBLE_SPHERICAL, 20, 0.4, 1.0, 0.55},
    {IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 36, 0.2, 0.25, 0.0},
    {IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 20, 0.4, 2.0, 0.3},
};
enum { POINTS = sizeof points / sizeof *points };

static void test_scalars_like_direct(void **state) {
    (void)state;
    for (size_t i = 0; i < POINTS; i++) {
        ireneo_dense_experiment e =
            experiment(IRENEO_DENSE_METHOD_SCALARS, points[i].ensemble, points[i].neurons, points[i].alpha,
                       points[i].lambda, points[i].angle);
        ireneo_dense_experiment direct = e;
        direct.method = IRENEO_DENSE_METHOD_DIRECT;
        expect_same_law(e, 600, direct, 300, false);
    }
    /* Binary patterns; log R takes few values, all the same in both. */
    ireneo_dense_experiment e = experiment(IRENEO_DENSE_METHOD_SCALARS, IRENEO_DENSE_ENSEMBLE_BINARY, 24, 0.3,
                                           0.37, 0.0),
                            direct = e;
    direct.method = IRENEO_DENSE_METHOD_DIRECT;
    expect_same_law(e, 600, direct, 300, false);
    e.neurons = direct.neurons = 70; /* more bits than one random number holds; a flipped start */
    e.log_patterns = direct.log_patterns = 7.0;
    e.angle = direct.angle = 1.1;
    e.lambda = direct.lambda = 0.2;
    double c = 1.0 - 2.0 * floor(70 * 0.5 * (1.0 - cos(1.1)) + 0.5) / 70.0;
    e.angle = direct.angle = acos(c); /* a whole number of flips */
    expect_same_law(e, 600, direct, 300, false);
}

static void test_tail_like_scalars(void **state) {
    (void)state;
    for (size_t i = 0; i < POINTS; i++) {
        ireneo_dense_experiment tail =
            experiment(IRENEO_DENSE_METHOD_TAIL, points[i].ensemble, points[i].neurons, points[i].alpha,
                       points[i].lambda, points[i].angle);
        ireneo_dense_experiment scalars = tail;
        scalars.method = IRENEO_DENSE_METHOD_SCALARS;
        expect_same_law(tail, 800, scalars, 500, false);
        tail.kept = 60.0;
        if (i % 3 == 0) expect_same_law(tail, 800, scalars, 500, false);
    }
}

static void test_tail_like_direct(void **state) {
    (void)state;
    for (size_t i = 0; i < POINTS; i++) {
        ireneo_dense_experiment tail =
            experiment(IRENEO_DENSE_METHOD_TAIL, points[i].ensemble, points[i].neurons, points[i].alpha,
                       points[i].lambda, points[i].angle);
        ireneo_dense_experiment direct = tail;
        tail.seed = 31;
        direct.method = IRENEO_DENSE_METHOD_DIRECT;
        expect_same_law(tail, 800, direct, 300, false);
    }
}

static void test_conditioning_like_direct(void **state) {
    (void)state;
    const size_t steps[] = {1, 2, 4, 30};
    for (size_t i = 0; i < 4; i++) {
        ireneo_dense_experiment e =
            experiment(IRENEO_DENSE_METHOD_CONDITIONING, IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 20,
                       log(400.0) / 20.0, 0.35, i == 3 ? 0.5 : 0.0);
        e.steps = steps[i];
        ireneo_dense_experiment direct = e;
        direct.method = IRENEO_DENSE_METHOD_DIRECT;
        expect_same_law(e, 1000, direct, 1000, true);
    }
    /* More steps than neurons: everything is known after N of them. */
    ireneo_dense_experiment e = experiment(IRENEO_DENSE_METHOD_CONDITIONING, IRENEO_DENSE_ENSEMBLE_GAUSSIAN,
                                           5, 0.8, 0.6, 0.2),
                            direct;
    e.steps = 20;
    direct = e;
    direct.method = IRENEO_DENSE_METHOD_DIRECT;
    expect_same_law(e, 3000, direct, 3000, true);
}

/* One-step thresholds: exact law at N = 34, alpha = 0.3 is 0.36199; 4 standard errors, chance 6e-5 each. */
static void test_one_step_lambda(void **state) {
    (void)state;
    ireneo_dense_experiment e =
        experiment(IRENEO_DENSE_METHOD_SCALARS, IRENEO_DENSE_ENSEMBLE_SPHERICAL, 34, 0.3, 0.0, 0.0);
    e.measure = IRENEO_DENSE_MEASURE_LAMBDA;
    ireneo_dense_summary s = simulate(&e, 200, NULL);
    assert_true(s.error < 2.5e-4);
    expect_near(s.value, 0.36199, 4.0 * s.error);
    e.method = IRENEO_DENSE_METHOD_DIRECT;
    s = simulate(&e, 16, NULL);
    assert_true(s.error < 1e-3);
    expect_near(s.value, 0.36199, 4.0 * s.error);
    e.method = IRENEO_DENSE_METHOD_TAIL;
    s = simulate(&e, 1500, NULL);
    assert_true(s.error < 1e-4);
    expect_near(s.value, 0.36199, 4.0 * s.error);
    /* alpha = 0.5, N = 20: 0.7172146; binary N = 26: 0.36459 measured, 0.36528 in the limit. */
    e = experiment(IRENEO_DENSE_METHOD_TAIL, IRENEO_DENSE_ENSEMBLE_SPHERICAL, 100, 0.5, 0.0, 0.0);
    e.measure = IRENEO_DENSE_MEASURE_LAMBDA;
    s = simulate(&e, 1000, NULL);
    expect_near(s.value, 0.7140645, 4.0 * s.error + 1e-6);
}

/* Converged threshold at N = 38, alpha = 0.3: 0.4769 by the radial map, 0.4765(5) by direct simulation. */
static void test_converged_lambda(void **state) {
    (void)state;
    ireneo_dense_experiment e =
        experiment(IRENEO_DENSE_METHOD_HYBRID, IRENEO_DENSE_ENSEMBLE_SPHERICAL, 38, 0.3, 0.0, 0.0);
    e.measure = IRENEO_DENSE_MEASURE_LAMBDA;
    e.steps = 400;
    expect_near(simulate(&e, 40, NULL).value, 0.4769, 0.0012);
    e.neurons = 100;
    e.log_patterns = 30.0;
    expect_near(simulate(&e, 20, NULL).value, 0.41975, 0.0008);
    e.method = IRENEO_DENSE_METHOD_DIRECT; /* small enough for the suite; N = 38 is in test-long */
    e.neurons = 18;
    e.log_patterns = 5.4;
    ireneo_dense_summary s = simulate(&e, 200, NULL);
    expect_near(s.value, 0.5410, 4.0 * hypot(s.error, 0.0005)); /* 478 draws elsewhere: 0.5410(5) */
}

/* Median angles far beyond storage at lambda = 1.5 lambda_star; P = e^1000. */
static void test_tail_at_astronomic_sizes(void **state) {
    (void)state;
    ireneo_dense_experiment e = experiment(IRENEO_DENSE_METHOD_TAIL, IRENEO_DENSE_ENSEMBLE_SPHERICAL, 1000,
                                           1.0, 1.5 * 6.8708874197, 0.0);
    e.measure = IRENEO_DENSE_MEASURE_ANGLE;
    expect_near(simulate(&e, 400, NULL).value, 0.37768, 0.0005);
    e.neurons = 3000;
    e.log_patterns = 3000.0;
    expect_near(simulate(&e, 200, NULL).value, 0.37712, 0.0003);
    e = experiment(IRENEO_DENSE_METHOD_TAIL, IRENEO_DENSE_ENSEMBLE_SPHERICAL, 300, 0.5, 1.5 * 2.1611974159,
                   0.0);
    e.measure = IRENEO_DENSE_MEASURE_ANGLE;
    expect_near(simulate(&e, 400, NULL).value, 0.65730, 0.001);
    /* Gaussian, lambda = 0.5, N = 400: chi-squared law 0.975, 0.491, 0.034 at alpha = 0.325, 0.375, 0.425. */
    const double alphas[] = {0.325, 0.375, 0.425}, expected[] = {0.975, 0.491, 0.034};
    for (size_t i = 0; i < 3; i++) {
        e = experiment(IRENEO_DENSE_METHOD_TAIL, IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 400, alphas[i], 0.5, 0.0);
        ireneo_dense_summary s = simulate(&e, 1000, NULL);
        expect_near(s.value, expected[i], 4.0 * s.error);
    }
}

/* Angles of the several methods for one memory: N = 30, alpha = 0.3, lambda = 0.8. */
static void test_angles(void **state) {
    (void)state;
    ireneo_dense_experiment e =
        experiment(IRENEO_DENSE_METHOD_DIRECT, IRENEO_DENSE_ENSEMBLE_SPHERICAL, 30, 0.3, 0.8, 0.0);
    e.measure = IRENEO_DENSE_MEASURE_ANGLE;
    ireneo_dense_summary direct = simulate(&e, 100, NULL);
    e.method = IRENEO_DENSE_METHOD_SCALARS;
    e.seed = 2;
    ireneo_dense_summary scalars = simulate(&e, 400, NULL);
    e.method = IRENEO_DENSE_METHOD_TAIL;
    ireneo_dense_summary tail = simulate(&e, 2000, NULL);
    expect_near(direct.value, 0.800, 4.0 * hypot(direct.error, 0.005));
    expect_near(direct.value, scalars.value, 4.0 * hypot(direct.error, scalars.error));
    expect_near(tail.value, scalars.value, 4.0 * hypot(tail.error, scalars.error));
    e.lambda = 0.2; /* below lambda_c: nothing is retrieved */
    assert_true(simulate(&e, 20, NULL).value == 0.0);
}

static void test_draws_are_pure_functions(void **state) {
    (void)state;
    for (int method = IRENEO_DENSE_METHOD_DIRECT; method <= IRENEO_DENSE_METHOD_HYBRID; method++) {
        ireneo_dense_experiment e =
            experiment((ireneo_dense_method)method,
                       method == IRENEO_DENSE_METHOD_CONDITIONING ? IRENEO_DENSE_ENSEMBLE_GAUSSIAN
                                                                  : IRENEO_DENSE_ENSEMBLE_SPHERICAL,
                       24, 0.3, 0.45, 0.1);
        if (method != IRENEO_DENSE_METHOD_SCALARS && method != IRENEO_DENSE_METHOD_TAIL) e.steps = 10;
        enum { DRAWS = 12 };
        ireneo_dense_draw one[DRAWS], three[DRAWS], again;
        ireneo_dense_summary summary;
        expect_ok(ireneo_dense_simulate(&e, DRAWS, &(ireneo_run_settings){.threads = 1}, one, &summary));
        expect_ok(ireneo_dense_simulate(&e, DRAWS, &(ireneo_run_settings){.threads = 3}, three, &summary));
        for (size_t i = 0; i < DRAWS; i++) {
            expect_ok(ireneo_dense_draw_one(&e, i, &again));
            assert_memory_equal(&one[i].log_ratio, &three[i].log_ratio, sizeof(double));
            assert_memory_equal(&one[i].log_ratio, &again.log_ratio, sizeof(double));
            assert_memory_equal(&one[i].first_overlap, &again.first_overlap, sizeof(double));
            assert_memory_equal(&one[i].length, &again.length, sizeof(double));
            for (size_t j = 0; j < i; j++) assert_true(one[i].log_ratio != one[j].log_ratio);
        }
        e.seed++;
        expect_ok(ireneo_dense_draw_one(&e, 0, &again));
        assert_true(again.log_ratio != one[0].log_ratio);
    }
}

/* Two patterns: the threshold in closed form, R = exp(lambda (x.xi_2 - N)) < 1 always. */
static void test_two_patterns(void **state) {
    (void)state;
    ireneo_dense_experiment e = experiment(IRENEO_DENSE_METHOD_SCALARS, IRENEO_DENSE_ENSEMBLE_SPHERICAL, 10,
                                           log(2.0) / 10.0, 0.7, 0.0);
    ireneo_dense_draw draw;
    expect_ok(ireneo_dense_draw_one(&e, 3, &draw));
    assert_true(draw.value == 1.0 && draw.log_ratio < 0.0);
    e.measure = IRENEO_DENSE_MEASURE_LAMBDA;
    expect_ok(ireneo_dense_draw_one(&e, 3, &draw));
    assert_true(draw.value == 0.0);
    e.measure = IRENEO_DENSE_MEASURE_ANGLE; /* half way to the other pattern, whatever lambda */
    expect_ok(ireneo_dense_draw_one(&e, 3, &draw));
    double angle = draw.value;
    e.lambda = 50.0;
    expect_ok(ireneo_dense_draw_one(&e, 3, &draw));
    expect_near(draw.value, angle, 1e-9);
}

static int stop_at_once(void *context, const char *stage, double done, double total) {
    (void)context, (void)stage, (void)done, (void)total;
    return 1;
}

static void test_bad_input(void **state) {
    (void)state;
    ireneo_dense_experiment good = experiment(IRENEO_DENSE_METHOD_SCALARS, IRENEO_DENSE_ENSEMBLE_SPHERICAL,
                                              20, 0.3, 0.5, 0.0),
                            e;
    ireneo_dense_draw draw;
    ireneo_dense_summary summary;
#define EXPECT_BAD(change, text)                                                                             \
    do {                                                                                                     \
        e = good;                                                                                            \
        change;                                                                                              \
        expect_error(ireneo_dense_draw_one(&e, 0, &draw), IRENEO_ERROR_ARGUMENT, text, "");                  \
        expect_error(ireneo_dense_simulate(&e, 3, &(ireneo_run_settings){.threads = 2}, NULL, &summary),     \
                     IRENEO_ERROR_ARGUMENT, text, "");                                                       \
    } while (0)
    EXPECT_BAD(e.neurons = 1, "2 neurons");
    EXPECT_BAD(e.log_patterns = 0.0, "alpha");
    EXPECT_BAD(e.log_patterns = -3.0, "alpha");
    EXPECT_BAD(e.log_patterns = NAN, "alpha");
    EXPECT_BAD(e.log_patterns = 0.1, "single pattern");
    EXPECT_BAD(e.lambda = 0.0, "lambda");
    EXPECT_BAD(e.lambda = -1.0, "lambda");
    EXPECT_BAD(e.lambda = NAN, "lambda");
    EXPECT_BAD(e.angle = 4.0, "angle");
    EXPECT_BAD(e.angle = NAN, "angle");
    EXPECT_BAD(e.steps = 2, "one step");
    EXPECT_BAD(e.closeness = 1.0, "closeness");
    EXPECT_BAD(e.kept = 1.0, "kept apart");
    EXPECT_BAD(e.search_lower = 2.0; e.search_upper = 1.0, "search");
    EXPECT_BAD(e.log_patterns = 44.0, "2^63");
    EXPECT_BAD(e.method = IRENEO_DENSE_METHOD_DIRECT; e.log_patterns = 1000.0, "2^63");
    EXPECT_BAD(e.method = IRENEO_DENSE_METHOD_TAIL; e.ensemble = IRENEO_DENSE_ENSEMBLE_BINARY, "tail");
    EXPECT_BAD(e.method = IRENEO_DENSE_METHOD_TAIL; e.neurons = 3, "4 neurons");
    EXPECT_BAD(e.method = IRENEO_DENSE_METHOD_TAIL; e.log_patterns = 4.0, "too few");
    EXPECT_BAD(e.method = IRENEO_DENSE_METHOD_TAIL; e.log_patterns = 300.0, "alpha = 12");
    EXPECT_BAD(e.method = IRENEO_DENSE_METHOD_CONDITIONING, "Gaussian");
    EXPECT_BAD(e.method = IRENEO_DENSE_METHOD_HYBRID;
               e.ensemble = IRENEO_DENSE_ENSEMBLE_GAUSSIAN, "spherical");
    EXPECT_BAD(e.method = (ireneo_dense_method)9, "number");
    expect_error(ireneo_dense_simulate(&good, 0, &(ireneo_run_settings){.threads = 1}, NULL, &summary),
                 IRENEO_ERROR_ARGUMENT, "draw", "");
    ireneo_progress progress = {stop_at_once, NULL};
    expect_error(ireneo_dense_simulate(&good, 10, &(ireneo_run_settings){.threads = 1, .progress = &progress},
                                       NULL, &summary),
                 IRENEO_ERROR_CANCELLED, "stopped", "");
    e = good; /* exponents of 1e6 are fine */
    e.lambda = 1e6;
    for (int method = IRENEO_DENSE_METHOD_DIRECT; method <= IRENEO_DENSE_METHOD_TAIL; method++) {
        e.method = (ireneo_dense_method)method;
        expect_ok(ireneo_dense_draw_one(&e, 0, &draw));
        assert_true(draw.value == 1.0 && isfinite(draw.log_ratio) && isfinite(draw.first_overlap));
    }
    assert_string_equal(ireneo_dense_method_name(IRENEO_DENSE_METHOD_TAIL), "tail");
    assert_string_equal(ireneo_dense_measure_name(IRENEO_DENSE_MEASURE_ANGLE), "angle");
    assert_string_equal(ireneo_dense_method_name((ireneo_dense_method)9), "unknown");
    assert_string_equal(ireneo_dense_measure_name((ireneo_dense_measure)9), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars_like_direct),
        cmocka_unit_test(test_tail_like_scalars),
        cmocka_unit_test(test_tail_like_direct),
        cmocka_unit_test(test_conditioning_like_direct),
        cmocka_unit_test(test_one_step_lambda),
        cmocka_unit_test(test_converged_lambda),
        cmocka_unit_test(test_tail_at_astronomic_sizes),
        cmocka_unit_test(test_angles),
        cmocka_unit_test(test_draws_are_pure_functions),
        cmocka_unit_test(test_two_patterns),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
