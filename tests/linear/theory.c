/* What stands around the capacity law: singular values, the Hebbian rule, listwise recall, free entropy.
 * Against the tables of docs/linear.md, GSL, random matrices and simulation, with fixed seeds. */
#include "base/random.h"
#include "expect.h"
#include "linear/law/hebbian_law.h"
#include "linear/law/rank_spectrum.h"
#include "scratch.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <lapacke.h>

/* ---- spectra ---- */

/* docs/linear.md, "Rank": kappa, alpha_c = E / 2, s0. */
static void test_rank_table(void **state) {
    (void)state;
    static const double rows[][3] = {{0.05, 0.0860841175, 1.7566788963}, {0.1, 0.1567840054, 1.6107672730},
                                     {0.25, 0.3114562756, 1.2694091880}, {0.5, 0.4468653969, 0.8079455066},
                                     {0.75, 0.4935239015, 0.3952879063}, {1.0, 0.5, 0.0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        double kappa = rows[i][0], edge = ireneo_rank_spectrum_edge(kappa), th = asin(0.5 * edge);
        expect_close(0.5 * ireneo_rank_spectrum_energy(kappa, 1.0), rows[i][1], 1e-10);
        expect_close(edge, rows[i][2], 1e-10);
        expect_close(ireneo_rank_spectrum_energy(kappa, 1.0), 1.0 - 2.0 / M_PI * (th - 0.25 * sin(4.0 * th)),
                     1e-12);
    }
}

static double plain_density(double s, void *context) {
    return ireneo_rank_spectrum_density(s, *(double *)context);
}

static void test_quarter_circle_is_normalised(void **state) {
    (void)state;
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(1000);
    for (double kappa = 0.05; kappa < 1.01; kappa += 0.095) {
        double edge = ireneo_rank_spectrum_edge(kappa), result, error;
        gsl_function f = {plain_density, &kappa};
        gsl_integration_qags(&f, edge, 2.0, 1e-12, 1e-10, 1000, w, &result, &error);
        expect_close(result, 1.0, 1e-8);
        for (double s = edge; s < 2.0; s += 0.1) {
            gsl_integration_qags(&f, edge, s, 1e-12, 1e-10, 1000, w, &result, &error);
            expect_close(ireneo_rank_spectrum_cdf(s, kappa), result, 1e-8);
        }
        assert_true(ireneo_rank_spectrum_cdf(edge, kappa) == 0.0 &&
                    ireneo_rank_spectrum_cdf(2.0, kappa) == 1.0);
        assert_true(ireneo_rank_spectrum_density(edge - 0.01, kappa) == 0.0 &&
                    ireneo_rank_spectrum_density(2.01, kappa) == 0.0);
    }
    gsl_integration_workspace_free(w);
}

static void singular_values(uint64_t seed, size_t rows, size_t columns, float *values) {
    float *matrix = malloc(rows * columns * sizeof *matrix), dummy[1];
    ireneo_random_normals_float(seed, 0, 0, rows * columns, 1, matrix);
    assert_int_equal(LAPACKE_sgesdd(LAPACK_ROW_MAJOR, 'N', (int)rows, (int)columns, matrix, (int)columns,
                                    values, dummy, (int)rows, dummy, (int)columns),
                     0);
    free(matrix);
}

/* Share of |G|_F^2 in the top singular values: self-averaging, off by about 1 / (smaller dimension). */
static void test_energy_of_random_matrices(void **state) {
    (void)state;
    static const size_t shapes[][2] = {{400, 400}, {200, 400}, {400, 100}, {20, 2000}};
    float values[400];
    for (size_t i = 0; i < COUNT(shapes); i++) {
        size_t rows = shapes[i][0], columns = shapes[i][1], smaller = rows < columns ? rows : columns,
               larger = rows + columns - smaller;
        double total = 0.0, top = 0.0, aspect = (double)smaller / (double)larger;
        singular_values(51 + i, rows, columns, values);
        for (size_t k = 0; k < smaller; k++) total += (double)values[k] * (double)values[k];
        for (size_t rank = 1; rank <= smaller; rank++) {
            top += (double)values[rank - 1] * (double)values[rank - 1];
            if (rank % (smaller / 10) != 0) continue;
            double kappa = (double)rank / (double)smaller;
            expect_close(ireneo_rank_spectrum_energy(kappa, aspect), top / total,
                         smaller > 20 ? 0.006 : 0.012);
            ireneo_shape shape = {.dim_in = columns, .dim_out = rows, .rank = rank};
            expect_ratio(ireneo_effective_dimension(&shape),
                         ireneo_rank_spectrum_energy(kappa, aspect) * (double)(rows * columns), 1e-14);
        }
        expect_close(ireneo_rank_spectrum_energy(1.0, aspect), 1.0, 0.0);
    }
    expect_close(ireneo_rank_spectrum_energy(0.3, 1e-9), 0.3,
                 1e-3); /* a very flat matrix: all values alike */
    expect_close(ireneo_rank_spectrum_energy(0.3, 1e-5), 0.3, 1e-2);
}

static void test_quarter_circle_of_random_matrices(void **state) {
    (void)state;
    enum { D = 400 };
    float values[D];
    singular_values(61, D, D, values);
    for (size_t k = 0; k < D; k++) {
        double s = (double)values[k] / sqrt((double)D), share = 1.0 - ((double)k + 0.5) / D;
        expect_close(ireneo_rank_spectrum_cdf(s, 1.0), share, 0.01);
        if (k < D / 4)
            expect_close(ireneo_rank_spectrum_cdf(s, 0.25), 1.0 - ((double)k + 0.5) / (D / 4.0), 0.04);
    }
}

/* ---- other laws ---- */

/* The formula against memories that the library makes by the Hebbian rule. */
static void test_hebbian_accuracy(void **state) {
    (void)state;
    static const size_t cases[][3] = {{100, 1000, 2}, {50, 300, 6}, {200, 3000, 1}};
    static const double table[] = {0.379, 0.376, 0.460}; /* docs/linear.md, "The Hebbian rule" */
    for (size_t c = 0; c < COUNT(cases); c++) {
        size_t d = cases[c][0], n = cases[c][1];
        double recalled = 0.0, law = ireneo_hebbian_law_accuracy((double)d, (double)d, (double)n, (double)n);
        expect_close(law, table[c], 5.1e-4);
        float *keys = malloc(n * d * sizeof *keys), *values = malloc(n * d * sizeof *values);
        for (size_t seed = 0; seed < cases[c][2]; seed++) {
            ireneo_sample sample = {seed, d, d};
            ireneo_sample_keys(&sample, 0, n, keys);
            ireneo_sample_values(&sample, 0, n, values);
            ireneo_facts facts = {
                .facts = n, .candidates = n, .dim_in = d, .dim_out = d, .keys = keys, .values = values};
            ireneo_store_settings settings = {.solver = IRENEO_SOLVER_HEBBIAN};
            ireneo_memory *memory = NULL;
            ireneo_store_info info;
            expect_ok(ireneo_store(&facts, &settings, &memory, &info));
            recalled += (double)info.recalled;
            ireneo_memory_free(memory);
        }
        expect_ratio(recalled / (double)(n * cases[c][2]), law, 0.1);
        free(keys), free(values);
    }
    expect_close(ireneo_hebbian_law_accuracy(1000, 1000, 10, 10), 1.0, 1e-6);
    assert_true(ireneo_hebbian_law_accuracy(10, 10, 1e6, 1e6) < 1e-3);
    for (double x = 1e-6; x < 1e15; x *= 7.0) {
        double p = ireneo_solve_p_log_p(x);
        expect_ratio(p * log(p), x, 1e-9);
    }
    expect_close(ireneo_hebbian_law_capacity(100, 200, 50.0), 20000.0 / 8.0 / log(50.0), 1e-9);
}

static double squared_shortfall(double g, void *context) {
    double k = *(double *)context;
    return (k - g) * (k - g) * exp(-0.5 * g * g) / sqrt(2.0 * M_PI);
}

/* docs/linear.md, "Listwise recall", and the average it stands for. */
static void test_listwise(void **state) {
    (void)state;
    static const double rows[][2] = {{1.0, 2.0}, {0.5, 0.657713}, {0.1, 0.245799}, {0.01, 0.123416}};
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(1000);
    for (size_t i = 0; i < COUNT(rows); i++) {
        double r = rows[i][0], result, error;
        expect_close(ireneo_listwise_capacity(r), rows[i][1], 5.1e-7);
        double edge = r < 1.0 ? gsl_cdf_ugaussian_Qinv(r) : 0.0,
               k = r < 1.0 ? exp(-0.5 * edge * edge) / sqrt(2.0 * M_PI) / r : 0.0;
        gsl_function f = {squared_shortfall, &k};
        gsl_integration_qagil(&f, k, 1e-12, 1e-10, 1000, w, &result, &error);
        expect_ratio(ireneo_listwise_capacity(r), 1.0 / result, 1e-8);
    }
    gsl_integration_workspace_free(w);
    assert_true(isnan(ireneo_listwise_capacity(0.0)) && isnan(ireneo_listwise_capacity(1.1)) &&
                isnan(ireneo_listwise_capacity(NAN)));
}

/* ---- free entropy ---- */

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
        double entropy, overlap, error, wanted_overlap = NAN,
                                        wanted = two_candidates_entropy(loads[k], &wanted_overlap);
        expect_ok(ireneo_free_entropy(loads[k], 2, 3000, 71, &entropy, &overlap, &error));
        expect_close(entropy, wanted, 5.0 * error + 1e-5);
        assert_true(error > 0.0 && error < 0.01 * loads[k]);
        expect_close(overlap, wanted_overlap, 0.02);
    }
}

