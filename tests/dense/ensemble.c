/* zeta, its Legendre transform and the random energy model: the tables of docs/dense.md, identities, and
 * transforms done numerically. */
#include "dense_oracles.h"
#include "expect.h"

#include "base/roots.h"
#include "dense/theory/ensemble.h"

static const ireneo_dense_ensemble ALL[] = {IRENEO_DENSE_ENSEMBLE_SPHERICAL, IRENEO_DENSE_ENSEMBLE_GAUSSIAN,
                                            IRENEO_DENSE_ENSEMBLE_BINARY};

/* docs/dense.md, tables "Spherical patterns" and "Binary patterns": lambda, zeta, zeta', alpha_1, alpha_star.
 */
static const double SPHERICAL[][5] = {
    {0.1, 0.0049753272, 0.0990195136, 0.0950246728, 0.0049266241},
    {0.25, 0.0303464373, 0.2360679775, 0.2196535627, 0.0286705570},
    {0.5, 0.1129935780, 0.4142135624, 0.3870064220, 0.0941132032},
    {1, 0.3774280762, 0.6180339887, 0.6225719238, 0.2406059125},
    {2, 1.0912459918, 0.7807764064, 0.9087540082, 0.4703068211},
    {5, 3.6703018149, 0.9049875621, 1.3296981851, 0.8546359957},
    {10, 8.3362100557, 0.9512492197, 1.6637899443, 1.1762821415},
    {100, 97.1961649096, 0.9950124999, 2.8038350904, 2.3050850826},
};
static const double BINARY[][4] = {
    {0.1, 0.0049916888, 0.0950083112, 0.0049751106}, {0.25, 0.0309298036, 0.2190701964, 0.0302998620},
    {0.5, 0.1201145070, 0.3798854930, 0.1109440717}, {1, 0.4337808305, 0.5662191695, 0.3278133255},
    {2, 1.3250027474, 0.6749972526, 0.6030524128},   {5, 4.3068982183, 0.6931017817, 0.6926478030},
    {10, 9.3068528215, 0.6931471785, 0.6931471373},  {100, 99.3068528194, 0.6931471806, 0.6931471806},
};
static const double DIGITS = 5.01e-11; /* half a unit of the tables' tenth decimal */

static void test_spherical_table(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(SPHERICAL); i++) {
        const double *row = SPHERICAL[i];
        expect_close(ireneo_rem_zeta(IRENEO_DENSE_ENSEMBLE_SPHERICAL, row[0], 1.0), row[1], DIGITS);
        expect_close(ireneo_rem_overlap(IRENEO_DENSE_ENSEMBLE_SPHERICAL, row[0], 1.0), row[2], DIGITS);
        expect_close(ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_SPHERICAL, row[0]), row[3], DIGITS);
        expect_close(ireneo_rem_alpha_star(IRENEO_DENSE_ENSEMBLE_SPHERICAL, row[0], 1.0), row[4], DIGITS);
    }
    expect_close(ireneo_rem_free_energy(IRENEO_DENSE_ENSEMBLE_SPHERICAL, 0.3, 1.0, 1.0), 0.6774280762,
                 DIGITS);
    expect_close(ireneo_rem_free_energy(IRENEO_DENSE_ENSEMBLE_SPHERICAL, 0.3, 2.0, 1.0), 0.6717055634,
                 DIGITS);
    expect_close(ireneo_rem_zeta(IRENEO_DENSE_ENSEMBLE_SPHERICAL, 1.0, 0.8), 0.2598980460, DIGITS);
    expect_close(ireneo_rem_edge(IRENEO_DENSE_ENSEMBLE_SPHERICAL, 0.3, 0.8), 0.5373644507, DIGITS);
    expect_close(ireneo_rem_lambda_star(IRENEO_DENSE_ENSEMBLE_SPHERICAL, 0.3, 0.8), 1.5299091693, DIGITS);
    expect_close(ireneo_rem_free_energy(IRENEO_DENSE_ENSEMBLE_SPHERICAL, 0.3, 1.0, 0.8), 0.5598980460,
                 DIGITS);
}

