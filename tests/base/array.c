/* Element types, locations, and the loaders of matrices, indices and vectors. */
#include "scratch.h"

#include <float.h>
#include <math.h>

static const float six[6] = {1, -2, 3.5f, 4, 5, 6};

static void expect_six(const char *path, size_t rows, size_t columns) {
    float *values = NULL;
    size_t n = 0, d = 0;
    expect_ok(ireneo_load_matrix(path, &values, &n, &d));
    assert_int_equal(n, rows);
    assert_int_equal(d, columns);
    assert_memory_equal(values, six, sizeof six);
    ireneo_free(values);
}

static void expect_bad(const char *path, const char *reason) {
    ireneo_array array;
    expect_error(ireneo_array_open(path, &array), IRENEO_ERROR_DATA, path, reason);
    assert_null(array.data);
    assert_int_equal(array.count, 0);
    ireneo_array_close(&array);
}

static void test_names_and_sizes(void **state) {
    (void)state;
    static const struct {
        ireneo_dtype dtype;
        const char *name;
        size_t size;
    } types[] = {{IRENEO_DTYPE_FLOAT16, "float16", 2}, {IRENEO_DTYPE_FLOAT32, "float32", 4},
                 {IRENEO_DTYPE_FLOAT64, "float64", 8}, {IRENEO_DTYPE_INT32, "int32", 4},
                 {IRENEO_DTYPE_INT64, "int64", 8},     {IRENEO_DTYPE_BFLOAT16, "bfloat16", 2},
                 {IRENEO_DTYPE_INT8, "int8", 1},       {IRENEO_DTYPE_UINT8, "uint8", 1},
                 {IRENEO_DTYPE_INT16, "int16", 2},     {IRENEO_DTYPE_UINT16, "uint16", 2},
                 {IRENEO_DTYPE_UINT32, "uint32", 4},   {IRENEO_DTYPE_UINT64, "uint64", 8},
                 {IRENEO_DTYPE_BOOL, "bool", 1},       {(ireneo_dtype)99, "unknown", 0}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        assert_string_equal(ireneo_dtype_name(types[i].dtype), types[i].name);
        assert_int_equal(ireneo_dtype_size(types[i].dtype), types[i].size);
    }
    ireneo_free(NULL);
    ireneo_array_close(NULL);
}

static void test_locations(void **state) {
    const size_t shape[2] = {2, 3};
    ireneo_array array;
    const char *colon = scratch_path(state, "a:b.npy"), *bare = scratch_path(state, "bare");
    expect_ok(ireneo_save_npy(colon, IRENEO_DTYPE_FLOAT32, 2, shape, six));
    expect_six(colon, 2, 3);
    expect_ok(ireneo_save_npy(bare, IRENEO_DTYPE_FLOAT32, 2, shape, six));
    expect_six(bare, 2, 3);
    expect_error(ireneo_array_open(scratch_path(state, "a:b.npy:W"), &array), IRENEO_ERROR_ARGUMENT, "':W'",
                 "a:b.npy");
    expect_error(ireneo_array_open(scratch_path(state, "none:W"), &array), IRENEO_ERROR_IO,
                 "none: No such file", "");
    scratch_write(bare, "something else altogether", 25);
    expect_bad(bare, "neither .npy, .npz nor .safetensors");
    scratch_write(bare, "", 0);
    expect_bad(bare, "neither .npy, .npz nor .safetensors");
}

/* Half precision against its definition, for all 65536 patterns; ldexp is the oracle. */
static void test_every_half(void **state) {
    uint16_t half[1];
    const size_t shape[1] = {1};
    static uint16_t all[63488];
    size_t count = 0;
    for (uint32_t bits = 0; bits < 65536; bits++)
        if ((bits & 0x7c00) != 0x7c00) all[count++] = (uint16_t)bits;
    const size_t all_shape[1] = {count};
    const char *path = scratch_path(state, "half.npy");
    float *values = NULL;
    size_t n = 0, d = 0;
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT16, 1, all_shape, all));
    expect_ok(ireneo_load_matrix(path, &values, &n, &d));
    assert_int_equal(n, count);
    for (size_t i = 0; i < count; i++) {
        int exponent = all[i] >> 10 & 31, fraction = all[i] & 1023;
        double size = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
        assert_true((double)values[i] == (all[i] & 0x8000 ? -size : size));
        assert_int_equal(signbit(values[i]) != 0, all[i] >> 15);
    }
    ireneo_free(values);
    static const struct {
        uint16_t bits;
        const char *text;
    } special[] = {{0x7c00, "infinite"}, {0xfc00, "infinite"}, {0x7e00, "NaN"}, {0xfc01, "NaN"}};
    for (size_t i = 0; i < 4; i++) {
        half[0] = special[i].bits;
        expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT16, 1, shape, half));
        expect_error(ireneo_load_matrix(path, &values, &n, &d), IRENEO_ERROR_DATA, special[i].text,
                     "row 0, column 0");
        assert_null(values);
    }
}

