/* Recall from noisy keys: against the exact probability with two candidates, against a simulation that shares
 * no code, and the error bar against the scatter of repeated measurements. */
#include "linear_instance.h"

/* With two candidates fact i is recalled when g . x' > 0 for g = W^T (y_right - y_wrong), so with noise of
 * deviation s its chance is Phi(g . x / (s |g|)). */
static double exact_recall(const ireneo_memory *m, const ireneo_facts *f, double deviation, double *error,
                           size_t draws) {
    double sum = 0.0, variance = 0.0;
    for (size_t i = 0; i < f->facts; i++) {
        const float *right = f->values + target_of(f, i) * f->dim_out,
                    *wrong = f->values + (1 - target_of(f, i)) * f->dim_out;
        double lead = 0.0, square = 0.0;
        for (size_t b = 0; b < f->dim_in; b++) {
            double g = 0.0;
            for (size_t a = 0; a < f->dim_out; a++)
                g += (double)m->matrix[a * f->dim_in + b] * ((double)right[a] - (double)wrong[a]);
            lead += g * (double)f->keys[i * f->dim_in + b];
            square += g * g;
        }
        double p = 0.5 * erfc(-lead / (deviation * sqrt(square)) * M_SQRT1_2);
        sum += p;
        variance += p * (1.0 - p);
    }
    *error = sqrt(variance / (double)draws) / (double)f->facts;
    return sum / (double)f->facts;
}

/* Chance of a false alarm: five sigma in each of six comparisons, 4e-6. */
static void test_two_candidates(void **state) {
    (void)state;
    enum { N = 40, DRAWS = 400 };
    instance it = make_instance(31, N, 2, 20, 15, 1);
    ireneo_memory *m = NULL;
    expect_ok(
        ireneo_store(&it.facts, &(ireneo_store_settings){.solver = IRENEO_SOLVER_HEBBIAN}, &m, NULL, NULL));
    static const double strengths[] = {0.1, 0.3, 1.0, 3.0, 10.0, 100.0};
    for (size_t k = 0; k < COUNT(strengths); k++) {
        ireneo_noise noise = {.strength = strengths[k], .draws = DRAWS, .seed = 7 + k};
        ireneo_noise_report report;
        expect_ok(ireneo_check_noise(m, &it.facts, &noise, NULL, &report));
        double square = 0.0, error;
        for (size_t j = 0; j < (size_t)N * 20; j++) square += (double)it.keys[j] * (double)it.keys[j];
        expect_ratio(report.deviation, strengths[k] * sqrt(square / (N * 20.0)), 1e-12);
        double exact = exact_recall(m, &it.facts, report.deviation, &error, DRAWS);
        expect_close(report.recall, exact, 5.0 * error + 1e-9);
        if (error > 1e-3) expect_ratio(report.error, error, 0.1);
        assert_int_equal(report.facts, N);
        assert_int_equal(report.draws, DRAWS);
    }
    ireneo_memory_free(m);
    free_instance(&it);
}

/* A small generator of its own (xorshift and Box-Muller), so that the library's is not trusted either. */
static double plain_normal(uint64_t *s) {
    double u[2];
    for (int k = 0; k < 2; k++) {
        *s ^= *s << 13, *s ^= *s >> 7, *s ^= *s << 17;
        u[k] = ((double)(*s >> 11) + 0.5) * 0x1p-53;
    }
    return sqrt(-2.0 * log(u[0])) * cos(2.0 * M_PI * u[1]);
}

