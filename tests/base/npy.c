/* .npy files: round trips, headers written by hand, damage of every kind, files written by NumPy. */
#include "scratch.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>

/* Writes magic, version and header text as given, then data. */
static const char *write_npy(void *const *state, int version, const char *header, const void *data,
                             size_t bytes) {
    const char *path = scratch_path(state, "hand.npy");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    size_t length = strlen(header);
    fwrite("\x93NUMPY", 1, 6, file);
    fputc(version, file);
    fputc(0, file);
    for (int i = 0; i < (version == 1 ? 2 : 4); i++) fputc((int)(length >> (8 * i) & 0xff), file);
    fwrite(header, 1, length, file);
    fwrite(data, 1, bytes, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const float six[6] = {1, -2, 3.5f, 4, 5, 6};
#define PLAIN "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"

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

static void test_round_trip_of_every_type_and_rank(void **state) {
    unsigned char data[2 * 3 * 2 * 8];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 7);
    const size_t shape[IRENEO_MAX_AXES] = {2, 3, 2, 1, 1, 1, 1, 1};
    static const size_t counts[] = {1, 2, 6, 12, 12, 12, 12, 12, 12};
    const char *path = scratch_path(state, "round.npy");
    for (int dtype = IRENEO_DTYPE_FLOAT16; dtype <= IRENEO_DTYPE_BOOL; dtype++)
        for (int axes = 0; dtype != IRENEO_DTYPE_BFLOAT16 && axes <= IRENEO_MAX_AXES; axes++) {
            ireneo_array array;
            expect_ok(ireneo_save_npy(path, (ireneo_dtype)dtype, axes, axes == 0 ? NULL : shape, data));
            expect_ok(ireneo_array_open(path, &array));
            assert_int_equal(array.dtype, dtype);
            assert_int_equal(array.axes, axes);
            assert_int_equal(array.count, counts[axes]);
            for (int axis = 0; axis < axes; axis++) assert_int_equal(array.shape[axis], shape[axis]);
            assert_memory_equal(array.data, data, counts[axes] * ireneo_dtype_size((ireneo_dtype)dtype));
            assert_int_equal((uintptr_t)array.data % 64, 0);
            ireneo_array_close(&array);
            ireneo_array_close(&array);
        }
}

static void test_longest_shape_fits_the_header(void **state) {
    const size_t shape[IRENEO_MAX_AXES] = {0, SIZE_MAX, 1, 1, 1, 1, 1, 1};
    const char *path = scratch_path(state, "empty.npy");
    ireneo_array array;
    expect_ok(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT16, 1, shape, NULL));
    expect_ok(ireneo_array_open(path, &array));
    assert_int_equal(array.axes, 1);
    assert_int_equal(array.count, 0);
    ireneo_array_close(&array);
    /* The bytes of the axes that are not empty must still fit in size_t. */
    expect_error(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT16, 2, shape, NULL), IRENEO_ERROR_ARGUMENT, "larger",
                 "");
}

static void test_writer_refuses_nonsense(void **state) {
    const char *path = scratch_path(state, "bad.npy");
    const size_t shape[2] = {2, 3}, huge[2] = {SIZE_MAX / 2, 3};
    expect_error(ireneo_save_npy(path, (ireneo_dtype)99, 2, shape, six), IRENEO_ERROR_ARGUMENT, "type", "");
    expect_error(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, -1, shape, six), IRENEO_ERROR_ARGUMENT, "axes",
                 "");
    expect_error(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 9, shape, six), IRENEO_ERROR_ARGUMENT, "axes",
                 "");
    expect_error(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 2, NULL, six), IRENEO_ERROR_ARGUMENT, "shape",
                 "");
    expect_error(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 2, shape, NULL), IRENEO_ERROR_ARGUMENT, "data",
                 "");
    expect_error(ireneo_save_npy(path, IRENEO_DTYPE_FLOAT32, 2, huge, six), IRENEO_ERROR_ARGUMENT, "larger",
                 "");
    expect_error(ireneo_save_npy(NULL, IRENEO_DTYPE_FLOAT32, 2, shape, six), IRENEO_ERROR_ARGUMENT, "empty",
                 "");
    expect_error(ireneo_save_npy(path, IRENEO_DTYPE_BFLOAT16, 2, shape, six), IRENEO_ERROR_ARGUMENT,
                 "no name for bfloat16", "");
    assert_int_equal(scratch_count(*state), 0);
}

