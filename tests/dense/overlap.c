/* The law of one overlap and the bulk: tails against GSL and against the hypergeometric series, samples
 * against the exact distribution function, moments against Bessel functions and closed forms. */
#include "scratch.h"

#include "dense/theory/bessel.h"
#include "dense/theory/far_field.h"
#include "dense/theory/overlap_law.h"
#include "kolmogorov.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_erf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

#define expect_near(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))

static void test_incomplete_beta(void **state) {
    (void)state;
    const double as[] = {0.5, 3.0, 20.0, 150.0}, xs[] = {0.01, 0.3, 0.7, 0.95, 0.999};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 5; j++) {
            double exact = gsl_sf_beta_inc(as[i], 0.5, xs[j]);
            if (exact > 1e-280)
                expect_near(ireneo_log_incomplete_beta(as[i], 0.5, xs[j]), log(exact),
                            1e-10 * (1.0 - log(exact)));
        }
}

/* log of y^a (1-y)^(1/2) / (a B(a, 1/2)) 2F1(a + 1/2, 1; a + 1; y), half of it, y = 1 - t^2. */
static double tail_by_series(double neurons, double t) {
    double a = 0.5 * (neurons - 1.0), y = 1.0 - t * t, term = 1.0, sum = 1.0;
    for (int k = 0; k < 1000000 && term > 1e-17 * sum; k++) {
        term *= (a + 0.5 + k) / (a + 1.0 + k) * y;
        sum += term;
    }
    return a * log(y) + 0.5 * log1p(-y) - log(a) - gsl_sf_lnbeta(a, 0.5) + log(sum) - log(2.0);
}

static void test_tails_far_out(void **state) {
    (void)state;
    const double sizes[] = {4, 30, 1000, 100000}, levels[] = {0.1, 0.5, 0.9, 0.999};
    for (size_t i = 0; i < 4; i++) {
        ireneo_overlap_law law = ireneo_overlap_law_of(IRENEO_DENSE_ENSEMBLE_SPHERICAL, (size_t)sizes[i]);
        for (size_t j = 0; j < 4; j++) {
            double exact = tail_by_series(sizes[i], levels[j]);
            expect_near(ireneo_overlap_log_tail(&law, levels[j]), exact, 1e-9 * (1.0 - exact));
            /* and back */
            expect_near(ireneo_overlap_tail_point(&law, exact), levels[j], 1e-9);
        }
    }
    ireneo_overlap_law law = ireneo_overlap_law_of(IRENEO_DENSE_ENSEMBLE_SPHERICAL, 3000); /* e^-3000 */
    double t = ireneo_overlap_tail_point(&law, -3000.0);
    expect_near(ireneo_overlap_log_tail(&law, t), -3000.0, 1e-8);
    expect_near(t, sqrt(-expm1(-2.0)), 2e-3); /* c_max = sqrt(1 - e^(-2 alpha)) at alpha = 1 */
    law = ireneo_overlap_law_of(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 50);
    expect_near(ireneo_overlap_log_tail(&law, 3.0), log(gsl_cdf_ugaussian_Q(3.0)), 1e-12);
}

