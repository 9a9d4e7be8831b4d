/* Averages over one and two softmax rows: the tables of docs/attention.md, limits, exponents, identities, and
 * quadrature by another library. */
#include "near.h"
#include "scratch.h"

#include "attention/theory/rem.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_sf_psi.h>
#include <math.h>

static ireneo_rem_row exact(double b, double keys) {
    ireneo_rem_row row;
    expect_ok(ireneo_rem_exact(b * sqrt(log(keys)), keys, &row));
    return row;
}

static double overlap(double b, double rho, double keys) {
    double value = NAN;
    expect_ok(ireneo_rem_row_overlap(b * sqrt(log(keys)), rho, keys, &value));
    return value;
}

/* docs/attention.md, "Rows at finite T": participation and entropy, three digits. */
static void test_rows_table(void **state) {
    (void)state;
    static const struct {
        double keys, b, y2, y2_tolerance, entropy;
    } table[] = {{512, 0.5, 0.0088, 5e-5, 5.469},    {512, 1.0, 0.1015, 5e-5, 3.637},
                 {512, M_SQRT2, 0.249, 5e-4, 2.434}, {512, 2.0, 0.425, 5e-4, 1.527},
                 {512, 3.0, 0.602, 5e-4, 0.890},     {4096, 1.0, 0.066, 5e-4, 4.632},
                 {4096, 2.0, 0.401, 5e-4, 1.701},    {4096, 3.0, 0.588, 5e-4, 0.953}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ireneo_rem_row row = exact(table[i].b, table[i].keys);
        assert_near(row.y[1], 1.0, 1e-11);
        assert_near(row.y[2], table[i].y2, table[i].y2_tolerance);
        assert_near(row.entropy, table[i].entropy, 5.1e-4);
    }
}

static void test_slow_convergence(void **state) {
    (void)state;
    static const double keys[] = {128, 512, 4096, 1e5, 1e8, 1e12};
    static const struct {
        double b, y2[6], limit;
    } rows[] = {{2.0, {0.450, 0.425, 0.401, 0.378, 0.353, 0.337}, 0.293},
                {M_SQRT2, {0.284, 0.249, 0.214, 0.180, 0.141, 0.114}, 0.0},
                {1.0, {0.140, 0.1015, 0.066, 0.037, 0.0125, 0.0033}, 0.0},
                {5.0, {0.766, 0.758, 0.750, 0.743, 0.735, 0.730}, 0.717}};
    static const double entropy[] = {1.37, 1.53, 1.70, 1.89, 2.15, 2.34};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        ireneo_rem_row limit;
        ireneo_rem_limit(rows[r].b, 1e3, &limit);
        assert_near(limit.y[2], rows[r].limit, 5e-4);
        for (size_t i = 0; i < 6; i++) assert_near(exact(rows[r].b, keys[i]).y[2], rows[r].y2[i], 5.1e-4);
    }
    for (size_t i = 0; i < 6; i++) assert_near(exact(2.0, keys[i]).entropy, entropy[i], 5.1e-3);
    ireneo_rem_row limit;
    ireneo_rem_limit(2.0, 1e3, &limit);
    assert_near(limit.entropy, 3.014, 5e-4);
}

