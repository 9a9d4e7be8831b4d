/* Every kernel of the integer scan that this machine can run, whatever path is in use, against exact integer arithmetic:
 * each of its sums is caught between two bars. Sizes around the loops' ends, the largest entries there may be, and lanes
 * of sixteen bits filled to their limit. On x86 the AVX-VNNI kernel is also run with its instruction emulated. */
#include "linear/kernels/int8.h"
#include "linear_instance.h"

#include <float.h>

enum { ROWS = IRENEO_KERNEL_ROWS, COLUMNS = IRENEO_PANEL_GROUP };

#if defined(__x86_64__)
extern const ireneo_int8_kernel ireneo_int8_avxvnni_emulated;
#endif

typedef struct block {
    size_t dim;
    int8_t *rows, *values; /* (ROWS, dim), (COLUMNS, dim) */
    uint8_t *packed;
    int32_t offset[ROWS];
    float scale[COLUMNS], bar[ROWS];
} block;

static block make_block(const ireneo_int8_kernel *kernel, size_t steps) {
    (void)kernel;
    block b = {.dim = 4 * steps};
    b.rows = calloc(ROWS, b.dim);
    b.values = calloc(COLUMNS, b.dim);
    b.packed = aligned_alloc(64, COLUMNS * b.dim);
    return b;
}

static void free_block(block *b) {
    free(b->rows), free(b->values), free(b->packed);
}

static int between(ireneo_generator *g, int low, int high) {
    return low + (int)ireneo_draw_below(g, (uint64_t)(high - low + 1));
}

static void pack(const ireneo_int8_kernel *kernel, block *b) {
    for (size_t j = 0; j < COLUMNS; j++)
        for (size_t k = 0; k < b->dim; k++)
            b->packed[((j / 16 * b->dim / 4 + k / 4) * 16 + j % 16) * 4 + k % 4] =
                (uint8_t)(b->values[j * b->dim + k] + kernel->shift);
    for (size_t i = 0; i < ROWS; i++) {
        int32_t sum = 0;
        for (size_t k = 0; k < b->dim; k++) sum += b->rows[i * b->dim + k];
        b->offset[i] = -kernel->shift * sum;
    }
}

/* Positive and negative sums of every lane, as ireneo_int8_kernel describes them. */
static void lane_sums(const ireneo_int8_kernel *kernel, const int8_t *row, size_t dim, int *up, int *down) {
    size_t run = 4 * kernel->lane_steps, lanes = 4 / kernel->together;
    *up = *down = 0;
    for (size_t first = 0; first < dim; first += run)
        for (size_t lane = 0; lane < lanes; lane++) {
            int p = 0, n = 0;
            for (size_t k = first; k < first + run && k < dim; k++)
                if (k % 4 / kernel->together == lane) *(row[k] > 0 ? &p : &n) += abs(row[k]);
            *up = p > *up ? p : *up;
            *down = n > *down ? n : *down;
        }
}

/* Entries of a row, in any order, as large as its lanes allow; sign 0: both. */
static void fill_row(const ireneo_int8_kernel *kernel, ireneo_generator *g, int sign, size_t dim,
                     int8_t *row) {
    size_t run = 4 * kernel->lane_steps, lanes = kernel->lane_steps > 0 ? 4 / kernel->together : 1;
    for (size_t k = 0; k < dim; k++) row[k] = 0;
    if (kernel->lane_steps == 0) {
        for (size_t k = 0; k < dim; k++) row[k] = (int8_t)(sign != 0 ? 127 * sign : between(g, -127, 127));
        return;
    }
    for (size_t first = 0; first < dim; first += run)
        for (size_t lane = 0; lane < lanes; lane++) {
            int left[2] = {kernel->lane_limit, kernel->lane_limit};
            for (size_t k = first; k < first + run && k < dim; k++) {
                if (k % 4 / kernel->together != lane) continue;
                int up = sign != 0 ? sign > 0 : between(g, 0, 1), most = left[up] < 127 ? left[up] : 127,
                    size = sign != 0 || between(g, 0, 3) == 0 ? most : between(g, 0, most);
                row[k] = (int8_t)(up ? size : -size);
                left[up] -= size;
            }
        }
}

