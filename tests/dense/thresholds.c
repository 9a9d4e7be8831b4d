/* alpha_c and its lower bound, against brute force over norms; Ramsauer's bound; large lambda; chi-squared.
 */
#include "dense_oracles.h"
#include "expect.h"

#include "dense/theory/chi_squared.h"
#include "dense/theory/ensemble.h"
#include "dense/theory/gaussian_capacity.h"
#include "dense/theory/ramsauer.h"

#include <gsl/gsl_cdf.h>
#include <stdlib.h>

/* docs/dense.md, "Gaussian patterns": lambda, lower bound on alpha_c. */
static const double GAUSSIAN[][2] = {
    {0.1, 0.0566500760}, {0.25, 0.1055730430}, {0.3, 0.1175925526}, {0.4, 0.1373999376},  {0.5, 0.1527426466},
    {0.6, 0.1645018967}, {0.65, 0.1692158690}, {0.7, 0.1732196866}, {0.75, 0.1732867951}, {1, 0.1732867951},
    {2, 0.1732867951},   {5, 0.1732867951},    {10, 0.1732867951},  {100, 0.1732867951},
};

static void test_gaussian_table(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(GAUSSIAN); i++)
        expect_close(ireneo_dense_alpha_c_lower(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, GAUSSIAN[i][0]),
                     GAUSSIAN[i][1], 5.01e-11);
}

static void test_gaussian_saturation(void **state) {
    (void)state;
    double crossover = ireneo_dense_lambda_c_all(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 0.25 * M_LN2);
    expect_close(crossover, 0.7009178292, 5.01e-11);
    double alpha_1 = ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, crossover);
    expect_close(alpha_1, 0.4552749276, 5.01e-11);
    expect_close(0.25 * M_LN2 / alpha_1, 0.3806201147, 5.01e-11);
    assert_true(ireneo_dense_alpha_c_lower(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, crossover * 0.999) <
                0.25 * M_LN2 - 1e-6);
    for (double lambda = crossover * 1.0001; lambda < 1e3; lambda *= 1.3)
        assert_true(ireneo_dense_alpha_c_lower(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, lambda) == 0.25 * M_LN2);
    assert_true(ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 1.0) == 0.5);
    assert_true(ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 50.0) == 0.5);
}

/* The cheapest way to fail by trying every norm: no case analysis. The crowd's large deviations come from the
 * free energy itself: it reaches u when typical, else when one overlap among the P is as large as u N. */
enum { NORMS = 600000 };
static double brute_force_rate(const double *norm_rates, double alpha, double lambda) {
    double best = INFINITY;
    for (int i = 0; i < NORMS; i++) {
        double u = 2.0 * (i + 0.5) / NORMS, rho = sqrt(u);
        int typical = ireneo_rem_free_energy(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, alpha, lambda, rho) >= u;
        double crowd = typical ? 0.0 : rem_rate(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, u, rho) - alpha;
        best = fmin(best, norm_rates[i] + crowd);
    }
    return best;
}

static void test_gaussian_bound_against_brute_force(void **state) {
    (void)state;
    double *norm_rates = malloc(NORMS * sizeof *norm_rates);
    assert_non_null(norm_rates);
    for (int i = 0; i < NORMS; i++) {
        double u = 2.0 * (i + 0.5) / NORMS;
        norm_rates[i] = 0.5 * (u - 1.0 - log(u));
    }
    for (size_t i = 0; i < COUNT(GAUSSIAN); i++) {
        double lambda = GAUSSIAN[i][0], lower = 0.0, upper = 0.499;
        for (int step = 0; step < 24; step++) {
            double alpha = 0.5 * (lower + upper);
            if (brute_force_rate(norm_rates, alpha, lambda) > alpha)
                lower = alpha;
            else
                upper = alpha;
        }
        expect_close(ireneo_dense_alpha_c_lower(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, lambda), lower, 2e-6);
        for (double load = 0.1; load < 0.95; load += 0.07) {
            double alpha = load * ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, lambda);
            expect_close(gaussian_failure_rate(alpha, lambda), brute_force_rate(norm_rates, alpha, lambda),
                         1e-5);
        }
    }
    assert_true(gaussian_failure_rate(0.5, 0.5) == 0.0);
    free(norm_rates);
}

