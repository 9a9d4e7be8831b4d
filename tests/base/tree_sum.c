/* Sums along the tree: against a plain recursion, for every number of threads and groups; and how rows are dealt out. */
#include "base/tree_sum.h"
#include "scratch.h"

#include <stdlib.h>
#include <string.h>

enum { LENGTH = 37 };

/* The number that row i adds to entry j: digits all over float32, so that every order of adding gives other bits. */
static float entry(size_t row, size_t j) {
    uint64_t x = (row * 1000003 + j) * 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    return (float)((double)(x >> 11) * 0x1p-53 - 0.5) * (float)(1u << (x % 13));
}

typedef struct rows {
    ireneo_holding holding;
} rows;

static void sum_floats(void *context, size_t group, int thread, void *sum) {
    (void)thread;
    const rows *r = context;
    float *out = sum;
    size_t first, last;
    ireneo_group_rows(&r->holding, group, &first, &last);
    memset(out, 0, LENGTH * sizeof *out);
    for (size_t i = first; i < last; i++)
        for (size_t j = 0; j < LENGTH; j++) out[j] += entry(i, j);
}

/* The same by recursion over the tree. */
static void expect_sum(const rows *r, size_t first, size_t count, float *out) {
    if (count == 1) {
        sum_floats((void *)r, first, 0, out);
        return;
    }
    float other[LENGTH];
    expect_sum(r, first, count / 2, out);
    expect_sum(r, first + count / 2, count / 2, other);
    for (size_t j = 0; j < LENGTH; j++) out[j] += other[j];
}

static void test_threads_leave_no_trace(void **state) {
    (void)state;
    static const size_t totals[] = {1, 5, 16, 100, 20000, 70000};
    for (size_t k = 0; k < sizeof totals / sizeof *totals; k++) {
        rows r = {ireneo_holding_whole(totals[k])};
        float expected[LENGTH], got[LENGTH];
        expect_sum(&r, 0, r.holding.groups, expected);
        for (int threads = 1; threads <= 8; threads++) {
            ireneo_tree_sum tree;
            expect_ok(ireneo_tree_sum_allocate(&r.holding, IRENEO_SUM_F32, LENGTH, threads, &tree));
            for (int again = 0; again < 3; again++) {
                ireneo_tree_sum_run(&tree, sum_floats, &r, got);
                assert_memory_equal(got, expected, sizeof got);
            }
            ireneo_tree_sum_free(&tree);
        }
    }
}

static void test_few_numbers(void **state) {
    (void)state;
    ireneo_holding h = ireneo_holding_whole(40000);
    size_t groups = h.groups;
    double *numbers = calloc(2 * groups, sizeof *numbers), *level = calloc(2 * groups, sizeof *level), out[2];
    for (size_t k = 0; k < 2 * groups; k++) numbers[k] = level[k] = (double)entry(k, 3) * 1.1;
    for (size_t width = groups; width > 1; width /= 2)
        for (size_t k = 0; k < width / 2; k++)
            for (size_t e = 0; e < 2; e++) level[2 * k + e] = level[4 * k + e] + level[4 * k + 2 + e];
    ireneo_sum_groups(&h, 2, numbers, out);
    assert_true(out[0] == level[0] && out[1] == level[1]);
    free(numbers), free(level);
}

static void test_groups(void **state) {
    (void)state;
    assert_int_equal(ireneo_group_count(1), 16);
    assert_int_equal(ireneo_group_count(16383), 16);
    assert_int_equal(ireneo_group_count(16384), 32);
    assert_int_equal(ireneo_group_count(63618), 64);
    assert_int_equal(ireneo_group_count(867136), 1024);
    assert_int_equal(ireneo_group_count((size_t)1 << 40), IRENEO_MOST_GROUPS);
}

/* Every row is in one group and one tile, on one rank, and what is a tile does not depend on the ranks. */
static void test_rows_are_dealt_out(void **state) {
    (void)state;
    static const size_t totals[] = {3, 64, 1000, 40001};
    for (size_t k = 0; k < sizeof totals / sizeof *totals; k++) {
        ireneo_holding whole = ireneo_holding_whole(totals[k]);
        for (size_t count = 1; count <= 16; count++) {
            size_t next = 0, tile_number = 0;
            for (size_t rank = 0; rank < count; rank++) {
                ireneo_ranks ranks = {.rank = rank, .count = count, .nodes = 1, .ranks_in_node = 1};
                ireneo_holding h = ireneo_holding_spread(&ranks, totals[k]);
                assert_int_equal(h.first, next);
                next += h.rows;
                for (size_t t = 0; t < ireneo_holding_tiles(&h, 96); t++, tile_number++) {
                    size_t first, last, whole_first, whole_last;
                    ireneo_tile_rows(&h, 96, t, &first, &last);
                    ireneo_tile_rows(&whole, 96, tile_number, &whole_first, &whole_last);
                    assert_int_equal(h.first + first, whole_first);
                    assert_int_equal(h.first + last, whole_last);
                    assert_true(last - first <= 96);
                }
            }
            assert_int_equal(next, totals[k]);
            assert_int_equal(tile_number, ireneo_holding_tiles(&whole, 96));
        }
    }
}

static void test_tiles_cover(void **state) {
    (void)state;
    for (size_t total = 1; total < 3000; total += 37)
        for (size_t tile = 48; tile <= 512; tile += 232) {
            ireneo_holding h = ireneo_holding_whole(total);
            size_t next = 0, first, last;
            for (size_t t = 0; t < ireneo_holding_tiles(&h, tile); t++) {
                ireneo_tile_rows(&h, tile, t, &first, &last);
                if (first == last) continue;
                assert_int_equal(first, next);
                next = last;
            }
            assert_int_equal(next, total);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_leave_no_trace),
        cmocka_unit_test(test_few_numbers),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_rows_are_dealt_out),
        cmocka_unit_test(test_tiles_cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