static void fill(const ireneo_int8_kernel *kernel, ireneo_generator *g, int kind, block *b) {
    int limit = kernel->value_limit;
    for (size_t i = 0; i < ROWS; i++)
        fill_row(kernel, g, kind == 0 ? 0 : i % 2 == 0 ? 1 : -1, b->dim, b->rows + i * b->dim);
    for (size_t j = 0; j < COLUMNS; j++)
        for (size_t k = 0; k < b->dim; k++)
            b->values[j * b->dim + k] = (int8_t)(kind != 1    ? between(g, -limit, limit)
                                                 : j % 2 == 0 ? limit
                                                              : -limit);
    for (size_t j = 0; j < COLUMNS; j++) b->scale[j] = kind == 2 ? 0.37f * (float)(j % 5) : 1.0f;
    pack(kernel, b);
}

static int64_t exact_sum(const block *b, size_t i, size_t j) {
    int64_t sum = 0;
    for (size_t k = 0; k < b->dim; k++) sum += b->rows[i * b->dim + k] * b->values[j * b->dim + k];
    return sum;
}

static void run(const ireneo_int8_kernel *kernel, const block *b, uint64_t *bits) {
    ireneo_int8_block view = {b->dim / 4, b->packed, b->scale, b->rows, b->offset, b->bar};
    kernel->run(&view, bits);
}

/* Every sum lies above the float just below it, and not above itself. */
static void check_sums(const ireneo_int8_kernel *kernel, block *b) {
    float *scores = malloc(ROWS * COLUMNS * sizeof *scores);
    uint64_t bits[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++)
            scores[i * COLUMNS + j] = (float)exact_sum(b, i, j) * b->scale[j];
    for (size_t j = 0; j < COLUMNS; j++)
        for (int lower = 0; lower < 2; lower++) {
            for (size_t i = 0; i < ROWS; i++) {
                float score = scores[i * COLUMNS + j];
                b->bar[i] = lower ? nextafterf(score, -INFINITY) : score;
            }
            run(kernel, b, bits);
            for (size_t i = 0; i < ROWS; i++)
                for (size_t c = 0; c < 64; c++)
                    assert_int_equal(bits[i] >> c & 1u, c < COLUMNS && scores[i * COLUMNS + c] > b->bar[i]);
        }
    free(scores);
}

static void check_bars(const ireneo_int8_kernel *kernel, block *b) {
    static const float bars[ROWS] = {INFINITY, -INFINITY, NAN, FLT_MAX, -FLT_MAX, NAN, INFINITY, -INFINITY};
    uint64_t bits[ROWS];
    memcpy(b->bar, bars, sizeof bars);
    run(kernel, b, bits);
    for (size_t i = 0; i < ROWS; i++) assert_true(bits[i] == (bars[i] < 0.0f ? (1ull << COLUMNS) - 1 : 0));
}

static void check_kernel(const char *name, const ireneo_int8_kernel *kernel) {
    static const size_t steps[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 25, 250};
    ireneo_generator g = {17, 0, 0};
    assert_non_null(kernel);
    assert_true(kernel->shift == 0 || kernel->shift >= kernel->value_limit);
    for (size_t s = 0; s < COUNT(steps); s++)
        for (int kind = 0; kind < 3; kind++) {
            block b = make_block(kernel, steps[s]);
            fill(kernel, &g, kind, &b);
            check_sums(kernel, &b);
            check_bars(kernel, &b);
            free_block(&b);
        }
    print_message("    %s: every sum as it should be\n", name);
}

static void test_kernels(void **state) {
    (void)state;
    for (int path = 0; path < IRENEO_PROCESSOR_PATHS; path++)
        if (ireneo_processor_can((ireneo_processor_path)path))
            check_kernel(ireneo_processor_name((ireneo_processor_path)path),
                         ireneo_int8_kernel_of((ireneo_processor_path)path));
#if defined(__x86_64__)
    if (ireneo_processor_can(IRENEO_PROCESSOR_AVX2))
        check_kernel("avxvnni, emulated", &ireneo_int8_avxvnni_emulated);
#endif
}

