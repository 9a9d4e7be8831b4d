/* Bessel functions of any order: GSL where it works, Gauss' continued fraction, recurrences, quadrature and
 * closed forms elsewhere. */
#include "expect.h"

#include "dense/theory/bessel.h"
#include "dense/theory/ensemble.h"
#include "gsl_quadrature.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_bessel.h>
#include <gsl/gsl_sf_gamma.h>

static const double ORDERS[] = {0, 0.5, 1, 2, 5.5, 15.9, 16, 20, 30, 49, 51, 60, 200, 1000, 1e4, 1e5};
static const double ARGUMENTS[] = {1e-8, 1e-3, 0.1, 1, 5, 20, 40, 49, 51, 60, 100, 1000, 1e4, 1e6};

static void test_log_bessel_against_gsl(void **state) {
    (void)state;
    gsl_set_error_handler_off();
    int compared = 0;
    for (size_t i = 0; i < COUNT(ORDERS); i++)
        for (size_t j = 0; j < COUNT(ARGUMENTS); j++) {
            gsl_sf_result scaled;
            double x = ARGUMENTS[j];
            if (gsl_sf_bessel_Inu_scaled_e(ORDERS[i], x, &scaled) != GSL_SUCCESS || !(scaled.val > 0.0))
                continue;
            double wanted = log(scaled.val) + x;
            expect_close(ireneo_log_bessel_i(ORDERS[i], x), wanted, 1e-13 * fmax(1.0, fabs(wanted)));
            compared++;
        }
    assert_true(compared > 150);
    assert_true(ireneo_log_bessel_i(0.0, 0.0) == 0.0);
    assert_true(ireneo_log_bessel_i(3.0, 0.0) == -INFINITY);
}

/* I_(nu+1) / I_nu = 1/(2(nu+1)/x + 1/(2(nu+2)/x + ...)), from a tail that no longer matters. */
static double ratio_by_continued_fraction(double order, double x) {
    double ratio = 0.0;
    for (long k = (long)(3.0 * x) + 2000; k >= 1; k--) ratio = 1.0 / (2.0 * (order + (double)k) / x + ratio);
    return ratio;
}

static void test_overlap_against_continued_fraction(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(ORDERS); i++)
        for (size_t j = 0; j < COUNT(ARGUMENTS); j++) {
            double wanted = ratio_by_continued_fraction(ORDERS[i], ARGUMENTS[j]);
            expect_ratio(ireneo_sphere_overlap(2.0 * ORDERS[i] + 2.0, ARGUMENTS[j]), wanted, 1e-14);
        }
    static const double large[][2] = {{5e6 - 1, 1e6}, {5e6 - 1, 1e7}, {1e6, 3e3}, {1e7, 1e7}};
    for (size_t i = 0; i < COUNT(large); i++)
        expect_ratio(ireneo_sphere_overlap(2.0 * large[i][0] + 2.0, large[i][1]),
                     ratio_by_continued_fraction(large[i][0], large[i][1]), 1e-14);
}

static void test_closed_forms(void **state) {
    (void)state;
    for (size_t j = 0; j < COUNT(ARGUMENTS); j++) {
        double s = ARGUMENTS[j];
        expect_close(ireneo_sphere_log_mean(1.0, s), s + log1p(exp(-2.0 * s)) - M_LN2, 1e-14 * fmax(1.0, s));
        expect_ratio(ireneo_sphere_overlap(1.0, s), tanh(s), 1e-14);
        if (s < 0.01) continue;
        expect_close(ireneo_sphere_log_mean(3.0, s), s + log1p(-exp(-2.0 * s)) - log(2.0 * s),
                     1e-14 * fmax(1.0, s));
        expect_ratio(ireneo_sphere_overlap(3.0, s), 1.0 / tanh(s) - 1.0 / s, 1e-12);
        expect_close(ireneo_sphere_log_gap(3.0, s), log(2.0 * s) - log1p(-exp(-2.0 * s)),
                     1e-14 * fmax(1.0, s < 60.0 ? s : 1.0));
    }
    expect_close(ireneo_sphere_overlap(7.0, -2.0), -ireneo_sphere_overlap(7.0, 2.0), 0.0);
    expect_close(ireneo_sphere_log_mean(7.0, -2.0), ireneo_sphere_log_mean(7.0, 2.0), 0.0);
    assert_true(ireneo_sphere_log_mean(100.0, 0.0) == 0.0);
}

/* The mean and its gap to S are one quantity in two forms, and agree with log I. */
static void test_mean_and_gap(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(ORDERS); i++)
        for (size_t j = 0; j < COUNT(ARGUMENTS); j++) {
            double nu = ORDERS[i], s = ARGUMENTS[j], n = 2.0 * nu + 2.0;
            double mean = ireneo_sphere_log_mean(n, s), scale = fmax(1.0, fabs(lgamma(nu + 1.0)) + s);
            expect_close(s - mean, ireneo_sphere_log_gap(n, s), 1e-14 * fmax(1.0, s));
            expect_close(mean - lgamma(nu + 1.0) + nu * log(0.5 * s), ireneo_log_bessel_i(nu, s),
                         1e-13 * scale);
        }
    /* 1/S, S -> infinity: gap = (N-1)/2 log(2S) - log Gamma(N/2) + log(sqrt(4 pi)) - ... */
    double n = 40.0, s = 1e30,
           leading = 0.5 * (n - 1.0) * log(0.5 * s) + 0.5 * log(4.0 * M_PI) - lgamma(0.5 * n);
    expect_ratio(ireneo_sphere_log_gap(n, s), leading, 1e-14);
}