/* Local exponents between two T, and the asymptotic ones. */
static void test_exponents(void **state) {
    (void)state;
    static const struct {
        double b, local, theory;
    } y2[] = {{0.3, -0.9100, -0.91},  {0.5, -0.7500, -0.75},  {0.7, -0.502, -0.51},
              {0.9, -0.230, -0.2185}, {1.0, -0.1445, -0.125}, {1.2, -0.056, -0.0272}};
    for (size_t i = 0; i < sizeof y2 / sizeof *y2; i++) {
        double local = log(exact(y2[i].b, 1e12).y[2] / exact(y2[i].b, 1e8).y[2]) / log(1e4);
        assert_near(local, y2[i].local, 6e-4);
        assert_near(ireneo_rem_participation_exponent(y2[i].b), y2[i].theory, 1e-4);
    }
    static const struct {
        double b, rho, local, theory;
    } o12[] = {{0.5, 0.5, -0.8748, -0.875}, {1, 0.2, -0.791, -0.8},     {1, 0.8, -0.286, -0.25},
               {2, 0.2, -0.683, -2.0 / 3},  {2, 0.5, -0.360, -1.0 / 3}, {2, 0.8, -0.140, -1.0 / 9},
               {3, 0.5, -0.356, -1.0 / 3}};
    for (size_t i = 0; i < sizeof o12 / sizeof *o12; i++) {
        double local =
            log(overlap(o12[i].b, o12[i].rho, 1e7) / overlap(o12[i].b, o12[i].rho, 1e5)) / log(1e2);
        assert_near(local, o12[i].local, 6e-4);
        assert_near(ireneo_rem_overlap_exponent(o12[i].b, o12[i].rho), o12[i].theory, 1e-12);
    }
}

static void test_overlap_values(void **state) {
    (void)state;
    assert_near(overlap(2, 0.8, 512), 0.169, 5e-4);
    assert_near(overlap(2, 0.8, 4096), 0.119, 5e-4);
    assert_near(overlap(2, 0.8, 1e5), 0.073, 5e-4);
    assert_near(overlap(2, 0.8, 1e7), 0.038, 5e-4);
}

/* Independent rows overlap in 1/T; equal rows in Y2; in between the overlap grows with rho. */
static void test_overlap_ends(void **state) {
    (void)state;
    static const double bs[] = {0.02, 0.2, 1.0, 2.0, 6.0}, keys[] = {2, 5, 512, 1e6, 1e12};
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 5; k++) {
            double y2 = exact(bs[i], keys[k]).y[2], before = 1.0 / keys[k];
            assert_near(overlap(bs[i], 0.0, keys[k]) * keys[k], 1.0, 1e-12);
            assert_near(overlap(bs[i], 1e-9, keys[k]) * keys[k], 1.0, 1e-6);
            assert_near(overlap(bs[i], 1.0, keys[k]) / y2, 1.0, 1e-12);
            assert_near(overlap(bs[i], 1.0 - 1e-9, keys[k]) / y2, 1.0, 1e-5);
            for (double rho = 0.1; rho < 1.0; rho += 0.2) {
                double now = overlap(bs[i], rho, keys[k]);
                assert_true(now > before * (1.0 - 1e-9) && now < y2 * (1.0 + 1e-9));
                before = now;
            }
        }
}

/* Small sigma: Y2 = (1 + sigma^2) / T and log T - H = sigma^2 / 2 to leading order; no width of logits at
 * all. */
static void test_small_spread(void **state) {
    (void)state;
    ireneo_rem_row row;
    for (double sigma = 1e-3; sigma < 0.02; sigma *= 2.0) {
        expect_ok(ireneo_rem_exact(sigma, 1e4, &row));
        assert_near((row.y[2] * 1e4 - 1.0) / (sigma * sigma), 1.0, 2e-3);
        assert_near((log(1e4) - row.entropy) / (sigma * sigma), 0.5, 2e-3);
    }
    expect_ok(ireneo_rem_exact(0.0, 100.0, &row));
    assert_near(row.y[2], 0.01, 1e-15);
    assert_near(row.y[4], 1e-6, 1e-18);
    assert_near(row.entropy, log(100.0), 1e-14);
}

/* The two evaluations of F, on the grid and at nodes, meet at sigma = 1/4; beyond sigma = 2000 a law takes
 * over. */
static void test_seams(void **state) {
    (void)state;
    ireneo_rem_row below, above;
    expect_ok(ireneo_rem_exact(0.25 * (1.0 - 1e-9), 300.0, &below));
    expect_ok(ireneo_rem_exact(0.25 * (1.0 + 1e-9), 300.0, &above));
    assert_near(below.y[2] / above.y[2], 1.0, 1e-8);
    assert_near(below.entropy, above.entropy, 1e-8);
    expect_ok(ireneo_rem_exact(1999.0, 300.0, &below));
    expect_ok(ireneo_rem_exact(3998.0, 300.0, &above));
    assert_near((1.0 - below.y[2]) / (1.0 - above.y[2]), 2.0, 2e-3);
    assert_near(below.entropy / above.entropy, 2.0, 2e-3);
}

