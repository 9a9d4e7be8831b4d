/* Candidates in eight and in sixteen bits: what a scan leaves out is below the level by proof, what it finds is close to
 * it, and products are as close as promised. Brute force in float64. The kernels themselves: int8_kernels.c. */
#include "base/random.h"
#include "linear/kernels/dot8.h"
#include "linear/kernels/int16.h"
#include "linear/kernels/int8.h"
#include "linear_instance.h"

/* Entries of several kinds: Gaussian, heavy-tailed, with a large offset, tiny, and zero rows in between. */
static float *make_rows(uint64_t seed, size_t rows, size_t dim, int kind) {
    float *all = malloc(rows * dim * sizeof *all);
    ireneo_fill_normal_floats(seed, 0, 0, rows * dim, all);
    for (size_t k = 0; k < rows * dim; k++) {
        if (kind == 1) all[k] = all[k] * all[k] * all[k];
        if (kind == 2) all[k] += 50.0f;
        if (kind == 3) all[k] *= 1e-41f; /* subnormal: no step can be divided by */
        if (kind == 4 && k / dim % 5 == 0) all[k] = 0.0f;
    }
    return all;
}

static double product(const float *a, const float *b, size_t dim) {
    double sum = 0.0;
    for (size_t k = 0; k < dim; k++) sum += (double)a[k] * (double)b[k];
    return sum;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void check_scan(size_t rows, size_t columns, size_t dim, int kind, int levels) {
    enum { ROOM = 4096 };
    float *h = make_rows(5, rows, dim, kind == 2 ? 0 : kind), *y = make_rows(6, columns, dim, kind);
    ireneo_int8 q;
    ireneo_int8_rows tile;
    expect_ok(ireneo_int8_make(y, columns, dim, dim, 2, NULL, &q));
    expect_ok(ireneo_int8_rows_allocate(&q, rows, columns, &tile));
    ireneo_int8_rows_set(&q, h, rows, dim, &tile);
    double *scores = malloc(rows * columns * sizeof *scores), *sorted = malloc(columns * sizeof *sorted);
    float *level = malloc(rows * sizeof *level);
    uint32_t *hits = malloc(rows * ROOM * sizeof *hits), *found = malloc(rows * sizeof *found);
    unsigned char *seen = malloc(columns);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++)
            sorted[j] = scores[i * columns + j] = product(h + i * dim, y + j * dim, dim);
        qsort(sorted, columns, sizeof *sorted, by_size);
        level[i] = levels == 0 ? -INFINITY : (float)sorted[columns - 1 - columns / 50];
    }
    size_t whole = (columns + 47) / 48 * 48, cut = whole / 2 / 48 * 48; /* in two parts, as sweeps do */
    for (int part = 0; part < 2; part++) {
        size_t first = part == 0 ? 0 : cut, last = part == 0 ? cut : columns;
        if (first >= last) continue;
        ireneo_int8_scan(&q, &tile, rows, first, last - first, level, IRENEO_INT8_CERTAIN, hits, ROOM, found);
        for (size_t i = 0; i < rows; i++) {
            assert_true(found[i] <= columns);
            memset(seen, 0, columns);
            for (size_t k = 0; k < found[i]; k++) {
                uint32_t j = hits[i * ROOM + k];
                assert_true(j >= first && j < last && !seen[j] && (k == 0 || j > hits[i * ROOM + k - 1]));
                seen[j] = 1;
                double bound = ireneo_int8_bound(&q, &tile, i, j / IRENEO_PANEL_GROUP);
                assert_true(scores[i * columns + j] >= (double)level[i] - 2.0 * bound);
            }
            for (size_t j = first; j < last; j++)
                if (!seen[j]) assert_true(scores[i * columns + j] <= (double)level[i]);
        }
    }
    if (kind == 0 && levels == 1 &&
        dim >= 16) { /* the bound is of use: a few tenths of the spread of scores */
        double norm = sqrt(product(h, h, dim));
        expect_between(ireneo_int8_bound(&q, &tile, 0, 0) / norm, 0.005, 0.06 * sqrt((double)dim));
        expect_between(ireneo_int8_usual_bound(&q, &tile, 0) / norm, 0.005, 0.06 * sqrt((double)dim));
    }
    free(h), free(y), free(scores), free(sorted), free(level), free(hits), free(found), free(seen);
    ireneo_int8_rows_free(&tile);
    ireneo_int8_free(&q);
}

static void test_scans(void **state) {
    (void)state;
    static const size_t sizes[][3] = {{8, 48, 4},   {1, 1, 1},       {7, 50, 3},
                                      {9, 300, 17}, {33, 1000, 100}, {20, 97, 257}};
    for (size_t k = 0; k < COUNT(sizes); k++)
        for (int kind = 0; kind < 5; kind++)
            for (int levels = 0; levels < 2; levels++)
                check_scan(sizes[k][0], sizes[k][1], sizes[k][2], kind, levels);
}

