/* Calls that run at the same time, and calls in a forked child: the bits are those of a call that runs alone, and
 * BLAS's thread count is afterwards what the caller made it. */
#include "base/blas.h"
#include "linear_instance.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FACTS = 150, DIM = 16, PATTERNS = 300, NEURONS = 24, QUERIES = 40, CALLERS = 4, ROUNDS = 3 };

/* Everything one caller finds out. Zero-initialised before it is filled: compared byte by byte. */
typedef struct findings {
    float stored[DIM * DIM], trained[DIM * DIM], states[QUERIES * NEURONS], scores[FACTS * 3];
    int64_t indices[FACTS * 3];
    size_t recalled, checked;
    double margin, loss, network_loss;
} findings;

typedef struct caller {
    uint64_t seed;
    int threads;
    findings found;
    char fault[256];
} caller;

/* Notes the first failure; cmocka's own assertions only work in the main thread. */
static void note(caller *c, const char *what, ireneo_error failed) {
    if (failed != IRENEO_OK && c->fault[0] == '\0')
        snprintf(c->fault, sizeof c->fault, "%s: %s", what, ireneo_last_error());
}

static void use_linear(caller *c) {
    instance i = make_instance(c->seed, FACTS, FACTS, DIM, DIM, 0);
    ireneo_store_settings settings = {.threads = c->threads};
    ireneo_train_settings train = {.threads = c->threads, .max_steps = 20, .seed = c->seed};
    ireneo_store_info info;
    ireneo_train_info trained;
    ireneo_check_report report;
    ireneo_memory *m = NULL, *t = NULL;
    note(c, "store", ireneo_store(&i.facts, &settings, &m, NULL, &info));
    note(c, "train", ireneo_train(&i.facts, &train, &t, &trained));
    if (m != NULL && t != NULL) {
        note(c, "recall",
             ireneo_recall(m, i.keys, FACTS, i.values, FACTS, 3,
                           &(ireneo_run_settings){.threads = c->threads}, c->found.indices, c->found.scores));
        note(c, "check",
             ireneo_check(m, &i.facts, &(ireneo_run_settings){.threads = c->threads}, NULL, &report));
        memcpy(c->found.stored, m->matrix, sizeof c->found.stored);
        memcpy(c->found.trained, t->matrix, sizeof c->found.trained);
        c->found.recalled = info.recalled;
        c->found.checked = report.recalled;
        c->found.margin = report.margin;
        c->found.loss = trained.loss;
    }
    ireneo_memory_free(m);
    ireneo_memory_free(t);
    free_instance(&i);
}

static void use_dense(caller *c) {
    float patterns[PATTERNS * NEURONS], queries[QUERIES * NEURONS];
    note(c, "patterns", ireneo_random_normals_float(c->seed, 1, 0, PATTERNS * NEURONS, c->threads, patterns));
    note(c, "queries", ireneo_random_normals_float(c->seed, 2, 0, QUERIES * NEURONS, c->threads, queries));
    ireneo_dense_recall_settings settings = {0};
    settings.threads = c->threads;
    ireneo_dense_recall_result result = {.states = c->found.states};
    note(c, "dense recall",
         ireneo_dense_recall(patterns, PATTERNS, NEURONS, queries, QUERIES, &settings, &result, NULL));
}

static void use_network(caller *c) {
    ireneo_transformer t;
    char text[2000];
    ireneo_attention_train_settings settings = {
        .steps = 3, .batch = 4, .seed = c->seed, .threads = c->threads};
    ireneo_attention_train_report report;
    for (size_t k = 0; k < sizeof text; k++) text[k] = (char)('a' + k * k % 13);
    ireneo_transformer_defaults(&t);
    t.layers = 2, t.width = t.mlp_width = 16, t.heads = 2, t.context = 8.0;
    note(c, "attention train", ireneo_attention_train(&t, text, sizeof text, &settings, &report));
    c->found.network_loss = report.final_loss;
}

static void *use_everything(void *context) {
    caller *c = context;
    memset(&c->found, 0, sizeof c->found);
    use_linear(c);
    use_dense(c);
    use_network(c);
    return NULL;
}

static void expect_same(const caller *got, const caller *wanted) {
    if (got->fault[0] != '\0') fail_msg("%s", got->fault);
    assert_memory_equal(&got->found, &wanted->found, sizeof got->found);
}

