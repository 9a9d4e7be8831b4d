/* Score histograms, singular values, Kolmogorov distances, and the spectrum of a product of Gaussian matrices
 * against moments, simulation and its own equation. */
#include "near.h"

#include <stdlib.h>
#include <string.h>

#include "base/normal.h"
#include "base/random.h"
#include "gsl_quadrature.h"
#include "lab/sweep/observables.h"
#include "lab/sweep/trial.h"
#include "linear/law/product_spectrum.h"
#include "linear/law/rank_spectrum.h"

/* ---- spectrum at initialisation ---- */

typedef struct moment {
    double kappa;
    int power;
} moment;

static double weighted_density(double s, void *context) { /* in s = x^(1/3), smooth at kappa = 1 too */
    const moment *m = context;
    double x = s * s * s;
    return 3.0 * s * s * pow(x, m->power) * ireneo_product_spectrum_density(x, m->kappa);
}

static double moment_of(double kappa, int power) {
    double lower, upper;
    moment m = {kappa, power};
    ireneo_product_spectrum_edges(kappa, &lower, &upper);
    return integrate_with_gsl(weighted_density, &m, cbrt(lower), cbrt(upper), 1e-9, 1e-9);
}

/* For kappa = 1 the moments are the Fuss-Catalan numbers 1, 1, 3, 12. For any kappa the free product of two
 * Marchenko-Pastur laws with moments 1, 1 + kappa has second moment 1 + 2 kappa: m2(ab) = m2(a) m1(b)^2 +
 * m1(a)^2 m2(b) - m1(a)^2 m1(b)^2. */
static void test_initial_moments(void **state) {
    (void)state;
    static const double kappas[] = {0.05, 0.25, 0.5, 0.9, 1.0};
    for (size_t i = 0; i < 5; i++) {
        assert_near(moment_of(kappas[i], 0), 1.0, 1e-6);
        assert_near(moment_of(kappas[i], 1), 1.0, 1e-6);
        assert_near(moment_of(kappas[i], 2), 1.0 + 2.0 * kappas[i], 1e-6);
    }
    assert_near(moment_of(1.0, 3), 12.0, 1e-5);
    double lower, upper;
    ireneo_product_spectrum_edges(1.0, &lower, &upper);
    assert_near(lower, 0.0, 0.0);
    assert_near(upper, 27.0 / 4.0, 1e-10);
}

static void test_initial_cdf(void **state) {
    (void)state;
    static const double kappas[] = {0.1, 0.5, 1.0};
    for (size_t i = 0; i < 3; i++) {
        double lower, upper, kappa = kappas[i];
        ireneo_product_spectrum_edges(kappa, &lower, &upper);
        assert_near(ireneo_product_spectrum_cdf(upper * (1 - 1e-12), kappa), 1.0, 1e-8);
        assert_near(ireneo_product_spectrum_cdf(lower, kappa), 0.0, 0.0);
        for (double at = 0.1; at < 0.95; at += 0.2) { /* the density is the derivative */
            double x = lower + at * (upper - lower), h = 1e-5 * x;
            double slope =
                (ireneo_product_spectrum_cdf(x + h, kappa) - ireneo_product_spectrum_cdf(x - h, kappa)) /
                (2.0 * h);
            assert_near(slope, ireneo_product_spectrum_density(x, kappa), 1e-6);
        }
    }
}

static double squared_cdf(double s, const void *context) {
    return ireneo_product_spectrum_cdf(s * s, *(const double *)context);
}

/* A draw of U V^T at d = 300 lies close to the law; over 50 seeds the largest distances were 0.044 (75
 * values) and 0.013 (300 values): eigenvalues repel, so they are far below those of independent points. */
static void test_initial_simulation(void **state) {
    (void)state;
    enum { DIM = 300 };
    static const double kappas[] = {0.25, 1.0}, limits[] = {0.06, 0.02};
    float *left = malloc(DIM * DIM * sizeof *left), *right = malloc(DIM * DIM * sizeof *right);
    double values[DIM];
    for (size_t i = 0; i < 2; i++) {
        size_t rank = (size_t)(kappas[i] * DIM);
        ireneo_memory memory = {.dim_in = DIM, .dim_out = DIM, .rank = rank, .left = left, .right = right};
        ireneo_fill_normal_floats(1, 1, 0, DIM * rank, left);
        ireneo_fill_normal_floats(1, 2, 0, DIM * rank, right);
        assert_int_equal(ireneo_observe_spectrum(&memory, 0.0, values), IRENEO_OK);
        for (size_t k = 0; k < rank; k++) values[k] /= DIM;
        assert_true(ireneo_kolmogorov_distance(values, rank, squared_cdf, &kappas[i]) < limits[i]);
    }
    free(left);
    free(right);
}

