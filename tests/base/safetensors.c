/* .safetensors files: round trips, metadata, headers written by hand, damage of every kind, and what the
 * reference format demands of files other programs are to read. */
#include "scratch.h"

#include <errno.h>

/* Writes the length of the header, the header and the data. */
static const char *write_tensors(void *const *state, const char *header, const void *data, size_t bytes) {
    const char *path = scratch_path(state, "hand.safetensors");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    size_t length = strlen(header);
    for (int i = 0; i < 8; i++) fputc((int)(length >> (8 * i) & 0xff), file);
    fwrite(header, 1, length, file);
    fwrite(data, 1, bytes, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const float six[6] = {1, -2, 3.5f, 4, 5, 6};
#define PLAIN "{\"W\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}}"

static void expect_six(const char *location) {
    float *values = NULL;
    size_t n = 0, d = 0;
    expect_ok(ireneo_load_matrix(location, &values, &n, &d));
    assert_int_equal(n, 2);
    assert_int_equal(d, 3);
    assert_memory_equal(values, six, sizeof six);
    ireneo_free(values);
}

static void expect_bad(const char *path, const char *reason) {
    ireneo_array array;
    int found = 1;
    char *value = NULL;
    expect_error(ireneo_array_open(path, &array), IRENEO_ERROR_DATA, path, reason);
    assert_null(array.data);
    ireneo_array_close(&array);
    expect_error(ireneo_safetensors_has(path, "W", &found), IRENEO_ERROR_DATA, path, reason);
    expect_error(ireneo_safetensors_metadata(path, "key", &value), IRENEO_ERROR_DATA, path, reason);
    assert_int_equal(found, 0);
    assert_null(value);
}

static void test_round_trip_of_every_type(void **state) {
    unsigned char data[5][48];
    ireneo_tensor tensors[7];
    static const char *const names[] = {"half", "single", "double", "int", "long"};
    for (int i = 0; i < 5; i++) {
        for (size_t j = 0; j < sizeof data[i]; j++) data[i][j] = (unsigned char)(j * 5 + (size_t)i);
        tensors[i] = (ireneo_tensor){names[i], (ireneo_dtype)i, 2, {2, 3}, data[i]};
    }
    tensors[5] = (ireneo_tensor){"scalar", IRENEO_DTYPE_FLOAT32, 0, {0}, six};
    tensors[6] = (ireneo_tensor){"none", IRENEO_DTYPE_FLOAT32, 3, {4, 0, 5}, NULL};
    const char *path = scratch_path(state, "all.safetensors");
    expect_ok(ireneo_save_safetensors(path, tensors, 7, NULL, 0));
    for (int i = 0; i < 7; i++) {
        char location[4200];
        ireneo_array array;
        snprintf(location, sizeof location, "%s:%s", path, tensors[i].name);
        expect_ok(ireneo_array_open(location, &array));
        assert_int_equal(array.dtype, tensors[i].dtype);
        assert_int_equal(array.axes, tensors[i].axes);
        assert_memory_equal(array.shape, tensors[i].shape, sizeof array.shape);
        assert_int_equal(array.count, i < 5 ? 6 : i == 5 ? 1 : 0);
        assert_memory_equal(array.data, i < 5 ? (const void *)data[i] : six,
                            array.count * ireneo_dtype_size(array.dtype));
        ireneo_array_close(&array);
    }
}

static void test_layout_of_the_file(void **state) {
    const ireneo_tensor tensors[2] = {{"V", IRENEO_DTYPE_FLOAT32, 1, {2}, six},
                                      {"U", IRENEO_DTYPE_FLOAT32, 2, {2, 3}, six}};
    const char *path = scratch_path(state, "layout.safetensors");
    size_t count = 0;
    expect_ok(ireneo_save_safetensors(path, tensors, 2, NULL, 0));
    unsigned char *bytes = scratch_read(path, &count);
    size_t length = bytes[0] + 256u * bytes[1];
    assert_int_equal(length % 8, 0);
    assert_int_equal(count, 8 + length + 8 + 24);
    assert_memory_equal(bytes + 8 + length, six, 8); /* in the order given */
    assert_memory_equal(bytes + 16 + length, six, 24);
    bytes[8 + length] = '\0';
    assert_non_null(
        strstr((char *)bytes + 8, "\"V\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}"));
    assert_non_null(strstr((char *)bytes + 8, "\"data_offsets\": [8, 32]"));
    assert_null(strstr((char *)bytes + 8, "__metadata__"));
    free(bytes);
}

static void test_metadata_keep_every_character(void **state) {
    const ireneo_tensor tensor = {"W", IRENEO_DTYPE_FLOAT32, 2, {2, 3}, six};
    char control[32];
    for (int i = 0; i < 31; i++) control[i] = (char)(i + 1);
    control[31] = '\0';
    const char *pairs[] = {"plain",       "value",
                           "empty",       "",
                           "quotes",      "a \"b\" \\ c / d",
                           "control",     control,
                           "unicode",     "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
                           "key \"x\"\n", "odd key"};
    const char *path = scratch_path(state, "meta.safetensors");
    expect_ok(ireneo_save_safetensors(path, &tensor, 1, pairs, 6));
    for (size_t i = 0; i < 6; i++) {
        char *value = NULL;
        expect_ok(ireneo_safetensors_metadata(path, pairs[2 * i], &value));
        assert_string_equal(value, pairs[2 * i + 1]);
        ireneo_free(value);
    }
    char *value = (char *)1;
    expect_ok(ireneo_safetensors_metadata(path, "absent", &value));
    assert_null(value);
    expect_ok(ireneo_safetensors_metadata(path, "PLAIN", &value)); /* keys differ by case */
    assert_null(value);
    expect_six(path);
    expect_ok(ireneo_safetensors_metadata(write_tensors(state, PLAIN, six, sizeof six), "plain", &value));
    assert_null(value);
}

static void test_has(void **state) {
    const char *path = write_tensors(state, PLAIN, six, sizeof six);
    int found = 0;
    expect_ok(ireneo_safetensors_has(path, "W", &found));
    assert_int_equal(found, 1);
    expect_ok(ireneo_safetensors_has(path, "w", &found));
    assert_int_equal(found, 0);
    expect_ok(ireneo_safetensors_has(path, "__metadata__", &found));
    assert_int_equal(found, 0);
}

static void test_files_that_cannot_be_opened(void **state) {
    ireneo_array array;
    int found = 0;
    char *value = NULL;
    const char *path = scratch_path(state, "none.safetensors");
    expect_error(ireneo_array_open(path, &array), IRENEO_ERROR_IO, path, strerror(ENOENT));
    expect_error(ireneo_safetensors_has(path, "W", &found), IRENEO_ERROR_IO, path, strerror(ENOENT));
    expect_error(ireneo_safetensors_metadata(path, "key", &value), IRENEO_ERROR_IO, path, strerror(ENOENT));
    expect_error(ireneo_safetensors_has(NULL, "W", &found), IRENEO_ERROR_ARGUMENT, "", "");
    expect_error(ireneo_safetensors_has(path, NULL, &found), IRENEO_ERROR_ARGUMENT, "", "");
    expect_error(ireneo_safetensors_metadata(path, NULL, &value), IRENEO_ERROR_ARGUMENT, "", "");
    expect_error(ireneo_safetensors_has(*state, "W", &found), IRENEO_ERROR_IO, strerror(EISDIR), "");
}

static void test_choosing_a_tensor(void **state) {
    const ireneo_tensor tensors[3] = {{"U", IRENEO_DTYPE_FLOAT32, 2, {2, 3}, six},
                                      {"layer:0", IRENEO_DTYPE_FLOAT32, 2, {2, 3}, six},
                                      {"V", IRENEO_DTYPE_INT32, 2, {2, 3}, six}};
    const char *path = scratch_path(state, "a:b.safetensors");
    ireneo_array array;
    expect_ok(ireneo_save_safetensors(path, tensors, 3, NULL, 0));
    expect_six(scratch_path(state, "a:b.safetensors:U"));
    expect_six(scratch_path(state, "a:b.safetensors:layer:0"));
    expect_error(ireneo_array_open(path, &array), IRENEO_ERROR_DATA, "3 tensors",
                 "U (2 x 3), layer:0 (2 x 3), V (2 x 3)");
    expect_error(ireneo_array_open(scratch_path(state, "a:b.safetensors:W"), &array), IRENEO_ERROR_DATA,
                 "no tensor 'W'; it holds U (2 x 3), layer:0 (2 x 3), V (2 x 3)", path);
    expect_error(ireneo_array_open(scratch_path(state, "a:b.safetensors:"), &array), IRENEO_ERROR_DATA,
                 "no tensor ''", "");
    expect_ok(ireneo_save_safetensors(path, NULL, 0, NULL, 0));
    expect_error(ireneo_array_open(path, &array), IRENEO_ERROR_DATA, "no tensors", path);
    /* One tensor needs no name, and the ending need not be .safetensors. */
    const char *bare = scratch_path(state, "memory");
    expect_ok(ireneo_save_safetensors(bare, tensors, 1, NULL, 0));
    expect_six(bare);
    expect_six(scratch_path(state, "memory:U"));
}

static void test_many_names_in_a_sentence(void **state) {
    enum { MANY = 300 };
    static char names[MANY][64];
    static ireneo_tensor tensors[MANY];
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "model.layers.%d.attention.weight", i);
        tensors[i] = (ireneo_tensor){names[i], IRENEO_DTYPE_FLOAT32, 2, {2, 3}, six};
    }
    const char *path = scratch_path(state, "many.safetensors");
    ireneo_array array;
    expect_ok(ireneo_save_safetensors(path, tensors, MANY, NULL, 0));
    expect_error(ireneo_array_open(path, &array), IRENEO_ERROR_DATA,
                 "model.layers.0.attention.weight (2 x 3), ", ", ...");
    expect_six(scratch_path(state, "many.safetensors:model.layers.299.attention.weight"));
}

