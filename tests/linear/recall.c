/* Check and recall against brute force in extended precision: random data, ties, near ties, offsets. */
#include "linear/scan/check.h"
#include "linear_instance.h"

static void stored_candidates(const void *context, size_t fact, size_t first, size_t count, float *values) {
    (void)fact;
    const ireneo_facts *f = context;
    memcpy(values, f->values + first * f->dim_out, count * f->dim_out * sizeof *values);
}

/* ---- check ---- */

static ireneo_memory random_memory(uint64_t seed, size_t dim_in, size_t dim_out, size_t rank) {
    ireneo_memory m = {.dim_in = dim_in, .dim_out = dim_out, .rank = rank};
    if (rank == 0) {
        m.matrix = malloc(dim_in * dim_out * sizeof(float));
        ireneo_fill_normal_floats(seed, 0, 0, dim_in * dim_out, m.matrix);
        return m;
    }
    m.left = malloc(dim_out * rank * sizeof(float)), m.right = malloc(dim_in * rank * sizeof(float));
    ireneo_fill_normal_floats(seed, 1, 0, dim_out * rank, m.left);
    ireneo_fill_normal_floats(seed, 2, 0, dim_in * rank, m.right);
    return m;
}

static void free_matrices(ireneo_memory *m) {
    free(m->matrix), free(m->left), free(m->right);
}

/* Spread of the scores of all facts over all candidates, the unit of the reported margin. */
static double brute_spread(const ireneo_memory *m, const ireneo_facts *f) {
    double total = 0.0;
    long double h[512];
    for (size_t i = 0; i < f->facts; i++) {
        long double first = 0.0L, second = 0.0L;
        brute_product(m, f->keys + i * f->dim_in, h);
        for (size_t j = 0; j < f->candidates; j++) {
            long double s = 0.0L;
            for (size_t k = 0; k < f->dim_out; k++) s += h[k] * (long double)f->values[j * f->dim_out + k];
            first += s;
            second += s * s;
        }
        first /= (long double)f->candidates;
        total += (double)(second / (long double)f->candidates - first * first);
    }
    return sqrt(total / (double)f->facts);
}

/* Check agrees with brute force fact by fact, also through own candidates and with any number of threads. */
static size_t expect_check_agrees(const ireneo_memory *m, const ireneo_facts *f) {
    unsigned char *wanted = malloc(f->facts), *got = malloc(f->facts);
    double gap;
    size_t recalled = brute_recalled(m, f, wanted, &gap), recomputed = 0;
    static const int threads[] = {1, 2, 7, 0};
    for (size_t t = 0; t < COUNT(threads); t++) {
        ireneo_check_report report;
        memset(got, 7, f->facts);
        expect_ok(ireneo_check(m, f, &(ireneo_run_settings){.threads = threads[t]}, got, &report));
        assert_int_equal(report.facts, f->facts);
        assert_int_equal(report.recalled, recalled);
        assert_memory_equal(got, wanted, f->facts);
        assert_true(t == 0 || report.recomputed == recomputed);
        recomputed = report.recomputed;
        double margin = gap / brute_spread(m, f); /* all of few rows are in the sample of the spread */
        if (f->facts < 64 && isfinite(margin))
            expect_close(report.margin, margin, 1e-3 * fabs(margin) + 1e-5);
    }
    ireneo_facts own = *f;
    own.values = NULL;
    own.own_candidates = stored_candidates;
    own.own_context = f;
    ireneo_check_report report;
    expect_ok(ireneo_check(m, &own, &(ireneo_run_settings){.threads = 2}, got, &report));
    assert_memory_equal(got, wanted, f->facts);
    assert_int_equal(report.recalled, recalled);
    expect_ok(ireneo_check(m, f, &(ireneo_run_settings){.threads = 2}, NULL, &report));
    assert_int_equal(report.recalled, recalled);
    free(wanted), free(got);
    return recalled;
}