static void test_headers_that_are_fine(void **state) {
    static const char *const headers[] = {
        PLAIN,
        PLAIN "           \n",
        "{'descr':'<f4','fortran_order':False,'shape':(2,3)}",
        "{'descr':'<f4','fortran_order':False,'shape':(2,3,)}",
        "{\"shape\": (2, 3), \"descr\": \"<f4\", \"fortran_order\": False}\n",
        " { 'fortran_order' : False ,\t'shape' : ( 2 , 3 ) , 'descr' : '=f4' , } ",
        "{'descr': '|f4', 'fortran_order': False, 'shape': (2, 3), }",
        "{'descr': 'f4', 'fortran_order': False, 'shape': (2L, 3L), }",
    };
    for (int version = 1; version <= 3; version++)
        for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
            expect_six(write_npy(state, version, headers[i], six, sizeof six), 2, 3);
}

static void test_fortran_order_is_fine_where_it_changes_nothing(void **state) {
    static const char *const shapes[] = {"(6,)", "(1, 6)", "(6, 1)"};
    static const size_t rows[] = {6, 1, 6}, columns[] = {1, 6, 1};
    char header[128];
    for (size_t i = 0; i < 3; i++) {
        snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': True, 'shape': %s, }", shapes[i]);
        expect_six(write_npy(state, 1, header, six, sizeof six), rows[i], columns[i]);
    }
}

/* Every element of arrays of two, three and four axes, where a column does and does not fit into a block. */
static void test_fortran_order(void **state) {
    static const struct {
        int axes;
        size_t shape[4];
    } cases[] = {{2, {2, 3}},       {2, {3, 2}},    {2, {5, 200}},
                 {2, {4500001, 2}}, {3, {4, 3, 5}}, {4, {2, 3, 4, 5}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t *shape = cases[i].shape;
        size_t count = 1, index[4] = {0};
        char header[128], text[64] = "";
        for (int a = 0; a < cases[i].axes; a++) {
            count *= shape[a];
            snprintf(text + strlen(text), sizeof text - strlen(text), "%zu,", shape[a]);
        }
        float *data = malloc(count * sizeof *data);
        for (size_t k = 0; k < count; k++) data[k] = (float)k;
        snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': True, 'shape': (%s), }", text);
        ireneo_array array;
        expect_ok(ireneo_array_open(write_npy(state, 1, header, data, count * sizeof *data), &array));
        for (size_t k = 0; k < count; k++) { /* index is that of the k-th element in row order */
            size_t place = 0;
            for (int a = cases[i].axes - 1; a >= 0; a--) place = place * shape[a] + index[a];
            assert_true(((const float *)array.data)[k] == (float)place);
            for (int a = cases[i].axes - 1; a >= 0 && ++index[a] == shape[a]; a--) index[a] = 0;
        }
        if (cases[i].axes == 2) {
            float *matrix = NULL;
            size_t n = 0, d = 0;
            expect_ok(ireneo_load_matrix(scratch_path(state, "hand.npy"), &matrix, &n, &d));
            assert_memory_equal(matrix, array.data, count * sizeof *matrix);
            ireneo_free(matrix);
        }
        ireneo_array_close(&array);
        free(data);
    }
}

/* Errors name row and column of the matrix, not of the file. */
static void test_fortran_order_in_sentences(void **state) {
    float bad[6] = {1, 2, 3, 4, NAN, 6}, *values = NULL;
    size_t n = 0, d = 0;
    const char *path =
        write_npy(state, 1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", bad, sizeof bad);
    expect_error(ireneo_load_matrix(path, &values, &n, &d), IRENEO_ERROR_DATA, "row 0, column 2 is NaN",
                 path);
}

/* Between opening and reading another program cuts the file: an error and no signal. */
static void test_file_cut_while_it_is_read(void **state) {
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2048, 8192), }";
    const char *path = write_npy(state, 1, header, "", 0);
    assert_int_equal(truncate(path, 10 + (off_t)strlen(header) + 2048 * 8192 * 4), 0);
    ireneo_source source;
    ireneo_load_notes notes;
    ireneo_array array;
    float *values = NULL;
    size_t n = 0, d = 0;
    for (int pass = 0; pass < 2; pass++) {
        expect_ok(ireneo_source_open(path, &source));
        assert_int_equal(truncate(path, 40 * 1000 * 1000), 0);
        if (pass == 0)
            expect_error(ireneo_source_to_matrix(&source, IRENEO_READ_ROWS, &values, &n, &d, &notes),
                         IRENEO_ERROR_IO, "became shorter", path);
        else
            expect_error(ireneo_source_to_array(&source, &array), IRENEO_ERROR_IO, "became shorter", path);
        ireneo_source_close(&source);
        assert_int_equal(truncate(path, 10 + (off_t)strlen(header) + 2048 * 8192 * 4), 0);
    }
    expect_ok(ireneo_load_matrix(path, &values, &n, &d));
    assert_true(n == 2048 && d == 8192 && values[n * d - 1] == 0);
    ireneo_free(values);
}

