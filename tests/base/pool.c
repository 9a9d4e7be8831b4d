/* The pool: every piece once, whoever runs it; threads that sleep; callers side by side, inside each other and forked. */
#include "base/pool.h"
#include "base/clock.h"
#include "base/threads.h"
#include "expect.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PIECES = 2000, MOST = 5 };

typedef struct tally {
    atomic_int done[PIECES], strange; /* strange: a thread number out of range, or used by two at a time */
    int threads;
    atomic_int busy[MOST];
} tally;

static void mark(void *context, size_t index, int thread) {
    tally *t = context;
    if (thread < 0 || thread >= t->threads || atomic_fetch_add(&t->busy[thread], 1) != 0)
        atomic_fetch_add(&t->strange, 1);
    atomic_fetch_add(&t->done[index], 1);
    if (thread >= 0 && thread < t->threads) atomic_fetch_sub(&t->busy[thread], 1);
}

static void expect_each_once(tally *t, size_t count) {
    assert_int_equal(atomic_load(&t->strange), 0);
    for (size_t k = 0; k < PIECES; k++) assert_int_equal(atomic_load(&t->done[k]), k < count);
}

static void test_every_piece_once(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 3, 7, PIECES};
    for (int round = 0; round < 200; round++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            tally t = {.threads = 1 + round % MOST};
            ireneo_share(counts[c], t.threads, mark, &t);
            expect_each_once(&t, counts[c]);
        }
}

static void mark_rows(void *context, size_t first, size_t last) {
    tally *t = context;
    if (last <= first || last - first > 7) atomic_fetch_add(&t->strange, 1);
    for (size_t k = first; k < last; k++) atomic_fetch_add(&t->done[k], 1);
}

static void test_rows(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 6, 7, 8, 700, PIECES};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        tally t = {.threads = 3};
        ireneo_share_rows(counts[c], 7, 3, mark_rows, &t);
        expect_each_once(&t, counts[c]);
    }
}

/* A helper takes part: the first piece waits until another one has begun, which only a second thread can do. */
static void wait_for_another(void *context, size_t index, int thread) {
    (void)index, (void)thread;
    atomic_int *begun = context;
    atomic_fetch_add(begun, 1);
    for (double until = ireneo_seconds() + 60.0; atomic_load(begun) < 2 && ireneo_seconds() < until;)
        usleep(100);
}

static void test_others_help(void **state) {
    (void)state;
    for (int round = 0; round < 20; round++) {
        atomic_int begun = 0;
        ireneo_share(2, 2, wait_for_another, &begun);
        assert_int_equal(atomic_load(&begun), 2);
        usleep(500); /* long enough to fall asleep in some rounds */
    }
}

static void share_again(void *context, size_t index, int thread) {
    (void)index, (void)thread;
    tally inner = {.threads = 1}; /* a loop inside a piece has one thread, number 0 */
    ireneo_share(10, MOST, mark, &inner);
    for (size_t k = 0; k < 10; k++)
        if (atomic_load(&inner.done[k]) != 1) atomic_fetch_add(&((tally *)context)->strange, 1);
    atomic_fetch_add(&((tally *)context)->strange, atomic_load(&inner.strange));
    atomic_fetch_add(&((tally *)context)->done[index], 1);
}

static void test_loops_inside_loops(void **state) {
    (void)state;
    tally t = {.threads = 3};
    ireneo_share(50, 3, share_again, &t);
    expect_each_once(&t, 50);
}

/* Hands its argument back when all went well. */
static void *call_often(void *unused) {
    for (int round = 0; round < 100; round++) {
        tally *t = calloc(1, sizeof *t);
        if (t == NULL) return NULL;
        t->threads = 3;
        ireneo_share(PIECES, 3, mark, t);
        for (size_t k = 0; k < PIECES; k++)
            if (atomic_load(&t->done[k]) != 1 || atomic_load(&t->strange) != 0) return free(t), NULL;
        free(t);
    }
    return unused;
}

static void test_callers_side_by_side(void **state) {
    (void)state;
    pthread_t callers[4];
    for (size_t k = 0; k < 4; k++)
        assert_int_equal(pthread_create(&callers[k], NULL, call_often, callers), 0);
    for (size_t k = 0; k < 4; k++) {
        void *result = NULL;
        pthread_join(callers[k], &result);
        assert_non_null(result);
    }
}

/* Threads that spin would use as much processor time as passes; a busy machine can only make it less. */
static void test_waiting_threads_sleep(void **state) {
    (void)state;
    tally t = {.threads = MOST};
    ireneo_share(PIECES, MOST, mark, &t);
    struct timespec before, after, pause = {.tv_nsec = 400000000};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    double used = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    assert_true(used < 0.1);
}

/* Helpers do not take the caller's signals. */
static void test_signals_are_blocked(void **state) {
    (void)state;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    assert_int_equal(sigismember(&mask, SIGINT), 0); /* the caller's mask is what it was */
}

static void test_forked_child(void **state) {
    (void)state;
    tally t = {.threads = 3};
    ireneo_thread_count(3); /* forks are watched from here on */
    ireneo_share(PIECES, 3, mark, &t);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        atomic_int begun = 0;
        alarm(60);
        ireneo_share(2, 2, wait_for_another, &begun); /* with threads of its own */
        _exit(atomic_load(&begun) == 2 ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_piece_once),     cmocka_unit_test(test_rows),
        cmocka_unit_test(test_others_help),          cmocka_unit_test(test_loops_inside_loops),
        cmocka_unit_test(test_callers_side_by_side), cmocka_unit_test(test_waiting_threads_sleep),
        cmocka_unit_test(test_signals_are_blocked),  cmocka_unit_test(test_forked_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
