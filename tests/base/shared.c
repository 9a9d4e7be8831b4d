/* What several rooms build on: exponentials and reductions of floats, Adam, the parallel loop, hashes. */
#include "base/adam.h"
#include "base/exponential.h"
#include "base/floats.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "expect.h"
#include "scratch.h"

#include <pthread.h>
#include <string.h>

static void test_exponential(void **state) {
    (void)state;
    for (float x = -87.0f; x <= 88.0f; x += 0.00371f)
        expect_close((double)ireneo_exp_float(x) / exp((double)x), 1.0, 2e-7);
    float ends[] = {-88.0f, -INFINITY, 0.0f, NAN, 200.0f};
    ireneo_exp_sum(ends, 5, 1.0f, 0.0f, -87.0f);
    assert_true(ends[0] == 0.0f && ends[1] == 0.0f && ends[2] == 1.0f && isnan(ends[3]));
    expect_close((double)ends[4] / exp(88.0), 1.0, 1e-6);
}

/* Sums of a softmax row, with a factor and with small weights cut off. */
static void test_exponential_sums(void **state) {
    (void)state;
    for (size_t count = 0; count <= 101; count++) {
        float many[101];
        double sum = 0.0;
        for (size_t i = 0; i < count; i++) many[i] = 0.05f * (float)((i * 37) % 101) - 3.0f;
        for (size_t i = 0; i < count; i++) {
            double x = 7.0 * ((double)many[i] - 2.0);
            sum += x < -20.0 ? 0.0 : exp(x);
        }
        expect_close(ireneo_exp_sum(many, count, 7.0f, 2.0f, -20.0f), sum, 2e-6 * sum);
        if (count > 0) assert_true(many[0] == 0.0f); /* exp(-35) */
    }
}

static void test_reductions(void **state) {
    (void)state;
    float many[101] = {0};
    double squares = 0.0;
    assert_true(isinf(ireneo_largest_float(many, 0)) && ireneo_square_sum(many, 0) == 0.0);
    for (size_t count = 1; count <= 101; count++) {
        many[count - 1] = (float)((count * 37) % 101) - 150.0f; /* below zero, in no order */
        float largest = many[0];
        for (size_t i = 1; i < count; i++) largest = many[i] > largest ? many[i] : largest;
        squares += (double)many[count - 1] * (double)many[count - 1]; /* whole numbers: exact */
        assert_true(ireneo_largest_float(many, count) == largest);
        assert_true(ireneo_square_sum(many, count) == squares);
    }
}

/* ---- Adam ---- */

/* With a steady gradient every step has the length of the rate. */
static void test_adam_is_steady(void **state) {
    (void)state;
    const ireneo_adam_settings settings[] = {{0.9, 0.999, true, 0.0f}, {0.9, 0.98, false, 1e-36f}};
    for (size_t k = 0; k < 2; k++) {
        ireneo_adam adam;
        float x[3] = {1.0f, -2.0f, 0.0f}, gradient[3] = {4.0f, -1e-3f, 0.0f};
        expect_ok(ireneo_adam_open(&settings[k], 3, &adam));
        for (int step = 0; step < 3; step++) ireneo_adam_step(&adam, 0.1, 0.5, gradient, x, 1);
        expect_close((double)x[0], 0.7, 1e-4);
        expect_close((double)x[1], -1.7, 1e-4);
        assert_true(x[2] == 0.0f);
        ireneo_adam_close(&adam);
    }
}

/* Against the formula in double precision, with gradients that change, more parameters than one chunk, and
 * the same bits whatever the number of threads. */
static void test_adam_against_formula(void **state) {
    (void)state;
    enum { COUNT_ = 40000, STEPS = 20 };
    static float gradient[COUNT_], x[2][COUNT_];
    static double m[COUNT_], v[COUNT_], exact[COUNT_];
    const ireneo_adam_settings settings[] = {{0.9, 0.999, true, 0.0f}, {0.9, 0.98, false, 1e-36f}};
    for (size_t k = 0; k < 2; k++) {
        double b1 = settings[k].mean_decay, b2 = settings[k].square_decay;
        ireneo_adam adam[2];
        for (int t = 0; t < 2; t++) expect_ok(ireneo_adam_open(&settings[k], COUNT_, &adam[t]));
        memset(x, 0, sizeof x), memset(m, 0, sizeof m), memset(v, 0, sizeof v);
        memset(exact, 0, sizeof exact);
        for (int step = 1; step <= STEPS; step++) {
            for (size_t i = 0; i < COUNT_; i++) {
                gradient[i] = (float)sin((double)i + 0.3 * step);
                double g = 0.5 * (double)gradient[i];
                m[i] = b1 * m[i] + (1.0 - b1) * g;
                v[i] = b2 * v[i] + (1.0 - b2) * g * g;
                exact[i] -= 0.01 * m[i] / (1.0 - pow(b1, step)) / (sqrt(v[i] / (1.0 - pow(b2, step))) + 1e-8);
            }
            for (int t = 0; t < 2; t++) ireneo_adam_step(&adam[t], 0.01, 0.5, gradient, x[t], 1 + 2 * t);
        }
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        for (size_t i = 0; i < COUNT_; i++) expect_close((double)x[0][i], exact[i], 2e-6);
        for (int t = 0; t < 2; t++) ireneo_adam_close(&adam[t]);
    }
}

