/* Moments of keys are exact: against whole-number arithmetic, in any order, in any parts, with any threads. */
#include "base/random.h"
#include "expect.h"
#include "linear/moments/expansion.h"
#include "scratch.h"

__extension__ typedef __int128 int128;

/* ---- lists ---- */

static void test_expansions(void **state) {
    (void)state;
    static const struct {
        double numbers[5], parts[4];
        size_t length;
    } cases[] = {
        {{0.0, 0.0, 0.0}, {0}, 0},
        {{1e300, 1.0, -1e300}, {1.0}, 1},
        {{1.0, 0x1p-53, 0x1p-200},
         {1.0 + 0x1p-52, -0x1p-53, 0x1p-200},
         3}, /* a tie that a far smaller number breaks */
        {{1.0, 0x1p-53, -0x1p-200}, {1.0, 0x1p-53, -0x1p-200}, 3},
        {{1.0, 0x1p-53, 0.0}, {1.0, 0x1p-53}, 2}, /* ties to even */
        {{0x1p-1000, -1.0, 0x1p-1000, 1.0}, {0x1p-999}, 1},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        double parts[IRENEO_EXPANSION_MOST];
        assert_int_equal(ireneo_expansion_canonical(cases[k].numbers, 5, parts), cases[k].length);
        assert_memory_equal(parts, cases[k].parts, cases[k].length * sizeof *parts);
    }
}

/* Numbers over 200 powers of two: the list of their sum is the same in any order, and its parts add up to it. */
static void test_expansions_keep_no_order(void **state) {
    (void)state;
    ireneo_generator g = {7, 1, 0};
    for (int round = 0; round < 2000; round++) {
        double numbers[24], parts[IRENEO_EXPANSION_MOST], again[IRENEO_EXPANSION_MOST];
        for (size_t k = 0; k < COUNT(numbers); k++)
            numbers[k] = ldexp(ireneo_draw_normal(&g), (int)ireneo_draw_below(&g, 200) - 100);
        size_t length = ireneo_expansion_canonical(numbers, COUNT(numbers), parts), order[COUNT(numbers)];
        double mixed[COUNT(numbers)];
        ireneo_draw_permutation(&g, COUNT(numbers), order);
        for (size_t k = 0; k < COUNT(numbers); k++) mixed[k] = numbers[order[k]];
        assert_int_equal(ireneo_expansion_canonical(mixed, COUNT(mixed), again), length);
        assert_memory_equal(parts, again, length * sizeof *parts);
        for (size_t k = 1; k < length; k++) assert_true(parts[k - 1] + parts[k] == parts[k - 1]);
        double all[COUNT(numbers) + 12];
        memcpy(all, numbers, sizeof numbers);
        for (size_t k = 0; k < length; k++) all[COUNT(numbers) + k] = -parts[k];
        assert_int_equal(ireneo_expansion_canonical(all, COUNT(numbers) + length, again), 0);
    }
}

/* ---- moments ---- */

/* Multiples of 2^-20 below 2^11: their products are whole numbers of 2^-40 that 128 bits hold. */
static float *whole_rows(uint64_t seed, size_t rows, size_t dim) {
    float *x = malloc(rows * dim * sizeof *x);
    ireneo_generator g = {seed, 2, 0};
    for (size_t k = 0; k < rows * dim; k++)
        x[k] = ldexpf((float)((int64_t)ireneo_draw_below(&g, 1 << 24) - (1 << 23)),
                      (int)ireneo_draw_below(&g, 8) - 20);
    return x;
}

/* A whole number of 2^-40, rounded to nearest, ties to even, over the count. */
static double rounded_average(int128 sum, size_t count) {
    return (double)sum * 0x1p-40 / (double)count; /* the conversion rounds to nearest */
}

static int128 whole_product(float a, float b) {
    return (int128)(int64_t)((double)a * 0x1p20) * (int64_t)((double)b * 0x1p20);
}

static ireneo_moments *moments_of(const float *rows, size_t count, size_t dim, int threads) {
    ireneo_moments *m = NULL;
    expect_ok(ireneo_moments_new(dim, &m));
    expect_ok(ireneo_moments_add(m, rows, count, &(ireneo_run_settings){.threads = threads}));
    assert_int_equal(ireneo_moments_count(m), count);
    assert_int_equal(ireneo_moments_dim(m), dim);
    return m;
}

