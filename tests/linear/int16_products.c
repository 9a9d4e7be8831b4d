/* Products in sixteen bits: every kernel that this machine can run against exact integers, at the largest entries there may be;
 * products of floats against float64, within half a unit in every entry; and never a sum that overflows. */
#include "base/random.h"
#include "linear/kernels/int16_product.h"
#include "linear_instance.h"

enum { ROWS = IRENEO_PRODUCT_ROWS, PANEL = IRENEO_PRODUCT_PANEL, WIDTH = PANEL * IRENEO_PRODUCT_PANELS };

/* ---- kernels ---- */

/* Entries up to `most` in size, some of them at it. */
static void draw_entries(ireneo_generator *g, size_t count, int most, int16_t *entries) {
    for (size_t k = 0; k < count; k++) {
        int size = ireneo_draw_below(g, 3) == 0 ? most : (int)ireneo_draw_below(g, (uint64_t)most + 1);
        entries[k] = (int16_t)(ireneo_draw_below(g, 2) == 0 ? size : -size);
    }
}

static void check_kernel(ireneo_int16_kernel kernel, ireneo_generator *g, size_t pairs, size_t panels,
                         size_t row_step, size_t pair_step) {
    size_t reach = ROWS * row_step + pairs * pair_step;
    int most = (int)fmin(32767.0, sqrt(2147483647.0 / (2.0 * (double)pairs)));
    int16_t *left = malloc(2 * reach * sizeof *left),
            *right = malloc(panels * pairs * 2 * PANEL * sizeof *right);
    int32_t out[ROWS * WIDTH];
    draw_entries(g, 2 * reach, most, left);
    draw_entries(g, panels * pairs * 2 * PANEL, most, right);
    for (size_t k = 0; k < COUNT(out); k++) out[k] = 123456;
    kernel(&(ireneo_int16_block){pairs, left, row_step, pair_step, right, panels, out});
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < WIDTH; c++) {
            int64_t sum = c < panels * PANEL ? 0 : 123456; /* what is not asked for stays */
            for (size_t k = 0; k < pairs && c < panels * PANEL; k++)
                for (size_t e = 0; e < 2; e++)
                    sum += (int64_t)left[2 * (r * row_step + k * pair_step) + e] *
                           right[2 * ((c / PANEL * pairs + k) * PANEL + c % PANEL) + e];
            assert_true(out[r * WIDTH + c] == sum);
        }
    free(left), free(right);
}

static void test_kernels(void **state) {
    (void)state;
    ireneo_generator g = {7, 0, 0};
    for (int path = 0; path < IRENEO_PROCESSOR_PATHS; path++) {
        if (!ireneo_processor_can((ireneo_processor_path)path)) continue;
        ireneo_int16_kernel kernel = ireneo_int16_kernel_of((ireneo_processor_path)path);
        assert_non_null(kernel);
        for (size_t pairs = 1; pairs < 600; pairs = pairs * 2 + 1)
            for (size_t panels = 1; panels <= IRENEO_PRODUCT_PANELS; panels++) {
                check_kernel(kernel, &g, pairs, panels, pairs + 3, 1); /* by rows */
                check_kernel(kernel, &g, pairs, panels, 1, 24);        /* by columns */
            }
    }
}

/* ---- products of floats ---- */

/* Gaussian; heavy-tailed; all alike, so that norms are as large as entries allow; one entry alone; rows of very different
 * size, and zero ones. */
enum { KINDS = 5 };
static float *make_rows(uint64_t seed, size_t rows, size_t dim, int kind) {
    float *all = malloc(rows * dim * sizeof *all);
    ireneo_fill_normal_floats(seed, 0, 0, rows * dim, all);
    for (size_t k = 0; k < rows * dim; k++) {
        if (kind == 1) all[k] = all[k] * all[k] * all[k];
        if (kind == 2) all[k] = 3.5f;
        if (kind == 3) all[k] = k % dim == k / dim % dim ? -2.0f : 0.0f;
        if (kind == 4) all[k] = k / dim % 5 == 0 ? 0.0f : ldexpf(all[k], (int)(k / dim % 30) - 15);
    }
    return all;
}

static double norm_of(const float *v, size_t count, size_t step) {
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) sum += (double)v[k * step] * (double)v[k * step];
    return sqrt(sum);
}

