/* Values, keys and their names in the file of a memory: tensors "values", "keys", and for the names of each
 * "..._label_offsets" (int64) and "..._labels" (UTF-8 bytes), which any reader of .safetensors loads. Bytes come
 * last, so that the numbers before them stay aligned. */
#include "linear/memory/extras.h"

#include "base/ram.h"
#include "linear/memory/memory.h"

#include <stdbool.h>
#include <string.h>

static void add(ireneo_packed_extras *packed, ireneo_tensor tensor) {
    packed->tensors[packed->count++] = tensor;
}

static void add_matrix(ireneo_packed_extras *packed, const char *name, const float *rows, size_t count,
                       size_t dim) {
    if (rows != NULL) add(packed, (ireneo_tensor){name, IRENEO_DTYPE_FLOAT32, 2, {count, dim}, rows});
}

static void add_offsets(ireneo_packed_extras *packed, const char *name, const ireneo_packed_labels *labels) {
    if (labels->offsets != NULL)
        add(packed, (ireneo_tensor){name, IRENEO_DTYPE_INT64, 1, {labels->count + 1}, labels->offsets});
}

static void add_text(ireneo_packed_extras *packed, const char *name, const ireneo_packed_labels *labels) {
    if (labels->offsets != NULL)
        add(packed, (ireneo_tensor){name, IRENEO_DTYPE_UINT8, 1, {labels->bytes}, labels->text});
}

static ireneo_error check_extras(const ireneo_memory_extras *extras) {
    IRENEO_TRY(ireneo_check_reserved(extras->reserved, "the extras of a memory"));
    IRENEO_REQUIRE(extras->values == NULL || extras->candidates > 0, "values need at least one row");
    IRENEO_REQUIRE(extras->keys == NULL || extras->facts > 0, "keys need at least one row");
    IRENEO_REQUIRE(extras->values != NULL || extras->value_labels == NULL,
                   "names of values need the values they belong to");
    IRENEO_REQUIRE(extras->keys != NULL || extras->key_labels == NULL,
                   "names of keys need the keys they belong to");
    return IRENEO_OK;
}

ireneo_error ireneo_extras_pack(const ireneo_memory *memory, const ireneo_memory_extras *extras,
                                ireneo_packed_extras *packed) {
    memset(packed, 0, sizeof *packed);
    if (extras == NULL) return IRENEO_OK;
    IRENEO_TRY(check_extras(extras));
    ireneo_error failed = IRENEO_OK;
    if (extras->key_labels != NULL)
        failed = ireneo_labels_pack(extras->key_labels, extras->facts, "name of a key", &packed->keys);
    if (failed == IRENEO_OK && extras->value_labels != NULL)
        failed =
            ireneo_labels_pack(extras->value_labels, extras->candidates, "name of a value", &packed->values);
    if (failed != IRENEO_OK) {
        ireneo_packed_extras_free(packed);
        return failed;
    }
    add_matrix(packed, "values", extras->values, extras->candidates, memory->dim_out);
    add_matrix(packed, "keys", extras->keys, extras->facts, memory->dim_in);
    add_offsets(packed, "key_label_offsets", &packed->keys);
    add_offsets(packed, "value_label_offsets", &packed->values);
    add_text(packed, "key_labels", &packed->keys);
    add_text(packed, "value_labels", &packed->values);
    return IRENEO_OK;
}

void ireneo_packed_extras_free(ireneo_packed_extras *packed) {
    ireneo_packed_labels_free(&packed->keys);
    ireneo_packed_labels_free(&packed->values);
    packed->count = 0;
}

/* ---- Reading ---- */

static ireneo_error load_rows(const char *path, const char *name, size_t dim, float **rows, size_t *count) {
    int found = 0;
    size_t columns = 0;
    IRENEO_TRY(ireneo_safetensors_has(path, name, &found));
    if (!found) return IRENEO_OK;
    IRENEO_TRY(ireneo_memory_load_tensor(path, name, rows, count, &columns));
    if (columns == dim) return IRENEO_OK;
    return ireneo_fail(IRENEO_ERROR_DATA, "%s: %s have %zu dimensions, but the memory needs %zu", path, name,
                       columns, dim);
}

/* A vector of this type, or an empty array when the file has none. */
static ireneo_error open_vector(const char *path, const char *name, ireneo_dtype dtype, ireneo_array *array) {
    int found = 0;
    char *location = NULL;
    IRENEO_TRY(ireneo_safetensors_has(path, name, &found));
    if (!found) return IRENEO_OK;
    IRENEO_TRY(ireneo_memory_tensor_location(path, name, &location));
    ireneo_error failed = ireneo_array_open(location, array);
    free(location);
    if (failed != IRENEO_OK || (array->axes == 1 && array->dtype == dtype)) return failed;
    return ireneo_fail(IRENEO_ERROR_DATA, "%s: %s is not a vector of %s", path, name,
                       ireneo_dtype_name(dtype));
}

static ireneo_error unpack(const char *path, const char *what, const ireneo_array *text,
                           const ireneo_array *offsets, size_t rows, char ***labels) {
    if (text->axes == 0 && offsets->axes == 0) return IRENEO_OK;
    if (text->axes == 0 || offsets->axes == 0 || rows == 0 || offsets->count != rows + 1)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: not one %s for each of %zu rows", path, what, rows);
    return ireneo_labels_unpack(text->data, text->count, offsets->data, rows, what, labels);
}

static ireneo_error load_labels(const char *path, bool of_keys, size_t rows, char ***labels) {
    ireneo_array text = {0}, offsets = {0};
    ireneo_error failed =
        open_vector(path, of_keys ? "key_labels" : "value_labels", IRENEO_DTYPE_UINT8, &text);
    if (failed == IRENEO_OK)
        failed = open_vector(path, of_keys ? "key_label_offsets" : "value_label_offsets", IRENEO_DTYPE_INT64,
                             &offsets);
    if (failed == IRENEO_OK)
        failed = unpack(path, of_keys ? "name of a key" : "name of a value", &text, &offsets, rows, labels);
    ireneo_array_close(&text);
    ireneo_array_close(&offsets);
    return failed;
}

ireneo_error ireneo_memory_load_extras(const char *path, const ireneo_memory *memory,
                                       ireneo_memory_extras *extras) {
    IRENEO_REQUIRE(extras != NULL, "loading what is beside a memory needs a place for it");
    memset(extras, 0, sizeof *extras);
    IRENEO_REQUIRE(path != NULL && memory != NULL,
                   "loading what is beside a memory needs a path and the memory");
    ireneo_error failed = load_rows(path, "values", memory->dim_out, &extras->values, &extras->candidates);
    if (failed == IRENEO_OK) failed = load_rows(path, "keys", memory->dim_in, &extras->keys, &extras->facts);
    if (failed == IRENEO_OK) failed = load_labels(path, true, extras->facts, &extras->key_labels);
    if (failed == IRENEO_OK) failed = load_labels(path, false, extras->candidates, &extras->value_labels);
    if (failed != IRENEO_OK) ireneo_memory_extras_free(extras);
    return failed;
}

void ireneo_memory_extras_free(ireneo_memory_extras *extras) {
    if (extras == NULL) return;
    free(extras->values);
    free(extras->keys);
    free(extras->value_labels);
    free(extras->key_labels);
    memset(extras, 0, sizeof *extras);
}