/* The direct average over the sphere, by adaptive quadrature of the density of one coordinate. */
typedef struct sphere {
    double n, s, shift;
} sphere;

static double tilted_density(double c, void *context) {
    const sphere *b = context;
    return exp(0.5 * (b->n - 3.0) * log1p(-c * c) + b->s * c - b->shift);
}

static void test_mean_against_quadrature(void **state) {
    (void)state;
    static const double cases[][2] = {{4, 0.7},   {20, 30},    {60, 45},   {100, 40},
                                      {100, 100}, {1000, 500}, {2001, 4e3}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        double n = cases[i][0], s = cases[i][1], c = ireneo_sphere_overlap(n, s);
        sphere b = {n, s, s * c + 0.5 * (n - 3.0) * log1p(-c * c)};
        double mass = integrate_with_gsl(tilted_density, &b, -1.0, 1.0, 0.0, 1e-12);
        double norm = gsl_sf_lngamma(0.5 * n) - gsl_sf_lngamma(0.5 * (n - 1.0)) - 0.5 * log(M_PI);
        expect_close(ireneo_sphere_log_mean(n, s), log(mass) + b.shift + norm, 1e-10);
    }
}

/* I_(nu-1) - I_(nu+1) = 2 nu / x I_nu as a relation of two overlaps, at orders where GSL gives up. */
static void test_recurrence_at_large_orders(void **state) {
    (void)state;
    static const double orders[] = {60, 1e3, 1e5, 5e6, 1e7}, over[] = {1e-3, 0.1, 1, 10, 1e4};
    for (size_t i = 0; i < COUNT(orders); i++)
        for (size_t j = 0; j < COUNT(over); j++) {
            double nu = orders[i], x = nu * over[j];
            double below = ireneo_sphere_overlap(2.0 * nu, x),
                   above = ireneo_sphere_overlap(2.0 * nu + 2.0, x);
            expect_close(below * above + 2.0 * nu / x * below, 1.0, 1e-13);
        }
}

/* d log M_N / dS = A_N, across the seams of the three ways to compute them. */
static void test_overlap_is_the_slope(void **state) {
    (void)state;
    static const double dimensions[] = {2, 10, 33.9, 34.1, 99, 103, 400, 1e4};
    for (size_t i = 0; i < COUNT(dimensions); i++)
        for (double s = 5.0; s < 400.0; s *= 1.07) {
            double h = 1e-4 * s, n = dimensions[i];
            double slope = (ireneo_sphere_log_mean(n, s - 2 * h) - 8.0 * ireneo_sphere_log_mean(n, s - h) +
                            8.0 * ireneo_sphere_log_mean(n, s + h) - ireneo_sphere_log_mean(n, s + 2 * h)) /
                           (12.0 * h);
            expect_close(slope, ireneo_sphere_overlap(n, s), 3e-11);
        }
}

/* M_N = e^(N zeta) (1 - c^4)^(-1/2) (1 + O(1/N)); docs/dense.md, "Spherical patterns". */
static void test_large_n_limit(void **state) {
    (void)state;
    for (double lambda = 0.1; lambda < 12.0; lambda *= 2.0) {
        double zeta = ireneo_rem_zeta(IRENEO_DENSE_ENSEMBLE_SPHERICAL, lambda, 1.0);
        double c = ireneo_rem_overlap(IRENEO_DENSE_ENSEMBLE_SPHERICAL, lambda, 1.0),
               corner = log1p(-c * c * c * c);
        expect_close(ireneo_sphere_log_mean(1e3, 1e3 * lambda) / 1e3, zeta - corner / 2e3, 3e-7);
        expect_close(ireneo_sphere_log_mean(1e7, 1e7 * lambda) / 1e7, zeta - corner / 2e7, 1e-13);
        expect_close(ireneo_sphere_overlap(1e7, 1e7 * lambda), c, 1e-6);
    }
    double c = ireneo_rem_overlap(IRENEO_DENSE_ENSEMBLE_SPHERICAL, 1.0, 1.0);
    expect_close(ireneo_sphere_log_mean(1e3, 1e3) / 1e3,
                 ireneo_rem_zeta(IRENEO_DENSE_ENSEMBLE_SPHERICAL, 1.0, 1.0) - log1p(-c * c * c * c) / 2e3,
                 4e-8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log_bessel_against_gsl),
        cmocka_unit_test(test_overlap_against_continued_fraction),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_mean_and_gap),
        cmocka_unit_test(test_mean_against_quadrature),
        cmocka_unit_test(test_recurrence_at_large_orders),
        cmocka_unit_test(test_overlap_is_the_slope),
        cmocka_unit_test(test_large_n_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
