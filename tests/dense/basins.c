/* The reports of phases and basins through the public interface: tables of docs/dense.md, limits, bad input.
 */
#include "expect.h"
#include "scratch.h"

#include <string.h>

static ireneo_dense_basins_report basins(ireneo_dense_ensemble ensemble, double alpha, double lambda) {
    ireneo_dense_point point = {.ensemble = ensemble, .alpha = alpha, .lambda = lambda};
    ireneo_dense_basins_report report;
    expect_ok(ireneo_dense_basins(&point, &report));
    return report;
}

/* docs/dense.md, "Basins": alpha, lambda_c, lambda_star, theta_star, in degrees, cosine. */
static void test_spherical_basin_table(void **state) {
    (void)state;
    static const double rows[][6] = {
        {0.05, 0.0513148811, 0.3409279104, 1.2571970868, 72.03208709, 0.3084843302},
        {0.1, 0.1055386372, 0.5200210952, 1.1309977009, 64.80139490, 0.4257572629},
        {0.2, 0.2246325191, 0.8565723734, 0.9591969746, 54.95793836, 0.5741776328},
        {0.3, 0.3617568772, 1.2239273354, 0.8342876655, 47.80116213, 0.6717055634},
        {0.5, 0.7132721748, 2.1611974159, 0.6516896695, 37.33906761, 0.7950600976},
        {0.8, 1.5533351375, 4.4248726279, 0.4660140653, 26.70063913, 0.8933663761},
        {1.0, 2.4560593713, 6.8708874197, 0.3767275081, 21.58489624, 0.9298734950},
        {1.5, 7.1347303144, 19.5791536224, 0.2250244134, 12.89294918, 0.9747886600},
        {2.0, 19.8339681077, 54.0958393687, 0.1357518512, 7.77800813, 0.9907998593},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double alpha = rows[i][0];
        ireneo_dense_basins_report r = basins(IRENEO_DENSE_ENSEMBLE_SPHERICAL, alpha, 1e3);
        expect_close(r.lambda_c, rows[i][1], 5.01e-11);
        expect_close(r.lambda_star, rows[i][2], 5.01e-11);
        expect_close(r.theta_star, rows[i][3], 5.01e-11);
        expect_close(r.theta_star * 180.0 / M_PI, rows[i][4], 5.01e-9);
        expect_close(r.free_energy, rows[i][5], 5.01e-11);
        expect_close(r.theta_star, asin(exp(-alpha)), 1e-15);
        for (double lambda = r.lambda_star; lambda < 1e3; lambda *= 2.0) /* frozen beyond lambda_star */
            expect_close(basins(IRENEO_DENSE_ENSEMBLE_SPHERICAL, alpha, lambda).theta_c, asin(exp(-alpha)),
                         1e-15);
    }
}

/* docs/dense.md, "Basins": theta_c against lambda at alpha = 0.1, 0.2, 0.3, 0.5, 1; 0: no retrieval. */
static void test_theta_c_table(void **state) {
    (void)state;
    static const double alphas[] = {0.1, 0.2, 0.3, 0.5, 1.0};
    static const double rows[][6] = {
        {0.1, 0, 0, 0, 0, 0},
        {0.15, 0.73646550, 0, 0, 0, 0},
        {0.2, 0.92966896, 0, 0, 0, 0},
        {0.25, 1.02232223, 0.39916523, 0, 0, 0},
        {0.3, 1.07324044, 0.62559894, 0, 0, 0},
        {0.4, 1.11892121, 0.81392100, 0.35784669, 0, 0},
        {0.5, 1.13074361, 0.89439958, 0.59884512, 0, 0},
        {0.6, 1.13099770, 0.93312685, 0.70441398, 0, 0},
        {0.8, 1.13099770, 0.95834794, 0.79557727, 0.31796832, 0},
        {1, 1.13099770, 0.95919697, 0.82653576, 0.50032214, 0},
        {1.25, 1.13099770, 0.95919697, 0.83428767, 0.58852319, 0},
        {1.5, 1.13099770, 0.95919697, 0.83428767, 0.62700654, 0},
        {2, 1.13099770, 0.95919697, 0.83428767, 0.65076104, 0},
        {2.5, 1.13099770, 0.95919697, 0.83428767, 0.65168967, 0.07992453},
        {3, 1.13099770, 0.95919697, 0.83428767, 0.65168967, 0.24676536},
        {4, 1.13099770, 0.95919697, 0.83428767, 0.65168967, 0.33651594},
        {5, 1.13099770, 0.95919697, 0.83428767, 0.65168967, 0.36517757},
        {7, 1.13099770, 0.95919697, 0.83428767, 0.65168967, 0.37672751},
        {10, 1.13099770, 0.95919697, 0.83428767, 0.65168967, 0.37672751},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t j = 0; j < COUNT(alphas); j++) {
            ireneo_dense_basins_report r = basins(IRENEO_DENSE_ENSEMBLE_SPHERICAL, alphas[j], rows[i][0]);
            double wanted = rows[i][1 + j];
            assert_int_equal(r.retrieved, wanted > 0.0);
            expect_close(r.theta_c, wanted > 0.0 ? wanted : NAN, 5.01e-9);
            assert_int_equal(r.condensed, rows[i][0] >= r.lambda_star);
        }
}