/* The widest vectors: sums come as close to 2^31 as they can. */
static void test_widest(void **state) {
    (void)state;
    for (int path = 0; path < IRENEO_PROCESSOR_PATHS; path++) {
        if (!ireneo_processor_can((ireneo_processor_path)path)) continue;
        const ireneo_int8_kernel *kernel = ireneo_int8_kernel_of((ireneo_processor_path)path);
        ireneo_generator g = {18, 0, 0};
        block b = make_block(kernel, IRENEO_INT8_WIDEST / 4);
        uint64_t bits[ROWS];
        fill(kernel, &g, 1, &b);
        for (size_t i = 0; i < ROWS; i++) b.bar[i] = nextafterf((float)exact_sum(&b, i, 0), -INFINITY);
        run(kernel, &b, bits);
        for (size_t i = 0; i < ROWS; i++) assert_true(bits[i] & 1u);
        for (size_t i = 0; i < ROWS; i++) b.bar[i] = (float)exact_sum(&b, i, 0);
        run(kernel, &b, bits);
        for (size_t i = 0; i < ROWS; i++) assert_false(bits[i] & 1u);
        free_block(&b);
    }
}

/* Floats of many kinds, of which rounding must make rows that keep to the limits of the kernel in use. */
static float odd_entry(ireneo_generator *g, int kind, size_t k) {
    double normal = ireneo_draw_normal(g);
    switch (kind) {
    case 0:
        return (float)normal;
    case 1:
        return 1.0f; /* every lane is as full as the largest entry allows */
    case 2:
        return k % 2 == 0 ? -3.0f : 3.0f;
    case 3:
        return k == 5 ? 1e6f : (float)normal;
    case 4:
        return k % 16 < 8 ? 2.5f : (float)normal * 1e-3f;
    case 5:
        return (float)(normal * 1e-38);
    case 6:
        return (float)exp(20.0 * normal);
    default:
        return 0.0f;
    }
}

static void test_lanes(void **state) {
    (void)state;
    enum { DIM = 203, KINDS = 8, EACH = 20 };
    ireneo_generator g = {19, 0, 0};
    float *h = malloc(KINDS * EACH * DIM * sizeof *h);
    for (size_t i = 0; i < KINDS * EACH; i++)
        for (size_t k = 0; k < DIM; k++) h[i * DIM + k] = odd_entry(&g, (int)(i / EACH), k);
    ireneo_int8 q;
    ireneo_int8_rows tile;
    expect_ok(ireneo_int8_make(h, KINDS * EACH, DIM, DIM, 1, NULL, &q));
    expect_ok(ireneo_int8_rows_allocate(&q, KINDS * EACH, COLUMNS, &tile));
    ireneo_int8_rows_set(&q, h, KINDS * EACH, DIM, &tile);
    for (size_t k = 0; k < q.groups * COLUMNS * q.steps * 4; k++)
        assert_true(abs((int)(q.kernel->shift == 0 ? (int8_t)q.packed[k] : q.packed[k] - q.kernel->shift)) <=
                    q.kernel->value_limit);
    for (size_t i = 0; i < KINDS * EACH; i++) {
        const int8_t *row = tile.entries + i * q.steps * 4;
        int up = 0, down = 0, sum = 0, largest = 0;
        for (size_t k = 0; k < q.steps * 4; k++) {
            sum += row[k];
            largest = abs(row[k]) > largest ? abs(row[k]) : largest;
        }
        assert_true(largest <= 127);
        assert_int_equal(tile.offset[i], -q.kernel->shift * sum);
        if (q.kernel->lane_steps == 0) continue;
        lane_sums(q.kernel, row, q.steps * 4, &up, &down);
        assert_true(up <= q.kernel->lane_limit && down <= q.kernel->lane_limit);
        if (i < EACH)
            assert_true(up > q.kernel->lane_limit * 4 / 5 || down > q.kernel->lane_limit * 4 / 5 ||
                        largest > 120);
    }
    free(h);
    ireneo_int8_rows_free(&tile);
    ireneo_int8_free(&q);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels), cmocka_unit_test(test_widest),
                                       cmocka_unit_test(test_lanes)};
    return cmocka_run_group_tests_name("kernels of the integer scan", tests, NULL, NULL);
}