static void make_alone(caller *callers) {
    for (int k = 0; k < CALLERS; k++) {
        callers[k] = (caller){.seed = 100 + (uint64_t)k, .threads = 1};
        use_everything(&callers[k]);
        if (callers[k].fault[0] != '\0') fail_msg("%s", callers[k].fault);
    }
}

/* All callers at once, each with another number of threads of its own. */
static void run_together(caller *callers) {
    pthread_t threads[CALLERS];
    for (int k = 0; k < CALLERS; k++) {
        callers[k] = (caller){.seed = 100 + (uint64_t)k, .threads = 1 + k % 3};
        assert_int_equal(pthread_create(&threads[k], NULL, use_everything, &callers[k]), 0);
    }
    for (int k = 0; k < CALLERS; k++) pthread_join(threads[k], NULL);
}

static caller alone[CALLERS], together[CALLERS];

static void test_concurrent(void **state) {
    (void)state;
    make_alone(alone);
    int before = ireneo_blas_threads();
    for (int blas = 1; blas <= 3; blas++) {
        ireneo_blas_set_threads(blas);
        int asked = ireneo_blas_threads(); /* the machine may allow fewer */
        for (int round = 0; round < ROUNDS; round++) {
            run_together(together);
            for (int k = 0; k < CALLERS; k++) expect_same(&together[k], &alone[k]);
            assert_int_equal(ireneo_blas_threads(), asked);
        }
    }
    ireneo_blas_set_threads(before);
}

/* A child that hangs is ended by its alarm, and is seen to be. */
static void expect_child_succeeds(pid_t child) {
    int status = 0;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) fail_msg("the child was ended by signal %d", WTERMSIG(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void be_child(void) {
    alarm(120);
    caller c = {.seed = 100, .threads = 0};
    use_everything(&c);
    if (c.fault[0] != '\0') fprintf(stderr, "%s\n", c.fault);
    _exit(c.fault[0] != '\0' ? 2 : memcmp(&c.found, &alone[0].found, sizeof c.found) != 0);
}

static void test_fork_after_use(void **state) {
    (void)state;
    make_alone(alone);
    caller warm = {.seed = 100, .threads = 3};
    use_everything(&warm); /* the pool's threads exist now */
    expect_same(&warm, &alone[0]);
    pid_t child = fork();
    if (child == 0) be_child();
    expect_child_succeeds(child);
    use_everything(&warm); /* and the parent goes on */
    expect_same(&warm, &alone[0]);
}

static atomic_int goes_on;

static void *keep_busy(void *context) {
    while (atomic_load(&goes_on)) use_everything(context);
    return NULL;
}

/* Another thread is inside the library while this one forks. */
static void test_fork_while_in_use(void **state) {
    (void)state;
    make_alone(alone);
    int before = ireneo_blas_threads();
    caller busy = {.seed = 101, .threads = 2};
    pthread_t thread;
    atomic_store(&goes_on, 1);
    assert_int_equal(pthread_create(&thread, NULL, keep_busy, &busy), 0);
    for (int k = 0; k < 5; k++) {
        usleep(3000);
        pid_t child = fork();
        if (child == 0) be_child();
        expect_child_succeeds(child);
    }
    atomic_store(&goes_on, 0);
    pthread_join(thread, NULL);
    assert_int_equal(ireneo_blas_threads(), before);
}

/* Twenty thousand threads would not start; the sentence says how many may. */
static void test_absurd_threads(void **state) {
    (void)state;
    const int absurd[] = {-1, 4097, 100000};
    float values[4];
    for (size_t k = 0; k < COUNT(absurd); k++) {
        assert_int_equal(ireneo_random_normals_float(1, 1, 0, 4, absurd[k], values), IRENEO_ERROR_ARGUMENT);
        assert_non_null(strstr(ireneo_last_error(), "threads must lie between 1 and 4096"));
    }
    caller many = {.seed = 100, .threads = 4096};
    make_alone(alone);
    use_everything(&many);
    expect_same(&many, &alone[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_concurrent),
        cmocka_unit_test(test_fork_after_use),
        cmocka_unit_test(test_fork_while_in_use),
        cmocka_unit_test(test_absurd_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
