/* Retrieval against plain loops in double precision, its invariances, and bad input. */
#include "scratch.h"

#include "dense/retrieval/retrieval.h"
#include "dense/retrieval/weights.h"

#include <math.h>

enum { N = 37, P = 1500, Q = 300 };
static const ireneo_dense_preparation RAW = IRENEO_DENSE_PREPARATION_RAW;

/* cmocka compares floats in single precision; these numbers are doubles. */
#define expect_near(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))

typedef struct memory {
    float *patterns, *queries; /* (P, N), (Q, N) */
} memory;

static float *normals(uint64_t stream, size_t count) {
    float *values = malloc(count * sizeof *values);
    assert_non_null(values);
    ireneo_random_normals_float(11, stream, 0, count, 1, values);
    return values;
}

/* Random patterns; the queries are damaged patterns. */
static memory make_memory(float damage) {
    memory m = {normals(1, (size_t)P * N), normals(2, (size_t)Q * N)};
    for (size_t q = 0; q < Q; q++)
        for (size_t i = 0; i < N; i++)
            m.queries[q * N + i] = m.patterns[(q * 5) * N + i] + damage * m.queries[q * N + i];
    return m;
}

static void free_memory(memory *m) {
    free(m->patterns);
    free(m->queries);
}

/* One step of a rule in double, straight from the formulas of ireneo.h; the energy of x is returned. */
static double naive_step(const memory *m, const ireneo_dense_recall_settings *s, const double *x,
                         double *next, double *weights) {
    double square = 0.0, peak = -INFINITY, total = 0.0, powers = 0.0;
    static double score[P];
    for (size_t i = 0; i < N; i++) square += x[i] * x[i];
    for (size_t mu = 0; mu < P; mu++) {
        score[mu] = 0.0;
        for (size_t i = 0; i < N; i++) score[mu] += x[i] * (double)m->patterns[mu * N + i];
        peak = fmax(peak, score[mu]);
    }
    for (size_t mu = 0; mu < P; mu++) {
        if (s->rule == IRENEO_DENSE_RULE_SOFTMAX) weights[mu] = exp(s->lambda * (score[mu] - peak));
        if (s->rule == IRENEO_DENSE_RULE_POLYNOMIAL) {
            weights[mu] = pow(fmax(score[mu], 0.0), s->degree - 1);
            powers += pow(fmax(score[mu], 0.0), s->degree);
        }
        if (s->rule == IRENEO_DENSE_RULE_SIGN) {
            weights[mu] = score[mu];
            powers += score[mu] * score[mu];
        }
        total += weights[mu];
    }
    for (size_t i = 0; i < N; i++) {
        double field = 0.0, own = 0.0;
        for (size_t mu = 0; mu < P; mu++) {
            double xi = (double)m->patterns[mu * N + i];
            field += weights[mu] * xi;
            own += xi * xi;
        }
        next[i] = field / total;
        if (s->rule == IRENEO_DENSE_RULE_SIGN) {
            next[i] = field - own * x[i] > 0.0 ? 1.0 : -1.0;
            powers -= own * x[i] * x[i];
        }
    }
    for (size_t mu = 0; mu < P; mu++) weights[mu] /= s->rule == IRENEO_DENSE_RULE_SIGN ? N : total;
    if (s->rule == IRENEO_DENSE_RULE_SOFTMAX) return 0.5 * square - peak - log(total) / s->lambda;
    if (s->rule == IRENEO_DENSE_RULE_POLYNOMIAL) return 0.5 * log(square) - log(powers) / s->degree;
    return -0.5 * powers / N;
}