static void test_matrix_from_every_type(void **state) {
    const char *path = scratch_path(state, "m.npy");
    const size_t shape[2] = {2, 3};
    double f64[6];
    int32_t i32[6] = {-1, 0, 1, INT32_MAX - 127, INT32_MIN, 7};
    int64_t i64[6] = {-1, 0, 1, INT64_MAX - 0x7fffffffff, INT64_MIN, 7};
    for (int i = 0; i < 6; i++) f64[i] = (double)six[i];
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT64, 2, shape, f64));
    expect_six(path, 2, 3);
    float *values = NULL;
    size_t n = 0, d = 0;
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_INT32, 2, shape, i32));
    expect_ok(ireneo_load_matrix(path, &values, &n, &d));
    for (int i = 0; i < 6; i++) assert_true(values[i] == (float)i32[i]);
    ireneo_free(values);
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_INT64, 2, shape, i64));
    expect_ok(ireneo_load_matrix(path, &values, &n, &d));
    for (int i = 0; i < 6; i++) assert_true(values[i] == (float)i64[i]);
    ireneo_free(values);
}

static void test_elements_that_are_not_numbers(void **state) {
    const char *path = scratch_path(state, "m.npy");
    const size_t shape[2] = {2, 3};
    static const struct {
        double value;
        const char *text;
    } cases[] = {{NAN, "row 1, column 2 is NaN"},
                 {-NAN, "row 1, column 2 is NaN"},
                 {INFINITY, "row 1, column 2 is infinite"},
                 {-INFINITY, "row 1, column 2 is infinite"},
                 {1e39, "row 1, column 2 is 1e+39, too large for float32"}};
    float *values = NULL;
    size_t n = 0, d = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double f64[6] = {1, 2, 3, 4, 5, cases[i].value};
        expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT64, 2, shape, f64));
        expect_error(ireneo_load_matrix(path, &values, &n, &d), IRENEO_ERROR_DATA, path, cases[i].text);
        assert_null(values);
        if (i == 4) continue; /* no float */
        float f32[6] = {1, 2, 3, 4, 5, (float)cases[i].value};
        expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 2, shape, f32));
        expect_error(ireneo_load_matrix(path, &values, &n, &d), IRENEO_ERROR_DATA, path, cases[i].text);
    }
    /* The largest floats are numbers. */
    float edge[6] = {FLT_MAX, -FLT_MAX, FLT_MIN, 0x1p-149f, 0, -0.0f};
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 2, shape, edge));
    expect_ok(ireneo_load_matrix(path, &values, &n, &d));
    assert_memory_equal(values, edge, sizeof edge);
    ireneo_free(values);
}

/* Saves six elements, of which the last is interesting, and loads them as a matrix (2, 3). */
static ireneo_error load_last(void *const *state, ireneo_dtype dtype, const void *elements,
                              ireneo_load_notes *notes) {
    const char *path = scratch_path(state, "m.npy");
    const size_t shape[2] = {2, 3};
    float *values = NULL;
    size_t n = 0, d = 0;
    expect_ok(ireneo_save_npy(path, dtype, 2, shape, elements));
    ireneo_error error = ireneo_load_matrix_noted(path, &values, &n, &d, notes);
    ireneo_free(values);
    return error;
}