/* W = sum y x^T over the facts, for a memory that recalls a good part. */
static ireneo_memory hebbian_memory(const ireneo_facts *f) {
    ireneo_memory m = {.dim_in = f->dim_in, .dim_out = f->dim_out};
    m.matrix = calloc(f->dim_in * f->dim_out, sizeof(float));
    for (size_t i = 0; i < f->facts; i++)
        for (size_t a = 0; a < f->dim_out; a++)
            for (size_t b = 0; b < f->dim_in; b++)
                m.matrix[a * f->dim_in + b] +=
                    f->values[target_of(f, i) * f->dim_out + a] * f->keys[i * f->dim_in + b];
    return m;
}

static void test_check_against_brute_force(void **state) {
    (void)state;
    static const size_t shapes[][4] = {{60, 60, 8, 8},    {120, 120, 60, 60}, {64, 300, 20, 10},
                                       {300, 64, 10, 20}, {1, 2, 1, 1},       {150, 1100, 17, 33},
                                       {700, 90, 40, 6}};
    size_t some = 0;
    for (size_t c = 0; c < COUNT(shapes); c++) {
        instance data = make_instance(21 + c, shapes[c][0], shapes[c][1], shapes[c][2], shapes[c][3], 1);
        ireneo_memory full = random_memory(c, shapes[c][2], shapes[c][3], 0),
                      factored = random_memory(c, shapes[c][2], shapes[c][3], 3),
                      useful = hebbian_memory(&data.facts),
                      nothing = {.dim_in = shapes[c][2], .dim_out = shapes[c][3]};
        expect_check_agrees(&full, &data.facts);
        expect_check_agrees(&factored, &data.facts);
        some += expect_check_agrees(&useful, &data.facts);
        nothing.matrix = calloc(shapes[c][2] * shapes[c][3], sizeof(float));
        assert_int_equal(expect_check_agrees(&nothing, &data.facts),
                         0); /* all scores equal: strictly, nothing */
        free_matrices(&full), free_matrices(&factored), free_matrices(&useful), free_matrices(&nothing);
        free_instance(&data);
    }
    assert_true(some > 100);
}

/* Small whole numbers: scores are exact and often equal, and an equal competitor means not recalled. */
static void test_check_with_ties(void **state) {
    (void)state;
    instance data = make_instance(30, 400, 50, 4, 3, 1);
    for (size_t k = 0; k < 400 * 4; k++) data.keys[k] = rintf(data.keys[k]);
    for (size_t k = 0; k < 50 * 3; k++) data.values[k] = rintf(2.0f * data.values[k]);
    ireneo_memory m = random_memory(31, 4, 3, 0);
    for (size_t k = 0; k < 12; k++) m.matrix[k] = rintf(m.matrix[k]);
    ireneo_check_report report;
    for (size_t i = 0; i < 400; i++) { /* half of the facts aim at their row's best score, tied or not */
        if (i % 2 == 0) continue;
        long double h[3], best = -(long double)INFINITY;
        brute_product(&m, data.keys + i * 4, h);
        for (size_t j = 0; j < 50; j++) {
            long double s = 0.0L;
            for (size_t k = 0; k < 3; k++) s += h[k] * (long double)data.values[j * 3 + k];
            if (s > best) best = s, data.targets[i] = (int64_t)j;
        }
    }
    size_t recalled = expect_check_agrees(&m, &data.facts);
    assert_true(recalled > 20 && recalled < 200); /* some win, some of the best are tied */
    expect_ok(ireneo_check(&m, &data.facts, &(ireneo_run_settings){.threads = 2}, NULL, &report));
    assert_true(report.recomputed > 50); /* of ties the first that makes a fact fail */
    free_matrices(&m);
    free_instance(&data);
}