/* At q = 0 every candidate wins equally often and Phi = -alpha; the minimum over q lies below by
 * (alpha psi'(0))^2, and its slope in alpha is -psi(q). */
static void test_entropy_at_small_load(void **state) {
    (void)state;
    static const size_t candidates[] = {2, 10, 50};
    for (size_t k = 0; k < COUNT(candidates); k++) {
        double entropy, overlap, error;
        expect_ok(ireneo_free_entropy(0.0, candidates[k], 100, 72, &entropy, &overlap, &error));
        expect_close(entropy, 0.0, 1e-15);
        expect_close(overlap, 0.0, 1e-3);
        for (double a = 1e-4; a < 0.02; a *= 10.0) {
            expect_ok(ireneo_free_entropy(a, candidates[k], 100, 72, &entropy, &overlap, &error));
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
    double low, high, middle, overlap, step = 0.01, load = 0.3;
    expect_ok(ireneo_free_entropy(load - step, P, 400, 73, &low, NULL, NULL));
    expect_ok(ireneo_free_entropy(load + step, P, 400, 73, &high, NULL, NULL));
    expect_ok(ireneo_free_entropy(load, P, 400, 73, &middle, &overlap, NULL));
    double beta = sqrt(overlap / (1.0 - overlap)), xi[P], sum = 0.0, squares = 0.0;
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
    expect_close((low - high) / (2.0 * step), psi, 5.0 * error); /* chance 6e-7 */
}

/* More candidates bring Phi and the overlap towards the limit, slowly and from one side. */
static void test_entropy_approaches_its_limit(void **state) {
    (void)state;
    static const size_t candidates[] = {3, 10, 100};
    double load = 0.25, before = 0.0, overlap_before = 0.0;
    for (size_t k = 0; k < COUNT(candidates); k++) {
        double entropy, overlap, error;
        expect_ok(
            ireneo_free_entropy(load, candidates[k], k < 2 ? 600 : 120, 75, &entropy, &overlap, &error));
        assert_true(entropy < before && entropy > ireneo_free_entropy_asymptotic(load));
        assert_true(overlap > overlap_before && overlap < 2.0 * load);
        before = entropy;
        overlap_before = overlap;
    }
    double answer;
    expect_error(ireneo_free_entropy(-0.1, 10, 10, 1, &answer, NULL, NULL), IRENEO_ERROR_ARGUMENT, "load",
                 "");
    expect_error(ireneo_free_entropy(0.1, 1, 10, 1, &answer, NULL, NULL), IRENEO_ERROR_ARGUMENT, "two", "");
    expect_error(ireneo_free_entropy(0.1, 10, 1, 1, &answer, NULL, NULL), IRENEO_ERROR_ARGUMENT, "draws", "");
    expect_error(ireneo_free_entropy(NAN, 10, 10, 1, &answer, NULL, NULL), IRENEO_ERROR_ARGUMENT, "load", "");
}

int main(void) {
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_table),
        cmocka_unit_test(test_quarter_circle_is_normalised),
        cmocka_unit_test(test_energy_of_random_matrices),
        cmocka_unit_test(test_quarter_circle_of_random_matrices),
        cmocka_unit_test(test_hebbian_accuracy),
        cmocka_unit_test(test_listwise),
        cmocka_unit_test(test_asymptotic_entropy),
        cmocka_unit_test(test_entropy_of_two_candidates),
        cmocka_unit_test(test_entropy_at_small_load),
        cmocka_unit_test(test_entropy_slope),
        cmocka_unit_test(test_entropy_approaches_its_limit),
    };
    return cmocka_run_group_tests_name("linear theory", tests, NULL, NULL);
}