/* More hits than there is room for are said to be too many, and nothing is written beyond the room. */
static void test_too_many(void **state) {
    (void)state;
    enum { ROWS = 10, COLUMNS = 480, DIM = 20, ROOM = 100 };
    float *h = make_rows(7, ROWS, DIM, 0), *y = make_rows(8, COLUMNS, DIM, 0), level[ROWS];
    uint32_t hits[ROWS * ROOM + 1], found[ROWS];
    ireneo_int8 q;
    ireneo_int8_rows tile;
    expect_ok(ireneo_int8_make(y, COLUMNS, DIM, DIM, 1, NULL, &q));
    expect_ok(ireneo_int8_rows_allocate(&q, ROWS, COLUMNS, &tile));
    ireneo_int8_rows_set(&q, h, ROWS, DIM, &tile);
    for (size_t i = 0; i < ROWS; i++) level[i] = i % 2 == 0 ? -INFINITY : INFINITY;
    hits[ROWS * ROOM] = 12345;
    ireneo_int8_scan(&q, &tile, ROWS, 0, COLUMNS, level, IRENEO_INT8_CERTAIN, hits, ROOM, found);
    for (size_t i = 0; i < ROWS; i++) assert_int_equal(found[i], i % 2 == 0 ? IRENEO_TOO_MANY : 0);
    assert_int_equal(hits[ROWS * ROOM], 12345);
    free(h), free(y);
    ireneo_int8_rows_free(&tile);
    ireneo_int8_free(&q);
}

static void test_sixteen_bits(void **state) {
    (void)state;
    static const size_t dims[] = {1, 5, 16, 31, 32, 33, 100, 257, 1000};
    enum { ROWS = 60 };
    for (size_t d = 0; d < COUNT(dims); d++)
        for (int kind = 0; kind < 5; kind++) {
            size_t dim = dims[d];
            float *y = make_rows(9, ROWS, dim, kind), *h = make_rows(10, 1, dim, 0), out[ROWS];
            uint32_t list[ROWS];
            ireneo_int16 s;
            expect_ok(ireneo_int16_make(y, ROWS, dim, dim, 2, NULL, &s));
            int16_t *rounded = malloc(s.stride * sizeof *rounded);
            float scale = ireneo_int16_round(&s, h, rounded);
            for (size_t count = 0; count <= ROWS; count += count < 18 ? 1 : 7) {
                for (size_t k = 0; k < count; k++) list[k] = (uint32_t)((k * 37 + 11) % ROWS);
                ireneo_int16_dots(&s, rounded, scale, list, count, out);
                for (size_t k = 0; k < count; k++) {
                    const float *value = y + list[k] * dim;
                    double largest = 0.0, highest = 0.0;
                    for (size_t e = 0; e < dim; e++) {
                        largest = fmax(largest, fabs((double)value[e]));
                        highest = fmax(highest, fabs((double)h[e]));
                    }
                    /* Half a step each way in every entry, and float32 at the end. */
                    double size = sqrt((double)dim), of_value = largest / (double)s.limit * size,
                           of_h = highest / (double)s.limit * size, norm = sqrt(product(value, value, dim)),
                           other = sqrt(product(h, h, dim));
                    double bound =
                        0.5 * (of_value * (other + of_h) + of_h * norm) + 1e-5 * norm * other + 1e-37;
                    expect_close((double)out[k], product(h, value, dim), bound * (1.0 + 1e-6));
                }
            }
            free(y), free(h), free(rounded);
            ireneo_int16_free(&s);
        }
}

/* The largest entries everywhere: sums come as close to overflow as they can. */
static void test_sixteen_bits_do_not_overflow(void **state) {
    (void)state;
    for (size_t dim = 1; dim <= 5000; dim = dim * 3 + 1) {
        float *y = malloc(dim * sizeof *y), out;
        uint32_t first = 0;
        for (size_t k = 0; k < dim; k++) y[k] = 3.5f;
        ireneo_int16 s;
        expect_ok(ireneo_int16_make(y, 1, dim, dim, 1, NULL, &s));
        int16_t *rounded = malloc(s.stride * sizeof *rounded);
        float scale = ireneo_int16_round(&s, y, rounded);
        ireneo_int16_dots(&s, rounded, scale, &first, 1, &out);
        expect_ratio((double)out, 3.5 * 3.5 * (double)dim, 1e-5);
        free(y), free(rounded);
        ireneo_int16_free(&s);
    }
}

static void test_listed_dots(void **state) {
    (void)state;
    enum { ROWS = 40 };
    for (size_t dim = 1; dim < 70; dim++) {
        float *y = make_rows(11, ROWS, dim + 3, 0), *h = make_rows(12, 1, dim, 0), out[ROWS + 1];
        uint32_t list[ROWS];
        for (size_t count = 0; count <= ROWS; count++) {
            for (size_t k = 0; k < count; k++) list[k] = (uint32_t)((k * 17 + count) % ROWS);
            out[count] = 77.0f;
            ireneo_dot8_listed(h, y, dim + 3, dim, list, count, out);
            for (size_t k = 0; k < count; k++)
                expect_close((double)out[k], product(h, y + list[k] * (dim + 3), dim), 1e-4);
            assert_true(out[count] == 77.0f);
        }
        free(y), free(h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scans),        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_sixteen_bits), cmocka_unit_test(test_sixteen_bits_do_not_overflow),
        cmocka_unit_test(test_listed_dots),
    };
    return cmocka_run_group_tests_name("linear integers", tests, NULL, NULL);
}