/* Close competitors of facts that nobody asks about are not listed, and nothing else changes. */
static void test_check_unwanted(void **state) {
    (void)state;
    enum { N = 300 };
    instance data = make_instance(40, N, 400, 20, 20, 1);
    ireneo_memory m = random_memory(41, 20, 20, 0);
    unsigned char unwanted[N], recalled[2][N];
    ireneo_check_report report[2];
    ireneo_near all = {.reach = 0.5, .most = 3}, some = {.reach = 0.5, .most = 3, .unwanted = unwanted};
    for (size_t i = 0; i < N; i++) unwanted[i] = i % 3 != 0;
    expect_ok(ireneo_check_near(&m, &data.facts, 1, 2, NULL, &all, recalled[0], &report[0]));
    expect_ok(ireneo_check_near(&m, &data.facts, 1, 2, NULL, &some, recalled[1], &report[1]));
    assert_memory_equal(recalled[0], recalled[1], N);
    assert_true(report[0].gap == report[1].gap && report[0].recalled == report[1].recalled);
    size_t kept = 0;
    for (size_t k = 0; k < all.pairs.count; k++) {
        if (unwanted[all.pairs.items[k].fact]) continue;
        assert_true(kept < some.pairs.count);
        assert_memory_equal(&all.pairs.items[k], &some.pairs.items[kept++], sizeof all.pairs.items[k]);
    }
    assert_true(kept == some.pairs.count && kept > 100 && all.pairs.count > 2 * kept);
    free(all.pairs.items), free(some.pairs.items);
    free_matrices(&m);
    free_instance(&data);
}

/* Competitors that differ from the target in the last bit of one entry: float32 sums cannot tell, float64
 * can. */
static void test_check_with_near_ties(void **state) {
    (void)state;
    enum { N = 300, D = 24 };
    instance data = make_instance(32, N, 2 * N, D, D, 1);
    ireneo_memory m = random_memory(33, D, D, 0);
    for (size_t i = 0; i < N; i++) {
        float *value = data.values + i * D, *twin = data.values + (N + i) * D;
        long double h[D];
        brute_product(&m, data.keys + i * D, h);
        for (size_t k = 0; k < D; k++)
            value[k] = (float)(3.0L * h[k] / (1.0L + fabsl(h[k]))); /* a clear winner */
        memcpy(twin, value, D * sizeof *twin);
        twin[i % D] = nextafterf(twin[i % D], i % 3 == 0 ? INFINITY : -INFINITY);
        data.targets[i] = (int64_t)i;
    }
    size_t recalled = expect_check_agrees(&m, &data.facts);
    assert_true(recalled > 20 && recalled < N - 20);
    for (size_t i = 0; i < N; i += 2)
        memcpy(data.values + (N + i) * D, data.values + i * D, D * sizeof(float));
    size_t fewer = expect_check_agrees(&m, &data.facts); /* exact twins are never recalled */
    assert_true(fewer < recalled);
    for (size_t k = 0; k < (size_t)2 * N * D; k++) data.values[k] += 4096.0f; /* a large common offset */
    expect_check_agrees(&m, &data.facts);
    free_matrices(&m);
    free_instance(&data);
}

static int stop_at_once(void *context, const char *stage, double done, double total) {
    (void)stage, (void)done, (void)total;
    ++*(int *)context;
    return 1;
}