static void test_whole_numbers_beyond_float32(void **state) {
    ireneo_load_notes notes;
    int64_t i64[6] = {1, 2, 3, 4, 5, 16777217};
    uint64_t u64[6] = {1, 2, 3, 4, 5, UINT64_MAX};
    uint32_t u32[6] = {1, 2, 3, 4, 5, UINT32_MAX};
    double f64[6] = {1, 2, 3, 4, 5, -16777217};
    static const char sentence[] = "row 1, column 2 is ";
    expect_error(load_last(state, IRENEO_DTYPE_INT64, i64, &notes), IRENEO_ERROR_DATA, sentence,
                 "is 16777217, a whole number that float32 cannot hold");
    expect_error(load_last(state, IRENEO_DTYPE_UINT64, u64, &notes), IRENEO_ERROR_DATA, sentence, "whole");
    expect_error(load_last(state, IRENEO_DTYPE_UINT32, u32, &notes), IRENEO_ERROR_DATA, sentence,
                 "4294967295");
    expect_error(load_last(state, IRENEO_DTYPE_FLOAT64, f64, &notes), IRENEO_ERROR_DATA, sentence,
                 "-16777217");
    i64[5] = 16777218, u64[5] = 1ull << 63, u32[5] = 1u << 31, f64[5] = 0x1p60 + 256;
    expect_ok(load_last(state, IRENEO_DTYPE_INT64, i64, &notes));
    expect_ok(load_last(state, IRENEO_DTYPE_UINT64, u64, &notes));
    expect_ok(load_last(state, IRENEO_DTYPE_UINT32, u32, &notes));
    assert_int_equal(notes.rounded, 0);
    expect_ok(load_last(state, IRENEO_DTYPE_FLOAT64, f64, &notes)); /* whole only because it is large */
    assert_int_equal(notes.rounded, 1);
}

static void test_numbers_below_float32(void **state) {
    ireneo_load_notes notes;
    static const double lost[] = {1e-50, -1e-300, 1e-39, 0x1.000001p-127};
    static const double kept[] = {0, -0.0, 0x1p-149, 0x1p-126, 1.2e-38, 0x1.8p-127};
    double f64[6] = {1, 2, 3, 4, 5, 6};
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        f64[5] = lost[i];
        expect_error(load_last(state, IRENEO_DTYPE_FLOAT64, f64, &notes), IRENEO_ERROR_DATA,
                     "row 1, column 2 is ", "too small for float32");
    }
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        f64[5] = kept[i];
        expect_ok(load_last(state, IRENEO_DTYPE_FLOAT64, f64, &notes));
    }
}

static void test_notes_about_rounding(void **state) {
    ireneo_load_notes notes;
    const double f64[6] = {0.1, 0.5, 1 + 0x1p-24, 4, 5, 1e300 * 1e-290};
    expect_ok(load_last(state, IRENEO_DTYPE_FLOAT64, f64, &notes));
    assert_int_equal(notes.dtype, IRENEO_DTYPE_FLOAT64);
    assert_int_equal(notes.rounded, 2 + ((double)(float)f64[5] != f64[5]));
    assert_true(notes.largest_rounding == 0x1p-24 / (1 + 0x1p-24));
    expect_ok(load_last(state, IRENEO_DTYPE_FLOAT32, six, &notes));
    assert_int_equal(notes.dtype, IRENEO_DTYPE_FLOAT32);
    assert_true(notes.rounded == 0 && notes.largest_rounding == 0);
}

/* Rows may be equal before rounding, but may not become equal by it; in any order of the file. */
static void test_rows_that_become_equal(void **state) {
    ireneo_load_notes notes;
    double near[6] = {0.1, 2, 3, 0.1 + 1e-12, 2, 3}, same[6] = {0.1, 2, -0.0, 0.1, 2, 0};
    expect_error(load_last(state, IRENEO_DTYPE_FLOAT64, near, &notes), IRENEO_ERROR_DATA,
                 "rows 0 and 1 differ in float64 but are equal in float32", "m.npy");
    expect_ok(load_last(state, IRENEO_DTYPE_FLOAT64, same, &notes));
    near[3] = 0.1 + 1e-7;
    expect_ok(load_last(state, IRENEO_DTYPE_FLOAT64, near, &notes));
    near[3] = 0.1 + 1e-12;
    const size_t shape[3] = {2, 1, 3}, wide[2] = {2, 3};
    const char *path = scratch_path(state, "stack.npy");
    float *values = NULL;
    size_t sets = 0, n = 0, d = 0;
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT64, 3, shape, near)); /* each in a set of its own */
    expect_ok(ireneo_load_stack_noted(path, &values, &sets, &n, &d, &notes));
    assert_true(sets == 2 && n == 1 && d == 3 && notes.rounded == 2);
    ireneo_free(values);
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT64, 2, wide, near));
    expect_ok(ireneo_load_queries(path, &values, &n, &d, &notes));
    ireneo_free(values);
}