/* ---- another way: E log Z by its own integral, with GSL's adaptive rules in both dimensions ---- */

typedef struct free_energy {
    double sigma, keys, t;
    gsl_integration_workspace *inner;
} free_energy;

static double phi_integrand(double x, void *context) {
    const free_energy *f = context;
    return exp(-0.5 * x * x) / sqrt(2.0 * M_PI) * -expm1(-exp(f->sigma * x - f->t));
}

static double log_z_integrand(double t, void *context) {
    free_energy *f = context;
    double covered, error;
    f->t = t;
    gsl_function g = {phi_integrand, f};
    gsl_integration_qag(&g, -12.0, 12.0, 1e-14, 1e-10, 400, GSL_INTEG_GAUSS31, f->inner, &covered, &error);
    return exp(-exp(-t)) - exp(f->keys * log1p(-fmin(1.0, covered)));
}

static void test_free_energy(void **state) {
    (void)state;
    gsl_set_error_handler_off(); /* it complains about round-off long before 1e-6 */
    static const double cases[][2] = {{0.7, 10}, {2.5, 512}, {6.0, 512}, {4.0, 1e5}};
    for (size_t i = 0; i < 4; i++) {
        free_energy f = {cases[i][0], cases[i][1], 0.0, gsl_integration_workspace_alloc(400)};
        gsl_integration_workspace *outer = gsl_integration_workspace_alloc(400);
        gsl_function g = {log_z_integrand, &f};
        double value, error;
        gsl_integration_qag(&g, -40.0, 80.0, 1e-8, 1e-8, 400, GSL_INTEG_GAUSS31, outer, &value, &error);
        ireneo_rem_row row;
        expect_ok(ireneo_rem_exact(f.sigma, f.keys, &row));
        assert_near(row.log_partition, value, 1e-6);
        gsl_integration_workspace_free(outer);
        gsl_integration_workspace_free(f.inner);
    }
}

static void test_digamma(void **state) {
    (void)state;
    for (double x = 0.01; x < 30.0; x *= 1.3)
        assert_near(ireneo_digamma(x), gsl_sf_psi(x), 1e-12 * fmax(1.0, fabs(gsl_sf_psi(x))));
}

/* Poisson-Dirichlet identities of the limit. */
static void test_limit(void **state) {
    (void)state;
    for (double m = 0.1; m < 1.0; m += 0.2) {
        ireneo_rem_row row;
        ireneo_rem_limit(M_SQRT2 / m, 1e4, &row);
        assert_near(row.y[2], 1.0 - m, 1e-12);
        assert_near(row.y[3], (1.0 - m) * (2.0 - m) / 2.0, 1e-12);
        assert_near(row.y[2] - 2.0 * row.y[3] + row.y2_squared, m * (1.0 - m) / 3.0, 1e-12);
        assert_near(row.entropy, gsl_sf_psi(1.0) - gsl_sf_psi(1.0 - m), 1e-10);
        assert_near(1.0 - 5.0 * row.y[2] + 4.0 * row.y[3] + 6.0 * (row.y2_squared - row.y[4]), m * m * m,
                    1e-12);
    }
    ireneo_rem_row row;
    ireneo_rem_limit(1.0, 8.0, &row);
    assert_near(row.y[2], 0.0, 0.0);
    assert_near(row.entropy, 4.0, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_table),   cmocka_unit_test(test_slow_convergence),
        cmocka_unit_test(test_exponents),    cmocka_unit_test(test_overlap_values),
        cmocka_unit_test(test_overlap_ends), cmocka_unit_test(test_small_spread),
        cmocka_unit_test(test_seams),        cmocka_unit_test(test_free_energy),
        cmocka_unit_test(test_digamma),      cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