#define TENSOR(name, dtype, shape, offsets)                                                                  \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void test_headers_that_are_fine(void **state) {
    static const char *const headers[] = {
        PLAIN,
        PLAIN "       ",
        ("{\"__metadata__\":{\"format\":\"pt\"}," TENSOR("W", "F32", "[2,3]", "[0,24]") "}"),
        "{\"W\":{\"data_offsets\":[0,24],\"shape\":[2,3],\"dtype\":\"F32\",\"other\":{\"a\":[1]}}}",
        "{ \"\\u0057\" : {\"dtype\":\"F32\",\r\n\t\"shape\":[2, 3],\"data_offsets\":[0,24]}\n}",
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        expect_six(write_tensors(state, headers[i], six, sizeof six));
}

/* Headers of every length modulo 8 put the elements at every alignment; the sanitizer watches. */
static void test_unaligned_data(void **state) {
    char header[128];
    for (int spaces = 0; spaces < 8; spaces++) {
        snprintf(header, sizeof header, "%s%*s", PLAIN, spaces, "");
        expect_six(write_tensors(state, header, six, sizeof six));
    }
    const int64_t numbers[3] = {1, -2, INT64_MAX};
    int64_t *indices = NULL;
    size_t n = 0;
    const char *path = write_tensors(
        state, "{\"t\":{\"dtype\":\"I64\",\"shape\":[3,1],\"data_offsets\":[0,24]}}", numbers, 24);
    expect_ok(ireneo_load_indices(path, &indices, &n));
    assert_memory_equal(indices, numbers, sizeof numbers);
    ireneo_free(indices);
}