static void test_queries(void **state) {
    const char *path = scratch_path(state, "q.npy");
    const size_t vector[1] = {6}, matrix[2] = {2, 3}, column[2] = {6, 1};
    static const size_t rows[] = {1, 2, 6};
    const size_t *shapes[] = {vector, matrix, column};
    for (int i = 0; i < 3; i++) {
        float *values = NULL;
        size_t n = 0, d = 0;
        expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, i == 0 ? 1 : 2, shapes[i], six));
        expect_ok(ireneo_load_queries(path, &values, &n, &d, NULL));
        assert_true(n == rows[i] && n * d == 6);
        assert_memory_equal(values, six, sizeof six);
        ireneo_free(values);
    }
}

static void test_foreign_files(void **state) {
    static const struct {
        const char *name, *bytes, *sentence, *remedy;
    } cases[] = {{"m.pt", "PK\3\4 and so on", "PyTorch", "torch.load('"},
                 {"m.bin", "\x80\2 and so on", "PyTorch", "torch.load('"},
                 {"m.pkl", "\x80\4 and so on", "pickle", "allow_pickle=True"},
                 {"m.h5", "\x89HDF\r\n\x1a\n and so on", "HDF5", "h5py.File('"},
                 {"unknown", "\x89HDF\r\n\x1a\n and so on", "HDF5", "h5py.File('"},
                 {"m.mat", "MATLAB 5.0 MAT-file", "MATLAB", "scipy.io.loadmat('"},
                 {"m.parquet", "PAR1 and so on", "Parquet", "pandas.read_parquet('"},
                 {"m.gguf", "GGUF and so on", "GGUF", "gguf.GGUFReader('"},
                 {"other", "\x80\5 and so on", "pickle", "allow_pickle=True"},
                 {"m.safetensors", "version https://git-lfs.github.com/spec/v1", "Git LFS", "git lfs pull"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *path = scratch_path(state, cases[i].name);
        ireneo_array array;
        scratch_write(path, cases[i].bytes, strlen(cases[i].bytes));
        expect_error(ireneo_array_open(path, &array), IRENEO_ERROR_DATA, path, cases[i].sentence);
        assert_non_null(strstr(ireneo_last_error(), cases[i].remedy));
    }
    /* The bytes decide where they are ours. */
    const size_t shape[2] = {2, 3};
    expect_ok(ireneo_save_npy(scratch_path(state, "n.bin"), IRENEO_DTYPE_FLOAT32, 2, shape, six));
    expect_six(scratch_path(state, "n.bin"), 2, 3);
}

static void test_matrix_shapes(void **state) {
    const char *path = scratch_path(state, "m.npy");
    float *values = NULL;
    size_t n = 1, d = 1;
    const size_t vector[1] = {6}, cube[3] = {1, 2, 3}, no_rows[2] = {0, 3}, no_columns[2] = {3, 0};
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 1, vector, six));
    expect_six(path, 6, 1);
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 0, NULL, six));
    expect_error(ireneo_load_matrix(path, &values, &n, &d), IRENEO_ERROR_DATA, "0 axes", path);
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 3, cube, six));
    expect_error(ireneo_load_matrix(path, &values, &n, &d), IRENEO_ERROR_DATA, "3 axes", path);
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 2, no_rows, six));
    expect_error(ireneo_load_matrix(path, &values, &n, &d), IRENEO_ERROR_DATA, "empty", path);
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 2, no_columns, six));
    expect_error(ireneo_load_matrix(path, &values, &n, &d), IRENEO_ERROR_DATA, "empty", path);
    assert_null(values);
    assert_int_equal(n, 0);
    assert_int_equal(d, 0);
}