static void expect_naive(ireneo_dense_recall_settings s, float damage, double tolerance) {
    memory m = make_memory(damage);
    enum { TOP = 5 };
    float *states = malloc((size_t)Q * N * sizeof *states);
    double *before = malloc(Q * sizeof *before), *top_weight = malloc(Q * TOP * sizeof *top_weight);
    size_t *top_index = malloc(Q * TOP * sizeof *top_index);
    s.steps = 1;
    s.top = TOP;
    s.tolerance = -1.0;
    ireneo_dense_recall_result result = {
        .states = states, .energy_before = before, .top_index = top_index, .top_weight = top_weight};
    expect_ok(ireneo_dense_recall(m.patterns, P, N, m.queries, Q, &s, &result, NULL));
    for (size_t q = 0; q < Q; q += 7) {
        double x[N], next[N];
        static double weights[P];
        for (size_t i = 0; i < N; i++) x[i] = (double)m.queries[q * N + i];
        double energy = naive_step(&m, &s, x, next, weights);
        expect_near(before[q], energy, 2e-5 * (1.0 + fabs(energy)));
        for (size_t i = 0; i < N; i++) expect_near((double)states[q * N + i], next[i], tolerance);
        for (size_t k = 0; k < TOP; k++) {
            double w = weights[top_index[q * TOP + k]];
            expect_near(top_weight[q * TOP + k], w, tolerance * fmax(1.0, fabs(w)));
            size_t above = 0; /* it is the k-th largest */
            for (size_t mu = 0; mu < P; mu++) above += weights[mu] > w * (1.0 + 1e-6);
            assert_true(above <= k);
        }
    }
    free(states);
    free(before);
    free(top_weight);
    free(top_index);
    free_memory(&m);
}

static void test_one_step_equals_plain_loops(void **state) {
    (void)state;
    ireneo_dense_recall_settings s = {.preparation = RAW, .lambda = 1.0};
    const double lambdas[] = {1e-3, 0.1, 0.5, 2.0};
    for (size_t i = 0; i < sizeof lambdas / sizeof *lambdas; i++) {
        s.lambda = lambdas[i];
        expect_naive(s, 0.7f, 2e-5);
    }
    s.rule = IRENEO_DENSE_RULE_POLYNOMIAL;
    const int degrees[] = {2, 3, 6, 31};
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        s.degree = degrees[i];
        expect_naive(s, 0.7f, 5e-5);
    }
    s.rule = IRENEO_DENSE_RULE_SIGN;
    expect_naive(s, 0.3f, 1e-5);
}

static void test_exponential_is_accurate(void **state) {
    (void)state;
    float worst = 0.0f;
    for (int k = 0; k < 60000; k++) {
        float x = -0.001f * (float)k, value = x;
        double sum = ireneo_softmax_weights(&value, 1, 1.0f, 0.0f);
        double exact = exp((double)x);
        assert_true(sum == (double)value);
        worst = fmaxf(worst, (float)fabs((double)value / exact - 1.0));
    }
    assert_true(worst < 2.5e-7f);
    float far[3] = {-61.0f, -1e30f, -INFINITY};
    assert_true(ireneo_softmax_weights(far, 3, 1.0f, 0.0f) == 0.0);
    /* The vector loop and its rest give the same weights. */
    float many[53], one;
    for (int k = 0; k < 53; k++) many[k] = -0.37f * (float)k;
    ireneo_softmax_weights(many, 53, 0.5f, 0.0f);
    for (int k = 0; k < 53; k++) {
        one = -0.37f * (float)k;
        ireneo_softmax_weights(&one, 1, 0.5f, 0.0f);
        assert_memory_equal(&one, &many[k], sizeof one);
    }
}

/* Iterates to the end; returns the states. */
static float *recall_all(const memory *m, ireneo_dense_recall_settings s, size_t block, double *energy,
                         ireneo_dense_recall_info *info) {
    float *states = malloc((size_t)Q * N * sizeof *states);
    ireneo_dense_recall_result result = {.states = states, .energy_after = energy};
    expect_ok(ireneo_dense_recall_blocked(m->patterns, P, N, m->queries, Q, &s, block, &result, info));
    return states;
}