/* Chance of failing with a fresh seed: 1e-3 for each law. */
static void test_tail_samples_follow_the_law(void **state) {
    (void)state;
    enum { DRAWS = 5000 };
    static double levels[DRAWS];
    static const struct {
        ireneo_dense_ensemble ensemble;
        size_t neurons;
        double log_q;
    } cases[] = {
        {IRENEO_DENSE_ENSEMBLE_SPHERICAL, 4, -3.0},      {IRENEO_DENSE_ENSEMBLE_SPHERICAL, 30, -5.0},
        {IRENEO_DENSE_ENSEMBLE_SPHERICAL, 1000, -994.0}, {IRENEO_DENSE_ENSEMBLE_SPHERICAL, 200, -1000.0},
        {IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 10, -4.0},      {IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 10, -1000.0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ireneo_overlap_law law = ireneo_overlap_law_of(cases[c].ensemble, cases[c].neurons);
        double t = ireneo_overlap_tail_point(&law, cases[c].log_q), at = ireneo_overlap_log_tail(&law, t);
        ireneo_generator g = {77, c, 0};
        for (size_t i = 0; i < DRAWS; i++) {
            double v = ireneo_overlap_draw_tail(&law, t, &g);
            assert_true(v >= t);
            levels[i] = -expm1(ireneo_overlap_log_tail(&law, v) - at);
        }
        assert_true(kolmogorov_one(levels, DRAWS) > 1e-3);
    }
}

static void test_tilted_moments(void **state) {
    (void)state;
    ireneo_bulk_rule rule;
    ireneo_bulk_rule_fill(&rule);
    const double sizes[] = {10, 100, 1000}, lambdas[] = {0.0, 0.1, 0.7, 5.0};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 4; j++) { /* no level: M_N and A_N, and the slope of A_N */
            ireneo_overlap_law law = ireneo_overlap_law_of(IRENEO_DENSE_ENSEMBLE_SPHERICAL, (size_t)sizes[i]);
            double s = lambdas[j] * sizes[i], h = 1e-3 * sizes[i];
            ireneo_tilted tilt = ireneo_overlap_tilt(&law, &rule, s, 1.0);
            double exact = ireneo_sphere_log_mean(sizes[i], s);
            expect_near(tilt.log_mass, exact, 1e-8 * (1.0 + exact));
            expect_near(tilt.mean, ireneo_sphere_overlap(sizes[i], s), 1e-8);
            double slope =
                (ireneo_sphere_overlap(sizes[i], s + h) - ireneo_sphere_overlap(sizes[i], s - h)) / (2.0 * h);
            expect_near(tilt.variance / slope, 1.0, 1e-4);
        }
    /* Gaussian with a level: e^(s^2/2) Phi(t - s), mean s - phi/Phi, both far on either side. */
    ireneo_overlap_law law = ireneo_overlap_law_of(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 10);
    const double points[][2] = {{0.5, 2.0}, {3.0, 2.0}, {20.0, 5.0}, {60.0, 40.0}, {2.0, 30.0}};
    for (size_t i = 0; i < 5; i++) {
        double s = points[i][0], t = points[i][1], z = t - s;
        ireneo_tilted tilt = ireneo_overlap_tilt(&law, &rule, s, t);
        double log_mass = 0.5 * s * s + gsl_sf_log_erfc(-z / sqrt(2.0)) - log(2.0);
        double hazard = gsl_sf_hazard(-z); /* phi(z) / Phi(z) */
        expect_near(tilt.log_mass, log_mass, 1e-9 * (1.0 + fabs(log_mass)));
        expect_near(tilt.mean, s - hazard, 1e-9 * (1.0 + s));
        expect_near(tilt.variance, 1.0 - hazard * (hazard + z), 1e-7);
    }
}

/* Without a level the bulk is the whole sphere, whatever axis it is cut along. */
static void test_sea_without_level(void **state) {
    (void)state;
    const double sizes[] = {6, 40, 300};
    for (size_t i = 0; i < 3; i++) {
        ireneo_far_field bulk = ireneo_far_field_of(
            ireneo_overlap_law_of(IRENEO_DENSE_ENSEMBLE_SPHERICAL, (size_t)sizes[i]), 1.0, 3.0);
        const double pulls[][2] = {{0.0, 0.0}, {0.5, 0.0}, {0.4, 0.3}, {-0.2, 0.5}, {0.0, 0.7}, {2.0, 1.0}};
        for (size_t k = 0; k < 6; k++) {
            double along = pulls[k][0] * sizes[i], across = pulls[k][1] * sizes[i],
                   pull = hypot(along, across);
            double mean_along, mean_across,
                log_sum = ireneo_far_field_log_sum(&bulk, along, across, &mean_along, &mean_across);
            double exact = 3.0 + ireneo_sphere_log_mean(sizes[i], pull),
                   overlap = ireneo_sphere_overlap(sizes[i], pull);
            expect_near(log_sum, exact, 1e-6 * (1.0 + exact));
            expect_near(mean_along, pull > 0.0 ? overlap * along / pull : 0.0, 1e-6);
            expect_near(mean_across, pull > 0.0 ? overlap * across / pull : 0.0, 1e-6);
        }
    }
}