static void test_other_ensembles(void **state) {
    (void)state;
    /* docs/dense.md, "Binary patterns": alpha, flip fraction beyond lambda_star, lambda_star */
    static const double binary[][3] = {{0.1, 0.2802053738, 0.4717215588},
                                       {0.2, 0.1948271628, 0.7094720691},
                                       {0.3, 0.1335860254, 0.9348085851},
                                       {0.5, 0.0481887458, 1.4916206238}};
    for (size_t i = 0; i < COUNT(binary); i++) {
        ireneo_dense_basins_report r = basins(IRENEO_DENSE_ENSEMBLE_BINARY, binary[i][0], 3.0);
        expect_close(r.flip_fraction, binary[i][1], 5.01e-11);
        expect_close(r.flip_fraction_star, binary[i][1], 5.01e-11);
        expect_close(r.lambda_star, binary[i][2], 5.01e-11);
        r = basins(IRENEO_DENSE_ENSEMBLE_BINARY, binary[i][0], 0.9 * r.lambda_star);
        expect_close(1.0 - 2.0 * r.flip_fraction, r.free_energy, 1e-14);
        expect_close(cos(r.theta_c), r.free_energy, 1e-14);
        assert_true(r.flip_fraction < r.flip_fraction_star);
    }
    ireneo_dense_basins_report full = basins(IRENEO_DENSE_ENSEMBLE_BINARY, 0.75, 5.0); /* beyond log 2 */
    assert_int_equal(full.retrieved, 0);
    assert_true(isinf(full.lambda_c) && isnan(full.theta_c) && full.theta_star == 0.0);
    ireneo_dense_basins_report gaussian = basins(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 0.3, 2.0);
    expect_close(gaussian.theta_c, acos(sqrt(0.6)), 1e-15);
    assert_true(isnan(basins(IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 0.6, 2.0).theta_star));
    assert_true(isnan(gaussian.flip_fraction));
}

static void test_basins_near_the_threshold(void **state) {
    (void)state;
    double lambda_c = basins(IRENEO_DENSE_ENSEMBLE_SPHERICAL, 0.3, 1.0).lambda_c;
    double c = 2.0 * lambda_c / (1.0 + sqrt(1.0 + 4.0 * lambda_c * lambda_c));
    for (double step = 1e-4; step > 1e-11;
         step *= 0.1) { /* theta_c^2 = 2 (1 - c) (lambda - lambda_c) / lambda_c */
        double theta = basins(IRENEO_DENSE_ENSEMBLE_SPHERICAL, 0.3, lambda_c + step).theta_c;
        expect_ratio(theta * theta, 2.0 * (1.0 - c) * step / lambda_c, 1e-3 + 1e-15 / step);
    }
    assert_true(isnan(basins(IRENEO_DENSE_ENSEMBLE_SPHERICAL, 0.3, lambda_c - 1e-9).theta_c));
}