static void test_threads_and_blocks_change_nothing(void **state) {
    (void)state;
    memory m = make_memory(0.6f);
    ireneo_dense_recall_settings s = {.preparation = RAW, .lambda = 1.0};
    s.lambda = 0.4;
    s.steps = 20;
    for (int rule = IRENEO_DENSE_RULE_SOFTMAX; rule <= IRENEO_DENSE_RULE_SIGN; rule++) {
        s.rule = (ireneo_dense_rule)rule;
        s.threads = 1;
        ireneo_dense_recall_info one_info, five_info, whole_info;
        double one_energy[Q], five_energy[Q], whole_energy[Q];
        float *one = recall_all(&m, s, 512, one_energy, &one_info);
        s.threads = 5;
        float *five = recall_all(&m, s, 512, five_energy, &five_info);
        float *whole = recall_all(&m, s, P, whole_energy, &whole_info);
        assert_memory_equal(one, five, (size_t)Q * N * sizeof *one); /* threads: the same bits */
        assert_memory_equal(one_energy, five_energy, sizeof one_energy);
        assert_int_equal(one_info.steps, five_info.steps);
        for (size_t i = 0; i < (size_t)Q * N; i++) expect_near(one[i], whole[i], 5e-5);
        free(one);
        free(five);
        free(whole);
    }
    free_memory(&m);
}

static void copy_rows(void *context, size_t first, size_t rows, float *block) {
    memcpy(block, (const float *)context + first * N, rows * N * sizeof *block);
}

/* Patterns that are made when needed, in pieces merged afterwards, against an array in one pass. */
static void test_made_patterns_equal_stored_ones(void **state) {
    (void)state;
    memory m = make_memory(0.6f);
    enum { ROWS = 40 };
    double lambdas[ROWS];
    for (int k = 0; k < ROWS; k++) lambdas[k] = 0.05 * (k + 1);
    ireneo_pass_rule rule = {IRENEO_DENSE_RULE_SOFTMAX, 0.0, lambdas, 0};
    ireneo_pattern_source stored = {P, N, m.patterns, NULL, NULL}, made = {P, N, NULL, copy_rows, m.patterns};
    ireneo_pass_scratch scratch;
    ireneo_pass_sums whole, first, second;
    expect_ok(ireneo_pass_scratch_create(&scratch, N, 100, 1));
    expect_ok(ireneo_pass_sums_create(&whole, ROWS, N, 3));
    expect_ok(ireneo_pass_sums_create(&first, ROWS, N, 3));
    expect_ok(ireneo_pass_sums_create(&second, ROWS, N, 3));
    ireneo_pass_add(&stored, 0, P, &rule, m.queries, 0, &scratch, &whole);
    ireneo_pass_add(&made, 0, 700, &rule, m.queries, 0, &scratch, &first);
    ireneo_pass_add(&made, 700, P, &rule, m.queries, 0, &scratch, &second);
    ireneo_pass_merge(&rule, &second, &first);
    for (size_t r = 0; r < ROWS; r++) {
        double sum = ireneo_pass_log_partition(&rule, &whole, r);
        expect_near(ireneo_pass_log_partition(&rule, &first, r), sum, 1e-5 * (1.0 + fabs(sum)));
        assert_memory_equal(whole.top_index + 3 * r, first.top_index + 3 * r, 3 * sizeof(size_t));
        for (size_t i = 0; i < N; i++)
            expect_near(first.sum[r * N + i] / first.total[r], whole.sum[r * N + i] / whole.total[r], 1e-5);
    }
    ireneo_pass_scratch_free(&scratch);
    ireneo_pass_sums_free(&whole);
    ireneo_pass_sums_free(&first);
    ireneo_pass_sums_free(&second);
    free_memory(&m);
}

