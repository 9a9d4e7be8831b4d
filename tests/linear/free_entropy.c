/* The free entropy: its limit over a grid, two candidates by GSL, small loads, its slope; fixed seeds. */
#include "base/random.h"
#include "expect.h"
#include "scratch.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>

static void test_asymptotic_entropy(void **state) {
    (void)state;
    for (double a = 0.0; a < 0.5; a += 0.01) {
        double least = INFINITY; /* of 1/2 log(1 - q) + q / (2 (1 - q)) - a / (1 - q) over a grid of q */
        for (double q = 0.0; q < 0.9999; q += 1e-4)
            least = fmin(least, 0.5 * log1p(-q) + 0.5 * q / (1.0 - q) - a / (1.0 - q));
        expect_close(ireneo_free_entropy_asymptotic(a), least, 1e-5);
    }
    assert_true(ireneo_free_entropy_asymptotic(0.0) == 0.0);
    assert_true(ireneo_free_entropy_asymptotic(0.5) == -INFINITY &&
                ireneo_free_entropy_asymptotic(0.7) == -INFINITY);
}

/* Two candidates: Pr[win] = Phi(beta (xi_1 - xi_2) / sqrt 2), so psi is a one-dimensional average. */
static double two_surprise(double g, void *context) {
    double beta = *(double *)context, x = -beta * g;
    double log_cdf = x < 30.0 ? log(0.5 * erfc(x * M_SQRT1_2)) : -0.5 * x * x - log(x * sqrt(2.0 * M_PI));
    return -log_cdf / log(2.0) * exp(-0.5 * g * g) / sqrt(2.0 * M_PI);
}

static double two_candidates_entropy(double load, double *overlap) {
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(1000);
    double least = INFINITY;
    for (double q = 0.0; q < 0.9; q += 0.002) {
        double beta = sqrt(q / (1.0 - q)), psi, error;
        gsl_function f = {two_surprise, &beta};
        gsl_integration_qag(&f, -12.0, 12.0, 1e-10, 1e-10, 1000, GSL_INTEG_GAUSS61, w, &psi, &error);
        double value = 0.5 * log1p(-q) + 0.5 * q / (1.0 - q) - load * psi;
        if (value < least) least = value, *overlap = q;
    }
    gsl_integration_workspace_free(w);
    return least;
}

static void test_entropy_of_two_candidates(void **state) {
    (void)state;
    static const double loads[] = {0.05, 0.2, 0.4};
    for (size_t k = 0; k < COUNT(loads); k++) {
        double wanted_overlap = NAN, wanted = two_candidates_entropy(loads[k], &wanted_overlap);
        ireneo_free_entropy_report r;
        expect_ok(ireneo_free_entropy(loads[k], 2, 3000, 71, &r));
        expect_close(r.entropy, wanted, 5.0 * r.entropy_error + 1e-5);
        assert_true(r.entropy_error > 0.0 && r.entropy_error < 0.01 * loads[k]);
        assert_true(r.overlap_error > 0.0 && r.overlap_error < 0.01);
        expect_close(r.overlap, wanted_overlap, 5.0 * r.overlap_error + 0.002);
    }
}

/* At q = 0 every candidate wins equally often and Phi = -alpha; the minimum over q lies below by
 * (alpha psi'(0))^2, and its slope in alpha is -psi(q). */
static void test_entropy_at_small_load(void **state) {
    (void)state;
    static const size_t candidates[] = {2, 10, 50};
    for (size_t k = 0; k < COUNT(candidates); k++) {
        ireneo_free_entropy_report r;
        expect_ok(ireneo_free_entropy(0.0, candidates[k], 100, 72, &r));
        expect_close(r.entropy, 0.0, 1e-15);
        expect_close(r.overlap, 0.0, 1e-3);
        for (double a = 1e-4; a < 0.02; a *= 10.0) {
            expect_ok(ireneo_free_entropy(a, candidates[k], 100, 72, &r));
            double entropy = r.entropy, overlap = r.overlap, error = r.entropy_error;
            assert_true(entropy <= -a);
            expect_close(entropy, -a, a * a);
            expect_between(overlap, 0.5 * a, 2.0 * a); /* q = 2 alpha psi'(0), psi'(0) from 1/2 up to 1 */
            expect_close((entropy + a) / (overlap * overlap), -0.25, 0.02);
            assert_true(error < 0.5 * fabs(entropy + a));
        }
    }
}