/* ---- the parallel loop ---- */

typedef struct tally {
    unsigned char done[1000];
    size_t bad; /* the task that fails; SIZE_MAX: none */
} tally;

static ireneo_error mark(void *context, size_t index, int thread) {
    tally *t = context;
    if (thread < 0 || thread >= 3) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "thread %d", thread);
    t->done[index]++;
    return index == t->bad ? ireneo_fail(IRENEO_ERROR_DATA, "task %zu is bad", index) : IRENEO_OK;
}

typedef struct listener {
    int calls, stop_at, others;
    double last;
    pthread_t caller;
} listener;

static int listen(void *context, const char *stage, double done, double total) {
    listener *l = context;
    if (!pthread_equal(pthread_self(), l->caller) || strcmp(stage, "marking") != 0 || total != 1000.0 ||
        done < l->last)
        l->others++;
    l->last = done;
    return ++l->calls == l->stop_at;
}

static size_t marked(const tally *t) {
    size_t count = 0;
    for (size_t i = 0; i < 1000; i++) count += t->done[i];
    return count;
}

static void test_parallel_loop(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        tally t = {.bad = SIZE_MAX};
        listener ear = {.caller = pthread_self()};
        ireneo_progress progress = {.report = listen, .context = &ear};
        expect_ok(ireneo_parallel(1000, threads, &progress, "marking", mark, &t));
        for (size_t i = 0; i < 1000; i++) assert_int_equal(t.done[i], 1);
        assert_true(ear.calls >= 1 && ear.others == 0);
        expect_ok(ireneo_parallel(0, threads, NULL, "marking", mark, &t));
    }
}

static void test_parallel_failure(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        tally t = {.bad = 17};
        expect_error(ireneo_parallel(1000, threads, NULL, "marking", mark, &t), IRENEO_ERROR_DATA,
                     "task 17 is bad", "");
        if (threads == 1) assert_int_equal(marked(&t), 18);
    }
}

static void test_parallel_cancelled(void **state) {
    (void)state;
    tally t = {.bad = SIZE_MAX};
    listener first = {.stop_at = 1, .caller = pthread_self()},
             third = {.stop_at = 3, .caller = pthread_self()};
    ireneo_progress progress = {.report = listen, .context = &first};
    expect_error(ireneo_parallel(1000, 1, &progress, "marking", mark, &t), IRENEO_ERROR_CANCELLED, "stopped",
                 "marking");
    assert_int_equal(marked(&t), 0);
    progress.context = &third;
    expect_error(ireneo_parallel(1000, 1, &progress, "marking", mark, &t), IRENEO_ERROR_CANCELLED, "stopped",
                 "marking");
    assert_int_equal(marked(&t), 2);
}

/* ---- hashes ---- */

/* Files hold such numbers: they must not change. The first outputs of splitmix64 with seed 0 are those of its
 * authors' program (prng.di.unimi.it/splitmix64.c). */
static void test_hash(void **state) {
    (void)state;
    assert_true(ireneo_hash_number(IRENEO_GOLDEN_RATIO) == 0xe220a8397b1dcdafu);
    assert_true(ireneo_hash_number(2 * IRENEO_GOLDEN_RATIO) == 0x6e789e6aa1b965f4u);
    uint64_t product = (0x49726e656fu ^ 7u) * 0xbf58476d1ce4e5b9u;
    assert_true(ireneo_hash_word(0x49726e656fu, 7u, 29) == (product ^ product >> 29));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponential),
        cmocka_unit_test(test_exponential_sums),
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_adam_is_steady),
        cmocka_unit_test(test_adam_against_formula),
        cmocka_unit_test(test_parallel_loop),
        cmocka_unit_test(test_parallel_failure),
        cmocka_unit_test(test_parallel_cancelled),
        cmocka_unit_test(test_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