static void test_energy_never_rises(void **state) {
    (void)state;
    memory m = make_memory(1.0f);
    ireneo_dense_recall_settings s = {.preparation = RAW, .lambda = 1.0};
    s.lambda = 0.3;
    for (int rule = IRENEO_DENSE_RULE_SOFTMAX; rule <= IRENEO_DENSE_RULE_POLYNOMIAL; rule++) {
        s.rule = (ireneo_dense_rule)rule;
        double last[Q], now[Q];
        s.look = 1;
        free(recall_all(&m, s, 512, last, NULL));
        for (size_t steps = 1; steps < 12; steps++) {
            s.steps = steps, s.look = 0;
            free(recall_all(&m, s, 512, now, NULL));
            for (size_t q = 0; q < Q; q++) assert_true(now[q] <= last[q] + 1e-5 * (1.0 + fabs(last[q])));
            memcpy(last, now, sizeof last);
        }
    }
    free_memory(&m);
}

static void test_retrieves_and_reports(void **state) {
    (void)state;
    memory m = make_memory(0.5f);
    ireneo_dense_recall_settings s = {.preparation = RAW, .lambda = 1.0};
    s.top = 2;
    s.lambda = 1.0;
    float *states = malloc((size_t)Q * N * sizeof *states);
    size_t top_index[2 * Q], steps[Q];
    double top_weight[2 * Q], change[Q];
    unsigned char converged[Q];
    ireneo_dense_recall_result result = {.states = states,
                                         .steps = steps,
                                         .change = change,
                                         .converged = converged,
                                         .top_index = top_index,
                                         .top_weight = top_weight};
    ireneo_dense_recall_info info;
    expect_ok(ireneo_dense_recall(m.patterns, P, N, m.queries, Q, &s, &result, &info));
    size_t right = 0, all_steps = 0, longest = 0, done = 0;
    for (size_t q = 0; q < Q; q++) {
        right += top_index[2 * q] == 5 * q && top_weight[2 * q] > 0.5;
        all_steps += steps[q];
        longest = steps[q] > longest ? steps[q] : longest;
        done += converged[q];
        assert_true(top_weight[2 * q] >= top_weight[2 * q + 1]);
        assert_true(steps[q] >= 1 && steps[q] <= 100);
        assert_true(converged[q] == (change[q] <= 1e-5));
    }
    assert_true((double)right > 0.95 * Q);
    assert_int_equal(info.steps, all_steps);
    assert_int_equal(info.longest, longest);
    assert_int_equal(info.converged, done);
    expect_near(info.pattern_power, 1.0, 0.02);
    free(states);
    free_memory(&m);
}

static void test_huge_lambda_finds_the_nearest(void **state) {
    (void)state;
    memory m = make_memory(0.8f);
    ireneo_dense_recall_settings s = {.preparation = RAW, .lambda = 1.0};
    s.steps = 1;
    const double lambdas[] = {1e6, 1e30};
    for (size_t k = 0; k < 2; k++) {
        s.lambda = lambdas[k];
        double energy[Q];
        ireneo_dense_recall_info info;
        float *states = recall_all(&m, s, 512, energy, &info);
        for (size_t q = 0; q < Q; q++) {
            double best = -INFINITY;
            size_t nearest = 0;
            for (size_t mu = 0; mu < P; mu++) {
                double score = 0.0;
                for (size_t i = 0; i < N; i++)
                    score += (double)m.queries[q * N + i] * (double)m.patterns[mu * N + i];
                if (score > best) {
                    best = score;
                    nearest = mu;
                }
            }
            assert_true(isfinite(energy[q]));
            assert_memory_equal(states + q * N, m.patterns + nearest * N, N * sizeof(float));
        }
        free(states);
    }
    free_memory(&m);
}