/* Chance of a false alarm: five sigma in each of three comparisons, 2e-6. */
static void test_many_candidates(void **state) {
    (void)state;
    enum { N = 120, D = 30, DRAWS = 60 };
    instance it = make_instance(32, N, N, D, D, 0);
    ireneo_memory *m = NULL;
    expect_ok(ireneo_store(&it.facts, NULL, &m, NULL, NULL));
    static const double strengths[] = {0.05, 0.15, 0.4};
    float *noisy = malloc(N * D * sizeof *noisy);
    uint64_t seed = 88172645463325252u;
    for (size_t k = 0; k < COUNT(strengths); k++) {
        ireneo_noise noise = {.strength = strengths[k], .draws = DRAWS, .seed = 3};
        ireneo_noise_report report, again;
        expect_ok(ireneo_check_noise(m, &it.facts, &noise, &(ireneo_run_settings){.threads = 1}, &report));
        expect_ok(ireneo_check_noise(m, &it.facts, &noise, &(ireneo_run_settings){.threads = 7}, &again));
        assert_true(report.recall == again.recall && report.error == again.error);
        double total = 0.0;
        for (int draw = 0; draw < DRAWS; draw++) {
            ireneo_facts shaken = it.facts;
            for (size_t j = 0; j < (size_t)N * D; j++)
                noisy[j] = (float)((double)it.keys[j] + report.deviation * plain_normal(&seed));
            shaken.keys = noisy;
            total += (double)brute_recalled(m, &shaken, NULL, NULL);
        }
        expect_close(report.recall, total / (N * DRAWS), 5.0 * M_SQRT2 * report.error);
    }
    free(noisy);
    ireneo_memory_free(m);
    free_instance(&it);
}

/* The error bar is the scatter of the mean over seeds: 200 measurements estimate it to 5 %, four times that
 * is allowed (chance of a false alarm 6e-5). Without noise every draw is the plain check. */
static void test_error_bar(void **state) {
    (void)state;
    enum { N = 60, MEASUREMENTS = 200 };
    instance it = make_instance(33, N, N, 18, 18, 0);
    ireneo_memory *m = NULL;
    expect_ok(ireneo_store(&it.facts, NULL, &m, NULL, NULL));
    ireneo_noise_report report;
    double sum = 0.0, squares = 0.0, bars = 0.0;
    for (uint64_t seed = 1; seed <= MEASUREMENTS; seed++) {
        ireneo_noise noise = {.strength = 0.2, .draws = 5, .seed = seed};
        expect_ok(ireneo_check_noise(m, &it.facts, &noise, &(ireneo_run_settings){.threads = 1}, &report));
        sum += report.recall;
        squares += report.recall * report.recall;
        bars += report.error * report.error;
    }
    double mean = sum / MEASUREMENTS, scatter = squares / MEASUREMENTS - mean * mean;
    expect_between(mean, 0.3, 0.99);
    expect_ratio(sqrt(scatter), sqrt(bars / MEASUREMENTS), 0.2);
    expect_ok(ireneo_check_noise(m, &it.facts, &(ireneo_noise){.strength = 0.0, .draws = 3}, NULL, &report));
    assert_true(report.recall == 1.0 && report.deviation == 0.0);
    ireneo_memory_free(m);
    free_instance(&it);
}

static void test_bad_noise(void **state) {
    (void)state;
    instance it = make_instance(34, 20, 20, 12, 12, 0);
    ireneo_memory *m = NULL;
    ireneo_noise_report report;
    expect_ok(ireneo_store(&it.facts, NULL, &m, NULL, NULL));
    static const double wrong[] = {-0.1, NAN, INFINITY, 1e7};
    for (size_t k = 0; k < COUNT(wrong); k++)
        expect_error(ireneo_check_noise(m, &it.facts, &(ireneo_noise){.strength = wrong[k]},
                                        &(ireneo_run_settings){.threads = 1}, &report),
                     IRENEO_ERROR_ARGUMENT, "noise", "between");
    expect_error(ireneo_check_noise(m, &it.facts, NULL, &(ireneo_run_settings){.threads = 1}, &report),
                 IRENEO_ERROR_ARGUMENT, "noise", "needs");
    ireneo_memory_free(m);
    free_instance(&it);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_candidates),
        cmocka_unit_test(test_many_candidates),
        cmocka_unit_test(test_error_bar),
        cmocka_unit_test(test_bad_noise),
    };
    return cmocka_run_group_tests_name("linear noise", tests, NULL, NULL);
}