static void check_multiply(size_t dim, size_t columns, int kind, int other) {
    enum { COUNT_ROWS = 45, FIRST = 3, TAKEN = 37 };
    float *x = make_rows(1, COUNT_ROWS, dim, kind), *d = make_rows(2, columns, dim, other);
    ireneo_int16_rows rows;
    ireneo_int16_panels panels;
    expect_ok(ireneo_int16_rows_make(x, COUNT_ROWS, dim, 2, &rows));
    expect_ok(ireneo_int16_panels_allocate(&rows, columns, &panels));
    assert_true(ireneo_int16_panels_set(&rows, d, 2, &panels));
    size_t stride = panels.panels * PANEL;
    float *out = malloc((TAKEN + 1) * stride * sizeof *out);
    for (size_t k = 0; k < (TAKEN + 1) * stride; k++) out[k] = 77.0f;
    ireneo_int16_multiply(&rows, FIRST, TAKEN, &panels, out, stride);
    double half = 0.5 * sqrt((double)dim);
    for (size_t i = 0; i < TAKEN; i++)
        for (size_t j = 0; j < stride; j++) {
            double exact = 0.0, bound = 0.0;
            if (j < columns) {
                const float *a = x + (FIRST + i) * dim, *b = d + j * dim;
                double of_a = half * (double)rows.scale[FIRST + i], of_b = half * (double)panels.scale,
                       na = norm_of(a, dim, 1), nb = norm_of(b, dim, 1);
                for (size_t k = 0; k < dim; k++) exact += (double)a[k] * (double)b[k];
                bound = 1.001 * (of_a * nb + (na + of_a) * of_b) + 1e-6 * na * nb;
                if (kind == 0 && other == 0 && dim <= 1000) assert_true(bound < 0.02 * na * nb);
            }
            expect_close((double)out[i * stride + j], exact, bound);
        }
    assert_true(out[TAKEN * stride] == 77.0f);
    free(x), free(d), free(out);
    ireneo_int16_rows_free(&rows);
    ireneo_int16_panels_free(&panels);
}

static const size_t dims[] = {1, 2, 15, 16, 33, 64, 100, 257};

static void test_multiply(void **state) {
    (void)state;
    for (size_t d = 0; d < COUNT(dims); d++)
        for (int kind = 0; kind < KINDS * KINDS; kind++)
            check_multiply(dims[d], dims[(d + 3) % COUNT(dims)], kind % KINDS, kind / KINDS);
    check_multiply(1000, 17, 0, 0);
    check_multiply(IRENEO_PRODUCT_MOST_DIM, 3, 2, 2);
}

static void check_sum(size_t dim, size_t columns, size_t count, int kind, int other) {
    enum { COUNT_ROWS = 300 };
    float *x = make_rows(3, COUNT_ROWS, dim, kind), *m = make_rows(4, count, columns, other);
    float *space = malloc(ireneo_int16_sum_space(dim, columns) * sizeof *space),
          *out = malloc((columns * dim + 1) * sizeof *out);
    uint32_t held[IRENEO_PRODUCT_MOST_HELD];
    ireneo_int16_rows rows;
    expect_ok(ireneo_int16_rows_make(x, COUNT_ROWS, dim, 2, &rows));
    for (size_t k = 0; k < count; k++) held[k] = (uint32_t)((k * 7 + 2) % COUNT_ROWS);
    out[columns * dim] = 77.0f;
    assert_true(ireneo_int16_sum(&rows, held, count, m, columns, columns, false, space, out));
    assert_true(ireneo_int16_sum(&rows, held, count, m, columns, columns, true, space, out));
    assert_true(out[columns * dim] == 77.0f);
    double largest = 0.0; /* norm of a column of m, with the rows' scales */
    for (size_t j = 0; j < columns; j++) {
        double square = 0.0;
        for (size_t k = 0; k < count; k++)
            square += pow((double)m[k * columns + j] * (double)rows.scale[held[k]], 2.0);
        largest = fmax(largest, sqrt(square));
    }
    for (size_t j = 0; j < columns; j++)
        for (size_t e = 0; e < dim; e++) {
            double exact = 0.0, error = 0.0, sizes = 0.0;
            /* m is rounded to 1/3000 of its largest column at worst: 2.14e9 over the norm of 256 entries of 32766. */
            for (size_t k = 0; k < count; k++) {
                double a = (double)m[k * columns + j], b = (double)x[held[k] * dim + e],
                       unit = (double)rows.scale[held[k]];
                exact += a * b;
                sizes += fabs(a * b);
                error +=
                    fabs(a) * 0.5 * unit + (unit > 0.0 ? (fabs(b) / unit + 0.5) * largest / 3000.0 : 0.0);
            }
            expect_close((double)out[j * dim + e], 2.0 * exact, 2.0 * error + 1e-5 * sizes + 1e-30);
        }
    free(x), free(m), free(space), free(out);
    ireneo_int16_rows_free(&rows);
}