static void test_finite_basins(void **state) {
    (void)state;
    ireneo_dense_point point = {
        .ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .lambda = 0.8, .patterns = 8103, .neurons = 30};
    ireneo_dense_basins_report r;
    expect_ok(ireneo_dense_basins(&point, &r));
    expect_close(r.alpha, log(8103.0) / 30.0, 1e-15);
    expect_close(r.theta_one_step, .793, 5.1e-4);
    expect_close(r.theta_converged, .914, 5.1e-4);
    expect_close(r.lambda_one_step, .3620135, 5.1e-8);
    expect_close(r.lambda_converged, .495060, 5.1e-7);
    point.lambda = 1.1; /* the map does not settle */
    expect_ok(ireneo_dense_basins(&point, &r));
    assert_true(isnan(r.theta_converged) && !isnan(r.theta_one_step));
    point.lambda = 1.3; /* condensed */
    expect_ok(ireneo_dense_basins(&point, &r));
    assert_true(isnan(r.theta_one_step) && r.condensed);
    ireneo_dense_point gaussian = {
        .ensemble = IRENEO_DENSE_ENSEMBLE_GAUSSIAN, .lambda = 0.25, .alpha = 0.2, .neurons = 40};
    expect_ok(ireneo_dense_basins(&gaussian, &r));
    expect_close(r.retrieval_probability, .6254, 1e-3); /* P - 1 instead of P */
    gaussian.lambda = 1.5;
    expect_ok(ireneo_dense_basins(&gaussian, &r));
    assert_true(isnan(r.retrieval_probability));
}

static void test_phases(void **state) {
    (void)state;
    ireneo_dense_point point = {.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .lambda = 1.0};
    ireneo_dense_phases_report r;
    expect_ok(ireneo_dense_phases(&point, &r));
    expect_close(r.alpha_1, 0.6225719238, 5.01e-11);
    expect_close(r.alpha_star, 0.2406059125, 5.01e-11);
    assert_true(r.alpha_c_lower_bound == r.alpha_1 && r.alpha_c_exact == 1 && r.alpha == r.alpha_1);
    expect_close(r.ramsauer, 0.0742919377, 5.01e-11);
    expect_close(r.lambda_c, 1.0, 1e-14);
    assert_true(isnan(r.log_patterns_one_step) && isnan(r.lambda_converged));

    point = (ireneo_dense_point){.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .alpha = 0.3, .neurons = 1000};
    expect_ok(ireneo_dense_phases(&point, &r));
    expect_close(r.lambda, 0.3617568772, 5.01e-11);
    expect_close(r.alpha_1, 0.3, 1e-14);
    expect_close(r.lambda_one_step, .3617650, 5.1e-8);
    expect_close(r.lambda_converged, .370846, 5.1e-7);
    expect_close(r.lambda_converged_law, .370799, 5.1e-7);
    point = (ireneo_dense_point){
        .ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .lambda = r.lambda_converged, .neurons = 1000};
    ireneo_dense_phases_report back;
    expect_ok(ireneo_dense_phases(&point, &back));
    expect_close(back.log_patterns_converged, 300.0, 1e-6);
    assert_true(back.log_patterns_one_step > 300.0 && back.log_patterns_limit > 300.0);

    point = (ireneo_dense_point){.ensemble = IRENEO_DENSE_ENSEMBLE_GAUSSIAN, .lambda = 0.5};
    expect_ok(ireneo_dense_phases(&point, &r));
    expect_close(r.alpha_c_lower_bound, 0.1527426466, 5.01e-11);
    assert_true(r.alpha_c_exact == 0 && isnan(r.ramsauer));
    point = (ireneo_dense_point){.ensemble = IRENEO_DENSE_ENSEMBLE_GAUSSIAN, .alpha = 0.6, .neurons = 100};
    expect_ok(ireneo_dense_phases(&point, &r));
    assert_true(isinf(r.lambda) && r.alpha_1 == 0.5 && isinf(r.alpha_star) && isinf(r.lambda_converged));
    expect_close(r.alpha_c_lower_bound, 0.25 * M_LN2, 0.0);
    point = (ireneo_dense_point){.ensemble = IRENEO_DENSE_ENSEMBLE_BINARY, .alpha = 0.8, .neurons = 100};
    expect_ok(ireneo_dense_phases(&point, &r));
    assert_true(isinf(r.lambda));
    expect_close(r.alpha_1, M_LN2, 1e-15);
    expect_close(r.alpha_star, M_LN2, 1e-15);
}