static void test_lambda_of_all_patterns(void **state) {
    (void)state;
    for (double alpha = 1e-4; alpha < 0.1732; alpha *= 1.6) {
        double lambda = ireneo_dense_lambda_c_all(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, alpha);
        expect_close(ireneo_dense_alpha_c_lower(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, lambda), alpha, 1e-14);
        assert_true(lambda > ireneo_dense_lambda_c(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, alpha));
    }
    assert_true(isinf(ireneo_dense_lambda_c_all(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 0.1733)));
    for (double alpha = 0.01; alpha < 0.6; alpha += 0.1) {
        assert_true(ireneo_dense_lambda_c_all(IRENEO_DENSE_ENSEMBLE_SPHERICAL, alpha) ==
                    ireneo_dense_lambda_c(IRENEO_DENSE_ENSEMBLE_SPHERICAL, alpha));
        assert_true(ireneo_dense_alpha_c_lower(IRENEO_DENSE_ENSEMBLE_BINARY, alpha) ==
                    ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_BINARY, alpha));
    }
}

/* alpha_1 - 1/2 log lambda - 1/2 - 1/(8 lambda) + 1/(384 lambda^3) = O(lambda^-5): ten times lambda, 1e-5. */
static void test_large_lambda(void **state) {
    (void)state;
    for (double lambda = 2.0; lambda < 30.0; lambda *= 1.5) {
        double rest = ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_SPHERICAL, lambda) -
                      ireneo_dense_alpha_1_large(IRENEO_DENSE_ENSEMBLE_SPHERICAL, lambda);
        double scaled = rest * pow(lambda, 5.0);
        assert_true(scaled > 1e-4 && scaled < 4e-4); /* 1/5120 */
        double binary = ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_BINARY, lambda) -
                        ireneo_dense_alpha_1_large(IRENEO_DENSE_ENSEMBLE_BINARY, lambda);
        expect_close(binary, 0.5 * exp(-4.0 * lambda), exp(-6.0 * lambda) + 2e-16);
    }
    for (double lambda = 1e-3; lambda < 0.1; lambda *= 2.0) /* small lambda */
        expect_close(ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_SPHERICAL, lambda),
                     lambda - 0.5 * lambda * lambda + 0.25 * pow(lambda, 4.0), pow(lambda, 6.0));
}