static void test_binary_tables(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(BINARY); i++) {
        const double *row = BINARY[i];
        expect_close(ireneo_rem_zeta(IRENEO_DENSE_ENSEMBLE_BINARY, row[0], 1.0), row[1], DIGITS);
        expect_close(ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_BINARY, row[0]), row[2], DIGITS);
        expect_close(ireneo_rem_alpha_star(IRENEO_DENSE_ENSEMBLE_BINARY, row[0], 1.0), row[3], DIGITS);
    }
    static const double loads[][5] = {{0.1, 0.4395892523, 0.4717215588, 0.2802053738, 0.1055612744},
                                      {0.2, 0.6103456745, 0.7094720691, 0.1948271628, 0.2251306931},
                                      {0.3, 0.7328279493, 0.9348085851, 0.1335860254, 0.3652828603},
                                      {0.5, 0.9036225083, 1.4916206238, 0.0481887458, 0.7730876350}};
    for (size_t i = 0; i < COUNT(loads); i++) {
        double alpha = loads[i][0];
        expect_close(ireneo_rem_edge(IRENEO_DENSE_ENSEMBLE_BINARY, alpha, 1.0), loads[i][1], DIGITS);
        expect_close(ireneo_rem_lambda_star(IRENEO_DENSE_ENSEMBLE_BINARY, alpha, 1.0), loads[i][2], DIGITS);
        expect_close(0.5 * ireneo_rem_margin(IRENEO_DENSE_ENSEMBLE_BINARY, alpha, INFINITY), loads[i][3],
                     DIGITS);
        expect_close(ireneo_dense_lambda_c(IRENEO_DENSE_ENSEMBLE_BINARY, alpha), loads[i][4], DIGITS);
    }
}

static void test_gaussian_formulas(void **state) {
    (void)state;
    /* docs/dense.md, "Gaussian patterns": lambda, alpha_1, alpha_star */
    static const double rows[][3] = {{0.1, 0.095, 0.005}, {0.25, 0.21875, 0.03125}, {0.5, 0.375, 0.125},
                                     {0.7, 0.455, 0.245}, {0.75, 0.46875, 0.28125}, {1, 0.5, 0.5},
                                     {2, 0.5, 2},         {5, 0.5, 12.5},           {100, 0.5, 5000}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        expect_ratio(ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, rows[i][0]), rows[i][1], 1e-15);
        expect_ratio(ireneo_rem_alpha_star(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, rows[i][0], 1.0), rows[i][2],
                     1e-15);
    }
    expect_ratio(ireneo_rem_edge(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 0.32, 0.5), 0.4, 1e-15);
    expect_ratio(ireneo_rem_free_energy(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 0.3, 0.5, 0.8), 0.6 + 0.16, 1e-15);
    assert_true(isinf(ireneo_dense_lambda_c(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 0.5)));
    assert_true(isinf(ireneo_dense_lambda_c(IRENEO_DENSE_ENSEMBLE_BINARY, M_LN2)));
    assert_true(isinf(ireneo_rem_lambda_star(IRENEO_DENSE_ENSEMBLE_BINARY, 0.7, 1.0)));
    assert_true(ireneo_rem_edge(IRENEO_DENSE_ENSEMBLE_BINARY, 0.7, 0.9) == 0.9);
}

/* sup over lambda of lambda e - zeta, by a search that knows nothing about the transform. */
typedef struct transform {
    ireneo_dense_ensemble ensemble;
    double e, rho;
} transform;

static double minus_legendre(double log_lambda, void *context) {
    const transform *t = context;
    double lambda = exp(log_lambda);
    return ireneo_rem_zeta(t->ensemble, lambda, t->rho) - lambda * t->e;
}

static void test_rate_is_the_legendre_transform(void **state) {
    (void)state;
    static const double radii[] = {0.5, 1.0, 1.3};
    for (size_t k = 0; k < COUNT(ALL); k++)
        for (size_t i = 0; i < COUNT(radii); i++)
            for (double c = 0.05; c < 0.99; c += 0.07) {
                transform t = {ALL[k], c * radii[i], radii[i]};
                double wanted = -ireneo_find_minimum(minus_legendre, &t, -8.0, 8.0, 1e-10, NULL);
                expect_close(rem_rate(t.ensemble, t.e, t.rho), wanted, 1e-13);
            }
    assert_true(isinf(rem_rate(IRENEO_DENSE_ENSEMBLE_SPHERICAL, 1.0, 1.0)));
    assert_true(isinf(rem_rate(IRENEO_DENSE_ENSEMBLE_BINARY, 1.01, 1.0)));
    expect_close(rem_rate(IRENEO_DENSE_ENSEMBLE_BINARY, 1.0, 1.0), M_LN2, 1e-16);
    expect_close(rem_rate(IRENEO_DENSE_ENSEMBLE_BINARY, 0.5 - 1e-12, 1.0),
                 rem_rate(IRENEO_DENSE_ENSEMBLE_BINARY, 0.5, 1.0), 2e-12);
}