static void test_against_whole_numbers(void **state) {
    (void)state;
    static const size_t shapes[][2] = {{1, 1}, {5, 3}, {1030, 130}, {2100, 17}};
    for (size_t shape = 0; shape < COUNT(shapes); shape++) {
        size_t rows = shapes[shape][0], dim = shapes[shape][1];
        float *x = whole_rows(shape, rows, dim);
        ireneo_moments *m = moments_of(x, rows, dim, 2);
        double *second = malloc(dim * dim * sizeof *second), *mean = malloc(dim * sizeof *mean);
        expect_ok(ireneo_moments_read(m, second, mean));
        for (size_t i = 0; i < dim; i++) {
            int128 total = 0;
            for (size_t k = 0; k < rows; k++) total += whole_product(x[k * dim + i], 1.0f);
            assert_true(mean[i] == rounded_average(total, rows));
            for (size_t j = 0; j < dim; j++) {
                int128 sum = 0;
                for (size_t k = 0; k < rows; k++) sum += whole_product(x[k * dim + i], x[k * dim + j]);
                assert_true(second[i * dim + j] == rounded_average(sum, rows));
            }
        }
        ireneo_moments_free(m);
        free(x), free(second), free(mean);
    }
}

/* Every float32 there is, subnormal ones too. */
static float *wild_rows(uint64_t seed, size_t rows, size_t dim) {
    float *x = malloc(rows * dim * sizeof *x);
    ireneo_generator g = {seed, 3, 0};
    for (size_t k = 0; k < rows * dim; k++) {
        uint32_t bits = (uint32_t)ireneo_draw_below(&g, (uint64_t)1 << 32);
        if ((bits >> 23 & 255) == 255) bits &= 0x807fffffu;
        memcpy(&x[k], &bits, sizeof bits);
    }
    return x;
}

static unsigned char *saved(void **state, const ireneo_moments *m, size_t *count) {
    const char *path = scratch_path(state, "m.safetensors");
    expect_ok(ireneo_moments_save(m, path));
    return scratch_read(path, count);
}

/* Rows in another order, in parts that are merged from the end, some through files, with other threads: the same file. */
static void expect_parts_make_the_whole(void **state, const float *x, size_t rows, size_t dim) {
    size_t bytes, again, *order = malloc(rows * sizeof *order);
    float *mixed = malloc(rows * dim * sizeof *mixed);
    ireneo_moments *whole = moments_of(x, rows, dim, 1), *merged = NULL;
    unsigned char *file = saved(state, whole, &bytes);
    ireneo_generator g = {11, 4, 0};
    ireneo_draw_permutation(&g, rows, order);
    for (size_t k = 0; k < rows; k++) memcpy(mixed + k * dim, x + order[k] * dim, dim * sizeof *x);
    expect_ok(ireneo_moments_new(dim, &merged));
    for (size_t last = rows; last > 0;) {
        size_t first = last - (1 + ireneo_draw_below(&g, last));
        ireneo_moments *part = moments_of(mixed + first * dim, last - first, dim, 3), *loaded = NULL;
        expect_ok(ireneo_moments_save(part, scratch_path(state, "part.safetensors")));
        expect_ok(ireneo_moments_load(scratch_path(state, "part.safetensors"), &loaded));
        expect_ok(ireneo_moments_merge(merged, last % 2 == 0 ? loaded : part));
        ireneo_moments_free(part), ireneo_moments_free(loaded);
        last = first;
    }
    unsigned char *other = saved(state, merged, &again);
    assert_int_equal(bytes, again);
    assert_memory_equal(file, other, bytes);
    ireneo_moments_free(whole), ireneo_moments_free(merged);
    free(file), free(other), free(order), free(mixed);
}

static void test_parts_make_the_whole(void **state) {
    enum { ROWS = 1500, DIM = 140 };
    float *x = malloc(ROWS * DIM * sizeof *x);
    expect_ok(ireneo_random_normals_float(3, 1, 0, ROWS * DIM, 1, x));
    for (size_t k = 0; k < ROWS * DIM; k++) x[k] = x[k] * x[k] * x[k]; /* small numbers beside large ones */
    expect_parts_make_the_whole(state, x, ROWS, DIM);
    free(x);
    x = wild_rows(5, 300, 9);
    expect_parts_make_the_whole(state, x, 300, 9);
    free(x);
}