/* docs/dense.md, "Ramsauer's bound": lambda, theorem 3, separation for one pattern, for all pairs. */
static void test_ramsauer(void **state) {
    (void)state;
    static const double rows[][4] = {
        {0.1, 0.0096224165, 0.06506805, 0.03253403}, {0.25, 0.0228191318, 0.13026994, 0.06513497},
        {0.5, 0.0422289934, 0.20820148, 0.10410074}, {1, 0.0742919377, 0.31574654, 0.15787327},
        {2, 0.1225169647, 0.45454404, 0.22727202},   {5, 0.2131513755, 0.68368400, 0.34184200},
        {10, 0.3005419683, 0.88723147, 0.44361573},  {100, 0.6742024747, 1.69610316, 0.84805158},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double lambda = rows[i][0], t3 = ireneo_ramsauer_alpha(IRENEO_RAMSAUER_THEOREM_3, lambda);
        expect_close(t3, rows[i][1], 5.01e-11);
        expect_ratio(4.0 * t3 * exp(4.0 * t3), 0.4 * lambda, 1e-14); /* w e^w = x */
        double one = ireneo_ramsauer_alpha(IRENEO_RAMSAUER_SEPARATION_ONE, lambda);
        expect_close(one, rows[i][2], 5.01e-9);
        expect_close(lambda * (1.0 - sqrt(1.0 - exp(-2.0 * one))), one, 1e-12);
        double pairs = ireneo_ramsauer_alpha(IRENEO_RAMSAUER_SEPARATION_PAIRS, lambda);
        expect_close(pairs, rows[i][3], 5.01e-9);
        expect_close(lambda * (1.0 - sqrt(1.0 - exp(-4.0 * pairs))), 2.0 * pairs, 1e-12);
        assert_true(one < ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_SPHERICAL, lambda));
        /* the theorem at finite dimension tends to its limit */
        double base = ramsauer_base(lambda, 1.0, 1e8, 0.01);
        expect_close(0.25 * log(base), t3, 1e-6);
    }
    /* the two values that the paper prints: beta = 1, K = 3, d = 20 and K = 1, d = 75, p = 0.001 */
    expect_close(ramsauer_base(1.0, 3.0, 20.0, 0.001), 3.1546, 5e-5);
    expect_close(ramsauer_base(1.0, 1.0, 75.0, 0.001), 1.3718, 1e-4);
    expect_ratio(ireneo_ramsauer_alpha(IRENEO_RAMSAUER_THEOREM_3, 1e-9), 1e-10, 1e-8);
    expect_ratio(ireneo_ramsauer_alpha(IRENEO_RAMSAUER_SEPARATION_ONE, 1e80), 0.5 * log(1e80) - 2.95, 0.01);
}

static void test_chi_squared_against_gsl(void **state) {
    (void)state;
    static const double degrees[] = {1, 2, 3, 10, 39, 40, 41, 100, 1000, 1e5};
    for (size_t i = 0; i < COUNT(degrees); i++)
        for (double u = 0.01; u < 3.0; u += 0.0537) {
            double n = degrees[i], wanted = gsl_cdf_chisq_Q(n * u, n);
            expect_close(ireneo_chi_squared_tail(n, u), wanted, 1e-11);
            if (wanted > 1e-200 && u > 1.3) expect_ratio(ireneo_chi_squared_tail(n, u), wanted, 1e-9);
        }
    assert_true(ireneo_chi_squared_tail(10.0, 0.0) == 1.0);
    double huge = ireneo_chi_squared_tail(1e9, 1.0 + 1.0 / sqrt(1e9)); /* 0.7071 standard deviations */
    expect_close(huge, 0.23975, 1e-4);
}

/* docs/dense.md, "Gaussian patterns": chance that one step from a pattern stays there. */
static void test_gaussian_retrieval_probability(void **state) {
    (void)state;
    static const double rows[][4] = {
        {0.2, 40, 0.25, 0.6254},   {0.3, 30, 0.4, 0.5638},    {0.3, 36, 0.8, 0.9615},
        {0.325, 100, 0.5, 0.827},  {0.375, 100, 0.5, 0.481},  {0.425, 100, 0.5, 0.171},
        {0.325, 400, 0.5, 0.975},  {0.375, 400, 0.5, 0.491},  {0.425, 400, 0.5, 0.034},
        {0.375, 1600, 0.5, 0.495}, {0.425, 1600, 0.5, 0.000},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_close(
            ireneo_chi_squared_tail(
                rows[i][1], rows[i][0] / ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, rows[i][2])),
            rows[i][3], i < 3 ? 5.01e-5 : 5.01e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaussian_table),
        cmocka_unit_test(test_gaussian_saturation),
        cmocka_unit_test(test_gaussian_bound_against_brute_force),
        cmocka_unit_test(test_lambda_of_all_patterns),
        cmocka_unit_test(test_large_lambda),
        cmocka_unit_test(test_ramsauer),
        cmocka_unit_test(test_chi_squared_against_gsl),
        cmocka_unit_test(test_gaussian_retrieval_probability),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