static void test_extreme_points_stay_finite(void **state) {
    (void)state;
    static const double lambdas[] = {1e-8, 1e-3, 1.0, 1e3, 1e9}, neurons[] = {2, 3, 50, 1e9};
    for (ireneo_dense_ensemble e = IRENEO_DENSE_ENSEMBLE_SPHERICAL; e <= IRENEO_DENSE_ENSEMBLE_BINARY; e++)
        for (size_t i = 0; i < COUNT(lambdas); i++)
            for (size_t j = 0; j < COUNT(neurons); j++) {
                ireneo_dense_point point = {.ensemble = e, .lambda = lambdas[i], .neurons = neurons[j]};
                ireneo_dense_phases_report r;
                ireneo_dense_basins_report b;
                expect_ok(ireneo_dense_phases(&point, &r));
                assert_true(isfinite(r.alpha_1) && r.alpha_1 > 0.0);
                assert_true(isfinite(r.alpha_star) && isfinite(r.alpha_c_lower_bound));
                assert_true(isfinite(r.log_patterns_one_step));
                point.alpha = 0.5 * r.alpha_1;
                expect_ok(ireneo_dense_basins(&point, &b));
                assert_true(b.retrieved && b.theta_c > 0.0 && b.theta_c <= M_PI_2);
                expect_close(b.fraction_of_capacity, 0.5, 1e-12);
            }
    ireneo_dense_point high = {.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .alpha = 100.0, .neurons = 1000};
    ireneo_dense_phases_report r;
    expect_ok(ireneo_dense_phases(&high, &r));
    expect_ratio(r.lambda, exp(199.0), 1e-3);
    expect_ratio(r.lambda_one_step, 3.242e86, 1e-3);
}

static void test_bad_input(void **state) {
    (void)state;
    ireneo_dense_phases_report p;
    ireneo_dense_basins_report b;
    static const struct {
        ireneo_dense_point point;
        const char *says;
    } phases[] =
        {
            {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL}, "neither"},
            {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .lambda = 1, .alpha = 1}, "both"},
            {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .lambda = -1}, "lambda"},
            {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .lambda = NAN}, "lambda"},
            {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .lambda = INFINITY}, "lambda"},
            {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .alpha = -0.1}, "alpha"},
            {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .alpha = 101}, "alpha"},
            {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .alpha = 0.1, .neurons = 1}, "neurons"},
            {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .alpha = 0.1, .neurons = 2.5}, "neurons"},
            {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .alpha = 0.1, .patterns = 10}, "patterns"},
            {{.ensemble = (ireneo_dense_ensemble)5, .alpha = 0.1}, "ensemble"},
        },
      basin[] = {
          {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .alpha = 0.1}, "lambda"},
          {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .lambda = 1}, "neither"},
          {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL,
            .lambda = 1,
            .alpha = 1,
            .patterns = 10,
            .neurons = 5},
           "both"},
          {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .lambda = 1, .patterns = 10}, "neurons"},
          {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .lambda = 1, .patterns = 1, .neurons = 5},
           "patterns"},
          {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .lambda = 1, .patterns = 1e19, .neurons = 5},
           "2^63"},
          {{.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .lambda = 1, .alpha = NAN}, "alpha"},
          {{.ensemble = (ireneo_dense_ensemble)-1, .lambda = 1, .alpha = 0.1}, "ensemble"},
      };
    for (size_t i = 0; i < COUNT(phases); i++)
        expect_error(ireneo_dense_phases(&phases[i].point, &p), IRENEO_ERROR_ARGUMENT, phases[i].says, "");
    for (size_t i = 0; i < COUNT(basin); i++)
        expect_error(ireneo_dense_basins(&basin[i].point, &b), IRENEO_ERROR_ARGUMENT, basin[i].says, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spherical_basin_table),
        cmocka_unit_test(test_theta_c_table),
        cmocka_unit_test(test_other_ensembles),
        cmocka_unit_test(test_basins_near_the_threshold),
        cmocka_unit_test(test_finite_basins),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_extreme_points_stay_finite),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