static void test_check_refuses(void **state) {
    (void)state;
    instance data = make_instance(34, 20, 20, 5, 4, 1);
    ireneo_memory m = random_memory(35, 5, 4, 0), other = random_memory(35, 6, 4, 0);
    ireneo_check_report report;
    int calls = 0;
    ireneo_progress progress = {stop_at_once, &calls};
    expect_error(ireneo_check(&m, &data.facts, &(ireneo_run_settings){.threads = 1, .progress = &progress},
                              NULL, &report),
                 IRENEO_ERROR_CANCELLED, "stopped", "");
    assert_int_equal(calls, 1);
    expect_error(ireneo_check(&other, &data.facts, &(ireneo_run_settings){.threads = 1}, NULL, &report),
                 IRENEO_ERROR_DATA, "4 x 6", "5");
    expect_error(ireneo_check(NULL, &data.facts, &(ireneo_run_settings){.threads = 1}, NULL, &report),
                 IRENEO_ERROR_ARGUMENT, "memory", "");
    data.keys[13] = NAN;
    expect_error(ireneo_check(&m, &data.facts, &(ireneo_run_settings){.threads = 1}, NULL, &report),
                 IRENEO_ERROR_DATA, "row 2", "column 3");
    data.keys[13] = 0.0f, data.targets[3] = 20;
    expect_error(ireneo_check(&m, &data.facts, &(ireneo_run_settings){.threads = 1}, NULL, &report),
                 IRENEO_ERROR_DATA, "row 3", "20");
    free_matrices(&m), free_matrices(&other);
    free_instance(&data);
}

/* ---- recall ---- */

typedef struct scored {
    long double score;
    size_t index;
} scored;