static void test_sign_rule_completes_a_pattern(void **state) {
    (void)state;
    enum { UNITS = 400, STORED = 20, WRONG = 60 };
    float *patterns = normals(5, (size_t)STORED * UNITS), *out = malloc(STORED * UNITS * sizeof *out);
    float *queries = malloc(STORED * UNITS * sizeof *queries);
    for (size_t i = 0; i < (size_t)STORED * UNITS; i++) {
        patterns[i] = patterns[i] > 0.0f ? 1.0f : -1.0f;
        queries[i] = i % UNITS < WRONG ? -patterns[i] : patterns[i];
    }
    ireneo_dense_recall_settings s = {.preparation = RAW, .lambda = 1.0};
    s.rule = IRENEO_DENSE_RULE_SIGN;
    ireneo_dense_recall_result result = {.states = out};
    ireneo_dense_recall_info info;
    expect_ok(ireneo_dense_recall(patterns, STORED, UNITS, queries, STORED, &s, &result, &info));
    assert_int_equal(info.converged, STORED);
    assert_memory_equal(out, patterns, STORED * UNITS * sizeof *out);
    free(patterns);
    free(queries);
    free(out);
}

static void test_no_positive_score_stays(void **state) {
    (void)state;
    float patterns[4] = {1, 0, 0, 1}, query[2] = {-1, -1}, out[2];
    ireneo_dense_recall_settings s = {.preparation = RAW, .lambda = 1.0};
    s.rule = IRENEO_DENSE_RULE_POLYNOMIAL;
    ireneo_dense_recall_result result = {.states = out};
    ireneo_dense_recall_info info;
    expect_ok(ireneo_dense_recall(patterns, 2, 2, query, 1, &s, &result, &info));
    assert_memory_equal(out, query, sizeof out);
    assert_int_equal(info.converged, 1);
}

static int stop_at_once(void *context, const char *stage, double done, double total) {
    (void)context, (void)stage, (void)done, (void)total;
    return 1;
}

/* Zeros are defaults: rows of one length, lambda at or above that of the theory, and the numbers that the header names.
 * Raw patterns of twice the usual length need a quarter of the theory's lambda. */
static void test_defaults(void **state) {
    (void)state;
    memory m = make_memory(1.0f);
    float *patterns = malloc(P * N * sizeof *patterns), zeros[N] = {0};
    for (size_t k = 0; k < P * N; k++) patterns[k] = m.patterns[k];
    expect_ok(ireneo_dense_normalise(patterns, P, N));
    for (size_t k = 0; k < P * N; k++) patterns[k] *= 2.0f;
    ireneo_dense_point point = {.lambda = 1.0, .neurons = N, .patterns = P};
    ireneo_dense_basins_report theory;
    ireneo_dense_recall_info info;
    float chosen[Q * N], named[Q * N];
    ireneo_dense_recall_result result = {.states = chosen};
    expect_ok(ireneo_dense_basins(&point, &theory));
    ireneo_dense_recall_settings s = {.preparation = RAW, .unaudited = 1};
    expect_ok(ireneo_dense_recall(patterns, P, N, m.queries, Q, &s, NULL, &info));
    expect_near(info.pattern_power, 4.0, 1e-5);
    expect_near(info.lambda, theory.lambda_star / 4.0, 1e-5);
    expect_ok(ireneo_dense_recall(patterns, P, N, m.queries, Q, NULL, &result, &info));
    expect_near(info.pattern_power, 1.0, 1e-5);
    expect_near(info.shortest_pattern, 2.0 * sqrt(N), 1e-4);
    assert_true(info.lambda >= theory.lambda_star * (1.0 - 1e-6));
    s = (ireneo_dense_recall_settings){
        .lambda = info.lambda, .degree = 4, .steps = 100, .tolerance = 1e-5, .top = 0};
    result.states = named;
    expect_ok(ireneo_dense_recall(patterns, P, N, m.queries, Q, &s, &result, &info));
    assert_memory_equal(chosen, named, sizeof chosen);
    expect_error(ireneo_dense_normalise(zeros, 1, N), IRENEO_ERROR_DATA, "row 0", "zeros");
    zeros[3] = NAN;
    expect_error(ireneo_dense_normalise(zeros, 1, N), IRENEO_ERROR_DATA, "row 0, column 3", "");
    free(patterns);
    free_memory(&m);
}

