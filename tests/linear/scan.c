/* Passes over all scores, against brute force: the filter and selection, the search scan, the score pass. */
#include "linear/scan/scan.h"
#include "base/threads.h"
#include "linear/kernels/best.h"
#include "linear/scan/competitors.h"
#include "linear/solver/hebbian.h"
#include "linear_instance.h"

/* ---- the best few ---- */

static int by_score(const void *a, const void *b) {
    float x = ((const ireneo_hit *)a)->score, y = ((const ireneo_hit *)b)->score;
    return x > y ? -1 : x < y;
}

static void test_collect_and_select(void **state) {
    (void)state;
    ireneo_generator g = {12, 0, 0};
    float scores[1000];
    ireneo_hit hits[1100], sorted[1100];
    for (int trial = 0; trial < 3000; trial++) {
        size_t count = (size_t)ireneo_draw_below(&g, 1000), position = 0, found = 0, wanted = 0;
        int ties = trial % 3 == 0;
        for (size_t k = 0; k < count; k++) {
            double s = ireneo_draw_uniform(&g);
            scores[k] = (float)(ties ? floor(5.0 * s) : s);
        }
        float threshold = trial % 5 == 0 ? -INFINITY : (float)(ties ? 3.0 : 0.7);
        while (position < count)
            found += ireneo_best_collect(scores, count, &position, threshold, 7, hits + found,
                                         COUNT(hits) - found);
        for (size_t k = 0; k < count; k++) wanted += scores[k] > threshold;
        assert_int_equal(found, wanted);
        for (size_t k = 0; k < found; k++) {
            assert_true(hits[k].score == scores[hits[k].index - 7] && hits[k].score > threshold);
            assert_true(k == 0 || hits[k].index > hits[k - 1].index);
        }
        if (found == 0) continue;
        size_t keep = 1 + (size_t)ireneo_draw_below(&g, found);
        memcpy(sorted, hits, found * sizeof *hits);
        qsort(sorted, found, sizeof *sorted, by_score);
        assert_true(ireneo_best_select(hits, found, keep) == sorted[keep - 1].score);
        qsort(hits, keep, sizeof *hits, by_score);
        for (size_t k = 0; k < keep; k++) assert_true(hits[k].score == sorted[k].score);
    }
}

/* ---- the search scan ---- */

/* Lists against all scores in float64: the target's score, no target among its competitors, no competitor
 * twice, and the best ones: every score that is left out lies below all listed ones, and the list is full
 * unless nothing above the threshold is missing. */
static void expect_best_lists(const ireneo_problem *p, const ireneo_working_set *l, const float *w,
                              size_t keep, float reach) {
    size_t most = keep < p->columns - 1 ? keep : p->columns - 1;
    size_t room = most + most / 4; /* a few more than asked for are carried rather than sorted out */
    double share = 1.05 * (double)most / (double)p->columns;
    double *score = malloc(p->columns * sizeof *score);
    unsigned char *listed = malloc(p->columns);
    for (size_t i = 0; i < p->rows; i++) {
        double h[256], spread = 0.0, lowest = INFINITY, left_out = -INFINITY;
        for (size_t a = 0; a < p->dim_out; a++) {
            h[a] = 0.0;
            for (size_t b = 0; b < p->dim_in; b++)
                h[a] += (double)w[a * p->dim_in + b] * (double)p->x[i * p->dim_in + b];
            spread += h[a] * h[a];
        }
        spread = sqrt(spread);
        for (size_t j = 0; j < p->columns; j++) {
            score[j] = 0.0;
            for (size_t a = 0; a < p->dim_out; a++) score[j] += h[a] * (double)p->y[j * p->stride + a];
        }
        size_t target = ireneo_problem_target(p, i), count = l->count[i];
        double slack = 2e-5 * spread, target_score = score[target];
        expect_close((double)l->target_score[i], target_score, slack);
        memset(listed, 0, p->columns);
        assert_true(count <= room);
        for (size_t k = 0; k < count; k++) {
            size_t j = l->index[i * l->capacity + k];
            assert_true(j < p->columns && j != target && !listed[j]);
            listed[j] = 1;
            expect_close((double)l->score[i * l->capacity + k], score[j], slack);
            lowest = fmin(lowest, score[j]);
        }
        for (size_t k = count; k < ireneo_working_set_slots(l, i); k++)
            assert_true(l->score[i * l->capacity + k] == -INFINITY);
        for (size_t j = 0; j < p->columns; j++)
            if (!listed[j] && j != target) left_out = fmax(left_out, score[j]);
        assert_true(left_out <= lowest + slack);
        if (count >= most) continue;
        double gaussian = -INFINITY;
        if (share < 1.0) { /* bisect Q(x) = share */
            double low = -10.0, high = 10.0;
            for (int k = 0; k < 60; k++) {
                double middle = 0.5 * (low + high);
                if (0.5 * erfc(middle * M_SQRT1_2) > share)
                    low = middle;
                else
                    high = middle;
            }
            gaussian = low * spread;
        }
        if (p->int8.packed == NULL || count < most / 4)
            gaussian = fmin(gaussian, target_score - (double)reach);
        assert_true(left_out <= gaussian + slack);
    }
    free(score), free(listed);
}