/* Three axes are a stack; fewer are one matrix, of which the number is 0. */
static void test_stacks(void **state) {
    const char *path = scratch_path(state, "s.npy");
    float *values = NULL;
    size_t matrices = 7, n = 7, d = 7;
    const size_t cube[3] = {3, 1, 2}, matrix[2] = {2, 3}, four[4] = {1, 2, 3, 1};
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 3, cube, six));
    expect_ok(ireneo_load_stack(path, &values, &matrices, &n, &d));
    assert_true(matrices == 3 && n == 1 && d == 2);
    assert_memory_equal(values, six, sizeof six);
    ireneo_free(values);
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 2, matrix, six));
    expect_ok(ireneo_load_stack(path, &values, &matrices, &n, &d));
    assert_true(matrices == 0 && n == 2 && d == 3);
    assert_memory_equal(values, six, sizeof six);
    ireneo_free(values);
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 4, four, six));
    expect_error(ireneo_load_stack(path, &values, &matrices, &n, &d), IRENEO_ERROR_DATA, "4 axes", path);
    assert_null(values);
    assert_true(matrices == 0 && n == 0 && d == 0);
}

static void test_indices(void **state) {
    const char *path = scratch_path(state, "t.npy");
    const int32_t i32[4] = {0, -1, INT32_MAX, INT32_MIN};
    const int64_t i64[4] = {0, -1, INT64_MAX, INT64_MIN};
    const size_t column[2] = {4, 1}, square[2] = {2, 2}, none[1] = {0};
    int64_t *values = NULL;
    size_t n = 0;
    for (int axes = 1; axes <= 2; axes++) {
        expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_INT64, axes, column, i64));
        expect_ok(ireneo_load_indices(path, &values, &n));
        assert_int_equal(n, 4);
        assert_memory_equal(values, i64, sizeof i64);
        ireneo_free(values);
        expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_INT32, axes, column, i32));
        expect_ok(ireneo_load_indices(path, &values, &n));
        for (size_t i = 0; i < 4; i++) assert_true(values[i] == i32[i]);
        ireneo_free(values);
    }
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_INT32, 2, square, i32));
    expect_error(ireneo_load_indices(path, &values, &n), IRENEO_ERROR_DATA, "2 x 2", path);
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_INT32, 0, NULL, i32));
    expect_error(ireneo_load_indices(path, &values, &n), IRENEO_ERROR_DATA, "0 axes", path);
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_INT32, 1, none, i32));
    expect_error(ireneo_load_indices(path, &values, &n), IRENEO_ERROR_DATA, "empty", path);
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 1, column, six));
    expect_error(ireneo_load_indices(path, &values, &n), IRENEO_ERROR_DATA, "float32; indices are", path);
    expect_error(ireneo_load_indices(scratch_path(state, "no"), &values, &n), IRENEO_ERROR_IO, "no", "");
    assert_null(values);
    assert_int_equal(n, 0);
}

static void test_vector(void **state) {
    const char *path = scratch_path(state, "v.npy");
    const double f64[3] = {1e300, -0.5, DBL_MAX}, bad[3] = {1, 2, NAN};
    const size_t shape[1] = {3}, row[2] = {1, 6};
    double *values = NULL;
    size_t n = 0;
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT64, 1, shape, f64));
    expect_ok(ireneo_load_vector(path, &values, &n));
    assert_int_equal(n, 3);
    assert_memory_equal(values, f64, sizeof f64);
    ireneo_free(values);
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 1, shape, six));
    expect_ok(ireneo_load_vector(path, &values, &n));
    assert_true(values[1] == -2);
    ireneo_free(values);
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT64, 1, shape, bad));
    expect_error(ireneo_load_vector(path, &values, &n), IRENEO_ERROR_DATA, "row 2, column 0 is NaN", path);
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 2, row, six));
    expect_error(ireneo_load_vector(path, &values, &n), IRENEO_ERROR_DATA, "1 x 6", path);
    expect_error(ireneo_load_vector(scratch_path(state, "no"), &values, &n), IRENEO_ERROR_IO, "no", "");
    assert_null(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_sizes),
        scratch_test(test_locations),
        scratch_test(test_every_half),
        scratch_test(test_matrix_from_every_type),
        scratch_test(test_elements_that_are_not_numbers),
        scratch_test(test_matrix_shapes),
        scratch_test(test_stacks),
        scratch_test(test_whole_numbers_beyond_float32),
        scratch_test(test_numbers_below_float32),
        scratch_test(test_notes_about_rounding),
        scratch_test(test_rows_that_become_equal),
        scratch_test(test_queries),
        scratch_test(test_foreign_files),
        scratch_test(test_indices),
        scratch_test(test_vector),
    };
    return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