static int by_score_then_index(const void *a, const void *b) {
    const scored *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Recall against a full sort. Equal scores may come in any order; `unit` is the size of scores. */
static void expect_recall_agrees(const ireneo_memory *m, const float *queries, size_t count,
                                 const float *values, size_t candidates, size_t top) {
    int64_t *indices = malloc(count * top * sizeof *indices), *again = malloc(count * top * sizeof *again);
    float *scores = malloc(count * top * sizeof *scores),
          *again_scores = malloc(count * top * sizeof *scores);
    scored *all = malloc(candidates * sizeof *all);
    expect_ok(ireneo_recall(m, queries, count, values, candidates, top, &(ireneo_run_settings){.threads = 2},
                            indices, scores));
    expect_ok(ireneo_recall(m, queries, count, values, candidates, top, &(ireneo_run_settings){.threads = 7},
                            again, again_scores));
    assert_memory_equal(indices, again, count * top * sizeof *indices);
    assert_memory_equal(scores, again_scores, count * top * sizeof *scores);
    for (size_t i = 0; i < count; i++) {
        long double h[512];
        brute_product(m, queries + i * m->dim_in, h);
        for (size_t j = 0; j < candidates; j++) {
            all[j] = (scored){0.0L, j};
            for (size_t k = 0; k < m->dim_out; k++)
                all[j].score += h[k] * (long double)values[j * m->dim_out + k];
        }
        double unit = 0.0;
        for (size_t j = 0; j < candidates; j++) unit = fmax(unit, fabs((double)all[j].score));
        scored given[512];
        for (size_t k = 0; k < top && k < candidates; k++)
            given[k] = indices[i * top + k] >= 0 ? all[indices[i * top + k]] : (scored){NAN, 0};
        qsort(all, candidates, sizeof *all, by_score_then_index);
        for (size_t k = 0; k < top; k++) {
            if (k >= candidates) {
                assert_true(indices[i * top + k] == -1 && scores[i * top + k] == -INFINITY);
                continue;
            }
            /* the right place up to what float64 can tell */
            expect_close((double)(given[k].score - all[k].score), 0.0, 1e-12 * unit);
            expect_close((double)scores[i * top + k], (double)all[k].score, 1e-6 * unit);
            for (size_t q = 0; q < k; q++) assert_true(indices[i * top + q] != indices[i * top + k]);
        }
    }
    free(indices), free(again), free(scores), free(again_scores), free(all);
}

static void test_recall_against_brute_force(void **state) {
    (void)state;
    static const size_t shapes[][4] = {
        {40, 500, 16, 16}, {3, 5000, 20, 12}, {120, 3, 5, 9}, {1, 1, 1, 1}, {60, 1500, 9, 30}};
    static const size_t tops[] = {1, 3, 10, 100};
    for (size_t c = 0; c < COUNT(shapes); c++) {
        instance data = make_instance(40 + c, shapes[c][0], shapes[c][1], shapes[c][2], shapes[c][3], 1);
        ireneo_memory full = random_memory(41, shapes[c][2], shapes[c][3], 0),
                      factored = random_memory(42, shapes[c][2], shapes[c][3], 2);
        for (size_t t = 0; t < COUNT(tops); t++) {
            expect_recall_agrees(&full, data.keys, shapes[c][0], data.values, shapes[c][1], tops[t]);
            expect_recall_agrees(&factored, data.keys, shapes[c][0], data.values, shapes[c][1], tops[t]);
        }
        free_matrices(&full), free_matrices(&factored);
        free_instance(&data);
    }
}

/* Values with a large common offset, and values that are nearly alike: float32 scores are then mostly
 * rounding, and the order must be right all the same. */
static void test_recall_of_close_values(void **state) {
    (void)state;
    enum { N = 30, P = 3000, D = 20 };
    instance data = make_instance(45, N, P, D, D, 1);
    ireneo_memory m = random_memory(46, D, D, 0);
    for (size_t k = 0; k < (size_t)P * D; k++) data.values[k] += 1000.0f;
    expect_recall_agrees(&m, data.keys, N, data.values, P, 5);
    for (size_t k = 0; k < (size_t)P * D; k++) data.values[k] = 1.0f + 1e-5f * (data.values[k] - 1000.0f);
    expect_recall_agrees(&m, data.keys, N, data.values, P, 5);
    for (size_t k = 0; k < (size_t)P * D; k++)
        data.values[k] = rintf(2e5f * (data.values[k] - 1.0f)); /* ties */
    expect_recall_agrees(&m, data.keys, N, data.values, P, 5);
    for (size_t j = 100; j < P; j++)
        memcpy(data.values + j * D, data.values + j % 100 * D, D * sizeof(float));
    expect_recall_agrees(&m, data.keys, N, data.values, P, 40);
    free_matrices(&m);
    free_instance(&data);
}

static void test_recall_refuses(void **state) {
    (void)state;
    instance data = make_instance(47, 5, 5, 3, 3, 1);
    ireneo_memory m = random_memory(48, 3, 3, 0);
    int64_t indices[5];
    float scores[5];
    expect_error(ireneo_recall(&m, data.keys, 5, data.values, 5, 0, &(ireneo_run_settings){.threads = 1},
                               indices, scores),
                 IRENEO_ERROR_ARGUMENT, "1 and 500", "0");
    expect_error(ireneo_recall(&m, data.keys, 5, data.values, 5, 501, &(ireneo_run_settings){.threads = 1},
                               indices, scores),
                 IRENEO_ERROR_ARGUMENT, "1 and 500", "501");
    expect_error(ireneo_recall(&m, data.keys, 0, data.values, 5, 1, &(ireneo_run_settings){.threads = 1},
                               indices, scores),
                 IRENEO_ERROR_ARGUMENT, "at least one", "");
    expect_error(ireneo_recall(&m, data.keys, 5, data.values, 0, 1, &(ireneo_run_settings){.threads = 1},
                               indices, scores),
                 IRENEO_ERROR_ARGUMENT, "at least one", "");
    expect_error(ireneo_recall(NULL, data.keys, 5, data.values, 5, 1, &(ireneo_run_settings){.threads = 1},
                               indices, scores),
                 IRENEO_ERROR_ARGUMENT, "memory", "");
    free_matrices(&m);
    free_instance(&data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_against_brute_force),
        cmocka_unit_test(test_check_with_ties),
        cmocka_unit_test(test_check_unwanted),
        cmocka_unit_test(test_check_with_near_ties),
        cmocka_unit_test(test_check_refuses),
        cmocka_unit_test(test_recall_against_brute_force),
        cmocka_unit_test(test_recall_of_close_values),
        cmocka_unit_test(test_recall_refuses),
    };
    return cmocka_run_group_tests_name("linear check and recall", tests, NULL, NULL);
}