static void check_competitors(instance *data, size_t keep, float reach) {
    ireneo_problem p;
    ireneo_working_set set, again;
    ireneo_enter(1, NULL);
    expect_ok(ireneo_problem_make(&data->facts, 2, &p));
    expect_ok(ireneo_problem_pack(&p));
    float *w = malloc(p.dim_out * p.dim_in * sizeof *w);
    expect_ok(ireneo_hebbian_sum(&p, w));
    expect_ok(ireneo_working_set_allocate(&p, 160, false, &set));
    expect_ok(ireneo_working_set_allocate(&p, 160, false, &again));
    for (int round = 0; round < 2; round++) { /* a second scan replaces the lists of the first */
        if (round == 1) ireneo_fill_normal_floats(13, 0, 0, p.dim_out * p.dim_in, w);
        expect_ok(ireneo_find_competitors(&p, w, keep, reach, NULL, &set));
        expect_best_lists(&p, &set, w, keep, reach);
    }
    p.threads = 7;
    expect_ok(ireneo_find_competitors(&p, w, keep, reach, NULL, &again));
    assert_memory_equal(set.count, again.count, p.rows * sizeof *set.count);
    for (size_t i = 0; i < p.rows; i++)
        assert_memory_equal(set.index + i * set.capacity, again.index + i * set.capacity,
                            set.count[i] * sizeof *set.index);
    ireneo_leave(IRENEO_OK);
    ireneo_working_set_free(&set), ireneo_working_set_free(&again);
    ireneo_problem_free(&p);
    free(w);
}

static void test_competitors_are_the_best(void **state) {
    (void)state;
    static const size_t keeps[] = {1, 5, 48, 64, 160};
    for (size_t k = 0; k < COUNT(keeps); k++) {
        instance gaussian = make_instance(14, 150, 2500, 15, 21, 1);
        check_competitors(&gaussian, keeps[k], 0.025f);
        check_competitors(&gaussian, keeps[k],
                          1e3f); /* everything is a hit: buffers overflow, targets among the best */
        free_instance(&gaussian);
        instance heavy =
            make_instance(15, 150, 2500, 15, 21, 0); /* cubes: far beyond any Gaussian threshold */
        for (size_t i = 0; i < (size_t)2500 * 21; i++) heavy.values[i] *= heavy.values[i] * heavy.values[i];
        check_competitors(&heavy, keeps[k], 0.5f);
        free_instance(&heavy);
        instance clumped =
            make_instance(16, 100, 3000, 10, 12, 1); /* most values nearly alike, a few far out */
        for (size_t j = 0; j < 3000; j++)
            for (size_t a = 0; a < 12; a++) clumped.values[j * 12 + a] *= j % 50 == 0 ? 10.0f : 0.01f;
        check_competitors(&clumped, keeps[k], 0.025f);
        free_instance(&clumped);
        instance few = make_instance(17, 60, 7, 9, 6, 1); /* fewer candidates than places */
        check_competitors(&few, keeps[k], 0.025f);
        free_instance(&few);
        instance two = make_instance(18, 40, 2, 9, 6, 1);
        check_competitors(&two, keeps[k], 0.025f);
        free_instance(&two);
    }
}

/* More competitors than a row has slots: the working set is cut down to them, and so is what a scan keeps. */
static void test_no_more_than_slots(void **state) {
    (void)state;
    instance data = make_instance(20, 30, 2500, 10, 12, 1);
    ireneo_problem p;
    ireneo_working_set set;
    ireneo_enter(1, NULL);
    expect_ok(ireneo_problem_make(&data.facts, 2, &p));
    float *w = malloc(p.dim_out * p.dim_in * sizeof *w);
    expect_ok(ireneo_hebbian_sum(&p, w));
    expect_ok(ireneo_working_set_allocate(&p, 2400, false, &set));
    assert_int_equal(set.capacity, IRENEO_MOST_SLOTS);
    expect_ok(ireneo_find_competitors(&p, w, 2400, 1e3f, NULL, &set));
    for (size_t i = 0; i < p.rows; i++) assert_true(set.count[i] > 400 && set.count[i] <= IRENEO_MOST_SLOTS);
    expect_best_lists(&p, &set, w, IRENEO_MOST_SLOTS, 1e3f);
    ireneo_leave(IRENEO_OK);
    ireneo_working_set_free(&set);
    ireneo_problem_free(&p);
    free(w);
    free_instance(&data);
}

