/* Data whose rounding to eight bits is of no use: answers stay right, and the work stays near that of float32. Work is
 * counted in products of a row and a candidate, not timed: one in integers counts a half, one of a hit that is scored
 * again three times a plain one, both more than they cost (docs/integers.md). */
#include "base/threads.h"
#include "linear/scan/scan.h"
#include "linear_instance.h"

#include <float.h>

enum { ROWS = 160, COLUMNS = 3000, DIM = 48, ROOM = 512, TOP = 3 };

/* A scan that keeps each row's best scores, as recall does. */
typedef struct keeper {
    const float *rows, *values;
    ireneo_int8 int8;
    size_t tile;
    float best[ROWS][TOP];
    size_t seen[ROWS];
    ireneo_scan_work work;
} keeper;

static void make_rows(void *context, int thread, size_t first, size_t count, float *h) {
    (void)thread;
    const keeper *k = context;
    memcpy(h, k->rows + first * DIM, count * DIM * sizeof *h);
}

static void keep(keeper *k, size_t row, float score) {
    float *best = k->best[row];
    for (size_t q = 0; q < TOP; q++)
        if (score > best[q]) {
            float lower = best[q];
            best[q] = score;
            score = lower;
        }
}

static void take_block(void *context, int thread, size_t first, size_t count, size_t column, size_t columns,
                       const float *scores) {
    (void)thread, (void)column;
    keeper *k = context;
    for (size_t i = 0; i < count; i++) {
        k->seen[first + i] += columns;
        for (size_t j = 0; j < columns; j++) keep(k, first + i, scores[i * columns + j]);
    }
}

static bool set_thresholds(void *context, int thread, size_t first, size_t count,
                           const ireneo_int8_rows *rows, float *threshold) {
    (void)thread, (void)rows;
    const keeper *k = context;
    for (size_t i = 0; i < count; i++) {
        float lowest = k->best[first + i][TOP - 1], size = sqrtf(FLT_EPSILON) * fabsf(lowest);
        if (lowest == -INFINITY) return false;
        threshold[i] = lowest - size - FLT_MIN;
    }
    return true;
}

static void take_hits(void *context, int thread, size_t first, size_t count, size_t columns, const float *h,
                      const uint32_t *hits, size_t room, const uint32_t *found) {
    (void)thread;
    keeper *k = context;
    for (size_t i = 0; i < count; i++) {
        k->seen[first + i] += columns;
        assert_true(found[i] <= room && found[i] <= columns / 5 + IRENEO_PANEL_GROUP);
        for (uint32_t q = 0; q < found[i]; q++) {
            const float *value = k->values + (size_t)hits[i * room + q] * DIM;
            double score = 0.0;
            for (size_t e = 0; e < DIM; e++) score += (double)h[i * DIM + e] * (double)value[e];
            keep(k, first + i, (float)score);
        }
    }
}

/* Returns the work in float32 passes. */
static double run(const float *rows, const float *values) {
    keeper k = {.rows = rows, .values = values, .tile = ireneo_scan_tile_rows(ROWS)};
    for (size_t i = 0; i < ROWS; i++)
        for (size_t q = 0; q < TOP; q++) k.best[i][q] = -INFINITY;
    ireneo_enter(1, NULL);
    expect_ok(ireneo_int8_make(values, COLUMNS, DIM, DIM, 1, NULL, &k.int8));
    ireneo_scan scan = {.rows = ROWS,
                        .columns = COLUMNS,
                        .dim = DIM,
                        .values = values,
                        .threads = 2,
                        .stage = "test",
                        .make = make_rows,
                        .block = take_block,
                        .context = &k,
                        .int8 = &k.int8,
                        .room = ROOM,
                        .lead = 240,
                        .work = &k.work,
                        .thresholds = set_thresholds,
                        .hits = take_hits};
    expect_ok(ireneo_scan_run(&scan));
    ireneo_leave(IRENEO_OK);
    ireneo_int8_free(&k.int8);
    for (size_t i = 0; i < ROWS; i++) { /* the best scores are those of brute force */
        float exact[TOP] = {-INFINITY, -INFINITY, -INFINITY};
        double norm = 0.0, longest = 0.0;
        keeper brute = {0};
        memcpy(brute.best[0], exact, sizeof exact);
        for (size_t e = 0; e < DIM; e++) norm += (double)rows[i * DIM + e] * (double)rows[i * DIM + e];
        for (size_t j = 0; j < COLUMNS; j++) {
            double score = 0.0, square = 0.0;
            for (size_t e = 0; e < DIM; e++) {
                score += (double)rows[i * DIM + e] * (double)values[j * DIM + e];
                square += (double)values[j * DIM + e] * (double)values[j * DIM + e];
            }
            longest = fmax(longest, square);
            keep(&brute, 0, (float)score);
        }
        assert_int_equal(k.seen[i], COLUMNS);
        for (size_t q = 0; q < TOP; q++)
            expect_close((double)k.best[i][q], (double)brute.best[0][q],
                         1e-5 * sqrt(norm * longest) + (double)FLT_MIN);
    }
    double pass = (double)ROWS * (double)COLUMNS;
    return (0.5 * (double)k.work.integer + (double)k.work.plain + 3.0 * (double)k.work.again) / pass;
}

static void fill(uint64_t seed, size_t count, float *out) {
    ireneo_fill_normal_floats(seed, 0, 0, count, out);
}

static void test_work(void **state) {
    (void)state;
    float *rows = malloc(ROWS * DIM * sizeof *rows), *values = malloc((size_t)COLUMNS * DIM * sizeof *values);
    double work[7];
    for (int kind = 0; kind < 7; kind++) {
        fill(1, ROWS * DIM, rows), fill(2, (size_t)COLUMNS * DIM, values);
        for (size_t k = 0; k < (size_t)COLUMNS * DIM; k++) {
            if (kind == 1 && k / DIM == 1700)
                values[k] *= 1e6f;                            /* one candidate a million times the others */
            if (kind == 2) values[k] += 1e4f;                 /* a common offset */
            if (kind == 3) values[k] *= 1e-42f;               /* denormals */
            if (kind == 4 && k % DIM == 7) values[k] *= 1e6f; /* one coordinate, which rows hardly look at */
            if (kind == 6) values[k] = (float)(k / DIM % 2);  /* two values, and ties everywhere */
        }
        for (size_t k = 0; k < ROWS * DIM; k++) {
            if (kind == 4 && k % DIM == 7) rows[k] *= 1e-7f;
            if (kind == 5 && k / DIM % 9 == 0)
                rows[k] *= k / DIM % 2 == 0 ? 0.0f : 1e6f; /* rows of any length */
        }
        work[kind] = run(rows, values);
    }
    print_message(
        "    work in float32 passes: plain data %.2f, a long candidate %.2f, offset %.2f, denormals %.2f, "
        "a long coordinate %.2f, zero rows %.2f, ties %.2f\n",
        work[0], work[1], work[2], work[3], work[4], work[5], work[6]);
    for (int kind = 0; kind < 7; kind++) assert_true(work[kind] <= 1.15);
    expect_between(work[0], 0.5, 0.8);            /* of use where it should be */
    expect_between(work[1], 0.5, work[0] + 0.05); /* one long candidate spoils its neighbours alone */
    expect_between(work[5], 0.5, 0.95);           /* and some zero rows themselves */
    free(rows), free(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_work)};
    return cmocka_run_group_tests_name("useless rounding", tests, NULL, NULL);
}
