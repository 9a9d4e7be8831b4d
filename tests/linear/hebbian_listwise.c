/* The laws of the Hebbian rule and of listwise recall, against memories that are made and against GSL. */
#include "expect.h"
#include "linear/law/hebbian_law.h"
#include "linear/law/p_log_p.h"
#include "scratch.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>

/* The formula against memories that the library makes by the Hebbian rule. */
static void test_hebbian_accuracy(void **state) {
    (void)state;
    static const size_t cases[][3] = {{25, 40, 40},  {50, 100, 12},  {50, 300, 6},  {60, 45, 8},
                                      {100, 284, 3}, {100, 1000, 2}, {200, 900, 1}, {200, 3000, 1}};
    static const double table[] = {0.689, 0.848, 0.348, 0.992,
                                   0.958, 0.369, 0.986, 0.446}; /* docs/linear.md, measured */
    for (size_t c = 0; c < COUNT(cases); c++) {
        size_t d = cases[c][0], n = cases[c][1];
        double recalled = 0.0, law = ireneo_hebbian_law_accuracy((double)d, (double)d, (double)n, (double)n);
        expect_close(law, table[c], 0.015);
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
            expect_ok(ireneo_store(&facts, &settings, &memory, NULL, &info));
            recalled += (double)info.recalled;
            ireneo_memory_free(memory);
        }
        expect_close(recalled / (double)(n * cases[c][2]), law, 0.03);
        free(keys), free(values);
    }
    /* where all facts are recalled in half of the draws: measured at 41 and 165 */
    expect_ratio(ireneo_hebbian_law_half(50, 50, 0.0), 41.0, 0.03);
    expect_ratio(ireneo_hebbian_law_half(100, 100, 0.0), 165.0, 0.03);
    double half = ireneo_hebbian_law_half(200, 100, 1000.0);
    expect_close(ireneo_hebbian_law_all(200, 100, half, 1000.0), 0.5, 1e-3);
    assert_true(ireneo_hebbian_law_half(1, 1, 0.0) >= 1.0);
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

int main(void) {
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hebbian_accuracy),
        cmocka_unit_test(test_listwise),
    };
    return cmocka_run_group_tests_name("Hebbian and listwise laws", tests, NULL, NULL);
}
