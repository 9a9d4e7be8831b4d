/* Facts whose target must be among the K best: the law, the projection, the check and the solver, against brute force. */
#include "linear/law/top.h"
#include "linear/kernels/row_projection.h"
#include "linear/law/cone.h"
#include "linear_instance.h"

#include <stdbool.h>
#include <stdlib.h>

static int falling(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* ---- the law ---- */

/* Squared distance of (target, others falling) from "the target is among the K best", by trying every number of lowered
 * competitors after the K - 1 best. */
static double brute_distance(double target, const double *others, size_t count, size_t top) {
    double sum = target, best = 0.0;
    const double *judged = others + (top - 1);
    size_t left = count - (top - 1);
    if (left == 0 || judged[0] <= target) return 0.0;
    for (size_t k = 1; k <= left; k++) { /* the k best come down to their mean with the target */
        sum += judged[k - 1];
        double mean = sum / (double)(k + 1);
        if (k < left && judged[k] > mean) continue;
        best = (mean - target) * (mean - target);
        for (size_t j = 0; j < k; j++) best += (judged[j] - mean) * (judged[j] - mean);
        break;
    }
    return best;
}

/* Averages over random vectors. Five standard errors: with other seeds one of the seven would fail with a chance of
 * 4e-6. */
static void test_law_by_sampling(void **state) {
    (void)state;
    static const size_t cases[][3] = {{3, 2, 60000},   {5, 2, 60000},    {5, 4, 60000}, {20, 3, 40000},
                                      {100, 2, 20000}, {100, 10, 20000}, {600, 5, 4000}};
    double *g = malloc(600 * sizeof *g);
    for (size_t c = 0; c < COUNT(cases); c++) {
        size_t p = cases[c][0], top = cases[c][1], draws = cases[c][2];
        ireneo_generator random = {17, c, 0};
        double sum = 0.0, squares = 0.0, law;
        for (size_t k = 0; k < draws; k++) {
            for (size_t j = 0; j < p; j++) g[j] = ireneo_draw_normal(&random);
            qsort(g + 1, p - 1, sizeof *g, falling);
            double distance = brute_distance(g[0], g + 1, p - 1, top);
            sum += distance, squares += distance * distance;
        }
        double mean = sum / (double)draws,
               error = sqrt((squares / (double)draws - mean * mean) / (double)draws);
        expect_ok(ireneo_top_distance((double)p, (double)top, &law));
        expect_close(law, mean, 5.0 * error);
    }
    free(g);
}

/* K a share of many candidates: the target must exceed a quantile q that no longer moves, (1 + q^2) Phi(q) + q phi(q). */
static void test_law_limits(void **state) {
    (void)state;
    double one, delta, far, few;
    expect_ok(ireneo_top_distance(1000.0, 1.0, &one));
    expect_ok(ireneo_cone_delta(1000.0, &delta));
    assert_true(one == delta);
    expect_ok(ireneo_top_distance(25600.0, 256.0, &far)); /* r = .01: q = 2.32635 */
    double q = 2.3263478740408408, limit = (1.0 + q * q) * 0.99 + q * exp(-0.5 * q * q) / sqrt(2.0 * M_PI);
    expect_ratio(far, limit, 0.05);
    expect_ok(ireneo_top_distance(3200.0, 32.0, &few)); /* the same share of fewer: further away */
    assert_true(few < far && far < limit);
    for (double p = 10.0; p < 1e12; p *= 30.0) { /* falls with K, rises with P */
        double last = INFINITY, next;
        for (double k = 1.0; k < fmin(p, 200.0); k *= 3.0) {
            expect_ok(ireneo_top_distance(p, k, &next));
            assert_true(next < last && next > 0.0);
            last = next;
        }
    }
    expect_ok(ireneo_top_distance(100.0, 2.0, &few));
    ireneo_shape shape = {.dim_in = 30, .dim_out = 40, .candidates = 100.0};
    double facts;
    expect_ok(ireneo_capacity_top(&shape, 2, &facts));
    expect_ratio(facts, 1200.0 / few, 1e-12);
    shape.candidates = 0.0, shape.problem = IRENEO_PROBLEM_DECOUPLED;
    expect_ok(ireneo_capacity_top(&shape, 3, &facts)); /* n = P */
    expect_ok(ireneo_top_distance(facts, 3.0, &few));
    expect_ratio(facts * few, 1200.0, 1e-5);
    shape.dim_in = shape.dim_out = 1;
    expect_ok(ireneo_capacity_top(&shape, 9, &facts));
    assert_true(facts >= 10.0);
    shape.candidates = 9.0;
    expect_error(ireneo_capacity_top(&shape, 9, &facts), IRENEO_ERROR_ARGUMENT, "always", "");
}

/* ---- the projection ---- */

static void test_excused(void **state) {
    (void)state;
    ireneo_generator random = {3, 1, 0};
    for (size_t round = 0; round < 400; round++) {
        size_t slots = 16 * (1 + ireneo_draw_below(&random, 20)),
               excused = ireneo_draw_below(&random, slots + 9);
        float score[IRENEO_MOST_SLOTS], before[IRENEO_MOST_SLOTS];
        bool ties = round % 2 == 0;
        for (size_t k = 0; k < slots; k++)
            before[k] = score[k] =
                ties ? (float)ireneo_draw_below(&random, 5) : (float)ireneo_draw_normal(&random);
        ireneo_row_excuse(score, slots, excused);
        size_t gone = 0;
        float lowest_gone = INFINITY, highest_left = -INFINITY;
        for (size_t k = 0; k < slots; k++) {
            bool left = score[k] == before[k];
            assert_true(left || score[k] == -INFINITY);
            gone += !left;
            if (left)
                highest_left = fmaxf(highest_left, before[k]);
            else
                lowest_gone = fminf(lowest_gone, before[k]);
        }
        assert_int_equal(gone, excused < slots ? excused : slots);
        assert_true(lowest_gone >= highest_left);
    }
}

/* ---- the check ---- */

/* Facts with at most top - 1 competitors at or above the target, one score after the other; *gap: the smallest lead over
 * the top-th best competitor. */
static size_t brute_top(const ireneo_memory *m, const ireneo_facts *f, size_t top, unsigned char *flags,
                        double *gap) {
    size_t recalled = 0;
    long double h[256];
    double *lead = malloc(f->candidates * sizeof *lead);
    float *own = malloc(f->candidates * f->dim_out * sizeof *own);
    *gap = INFINITY;
    for (size_t i = 0; i < f->facts; i++) {
        const float *values = f->values;
        if (values == NULL) f->own_candidates(f->own_context, i, 0, f->candidates, own), values = own;
        size_t target = target_of(f, i), count = 0, beaten = 0;
        brute_product(m, f->keys + i * f->dim_in, h);
        for (size_t j = 0; j < f->candidates; j++) {
            long double difference = 0.0L;
            if (j == target) continue;
            for (size_t a = 0; a < f->dim_out; a++)
                difference += h[a] * ((long double)values[target * f->dim_out + a] -
                                      (long double)values[j * f->dim_out + a]);
            lead[count++] = (double)difference;
            beaten += difference > 0.0L ? 0 : 1;
        }
        flags[i] = beaten < top;
        recalled += flags[i];
        qsort(lead, count, sizeof *lead, falling);
        *gap = fmin(*gap, lead[count - top]);
    }
    free(lead), free(own);
    return recalled;
}

static void expect_counted(const ireneo_memory *m, const ireneo_facts *f, size_t top) {
    unsigned char *wanted = malloc(f->facts), *got = malloc(f->facts);
    ireneo_check_report report;
    double gap;
    size_t recalled = brute_top(m, f, top, wanted, &gap);
    expect_ok(ireneo_check_top(m, f, top, NULL, got, &report));
    assert_int_equal(report.recalled, recalled);
    assert_memory_equal(got, wanted, f->facts);
    expect_close(report.gap, gap, 1e-6 * (1.0 + fabs(gap)));
    free(wanted), free(got);
}

static void test_check(void **state) {
    (void)state;
    static const size_t tops[] = {1, 2, 3, 7, 30};
    for (size_t large = 0; large < 2; large++) { /* without and with integers */
        instance it = make_instance(5 + large, large ? 300 : 60, large ? 5000 : 40, 24, 20, 1);
        ireneo_store_settings settings = {.solver = IRENEO_SOLVER_HEBBIAN};
        ireneo_memory *m = NULL;
        expect_ok(ireneo_store(&it.facts, &settings, &m, NULL, NULL));
        for (size_t k = 0; k < COUNT(tops); k++) expect_counted(m, &it.facts, tops[k]);
        ireneo_memory_free(m);
        free_instance(&it);
    }
    ireneo_sample sample = {9, 12, 12};
    instance it = make_instance(9, 30, 30, 12, 12, 0);
    ireneo_facts own = it.facts;
    own.values = NULL, own.own_candidates = ireneo_sample_own_candidates, own.own_context = &sample;
    ireneo_store_settings settings = {.solver = IRENEO_SOLVER_HEBBIAN};
    ireneo_memory *m = NULL;
    expect_ok(ireneo_store(&own, &settings, &m, NULL, NULL));
    for (size_t k = 0; k + 1 < COUNT(tops); k++) expect_counted(m, &own, tops[k]);
    ireneo_memory_free(m);
    free_instance(&it);
}

/* Ties are decided exactly and count against the target: a value that is there three times is among the three best at
 * best, never among the two. */
static void test_check_ties(void **state) {
    (void)state;
    instance it = make_instance(2, 8, 50, 6, 5, 0);
    int64_t targets[8];
    for (size_t a = 0; a < 5; a++)
        it.values[a] *= 4.0f; /* longer than all others, so that the rule puts it first */
    for (size_t copy = 1; copy < 3; copy++) memcpy(it.values + copy * 5, it.values, 5 * sizeof *it.values);
    for (size_t i = 0; i < 8; i++) {
        targets[i] = 0;
        memcpy(it.keys + i * 6, it.keys, 6 * sizeof *it.keys);
    }
    it.facts.targets = targets;
    ireneo_memory *m = NULL;
    ireneo_check_report report;
    ireneo_store_settings settings = {.solver = IRENEO_SOLVER_HEBBIAN};
    expect_ok(ireneo_store(&it.facts, &settings, &m, NULL, NULL));
    expect_ok(ireneo_check_top(m, &it.facts, 2, NULL, NULL, &report));
    assert_int_equal(report.recalled, 0);
    assert_true(report.gap == 0.0);
    expect_ok(ireneo_check_top(m, &it.facts, 3, NULL, NULL, &report));
    assert_int_equal(report.recalled, 8);
    memset(m->matrix, 0, 30 * sizeof *m->matrix); /* all scores alike */
    expect_ok(ireneo_check_top(m, &it.facts, 49, NULL, NULL, &report));
    assert_int_equal(report.recalled, 0);
    ireneo_memory_free(m);
    free_instance(&it);
}

/* ---- the solver ---- */

/* More facts than fit for the best answer alone, which is proved, are stored for the three best, which brute force
 * confirms. */
static void test_store(void **state) {
    (void)state;
    instance it = make_instance(4, 60, 60, 15, 15, 0);
    unsigned char flags[60];
    ireneo_memory *m = NULL;
    ireneo_store_info info;
    double gap;
    expect_ok(ireneo_store(&it.facts, NULL, &m, NULL, &info));
    assert_int_equal(info.status, IRENEO_STATUS_IMPOSSIBLE);
    ireneo_memory_free(m);
    for (size_t rank = 0; rank < 14; rank += 13) {
        ireneo_store_settings settings = {.top = 3, .rank = rank};
        expect_ok(ireneo_store(&it.facts, &settings, &m, NULL, &info));
        assert_int_equal(info.status, IRENEO_STATUS_STORED);
        assert_int_equal(info.recalled, 60);
        assert_int_equal(brute_top(m, &it.facts, 3, flags, &gap), 60);
        assert_true(gap > 0.0);
        assert_true(info.fraction_of_capacity < 1.0);
        ireneo_memory_free(m);
    }
    free_instance(&it);
    it = make_instance(4, 400, 60, 15, 15, 1); /* far too many: never called impossible */
    ireneo_store_settings settings = {.top = 2};
    expect_ok(ireneo_store(&it.facts, &settings, &m, NULL, &info));
    assert_int_equal(info.status, IRENEO_STATUS_UNDECIDED);
    assert_true(info.fraction_of_capacity > 1.0 && info.recalled < 400);
    ireneo_memory_free(m);
    free_instance(&it);
}

static void test_refused(void **state) {
    (void)state;
    instance it = make_instance(4, 20, 20, 8, 8, 0);
    ireneo_memory *m = NULL;
    ireneo_store_settings bad[] = {
        {.top = 20}, {.top = 257}, {.top = 2, .overload = 1}, {.top = 2, .exact = 1}};
    for (size_t k = 0; k < COUNT(bad); k++)
        expect_error(ireneo_store(&it.facts, &bad[k], &m, NULL, NULL), IRENEO_ERROR_ARGUMENT, "best", "");
    ireneo_max_margin_settings widest = {.store = {.top = 2}};
    expect_error(ireneo_max_margin(&it.facts, &widest, &m, NULL, NULL), IRENEO_ERROR_ARGUMENT, "best", "");
    ireneo_facts moved = it.facts;
    moved.residuals = it.values;
    bad[0].top = 2;
    expect_error(ireneo_store(&moved, &bad[0], &m, NULL, NULL), IRENEO_ERROR_ARGUMENT, "residuals", "");
    free_instance(&it);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law_by_sampling), cmocka_unit_test(test_law_limits),
        cmocka_unit_test(test_excused),         cmocka_unit_test(test_check),
        cmocka_unit_test(test_check_ties),      cmocka_unit_test(test_store),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("among the K best", tests, NULL, NULL);
}