/* Values that occur many times: any of equal competitors may be listed, but no better one may be missing. */
static void test_competitors_with_ties(void **state) {
    (void)state;
    instance tied = make_instance(19, 100, 2400, 8, 10, 1);
    for (size_t j = 20; j < 2400; j++)
        memcpy(tied.values + j * 10, tied.values + j % 20 * 10, 10 * sizeof(float));
    check_competitors(&tied, 48, 0.025f);
    check_competitors(&tied, 130, 0.025f);
    free_instance(&tied);
}

/* ---- the score pass ---- */

typedef struct seen {
    const float *keys;
    size_t dim, rows, columns;
    float *scores; /* (rows, columns) */
    unsigned char *times;
    int begun, finished;
} seen;

static void make_rows(void *context, int thread, size_t first, size_t count, float *h) {
    (void)thread;
    seen *s = context;
    memcpy(h, s->keys + first * s->dim, count * s->dim * sizeof *h);
}
static void see_begin(void *context, int thread, size_t first, size_t count, const float *h) {
    (void)thread, (void)first, (void)count, (void)h;
    __atomic_fetch_add(&((seen *)context)->begun, (int)count, __ATOMIC_RELAXED);
}
static void see_block(void *context, int thread, size_t first, size_t count, size_t column, size_t columns,
                      const float *scores) {
    (void)thread;
    seen *s = context;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < columns; j++) {
            s->scores[(first + i) * s->columns + column + j] = scores[i * columns + j];
            s->times[(first + i) * s->columns + column + j]++;
        }
}
static void see_finish(void *context, int thread, size_t first, size_t count, const float *h) {
    (void)thread, (void)first, (void)count, (void)h;
    __atomic_fetch_add(&((seen *)context)->finished, (int)count, __ATOMIC_RELAXED);
}

static void stored_candidates(const void *context, size_t fact, size_t first, size_t count, float *values) {
    (void)fact;
    const ireneo_facts *f = context;
    memcpy(values, f->values + first * f->dim_out, count * f->dim_out * sizeof *values);
}

static void run_seen_sweep(const instance *data, int own, int threads, seen *s) {
    const ireneo_facts *f = &data->facts;
    *s = (seen){.keys = f->keys, .dim = f->dim_out, .rows = f->facts, .columns = f->candidates};
    s->scores = malloc(s->rows * s->columns * sizeof *s->scores);
    s->times = calloc(s->rows * s->columns, 1);
    ireneo_scan scan = {.rows = s->rows,
                        .columns = s->columns,
                        .dim = s->dim,
                        .values = own ? NULL : f->values,
                        .own_candidates = own ? stored_candidates : NULL,
                        .own_context = f,
                        .threads = threads,
                        .stage = "test",
                        .make = make_rows,
                        .begin = see_begin,
                        .block = see_block,
                        .finish = see_finish,
                        .context = s};
    ireneo_enter(1, NULL);
    expect_ok(ireneo_scan_run(&scan));
    ireneo_leave(IRENEO_OK);
    assert_int_equal(s->begun, s->rows);
    assert_int_equal(s->finished, s->rows);
    for (size_t k = 0; k < s->rows * s->columns; k++) assert_int_equal(s->times[k], 1);
}

/* Every score once, right, and the same from stored and from own candidates, for any number of threads. */
static void test_scan(void **state) {
    (void)state;
    static const size_t shapes[][2] = {{1, 1}, {1, 1025}, {47, 1024}, {49, 1023}, {700, 130}, {130, 2100}};
    for (size_t c = 0; c < COUNT(shapes); c++) {
        instance data = make_instance(20, shapes[c][0], shapes[c][1], 13, 13, 1);
        seen shared, own, again;
        run_seen_sweep(&data, 0, 2, &shared);
        run_seen_sweep(&data, 1, 2, &own);
        run_seen_sweep(&data, 0, 7, &again);
        for (size_t i = 0; i < shapes[c][0]; i++)
            for (size_t j = 0; j < shapes[c][1]; j++) {
                double wanted = 0.0;
                for (size_t k = 0; k < 13; k++)
                    wanted += (double)data.keys[i * 13 + k] * (double)data.values[j * 13 + k];
                expect_close((double)shared.scores[i * shapes[c][1] + j], wanted, 2e-5);
                expect_close((double)own.scores[i * shapes[c][1] + j], wanted, 2e-5);
            }
        assert_memory_equal(shared.scores, again.scores, shapes[c][0] * shapes[c][1] * sizeof(float));
        free(shared.scores), free(shared.times), free(own.scores), free(own.times);
        free(again.scores), free(again.times);
        free_instance(&data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collect_and_select),
        cmocka_unit_test(test_competitors_are_the_best),
        cmocka_unit_test(test_no_more_than_slots),
        cmocka_unit_test(test_competitors_with_ties),
        cmocka_unit_test(test_scan),
    };
    return cmocka_run_group_tests_name("linear scan", tests, NULL, NULL);
}