static void test_headers_that_are_not(void **state) {
    static const struct {
        const char *header, *reason;
    } cases[] = {
        {"", "not a dict"},
        {"[1, 2]", "not a dict"},
        {"{", "quoted string"},
        {"{}", "missing"},
        {"{,}", "quoted string"},
        {"{'descr'", "colon"},
        {"{'descr", "not closed"},
        {"{'descr':", "quoted string"},
        {"{'descr': '<f4'", "separated by commas"},
        {"{'descr': '<f4' 'shape': (2, 3)}", "separated by commas"},
        {"{'descr': '<f4', 'fortran_order': False}", "missing"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", "twice"},
        {"{'other': 1}", "a key other than"},
        {"{'des\\cr': '<f4'}", "unexpected character"},
        {"{'des\x01': '<f4'}", "unexpected character"},
        {"{'a name that goes on and on and on and on': 1}", "too long"},
        {"{'descr': '<f4\", 'fortran_order': False, 'shape': (2, 3)}", ""},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}", "True nor False"},
        {"{'descr': '<f4', 'fortran_order': Fals", "True nor False"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': [2, 3]}", "not a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 6}", "not a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6)}", "not a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", "whole numbers"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}", "whole numbers"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2.0, 3)}", "whole numbers"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,,3)}", "whole numbers"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3)}", "negative"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, ", "whole numbers"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", "more than 8 axes"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,)}", "too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999,)}", "too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "larger than any"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}", "larger than any"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4, 0)}", "larger than any"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (7,)}", "truncated"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3)}", "needs 36 bytes of data, 24"},
        {PLAIN " x", "follows"},
        {PLAIN PLAIN, "follows"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (2, 3)}", "'<c8' (complex)"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (2, 3)}", "'<f16' (long double)"},
        {"{'descr': '<V2', 'fortran_order': False, 'shape': (2, 3)}", "as NumPy saves bfloat16"},
        {"{'descr': '|S5', 'fortran_order': False, 'shape': (2, 3)}", "(text)"},
        {"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (2, 3)}", "'<M8[ns]'"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 3)}", "'|O'"},
        {"{'descr': '', 'fortran_order': False, 'shape': (2, 3)}", "''"},
        {"{'descr': '<', 'fortran_order': False, 'shape': (2, 3)}", "'<'"},
        {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2, 3)}", "structure"},
    };
    for (int version = 1; version <= 3; version++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
            expect_bad(write_npy(state, version, cases[i].header, six, sizeof six), cases[i].reason);
}