/* With a level: the bulk and the truncated tilt agree when the state lies on the axis. */
static void test_sea_with_level(void **state) {
    (void)state;
    ireneo_bulk_rule rule;
    ireneo_bulk_rule_fill(&rule);
    ireneo_overlap_law law = ireneo_overlap_law_of(IRENEO_DENSE_ENSEMBLE_SPHERICAL, 50);
    const double levels[] = {0.1, 0.4, 0.8};
    for (size_t i = 0; i < 3; i++) {
        ireneo_far_field bulk = ireneo_far_field_of(law, levels[i], 10.0);
        for (double lambda = 0.2; lambda < 3.0; lambda *= 2.0) {
            double along, across, sum = ireneo_far_field_log_sum(&bulk, 50.0 * lambda, 0.0, &along, &across);
            ireneo_tilted tilt = ireneo_overlap_tilt(&law, &rule, 50.0 * lambda, levels[i]);
            expect_near(sum, 10.0 + tilt.log_mass, 1e-7);
            expect_near(along, tilt.mean, 1e-7);
            assert_true(across == 0.0);
        }
    }
}

/* The number above the level: mean and variance of binomial and Poisson, within 5 standard errors (chance of
 * failing with a fresh seed 1e-6). */
static void test_number_above_the_level(void **state) {
    (void)state;
    enum { DRAWS = 4000 };
    static const struct {
        size_t neurons;
        double log_patterns, kept;
    } cases[] = {{30, 9.0, 300.0}, {30, 34.2, 100.0}, {1000, 1000.0, 50.0}, {20, 4.7, 500.0}};
    for (size_t c = 0; c < 4; c++) {
        ireneo_overlap_law law = ireneo_overlap_law_of(IRENEO_DENSE_ENSEMBLE_SPHERICAL, cases[c].neurons);
        ireneo_tail tail;
        expect_ok(ireneo_tail_choose(&law, cases[c].log_patterns, cases[c].kept, &tail));
        ireneo_generator g = {5, c, 0};
        double sum = 0.0, squares = 0.0, mean = exp(tail.log_crowd + tail.log_q);
        for (int i = 0; i < DRAWS; i++) {
            double k = (double)ireneo_tail_draw_number(&tail, &g);
            sum += k;
            squares += (k - mean) * (k - mean);
        }
        double variance = mean * -expm1(tail.log_q);
        expect_near(sum / DRAWS, mean, 5.0 * sqrt(variance / DRAWS));
        expect_near(squares / DRAWS, variance, 5.0 * variance * sqrt(2.1 / DRAWS));
        assert_true(mean <= cases[c].kept * 1.0001);
    }
    ireneo_tail tail;
    ireneo_overlap_law law = ireneo_overlap_law_of(IRENEO_DENSE_ENSEMBLE_SPHERICAL, 20);
    expect_error(ireneo_tail_choose(&law, 4.0, 500.0, &tail), IRENEO_ERROR_ARGUMENT, "too few", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_incomplete_beta),
        cmocka_unit_test(test_tails_far_out),
        cmocka_unit_test(test_tail_samples_follow_the_law),
        cmocka_unit_test(test_tilted_moments),
        cmocka_unit_test(test_sea_without_level),
        cmocka_unit_test(test_sea_with_level),
        cmocka_unit_test(test_number_above_the_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