static void test_headers_that_are_not(void **state) {
    static const struct {
        const char *header, *reason;
    } cases[] = {
        {"", "not a JSON object"},
        {" {}", "not a JSON object"},
        {"[]", "not a JSON object"},
        {"{", "brackets are not closed"},
        {"{\"W\"", "brackets are not closed"},
        {"{\"W", "string is not closed"},
        {"{\"W\\", "string is not closed"},
        {"{\"W\\\"", "string is not closed"},
        {"{\"W\\u0000\":1}", "control character"},
        {"{\"W\n\":1}", "control character"},
        {"{\"W\\n\":1}", "control character"},
        {"{\x01}", "control character"},
        {"{\"W\xff\":1}", "the header is not UTF-8"},
        {"{\"__metadata__\":{\"a\":\"caf\xe9\"}}", "the header is not UTF-8"},
        {"{\"W\":}", "not JSON"},
        {"{W:1}", "not JSON"},
        {"{]", "not JSON"},
        {"{\"1\":1,}", "not JSON"},
        {PLAIN "x", "follows"},
        {PLAIN PLAIN, "follows"},
        {"{\"W\":[[[[[[[[[[]]]]]]]]]]}", "nested too deeply"},
        {"{}", "belong to no tensor"},
        {"{\"W\":1}", "not a JSON object"},
        {"{\"W\":{}}", "no dtype"},
        {"{\"W\":{\"dtype\":1}}", "no dtype"},
        {"{\"W\":{\"dtype\":\"F32\"}}", "no shape"},
        {"{\"W\":{\"dtype\":\"F32\",\"shape\":6}}", "no shape"},
        {"{\"W\":{\"dtype\":\"F32\",\"shape\":[6]}}", "data_offsets"},
        {"{\"W\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[0,24]}}", "twice"},
        {"{" TENSOR("W", "F32", "[6]", "[0,24,24]") "}", "two whole numbers"},
        {"{" TENSOR("W", "F32", "[6]", "[0]") "}", "two whole numbers"},
        {"{" TENSOR("W", "F32", "[6]", "[0,\"24\"]") "}", "two whole numbers"},
        {"{" TENSOR("W", "F32", "[6]", "[-1,24]") "}", "two whole numbers"},
        {"{" TENSOR("W", "F32", "[6]", "[0,24.5]") "}", "two whole numbers"},
        {"{" TENSOR("W", "F32", "[6]", "[0,1e400]") "}", "two whole numbers"},
        {"{" TENSOR("W", "F32", "[6]", "[0,28]") "}", "outside the file"},
        {"{" TENSOR("W", "F32", "[6]", "[24,0]") "}", "outside the file"},
        {"{" TENSOR("W", "F32", "[6]", "[0,9007199254740992]") "}", "outside the file"},
        {"{" TENSOR("W", "F32", "[5]", "[0,24]") "}", "do not fit its dtype and shape"},
        {"{" TENSOR("W", "F64", "[6]", "[0,24]") "}", "do not fit its dtype and shape"},
        {"{" TENSOR("W", "BF16", "[6]", "[0,24]") "}", "do not fit its dtype and shape"},
        {"{" TENSOR("W", "F32", "[-6]", "[0,24]") "}", "whole numbers"},
        {"{" TENSOR("W", "F32", "[\"6\"]", "[0,24]") "}", "whole numbers"},
        {"{" TENSOR("W", "F32", "[1.5,4]", "[0,24]") "}", "whole numbers"},
        {"{" TENSOR("W", "F32", "[4294967296,4294967296]", "[0,24]") "}", "larger than any memory"},
        {"{" TENSOR("A", "F32", "[4]", "[0,16]") "," TENSOR("B", "F32", "[4]", "[8,24]") "}", "overlap"},
        {"{" TENSOR("A", "F32", "[6]", "[0,24]") "," TENSOR("B", "F32", "[6]", "[0,24]") "}", "overlap"},
        {"{" TENSOR("A", "F32", "[2]", "[0,8]") "," TENSOR("B", "F32", "[2]", "[16,24]") "}", "no tensor"},
        {"{" TENSOR("A", "F32", "[5]", "[4,24]") "}", "no tensor"},
        {"{" TENSOR("A", "F32", "[5]", "[0,20]") "}", "no tensor"},
        {"{" TENSOR("A", "F32", "[3]", "[0,12]") "," TENSOR("A", "F32", "[3]", "[12,24]") "}", "twice"},
        {"{\"__metadata__\":[]," TENSOR("W", "F32", "[6]", "[0,24]") "}", "metadata are not"},
        {"{\"__metadata__\":{\"a\":1}," TENSOR("W", "F32", "[6]", "[0,24]") "}", "not a string"},
        {"{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}," TENSOR("W", "F32", "[6]", "[0,24]") "}", "twice"},
        {"{\"__metadata__\":{},\"__metadata__\":{}," TENSOR("W", "F32", "[6]", "[0,24]") "}", "twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_bad(write_tensors(state, cases[i].header, six, sizeof six), cases[i].reason);
}

static void test_very_deep_nesting(void **state) {
    enum { DEPTH = 1000000 };
    char *header = malloc(DEPTH + 16);
    strcpy(header, "{\"W\":");
    memset(header + 5, '[', DEPTH);
    header[DEPTH + 5] = '\0';
    expect_bad(write_tensors(state, header, six, sizeof six), "nested too deeply");
    free(header);
}

/* Types that cannot be read do not stand in the way of those that can. */
static void test_types_that_cannot_be_read(void **state) {
    ireneo_array array;
    const char *path =
        write_tensors(state,
                      "{" TENSOR("b", "F8_E4M3", "[4]", "[0,4]") "," TENSOR(
                          "n", "NEW4", "[9]", "[4,8]") "," TENSOR("W", "F32", "[2,3]", "[8,32]") "}",
                      "12345678\0\0\x80\x3f\0\0\0\xc0\0\0\x60\x40\0\0\x80\x40\0\0\xa0\x40\0\0\xc0\x40", 32);
    expect_six(scratch_path(state, "hand.safetensors:W"));
    expect_error(ireneo_array_open(scratch_path(state, "hand.safetensors:b"), &array), IRENEO_ERROR_DATA,
                 "is quantised (F8_E4M3)", "save it as bfloat16 or float32");
    expect_error(ireneo_array_open(scratch_path(state, "hand.safetensors:n"), &array), IRENEO_ERROR_DATA,
                 "NEW4", path);
    path = write_tensors(state, "{" TENSOR("W", "F32", "[1,1,1,1,1,1,1,1,6]", "[0,24]") "}", six, sizeof six);
    expect_error(ireneo_array_open(path, &array), IRENEO_ERROR_DATA, "more than 8 axes", path);
}

static void test_truncation_at_every_byte(void **state) {
    size_t count = 0;
    unsigned char *bytes = scratch_read(write_tensors(state, PLAIN, six, sizeof six), &count);
    const char *path = scratch_path(state, "cut.safetensors");
    for (size_t length = 0; length < count; length++) {
        scratch_write(path, bytes, length);
        expect_bad(path, length < 8 ? "truncated" : length < 8 + strlen(PLAIN) ? "announced" : "truncated");
    }
    free(bytes);
}

static void test_header_length_beyond_the_file(void **state) {
    const char *path = scratch_path(state, "bad.safetensors");
    scratch_write(path, "\xff\xff\xff\xff\xff\xff\xff\xff{}", 10);
    expect_bad(path, "18446744073709551615 bytes is announced, 2 bytes are there");
    scratch_write(path, "\x03\0\0\0\0\0\0\0{}", 10);
    expect_bad(path, "3 bytes is announced");
    scratch_write(path, "\x01\xe1\xf5\x05\0\0\0\0{}", 10); /* 100 MB and one byte, with a file that large */
    assert_int_equal(truncate(path, 100000100), 0);
    expect_bad(path, "larger than the 100 MB");
}

static void test_writer_refuses_nonsense(void **state) {
    const char *path = scratch_path(state, "bad.safetensors");
    ireneo_tensor same[2] = {{"W", IRENEO_DTYPE_FLOAT32, 2, {2, 3}, six},
                             {"W", IRENEO_DTYPE_FLOAT32, 2, {2, 3}, six}};
    static const char *const names[] = {NULL,           "__metadata__",     "\xff", "\xc3", "\xe0\x80\x80",
                                        "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\nb"};
    expect_error(ireneo_save_safetensors(path, same, 2, NULL, 0), IRENEO_ERROR_ARGUMENT, "same name", "");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ireneo_tensor tensor = {names[i], IRENEO_DTYPE_FLOAT32, 2, {2, 3}, six};
        expect_error(ireneo_save_safetensors(path, &tensor, 1, NULL, 0), IRENEO_ERROR_ARGUMENT,
                     "name of a tensor", "");
    }
    ireneo_tensor tensors[] = {{"W", (ireneo_dtype)99, 2, {2, 3}, six},
                               {"W", IRENEO_DTYPE_FLOAT32, 9, {2, 3}, six},
                               {"W", IRENEO_DTYPE_FLOAT32, 2, {2, 3}, NULL},
                               {"W", IRENEO_DTYPE_FLOAT32, 2, {SIZE_MAX, 3}, six}};
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++)
        expect_error(ireneo_save_safetensors(path, &tensors[i], 1, NULL, 0), IRENEO_ERROR_ARGUMENT, "W has",
                     "");
    const char *twice[] = {"a", "1", "a", "2"}, *missing[] = {"a", NULL}, *latin[] = {"a", "caf\xe9"};
    expect_error(ireneo_save_safetensors(path, same, 1, twice, 2), IRENEO_ERROR_ARGUMENT, "same name", "");
    expect_error(ireneo_save_safetensors(path, same, 1, missing, 1), IRENEO_ERROR_ARGUMENT, "metadata", "");
    expect_error(ireneo_save_safetensors(path, same, 1, latin, 1), IRENEO_ERROR_ARGUMENT, "UTF-8", "");
    expect_error(ireneo_save_safetensors(path, same, 1, NULL, 1), IRENEO_ERROR_ARGUMENT, "metadata", "");
    expect_error(ireneo_save_safetensors(path, NULL, 1, NULL, 0), IRENEO_ERROR_ARGUMENT, "tensors", "");
    expect_error(ireneo_save_safetensors(NULL, same, 1, NULL, 0), IRENEO_ERROR_ARGUMENT, "empty", "");
    expect_error(ireneo_save_safetensors("/dev/full", same, 1, NULL, 0), IRENEO_ERROR_IO, "/dev/full",
                 strerror(ENOSPC));
    assert_int_equal(scratch_count(*state), 0);
}