static void test_sum(void **state) {
    (void)state;
    static const size_t counts[] = {1, 2, 3, 50, 255, 256};
    for (size_t d = 0; d < COUNT(dims); d++)
        for (size_t c = 0; c < COUNT(counts); c++)
            for (int kind = 0; kind < KINDS; kind++)
                check_sum(dims[d], dims[(d + 5) % COUNT(dims)], counts[c], kind, (kind + (int)c) % KINDS);
}

/* Gaussian products are far better than their bounds: a few ten-thousandths of the norms. */
static void test_typical_error(void **state) {
    (void)state;
    enum { DIM = 200, MANY = 64 };
    float *x = make_rows(5, MANY, DIM, 0), *d = make_rows(6, DIM, DIM, 0),
          *out = malloc(MANY * 208 * sizeof *out);
    ireneo_int16_rows rows;
    ireneo_int16_panels panels;
    expect_ok(ireneo_int16_rows_make(x, MANY, DIM, 1, &rows));
    expect_ok(ireneo_int16_panels_allocate(&rows, DIM, &panels));
    assert_true(ireneo_int16_panels_set(&rows, d, 1, &panels));
    ireneo_int16_multiply(&rows, 0, MANY, &panels, out, 208);
    double squares = 0.0;
    for (size_t i = 0; i < MANY; i++)
        for (size_t j = 0; j < DIM; j++) {
            double exact = 0.0;
            for (size_t k = 0; k < DIM; k++) exact += (double)x[i * DIM + k] * (double)d[j * DIM + k];
            squares += pow((double)out[i * 208 + j] - exact, 2.0);
        }
    /* Both factors to a unit of 1/3280 spreads: sqrt(2/12) / 3280 of a score's spread, sqrt(DIM). */
    expect_between(sqrt(squares / (MANY * DIM) / DIM), 0.5e-4, 2e-4);
    free(x), free(d), free(out);
    ireneo_int16_rows_free(&rows);
    ireneo_int16_panels_free(&panels);
}

/* What is not finite is not multiplied. */
static void test_not_finite(void **state) {
    (void)state;
    enum { DIM = 20, MANY = 10 };
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    float *x = make_rows(7, MANY, DIM, 0), *m = make_rows(8, MANY, DIM, 0), out[DIM * DIM],
          *space = malloc(ireneo_int16_sum_space(DIM, DIM) * sizeof *space);
    uint32_t held[MANY];
    ireneo_int16_rows rows;
    ireneo_int16_panels panels;
    expect_ok(ireneo_int16_rows_make(x, MANY, DIM, 1, &rows));
    expect_ok(ireneo_int16_panels_allocate(&rows, MANY, &panels));
    for (uint32_t k = 0; k < MANY; k++) held[k] = k;
    for (size_t k = 0; k < COUNT(bad); k++)
        for (size_t at = 0; at < MANY * DIM; at += 37) {
            float before = m[at];
            m[at] = bad[k];
            out[0] = 77.0f;
            assert_false(ireneo_int16_panels_set(&rows, m, 1, &panels));
            assert_false(ireneo_int16_sum(&rows, held, MANY, m, DIM, DIM, false, space, out));
            assert_true(out[0] == 77.0f);
            m[at] = before;
        }
    assert_true(ireneo_int16_sum(&rows, held, MANY, m, DIM, DIM, false, space, out));
    free(x), free(m), free(space);
    ireneo_int16_rows_free(&rows);
    ireneo_int16_panels_free(&panels);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels), cmocka_unit_test(test_multiply),
                                       cmocka_unit_test(test_sum), cmocka_unit_test(test_typical_error),
                                       cmocka_unit_test(test_not_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