static void test_identities(void **state) {
    (void)state;
    static const double radii[] = {0.6, 1.0};
    for (size_t k = 0; k < COUNT(ALL); k++)
        for (size_t i = 0; i < COUNT(radii); i++)
            for (double lambda = 0.01; lambda < 8.0; lambda *= 1.4) {
                ireneo_dense_ensemble e = ALL[k];
                double rho = radii[i], zeta = ireneo_rem_zeta(e, lambda, rho),
                       c = ireneo_rem_overlap(e, lambda, rho);
                double alpha = ireneo_rem_alpha_star(e, lambda, rho), h = 1e-4 * lambda;
                expect_close(rem_rate(e, c, rho) + zeta, lambda * c, 1e-13 * fmax(1.0, lambda));
                expect_ratio(rem_rate(e, c, rho), alpha, 1e-9);
                expect_ratio(ireneo_rem_lambda_star(e, alpha, rho), lambda, 1e-9);
                expect_close(ireneo_rem_edge(e, alpha, rho), c, 1e-9);
                expect_ratio((ireneo_rem_zeta(e, lambda + h, rho) - ireneo_rem_zeta(e, lambda - h, rho)) /
                                 (2.0 * h),
                             c, 1e-6);
                /* the free energy is continuous, with its slope, where the crowd condenses */
                double before = ireneo_rem_free_energy(e, alpha, lambda * (1.0 - 1e-7), rho);
                double after = ireneo_rem_free_energy(e, alpha, lambda * (1.0 + 1e-7), rho);
                expect_close(before, after, 1e-12 * fmax(1.0, after));
                expect_close(after, ireneo_rem_edge(e, alpha, rho), 1e-12);
            }
}

static void test_critical_line(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(ALL); k++) {
        ireneo_dense_ensemble e = ALL[k];
        for (double lambda = 1e-6; lambda < (e == IRENEO_DENSE_ENSEMBLE_SPHERICAL ? 1e6
                                             : e == IRENEO_DENSE_ENSEMBLE_BINARY  ? 10.0
                                                                                  : 0.999);
             lambda *= 1.7) {
            double alpha = ireneo_dense_alpha_1(e, lambda);
            expect_ratio(ireneo_dense_lambda_c(e, alpha), lambda,
                         e == IRENEO_DENSE_ENSEMBLE_BINARY ? 1e-6 : 1e-12);
            expect_close(ireneo_rem_margin(e, alpha, lambda), 0.0, 1e-15);
            expect_close(alpha, lambda - ireneo_rem_zeta(e, lambda, 1.0), 1e-15 * fmax(1.0, lambda));
            expect_close(ireneo_rem_margin(e, 0.8 * alpha, lambda),
                         1.0 - ireneo_rem_free_energy(e, 0.8 * alpha, lambda, 1.0), 1e-13);
        }
    }
    /* alpha_1 exceeds alpha_star, the gap of spherical patterns tends to 1/2, alpha_1' = 1 - c */
    for (double lambda = 0.01; lambda < 1e4; lambda *= 3.0) {
        double gap = ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_SPHERICAL, lambda) -
                     ireneo_rem_alpha_star(IRENEO_DENSE_ENSEMBLE_SPHERICAL, lambda, 1.0);
        expect_close(gap, lambda + 0.5 - hypot(lambda, 0.5), 1e-11);
        assert_true(gap > 0.0 && gap < 0.5);
        double h = 1e-4 * lambda,
               slope = (ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_SPHERICAL, lambda + h) -
                        ireneo_dense_alpha_1(IRENEO_DENSE_ENSEMBLE_SPHERICAL, lambda - h)) /
                       (2.0 * h);
        expect_close(slope, 1.0 - ireneo_rem_overlap(IRENEO_DENSE_ENSEMBLE_SPHERICAL, lambda, 1.0), 1e-8);
    }
}

static void test_names(void **state) {
    (void)state;
    assert_string_equal(ireneo_dense_ensemble_name(IRENEO_DENSE_ENSEMBLE_SPHERICAL), "spherical");
    assert_string_equal(ireneo_dense_ensemble_name(IRENEO_DENSE_ENSEMBLE_GAUSSIAN), "gaussian");
    assert_string_equal(ireneo_dense_ensemble_name(IRENEO_DENSE_ENSEMBLE_BINARY), "binary");
    assert_string_equal(ireneo_dense_ensemble_name((ireneo_dense_ensemble)7), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spherical_table),
        cmocka_unit_test(test_binary_tables),
        cmocka_unit_test(test_gaussian_formulas),
        cmocka_unit_test(test_rate_is_the_legendre_transform),
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_critical_line),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