static void test_bad_input(void **state) {
    (void)state;
    float patterns[6] = {1, 2, 3, 4, 5, 6}, queries[2] = {1, 1};
    ireneo_dense_recall_settings s = {.preparation = RAW, .lambda = 1.0};
#define RECALL(count, neurons, query_count)                                                                  \
    ireneo_dense_recall(patterns, (count), (neurons), queries, (query_count), &s, NULL, NULL)
    expect_ok(RECALL(3, 2, 1));
    expect_error(RECALL(0, 2, 1), IRENEO_ERROR_DATA, "at least one pattern", "");
    expect_error(RECALL(3, 0, 1), IRENEO_ERROR_DATA, "at least one pattern", "");
    expect_error(RECALL(3, 2, 0), IRENEO_ERROR_DATA, "no queries", "");
    const double bad[] = {-1.0, NAN, INFINITY};
    for (size_t i = 0; i < 3; i++) {
        s.lambda = bad[i];
        expect_error(RECALL(3, 2, 1), IRENEO_ERROR_ARGUMENT, "lambda", "");
    }
    s = (ireneo_dense_recall_settings){.preparation = RAW, .lambda = 1.0};
    s.tolerance = NAN;
    expect_error(RECALL(3, 2, 1), IRENEO_ERROR_ARGUMENT, "tolerance", "");
    s = (ireneo_dense_recall_settings){.preparation = RAW, .lambda = 1.0};
    s.rule = IRENEO_DENSE_RULE_POLYNOMIAL;
    s.degree = 1;
    expect_error(RECALL(3, 2, 1), IRENEO_ERROR_ARGUMENT, "degree", "");
    s.rule = (ireneo_dense_rule)9;
    expect_error(RECALL(3, 2, 1), IRENEO_ERROR_ARGUMENT, "rule", "");
    s = (ireneo_dense_recall_settings){.preparation = (ireneo_dense_preparation)7, .lambda = 1.0};
    expect_error(RECALL(3, 2, 1), IRENEO_ERROR_ARGUMENT, "preparation", "");
    s = (ireneo_dense_recall_settings){.preparation = RAW, .lambda = 1.0};
    patterns[3] = NAN;
    expect_error(RECALL(3, 2, 1), IRENEO_ERROR_DATA, "patterns: row 1, column 1", "");
    patterns[3] = 4;
    queries[0] = INFINITY;
    expect_error(RECALL(3, 2, 1), IRENEO_ERROR_DATA, "queries: row 0", "");
    queries[0] = 1;
    patterns[4] = patterns[5] = 0;
    expect_error(RECALL(3, 2, 1), IRENEO_ERROR_DATA, "row 2 is all zeros", "");
    patterns[4] = 1e30f;
    expect_error(RECALL(3, 2, 1), IRENEO_ERROR_DATA, "float32", "");
    patterns[4] = 5;
    ireneo_progress progress = {stop_at_once, NULL};
    s.progress = &progress;
    expect_error(RECALL(3, 2, 1), IRENEO_ERROR_CANCELLED, "stopped", "");
    assert_string_equal(ireneo_dense_rule_name(IRENEO_DENSE_RULE_POLYNOMIAL), "polynomial");
    assert_string_equal(ireneo_dense_rule_name((ireneo_dense_rule)9), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_step_equals_plain_loops),
        cmocka_unit_test(test_exponential_is_accurate),
        cmocka_unit_test(test_threads_and_blocks_change_nothing),
        cmocka_unit_test(test_made_patterns_equal_stored_ones),
        cmocka_unit_test(test_energy_never_rises),
        cmocka_unit_test(test_retrieves_and_reports),
        cmocka_unit_test(test_huge_lambda_finds_the_nearest),
        cmocka_unit_test(test_sign_rule_completes_a_pattern),
        cmocka_unit_test(test_no_positive_score_stays),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