static void test_wrong_magic_and_versions(void **state) {
    const char *path = scratch_path(state, "bad.npy");
    scratch_write(path, "", 0);
    expect_bad(path, "NUMPY");
    scratch_write(path, "\x93NUMP", 5);
    expect_bad(path, "NUMPY");
    scratch_write(path, "PK\x03\x04 an archive of numpy.savez", 30);
    expect_bad(path, "NUMPY");
    expect_bad(write_npy(state, 0, PLAIN, six, sizeof six), "version 0.0");
    expect_bad(write_npy(state, 4, PLAIN, six, sizeof six), "version 4.0");
    scratch_write(path, "\x93NUMPY\x01\x07", 8);
    expect_bad(path, "version 1.7");
}

/* A file cut anywhere is an error, never a crash and never data. */
static void test_truncation_at_every_byte(void **state) {
    size_t count = 0;
    for (int version = 1; version <= 3; version++) {
        unsigned char *bytes = scratch_read(write_npy(state, version, PLAIN, six, sizeof six), &count);
        const char *path = scratch_path(state, "cut.npy");
        for (size_t length = 0; length < count; length++) {
            scratch_write(path, bytes, length);
            expect_bad(path, length < 6 ? "NUMPY" : "truncated");
        }
        free(bytes);
    }
}

static void test_header_length_beyond_the_file(void **state) {
    const char *path = scratch_path(state, "bad.npy");
    scratch_write(path, "\x93NUMPY\x01\x00\xff\xff{'descr'", 18);
    expect_bad(path, "65535 bytes is announced, 8 are there");
    scratch_write(path, "\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'", 20);
    expect_bad(path, "4294967295 bytes is announced, 8 are there");
    scratch_write(path, "\x93NUMPY\x02\x00\xff\xff\xff\x00{'descr'", 20);
    assert_int_equal(truncate(path, 1 << 25), 0);
    expect_bad(path, "16777215 bytes is too long");
}

static void test_files_that_cannot_be_opened(void **state) {
    ireneo_array array;
    float *values = NULL;
    size_t n = 0, d = 0;
    expect_error(ireneo_array_open(scratch_path(state, "none.npy"), &array), IRENEO_ERROR_IO, "none.npy",
                 strerror(ENOENT));
    expect_error(ireneo_array_open(*state, &array), IRENEO_ERROR_IO, *state, strerror(EISDIR));
    expect_error(ireneo_array_open("", &array), IRENEO_ERROR_IO, strerror(ENOENT), "");
    expect_error(ireneo_array_open(NULL, &array), IRENEO_ERROR_ARGUMENT, "", "");
    expect_error(ireneo_load_matrix("/dev/null", &values, &n, &d), IRENEO_ERROR_IO, "regular", "/dev/null");
    const char *pipe = scratch_path(state, "pipe.npy");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    expect_error(ireneo_array_open(pipe, &array), IRENEO_ERROR_IO, "regular", pipe);
    if (geteuid() == 0) return; /* root may read everything */
    const char *secret = write_npy(state, 1, PLAIN, six, sizeof six);
    chmod(secret, 0);
    expect_error(ireneo_array_open(secret, &array), IRENEO_ERROR_IO, secret, strerror(EACCES));
}

/* Headers of odd length put the elements at odd addresses; the sanitizer watches. */
static void test_unaligned_data(void **state) {
    char header[128];
    for (int spaces = 0; spaces < 8; spaces++) {
        snprintf(header, sizeof header, "%s%*s", PLAIN, spaces, "");
        expect_six(write_npy(state, 1, header, six, sizeof six), 2, 3);
    }
}

