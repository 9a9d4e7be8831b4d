/* The audit of given patterns against plain loops, its properties, and verdicts. */
#include "scratch.h"

#include "dense/retrieval/audit.h"
#include "dense/retrieval/neighbours.h"

#include <math.h>

enum { N = 30, P = 700 };

#define expect_near(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))

/* Patterns of lengths that differ by a factor 3, around a common mean: what embeddings are like. */
static float *make_patterns(size_t count, uint64_t seed) {
    float *rows = malloc(count * N * sizeof *rows);
    assert_non_null(rows);
    expect_ok(ireneo_random_normals_float(seed, 1, 0, count * N, 1, rows));
    for (size_t k = 0; k < count * N; k++) {
        float length = 1.0f + 2.0f * (float)(k / N % 7) / 6.0f;
        rows[k] = length * (rows[k] + 0.3f);
    }
    return rows;
}

static double dot(const float *a, const float *b) {
    double sum = 0.0;
    for (size_t i = 0; i < N; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static ireneo_dense_audit_report audit(const float *rows, size_t count, ireneo_dense_audit_settings s) {
    ireneo_dense_audit_report report;
    expect_ok(ireneo_dense_audit(rows, count, N, &s, &report));
    return report;
}

/* ---- against plain loops ---- */

/* Smallest angle from row a, stepping towards row b, at which b has the larger score: bisection. */
static double tie_by_bisection(const float *a, const float *b) {
    double aa = dot(a, a), ab = dot(a, b), across[N], low = 0.0, high = 0.5 * M_PI, length = 0.0;
    for (size_t i = 0; i < N; i++) {
        across[i] = (double)b[i] - ab / aa * (double)a[i];
        length += across[i] * across[i];
    }
    for (int round = 0; round < 60; round++) {
        double middle = 0.5 * (low + high), own = 0.0, other = 0.0;
        for (size_t i = 0; i < N; i++) {
            double x = cos(middle) * (double)a[i] + sin(middle) * sqrt(aa / length) * across[i];
            own += x * (double)a[i];
            other += x * (double)b[i];
        }
        if (own > other)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Nearest and worst angles of all patterns, also of raw ones, whose first rival need not be the nearest. */
static void test_neighbours_equal_plain_loops(void **state) {
    (void)state;
    float *rows = make_patterns(P, 3);
    ireneo_prepared memory = {.neurons = N, .patterns = rows, .power = 1.0};
    size_t index[P];
    static ireneo_neighbour found[P];
    for (size_t k = 0; k < P; k++) index[k] = k;
    ireneo_audited all = {&memory, P, P, index, 5, 3, NULL};
    expect_ok(ireneo_find_neighbours(&all, found));
    for (size_t a = 0; a < P; a += 13) {
        double best = -1.0, worst = M_PI, random = 0.5 * M_PI, length = sqrt(dot(rows + a * N, rows + a * N));
        float direction[N];
        size_t nearest = 0;
        ireneo_random_direction(&memory, 5, a, direction);
        expect_near(dot(direction, direction), 1.0, 1e-5);
        expect_near(dot(direction, rows + a * N), 0.0, 1e-4);
        for (size_t b = 0; b < P; b++) {
            if (a == b) continue;
            const float *eta = rows + b * N;
            double cosine = dot(rows + a * N, eta) / length / sqrt(dot(eta, eta)), u = dot(direction, eta);
            if (cosine > best) best = cosine, nearest = b;
            worst = fmin(worst, tie_by_bisection(rows + a * N, eta));
            if (u > 0.0)
                random =
                    fmin(random, atan(fmax(0.0, length * length - dot(rows + a * N, eta)) / (length * u)));
        }
        assert_int_equal(found[a].nearest, nearest);
        expect_near(found[a].angle, acos(best), 1e-4);
        expect_near(found[a].worst_angle, worst, 1e-4);
        expect_near(found[a].random_angle, random, 1e-4);
    }
    free(rows);
}

/* For patterns of one length the worst direction is that of the nearest, half way; the report has the smallest and the
 * median of what plain loops find. */
static void test_report_equals_plain_loops(void **state) {
    (void)state;
    float *rows = make_patterns(P, 4), *unit = malloc(P * N * sizeof *unit);
    memcpy(unit, rows, P * N * sizeof *unit);
    expect_ok(ireneo_dense_normalise(unit, P, N));
    double nearest[P];
    for (size_t a = 0; a < P; a++) {
        nearest[a] = M_PI;
        for (size_t b = 0; b < P; b++)
            if (a != b) nearest[a] = fmin(nearest[a], acos(dot(unit + a * N, unit + b * N) / N));
    }
    ireneo_dense_audit_report r = audit(rows, P, (ireneo_dense_audit_settings){0});
    double pair = acos(dot(unit + r.nearest_pair[0] * N, unit + r.nearest_pair[1] * N) / N);
    qsort(nearest, P, sizeof *nearest, rising);
    assert_int_equal(r.patterns, P);
    assert_int_equal(r.audited, P);
    expect_near(r.nearest_least, nearest[0], 1e-5);
    expect_near(pair, nearest[0], 1e-5);
    expect_near(r.nearest_median, 0.5 * (nearest[P / 2 - 1] + nearest[P / 2]), 1e-5);
    assert_int_equal(r.staying, P);
    expect_near(r.worst_least, 0.5 * nearest[0], 1e-5);
    assert_true(r.worst_median <= 0.5 * r.nearest_median + 1e-6);
    assert_true(r.worst_median < r.random_angle && r.random_angle < 0.5 * M_PI);
    assert_true(r.random_share >= 0.99);
    assert_true(r.longest_pattern > 2.5 * r.shortest_pattern);
    free(rows);
    free(unit);
}

/* ---- what is promised holds ---- */

/* Share of patterns that come back when each query leaves its pattern at this angle, towards `target` (count, N) or, if
 * NULL, in a random direction of another seed than the audit's. */
static double share_back(const float *unit, size_t count, double lambda, double angle, const float *target) {
    float *queries = malloc(count * N * sizeof *queries);
    size_t *top = malloc(count * sizeof *top), back = 0;
    unsigned char *verdict = malloc(count);
    ireneo_prepared memory = {.neurons = N, .patterns = unit, .power = 1.0};
    for (size_t k = 0; k < count; k++) {
        float *x = queries + k * N;
        const float *xi = unit + k * N;
        ireneo_random_direction(&memory, 77, k, x);
        double along = target != NULL ? dot(target + k * N, xi) / N : 0.0, square = 0.0;
        for (size_t i = 0; i < N && target != NULL; i++) x[i] = target[k * N + i] - (float)along * xi[i];
        square = dot(x, x);
        for (size_t i = 0; i < N; i++)
            x[i] = (float)(cos(angle) * (double)xi[i] + sin(angle) * sqrt(N / square) * (double)x[i]);
    }
    ireneo_dense_recall_settings s = {.lambda = lambda, .top = 1};
    ireneo_dense_recall_result result = {.top_index = top, .verdict = verdict};
    expect_ok(ireneo_dense_recall(unit, count, N, queries, count, &s, &result, NULL));
    for (size_t k = 0; k < count; k++) back += top[k] == k && verdict[k] == IRENEO_DENSE_VERDICT_RETRIEVED;
    free(queries);
    free(top);
    free(verdict);
    return (double)back / (double)count;
}

/* In other random directions than those that were measured, 99 % of 700 come back within 3 standard errors (a right
 * program fails once in 700); just inside the worst angle all do, and beyond half way the query goes to the neighbour. */
static void test_promises_hold(void **state) {
    (void)state;
    float *unit = make_patterns(P, 8), *nearest = malloc(P * N * sizeof *nearest);
    expect_ok(ireneo_dense_normalise(unit, P, N));
    ireneo_dense_audit_report r = audit(unit, P, (ireneo_dense_audit_settings){0});
    assert_true(share_back(unit, P, r.lambda, r.random_angle, NULL) >= 0.99 - 3.0 * sqrt(0.0099 / P));
    assert_true(share_back(unit, P, r.lambda, 1.6 * r.random_angle, NULL) < 0.9);
    for (size_t a = 0; a < P; a++) {
        double best = -INFINITY;
        for (size_t b = 0; b < P; b++)
            if (a != b && dot(unit + a * N, unit + b * N) > best) {
                best = dot(unit + a * N, unit + b * N);
                memcpy(nearest + a * N, unit + b * N, N * sizeof *nearest);
            }
    }
    assert_true(share_back(unit, P, r.lambda, 0.98 * r.worst_least, nearest) == 1.0);
    assert_true(share_back(unit, P, r.lambda, 1.25 * r.worst_median, nearest) < 0.7);
    free(unit);
    free(nearest);
}

/* A memory so soft that the ties of the nearest patterns promise too much: the angle is narrowed until the dynamics keep
 * it. */
static void test_soft_memories_promise_less(void **state) {
    (void)state;
    float *rows = make_patterns(P, 8);
    ireneo_dense_audit_report hard = audit(rows, P, (ireneo_dense_audit_settings){0});
    ireneo_dense_audit_report soft =
        audit(rows, P, (ireneo_dense_audit_settings){.lambda = 0.5 * hard.lambda});
    assert_true(soft.staying > 0 && soft.random_share >= 0.99);
    assert_true(soft.random_angle < 0.95 * hard.random_angle);
    assert_true(soft.worst_least <= soft.random_angle);
    free(rows);
}

/* Patterns with close pairs: the theory's lambda merges them, the chosen one does not; twins that are equal do not drive
 * it anywhere. */
static void test_lambda_keeps_close_pairs_apart(void **state) {
    (void)state;
    float *rows = make_patterns(P, 6);
    for (size_t a = 0; a < 40; a++)
        for (size_t i = 0; i < N; i++)
            rows[(a + 40) * N + i] = 0.97f * rows[a * N + i] + 0.2f * rows[(a + 40) * N + i];
    ireneo_dense_point point = {.lambda = 1.0, .neurons = N, .patterns = P};
    ireneo_dense_basins_report theory;
    expect_ok(ireneo_dense_basins(&point, &theory));
    ireneo_dense_audit_report soft =
        audit(rows, P, (ireneo_dense_audit_settings){.lambda = theory.lambda_star});
    ireneo_dense_audit_report chosen = audit(rows, P, (ireneo_dense_audit_settings){0});
    assert_true(soft.staying <= P - 40);
    assert_int_equal(chosen.staying, P);
    assert_true(chosen.lambda > 1.4 * theory.lambda_star);
    memcpy(rows + 500 * N, rows + 501 * N, N * sizeof *rows);
    ireneo_dense_audit_report twins = audit(rows, P, (ireneo_dense_audit_settings){0});
    assert_int_equal(twins.staying, P - 2);
    expect_near(twins.lambda, chosen.lambda, 1e-9);
    expect_near(twins.nearest_least, 0.0, 1e-7);
    free(rows);
}

/* ---- samples, rules, preparations ---- */

static void test_samples_and_threads(void **state) {
    (void)state;
    float *rows = make_patterns(P, 9);
    ireneo_dense_audit_report all = audit(rows, P, (ireneo_dense_audit_settings){.sample = 10 * P});
    ireneo_dense_audit_report one = audit(rows, P, (ireneo_dense_audit_settings){.sample = 90, .threads = 1});
    ireneo_dense_audit_report four =
        audit(rows, P, (ireneo_dense_audit_settings){.sample = 90, .threads = 4});
    ireneo_dense_audit_report other = audit(rows, P, (ireneo_dense_audit_settings){.sample = 90, .seed = 2});
    one.seconds = four.seconds = 0.0;
    assert_memory_equal(&one, &four, sizeof one);
    assert_int_equal(all.audited, P);
    assert_int_equal(one.audited, 90);
    assert_true(one.nearest_least >= all.nearest_least);
    assert_true(fabs(one.nearest_median - all.nearest_median) < 0.1);
    assert_true(other.nearest_median != one.nearest_median);
    free(rows);
}

static void test_rules_and_preparations(void **state) {
    (void)state;
    enum { STORED = 4 };
    float *rows = make_patterns(P, 10), signs[STORED * N];
    ireneo_dense_audit_report raw =
        audit(rows, P, (ireneo_dense_audit_settings){.preparation = IRENEO_DENSE_PREPARATION_RAW});
    ireneo_dense_audit_report white =
        audit(rows, P, (ireneo_dense_audit_settings){.preparation = IRENEO_DENSE_PREPARATION_WHITENED});
    ireneo_dense_audit_report normal = audit(rows, P, (ireneo_dense_audit_settings){0});
    assert_true(raw.stay < 0.9); /* long ones swallow short ones, whatever lambda */
    assert_true(normal.stay == 1.0 && white.stay == 1.0);
    assert_true(white.nearest_median > normal.nearest_median); /* no common mean any more */
    for (size_t k = 0; k < STORED * N; k++) signs[k] = rows[k] > 0.0f ? 1.0f : -1.0f;
    for (size_t k = 0; k < STORED; k++) signs[k * N + k] = -signs[k * N + k];
    ireneo_dense_audit_report sign =
        audit(signs, 1, (ireneo_dense_audit_settings){.rule = IRENEO_DENSE_RULE_SIGN});
    assert_true(sign.stay == 1.0 && isnan(sign.lambda) && isnan(sign.nearest_least));
    ireneo_dense_audit_report steep =
        audit(rows, P, (ireneo_dense_audit_settings){.rule = IRENEO_DENSE_RULE_POLYNOMIAL, .degree = 60});
    assert_true(steep.stay > 0.95);
    free(rows);
}

/* Whitened patterns that do not fill their space: 20 patterns span 19 directions; states are 0 beyond. */
static void test_few_patterns_are_whitened(void **state) {
    (void)state;
    enum { FEW = 20 };
    float *rows = make_patterns(FEW, 12), states[FEW * N];
    ireneo_dense_recall_settings s = {.preparation = IRENEO_DENSE_PREPARATION_WHITENED, .look = 1};
    ireneo_dense_recall_result result = {.states = states};
    ireneo_dense_recall_info info;
    expect_ok(ireneo_dense_recall(rows, FEW, N, rows, FEW, &s, &result, &info));
    assert_int_equal(info.retrieved, FEW);
    for (size_t k = 0; k < FEW; k++) {
        expect_near(dot(states + k * N, states + k * N), FEW - 1, 1e-3);
        for (size_t i = FEW - 1; i < N; i++) assert_true(states[k * N + i] == 0.0f);
        for (size_t j = 0; j < k; j++)
            expect_near(dot(states + k * N, states + j * N), -1.0, 1e-2); /* a simplex */
    }
    free(rows);
}

/* ---- verdicts ---- */

static void expect_verdict(const float *rows, size_t count, ireneo_dense_recall_settings s,
                           const float *query, ireneo_dense_verdict expected) {
    unsigned char verdict;
    ireneo_dense_recall_result result = {.verdict = &verdict};
    ireneo_dense_recall_info info;
    expect_ok(ireneo_dense_recall(rows, count, N, query, 1, &s, &result, &info));
    assert_int_equal(verdict, expected);
    assert_int_equal(info.retrieved, expected == IRENEO_DENSE_VERDICT_RETRIEVED);
    assert_int_equal(info.mixtures, expected == IRENEO_DENSE_VERDICT_MIXTURE);
    assert_int_equal(info.lost, expected == IRENEO_DENSE_VERDICT_LOST);
}

static void test_verdicts(void **state) {
    (void)state;
    float *rows = make_patterns(P, 13), mixed[3 * N], cue[N];
    expect_ok(ireneo_dense_normalise(rows, P, N));
    for (size_t k = 1; k < 5; k++) /* five that lie close together */
        for (size_t i = 0; i < N; i++) rows[k * N + i] = rows[i] + 0.15f * rows[k * N + i];
    expect_verdict(rows, P, (ireneo_dense_recall_settings){0}, rows + 9 * N, IRENEO_DENSE_VERDICT_RETRIEVED);
    expect_verdict(rows, P, (ireneo_dense_recall_settings){.lambda = 1.0}, rows + 2 * N,
                   IRENEO_DENSE_VERDICT_MIXTURE);
    expect_verdict(rows, P, (ireneo_dense_recall_settings){.lambda = 1e-3}, rows, IRENEO_DENSE_VERDICT_LOST);
    expect_verdict(rows, 8, (ireneo_dense_recall_settings){.lambda = 1e-3}, rows, IRENEO_DENSE_VERDICT_LOST);
    expect_verdict(rows, 1, (ireneo_dense_recall_settings){0}, rows + N, IRENEO_DENSE_VERDICT_RETRIEVED);
    ireneo_dense_recall_settings sign = {.rule = IRENEO_DENSE_RULE_SIGN};
    for (size_t i = 0; i < N; i++) { /* three patterns at right angles, and their majority */
        for (size_t k = 0; k < 3; k++) mixed[k * N + i] = (i >> k) & 1 ? 1.0f : -1.0f;
        cue[i] = mixed[i] + mixed[N + i] + mixed[2 * N + i] > 0.0f ? 1.0f : -1.0f;
    }
    expect_verdict(mixed, 3, sign, mixed + N, IRENEO_DENSE_VERDICT_RETRIEVED);
    sign.look = 1;
    expect_verdict(mixed, 3, sign, cue, IRENEO_DENSE_VERDICT_MIXTURE);
    assert_string_equal(ireneo_dense_verdict_name(IRENEO_DENSE_VERDICT_MIXTURE), "mixture");
    assert_string_equal(ireneo_dense_verdict_name((ireneo_dense_verdict)9), "unknown");
    assert_string_equal(ireneo_dense_preparation_name(IRENEO_DENSE_PREPARATION_WHITENED), "whitened");
    assert_string_equal(ireneo_dense_preparation_name((ireneo_dense_preparation)9), "unknown");
    free(rows);
}

static int stop_at_once(void *context, const char *stage, double done, double total) {
    (void)context, (void)stage, (void)done, (void)total;
    return 1;
}

static void test_bad_input(void **state) {
    (void)state;
    float rows[6] = {1, 2, 3, 4, 5, 7};
    ireneo_dense_audit_report report;
    ireneo_progress stop = {stop_at_once, NULL};
#define AUDIT(...) ireneo_dense_audit(rows, 3, 2, &(ireneo_dense_audit_settings){__VA_ARGS__}, &report)
    expect_ok(AUDIT(.lambda = 1.0));
    expect_error(ireneo_dense_audit(NULL, 3, 2, NULL, &report), IRENEO_ERROR_ARGUMENT, "patterns", "");
    expect_error(ireneo_dense_audit(rows, 3, 2, NULL, NULL), IRENEO_ERROR_ARGUMENT, "report", "");
    expect_error(ireneo_dense_audit(rows, 0, 2, NULL, &report), IRENEO_ERROR_DATA, "at least one pattern",
                 "");
    expect_error(AUDIT(.lambda = -1.0), IRENEO_ERROR_ARGUMENT, "lambda", "");
    expect_error(AUDIT(.threads = -1), IRENEO_ERROR_ARGUMENT, "thread", "");
    expect_error(AUDIT(.preparation = (ireneo_dense_preparation)3), IRENEO_ERROR_ARGUMENT, "preparation", "");
    expect_error(AUDIT(.reserved = {1}), IRENEO_ERROR_ARGUMENT, "reserved", "");
    expect_error(AUDIT(.progress = &stop), IRENEO_ERROR_CANCELLED, "stopped", "");
    rows[2] = rows[3] = 0;
    expect_error(AUDIT(.lambda = 1.0), IRENEO_ERROR_DATA, "row 1 is all zeros", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours_equal_plain_loops),
        cmocka_unit_test(test_report_equals_plain_loops),
        cmocka_unit_test(test_promises_hold),
        cmocka_unit_test(test_soft_memories_promise_less),
        cmocka_unit_test(test_lambda_keeps_close_pairs_apart),
        cmocka_unit_test(test_samples_and_threads),
        cmocka_unit_test(test_rules_and_preparations),
        cmocka_unit_test(test_few_patterns_are_whitened),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
