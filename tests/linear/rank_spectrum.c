/* Singular values of the best memory of a rank: the table of docs/linear.md, GSL, random matrices with fixed seeds. */
#include "linear/law/rank_spectrum.h"
#include "base/random.h"
#include "expect.h"
#include "scratch.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <lapacke.h>

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

int main(void) {
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_table),
        cmocka_unit_test(test_quarter_circle_is_normalised),
        cmocka_unit_test(test_energy_of_random_matrices),
        cmocka_unit_test(test_quarter_circle_of_random_matrices),
    };
    return cmocka_run_group_tests_name("rank spectrum", tests, NULL, NULL);
}