static void test_files_from_numpy(void **state) {
    scratch_python(state, "import numpy as np\n"
                          "a = np.array([[1, -2, 3.5], [4, 5, 6]])\n"
                          "for t in ('float16', 'float32', 'float64'): np.save(t + '.npy', a.astype(t))\n"
                          "np.save('fortran.npy', np.asfortranarray(a))\n"
                          "np.save('big.npy', a.astype('>f4'))\n"
                          "np.save('object.npy', np.array([{}, 1]), allow_pickle=True)\n"
                          "np.save('structure.npy', np.zeros(3, dtype=[('x', 'f4')]))\n"
                          "np.save('indices.npy', np.arange(5))\n"
                          "for v in (1, 2, 3):\n"
                          "  with open('v%d.npy' % v, 'wb') as f:\n"
                          "    np.lib.format.write_array(f, a.astype('f4'), version=(v, 0))\n");
    static const char *const fine[] = {"float16.npy", "float32.npy", "float64.npy",
                                       "v1.npy",      "v2.npy",      "v3.npy"};
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) expect_six(scratch_path(state, fine[i]), 2, 3);
    expect_six(scratch_path(state, "fortran.npy"), 2, 3);
    expect_six(scratch_path(state, "big.npy"), 2, 3);
    expect_bad(scratch_path(state, "object.npy"), "'|O' (Python objects)");
    expect_bad(scratch_path(state, "structure.npy"), "structure");
    int64_t *indices = NULL;
    size_t n = 0;
    expect_ok(ireneo_load_indices(scratch_path(state, "indices.npy"), &indices, &n));
    assert_int_equal(n, 5);
    for (int64_t i = 0; i < 5; i++) assert_int_equal(indices[i], i);
    ireneo_free(indices);
}

static void test_files_for_numpy(void **state) {
    const size_t shape[3] = {2, 3, 1}, none[2] = {0, 3};
    const int64_t numbers[6] = {1, 2, 3, 4, 5, INT64_MIN};
    expect_ok(ireneo_save_npy(scratch_path(state, "f.npy"), IRENEO_DTYPE_FLOAT32, 2, shape, six));
    expect_ok(ireneo_save_npy(scratch_path(state, "i.npy"), IRENEO_DTYPE_INT64, 3, shape, numbers));
    expect_ok(ireneo_save_npy(scratch_path(state, "s.npy"), IRENEO_DTYPE_FLOAT32, 0, NULL, six));
    expect_ok(ireneo_save_npy(scratch_path(state, "v.npy"), IRENEO_DTYPE_INT32, 1, shape, numbers));
    expect_ok(ireneo_save_npy(scratch_path(state, "e.npy"), IRENEO_DTYPE_FLOAT16, 2, none, NULL));
    scratch_python(state, "import numpy as np\n"
                          "f, i, s, v, e = [np.load(n + '.npy') for n in 'fisve']\n"
                          "assert f.dtype == np.float32 and f.tolist() == [[1, -2, 3.5], [4, 5, 6]]\n"
                          "assert i.dtype == np.int64 and i.shape == (2, 3, 1) and i[1, 2, 0] == -2**63\n"
                          "assert s.shape == () and s == 1\n"
                          "assert v.dtype == np.int32 and v.shape == (2,)\n"
                          "assert e.dtype == np.float16 and e.shape == (0, 3)\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        scratch_test(test_round_trip_of_every_type_and_rank),
        scratch_test(test_longest_shape_fits_the_header),
        scratch_test(test_writer_refuses_nonsense),
        scratch_test(test_headers_that_are_fine),
        scratch_test(test_fortran_order_is_fine_where_it_changes_nothing),
        scratch_test(test_headers_that_are_not),
        scratch_test(test_wrong_magic_and_versions),
        scratch_test(test_truncation_at_every_byte),
        scratch_test(test_header_length_beyond_the_file),
        scratch_test(test_files_that_cannot_be_opened),
        scratch_test(test_unaligned_data),
        scratch_test(test_fortran_order),
        scratch_test(test_fortran_order_in_sentences),
        scratch_test(test_file_cut_while_it_is_read),
        scratch_test(test_files_from_numpy),
        scratch_test(test_files_for_numpy),
    };
    return cmocka_run_group_tests_name("npy", tests, NULL, NULL);
}