static void test_files(void **state) {
    enum { ROWS = 1100, DIM = 6 };
    float *x = whole_rows(9, ROWS, DIM);
    size_t bytes, again, shape[3] = {ROWS, DIM, 0}, stack[3] = {11, 100, DIM};
    ireneo_moments *m = moments_of(x, ROWS, DIM, 1), *read = NULL;
    unsigned char *file = saved(state, m, &bytes);
    const char *keys = scratch_path(state, "keys.npy"), *part = scratch_path(state, "part.safetensors");
    expect_ok(ireneo_save_npy(keys, IRENEO_DTYPE_FLOAT32, 2, shape, x));
    expect_ok(ireneo_moments_of_files(&keys, 1, NULL, &read));
    unsigned char *other = saved(state, read, &again);
    assert_true(bytes == again && memcmp(file, other, bytes) == 0);
    ireneo_moments_free(read), free(other);

    expect_ok(ireneo_save_npy(keys, IRENEO_DTYPE_FLOAT32, 3, stack, x)); /* the last axis is the dim */
    expect_ok(ireneo_moments_save(m, part));
    const char *both[] = {part, keys};
    expect_ok(ireneo_moments_of_files(both, 2, NULL, &read));
    assert_int_equal(ireneo_moments_count(read), 2 * ROWS);
    double once[DIM * DIM], twice[DIM * DIM];
    expect_ok(ireneo_moments_read(m, once, NULL));
    expect_ok(ireneo_moments_read(read, twice, NULL));
    assert_memory_equal(once, twice, sizeof once);
    ireneo_moments_free(read);

    shape[1] = DIM + 1, shape[0] = 3;
    expect_ok(ireneo_save_npy(keys, IRENEO_DTYPE_FLOAT32, 2, shape, x));
    expect_error(ireneo_moments_of_files(both, 2, NULL, &read), IRENEO_ERROR_DATA, "7 entries", "have 6");
    assert_null(read);
    x[4] = NAN;
    expect_ok(ireneo_save_npy(keys, IRENEO_DTYPE_FLOAT32, 2, shape, x));
    expect_error(ireneo_moments_of_files(&keys, 1, NULL, &read), IRENEO_ERROR_DATA, "row 0", "column 4");
    expect_error(ireneo_moments_add(m, x, 3, NULL), IRENEO_ERROR_DATA, "row 0", "column 4");
    shape[0] = 3 * DIM;
    expect_ok(ireneo_save_npy(keys, IRENEO_DTYPE_FLOAT32, 1, shape, x));
    expect_error(ireneo_moments_of_files(&keys, 1, NULL, &read), IRENEO_ERROR_DATA, "1 axes", "matrix");
    ireneo_moments_free(m);
    free(x), free(file);
}

/* A bit flipped anywhere, a file of another kind, and tensors that are not those of moments. */
static void test_damage(void **state) {
    float *x = whole_rows(10, 20, 3);
    size_t bytes;
    ireneo_moments *m = moments_of(x, 20, 3, 1), *read = NULL;
    unsigned char *file = saved(state, m, &bytes);
    const char *path = scratch_path(state, "m.safetensors");
    for (size_t k = 8; k < bytes; k += 7) {
        file[k] ^= 4;
        scratch_write(path, file, bytes);
        assert_int_not_equal(ireneo_moments_load(path, &read), IRENEO_OK);
        assert_null(read);
        file[k] ^= 4;
    }
    scratch_write(path, file, bytes);
    expect_ok(ireneo_moments_load(path, &read));
    ireneo_moments_free(read);
    const ireneo_tensor keys = {"keys", IRENEO_DTYPE_FLOAT32, 2, {20, 3}, x};
    expect_ok(ireneo_save_safetensors(path, &keys, 1, NULL, 0));
    expect_error(ireneo_moments_load(path, &read), IRENEO_ERROR_DATA, "no moments", "ireneo moments");
    const char *const metadata[] = {"format", "ireneo-moments-1"};
    expect_ok(ireneo_save_safetensors(path, &keys, 1, metadata, 1));
    expect_error(ireneo_moments_load(path, &read), IRENEO_ERROR_DATA, "checksum", "");
    ireneo_moments_free(m);
    free(x), free(file);
}

static int stop_later(void *context, const char *stage, double done, double total) {
    (void)context, (void)stage, (void)total;
    return done > 0.0;
}

static void test_stops(void **state) {
    (void)state;
    float *x = whole_rows(12, 3000, 2);
    ireneo_progress progress = {stop_later, NULL};
    ireneo_moments *m = NULL;
    expect_ok(ireneo_moments_new(2, &m));
    expect_error(ireneo_moments_add(m, x, 3000, &(ireneo_run_settings){.progress = &progress}),
                 IRENEO_ERROR_CANCELLED, "stopped", "");
    ireneo_moments_free(m);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expansions),
        cmocka_unit_test(test_expansions_keep_no_order),
        cmocka_unit_test(test_against_whole_numbers),
        scratch_test(test_parts_make_the_whole),
        scratch_test(test_files),
        scratch_test(test_damage),
        cmocka_unit_test(test_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