/* Python's own JSON reader and NumPy see what was written. */
static void test_files_for_python(void **state) {
    const ireneo_tensor tensors[2] = {{"W", IRENEO_DTYPE_FLOAT32, 2, {2, 3}, six},
                                      {"\xc3\xa9", IRENEO_DTYPE_FLOAT32, 1, {1}, six}};
    const char *pairs[] = {"quotes", "a \"b\" \\ c\n\x1f", "euro", "\xe2\x82\xac"};
    expect_ok(ireneo_save_safetensors(scratch_path(state, "w.safetensors"), tensors, 2, pairs, 2));
    scratch_python(
        state,
        "import json, struct, numpy as np\n"
        "b = open('w.safetensors', 'rb').read()\n"
        "n = struct.unpack('<Q', b[:8])[0]\n"
        "h = json.loads(b[8:8 + n].decode('utf-8'))\n"
        "assert n % 8 == 0 and list(h) == ['__metadata__', 'W', chr(233)]\n"
        "m = h['__metadata__']\n"
        "assert m['quotes'] == 'a ' + chr(34) + 'b' + chr(34) + ' ' + chr(92) + ' c' + chr(10) + chr(31)\n"
        "assert m['euro'] == chr(0x20ac)\n"
        "i, j = h['W']['data_offsets']\n"
        "w = np.frombuffer(b[8 + n + i:8 + n + j], dtype='<f4').reshape(h['W']['shape'])\n"
        "assert w.tolist() == [[1, -2, 3.5], [4, 5, 6]] and len(b) == 8 + n + 28\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        scratch_test(test_round_trip_of_every_type),
        scratch_test(test_layout_of_the_file),
        scratch_test(test_metadata_keep_every_character),
        scratch_test(test_has),
        scratch_test(test_files_that_cannot_be_opened),
        scratch_test(test_choosing_a_tensor),
        scratch_test(test_many_names_in_a_sentence),
        scratch_test(test_headers_that_are_fine),
        scratch_test(test_unaligned_data),
        scratch_test(test_headers_that_are_not),
        scratch_test(test_very_deep_nesting),
        scratch_test(test_types_that_cannot_be_read),
        scratch_test(test_truncation_at_every_byte),
        scratch_test(test_header_length_beyond_the_file),
        scratch_test(test_writer_refuses_nonsense),
        scratch_test(test_files_for_python),
    };
    return cmocka_run_group_tests_name("safetensors", tests, NULL, NULL);
}