/* ---- observables ---- */

static double uniform_cdf(double x, const void *context) {
    (void)context;
    return fmin(1.0, fmax(0.0, x));
}

static void test_kolmogorov(void **state) {
    (void)state;
    double three[] = {0.9, 0.2, 0.5};
    assert_near(ireneo_kolmogorov_distance(three, 3, uniform_cdf, NULL), 0.2333333333, 1e-9);
    double one[] = {0.5};
    assert_near(ireneo_kolmogorov_distance(one, 1, uniform_cdf, NULL), 0.5, 1e-12);
}

/* A diagonal memory has the diagonal as singular values; factors alike. */
static void test_spectrum(void **state) {
    (void)state;
    float matrix[12] = {3, 0, 0, 0, 0, -1, 0, 0, 0, 0, 2, 0}; /* (3, 4) */
    ireneo_memory memory = {.dim_in = 4, .dim_out = 3, .matrix = matrix};
    double values[3];
    assert_int_equal(ireneo_spectrum_size(&memory), 3);
    assert_int_equal(ireneo_observe_spectrum(&memory, 0.0, values), IRENEO_OK);
    assert_near(values[0], 3.0, 1e-6);
    assert_near(values[1], 2.0, 1e-6);
    assert_near(values[2], 1.0, 1e-6);
    assert_int_equal(ireneo_observe_spectrum(&memory, 1.0, values), IRENEO_OK);
    assert_near(values[0], 3.0 / sqrt(14.0 / 3.0), 1e-6);
    float left[6] = {1, 0, 0, 2, 0, 0}, right[8] = {3, 0, 0, 5, 0, 0, 0, 0}; /* (3, 2), (4, 2) */
    ireneo_memory factored = {.dim_in = 4, .dim_out = 3, .rank = 2, .left = left, .right = right};
    assert_int_equal(ireneo_spectrum_size(&factored), 2);
    assert_int_equal(ireneo_observe_spectrum(&factored, 0.0, values), IRENEO_OK);
    assert_near(values[0], 10.0, 1e-5);
    assert_near(values[1], 3.0, 1e-5);
}

/* Histograms of the Hebbian memory: shares sum to 1; moments from the bins agree with the exact ones; targets
 * as the Hebbian law says (docs/linear.md): mean sqrt(d^2 / (n + 2 d)), within 5 %. */
static void test_scores(void **state) {
    (void)state;
    for (int problem = TRIAL_ORIGINAL; problem <= TRIAL_DECOUPLED; problem++) {
        trial it = ireneo_trial_square((trial_problem)problem, TRIAL_HEBBIAN, 40, 1.0, 200, 5);
        trial_data data;
        trial_result result;
        ireneo_memory *memory;
        score_statistics s;
        assert_int_equal(ireneo_trial_open(&it, &data), IRENEO_OK);
        assert_int_equal(ireneo_trial_solve(&it, &data, 1, NULL, &result, &memory), IRENEO_OK);
        assert_int_equal(ireneo_observe_scores(memory, &data.facts, 0, 200, &s), IRENEO_OK);
        double shares[2] = {0}, means[2] = {0}, squares[2] = {0};
        for (size_t k = 0; k < SCORE_BINS; k++) {
            double at = ireneo_score_bin(k), share[2] = {s.off[k], s.target[k]};
            for (int side = 0; side < 2; side++) {
                shares[side] += share[side];
                means[side] += share[side] * at;
                squares[side] += share[side] * at * at;
            }
        }
        assert_near(shares[0], 1.0, 1e-9);
        assert_near(shares[1], 1.0, 1e-9);
        assert_near(means[0], 0.0, 0.002);
        assert_near(squares[0], 1.0, 0.005);
        assert_near(means[1], s.target_mean, 0.01);
        assert_near(sqrt(squares[1] - means[1] * means[1]), s.target_spread, 0.01);
        double others = problem == TRIAL_ORIGINAL ? 280.0 : 240.0;
        assert_near(s.target_mean / sqrt(1600.0 / others), 1.0, 0.05);
        assert_true(s.off_distance < 0.03);
        assert_int_equal(ireneo_observe_scores(memory, &data.facts, 17, 1, &s), IRENEO_OK);
        double total = 0.0, targets = 0.0;
        for (size_t k = 0; k < SCORE_BINS; k++) total += s.off[k], targets += s.target[k] > 0.0;
        assert_near(total, 1.0, 1e-9);
        assert_near(targets, 1.0, 0.0);
        ireneo_memory_free(memory);
        ireneo_trial_close(&data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_initial_moments),    cmocka_unit_test(test_initial_cdf),
        cmocka_unit_test(test_initial_simulation), cmocka_unit_test(test_kolmogorov),
        cmocka_unit_test(test_spectrum),           cmocka_unit_test(test_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