/* -psi(q) is the slope of Phi: compare with a direct average of -log Pr[win] at the reported overlap. */
static void test_entropy_slope(void **state) {
    (void)state;
    enum { P = 8, DRAWS = 400, TRIES = 400 };
    double step = 0.01, load = 0.3;
    ireneo_free_entropy_report low, high, middle;
    expect_ok(ireneo_free_entropy(load - step, P, 400, 73, &low));
    expect_ok(ireneo_free_entropy(load + step, P, 400, 73, &high));
    expect_ok(ireneo_free_entropy(load, P, 400, 73, &middle));
    double beta = sqrt(middle.overlap / (1.0 - middle.overlap)), xi[P], sum = 0.0, squares = 0.0;
    for (size_t k = 0; k < DRAWS; k++) { /* Pr[win] by a plain sum over z */
        ireneo_fill_normals(74, 0, k * P, P, xi);
        double win = 0.0, width = 20.0 / TRIES;
        for (size_t i = 0; i < TRIES; i++) {
            double z = -10.0 + ((double)i + 0.5) * width, product = exp(-0.5 * z * z) / sqrt(2.0 * M_PI);
            for (size_t j = 1; j < P; j++) product *= 0.5 * erfc(-(z + beta * (xi[0] - xi[j])) * M_SQRT1_2);
            win += product * width;
        }
        double value = -log(win) / log((double)P);
        sum += value;
        squares += value * value;
    }
    double psi = sum / DRAWS, error = sqrt((squares / DRAWS - psi * psi) / DRAWS);
    expect_close((low.entropy - high.entropy) / (2.0 * step), psi, 5.0 * error); /* chance 6e-7 */
}

/* More candidates bring Phi and the overlap towards the limit, slowly and from one side. */
static void test_entropy_approaches_its_limit(void **state) {
    (void)state;
    static const size_t candidates[] = {3, 10, 100};
    double load = 0.25, before = 0.0, overlap_before = 0.0;
    for (size_t k = 0; k < COUNT(candidates); k++) {
        ireneo_free_entropy_report r;
        expect_ok(ireneo_free_entropy(load, candidates[k], k < 2 ? 600 : 120, 75, &r));
        assert_true(r.entropy < before && r.entropy > ireneo_free_entropy_asymptotic(load));
        assert_true(r.overlap > overlap_before && r.overlap < 2.0 * load);
        before = r.entropy;
        overlap_before = r.overlap;
    }
    ireneo_free_entropy_report answer;
    expect_error(ireneo_free_entropy(-0.1, 10, 10, 1, &answer), IRENEO_ERROR_ARGUMENT, "load", "");
    expect_error(ireneo_free_entropy(0.1, 1, 10, 1, &answer), IRENEO_ERROR_ARGUMENT, "two", "");
    expect_error(ireneo_free_entropy(0.1, 10, 1, 1, &answer), IRENEO_ERROR_ARGUMENT, "draws", "");
    expect_error(ireneo_free_entropy(NAN, 10, 10, 1, &answer), IRENEO_ERROR_ARGUMENT, "load", "");
}

/* docs/linear.md, "Volume": load, P, overlap and, at P = 18, entropy. Within what the table rounds and five errors. From
 * capacity on, log 10 / delta(10) = 1.156, nothing is left. */
static void test_entropy_table(void **state) {
    (void)state;
    static const double rows[][4] = {
        {0.3, 10, 0.323, NAN}, {0.7, 10, 0.691, NAN}, {1.0, 10, 0.911, NAN}, {0.3613, 18, 0.4039, -0.4233}};
    ireneo_free_entropy_report r;
    for (size_t k = 0; k < COUNT(rows); k++) {
        expect_ok(ireneo_free_entropy(rows[k][0], (size_t)rows[k][1], 2000, 76, &r));
        expect_close(r.overlap, rows[k][2], 0.004 + 4.0 * r.overlap_error);
        assert_true(r.overlap_error > 0.0 && r.overlap_error < 0.01);
        if (!isnan(rows[k][3])) expect_close(r.entropy, rows[k][3], 4.0 * 0.0016 + 4.0 * r.entropy_error);
    }
    static const double beyond[] = {1.16, 1.5, 10.0};
    for (size_t k = 0; k < COUNT(beyond); k++) {
        expect_ok(ireneo_free_entropy(beyond[k], 10, 100, 76, &r));
        assert_true(r.entropy == -INFINITY && r.overlap == 1.0);
    }
    expect_ok(ireneo_free_entropy(1.12, 10, 400, 76, &r));
    assert_true(isfinite(r.entropy) && r.overlap > 0.95 && r.overlap < 1.0);
}

int main(void) {
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_asymptotic_entropy),           cmocka_unit_test(test_entropy_of_two_candidates),
        cmocka_unit_test(test_entropy_at_small_load),        cmocka_unit_test(test_entropy_slope),
        cmocka_unit_test(test_entropy_approaches_its_limit), cmocka_unit_test(test_entropy_table),
    };
    return cmocka_run_group_tests_name("free entropy", tests, NULL, NULL);
}
