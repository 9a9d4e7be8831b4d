/* Writer of .safetensors: the header is composed in memory, the tensors go to the file from where they are.
 */
#include "base/array.h"
#include "base/atomic_file.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/ram.h"
#include "base/safetensors.h"
#include "base/utf8.h"

#include <string.h>

enum { HEADER_ALIGNMENT = 8 };

static ireneo_error check_tensor(const ireneo_tensor *tensor, size_t *bytes) {
    if (tensor->name == NULL || strcmp(tensor->name, IRENEO_SAFETENSORS_METADATA) == 0 ||
        !ireneo_is_utf8(tensor->name) || !ireneo_name_printable(tensor->name))
        return ireneo_fail(
            IRENEO_ERROR_ARGUMENT,
            "the name of a tensor is missing, reserved, not UTF-8, or holds a control character");
    return ireneo_check_writable(tensor->name, tensor->dtype, tensor->axes, tensor->shape, tensor->data,
                                 bytes);
}

/* Takes the block of names and frees it. */
static ireneo_error check_distinct(const char **names, size_t count, const char *what) {
    bool repeat = ireneo_names_repeat(names, count);
    free(names);
    return repeat ? ireneo_fail(IRENEO_ERROR_ARGUMENT, "two %s have the same name", what) : IRENEO_OK;
}

static ireneo_error check_tensors(const ireneo_tensor *tensors, size_t count) {
    const char **names = NULL;
    size_t bytes = 0, total = 0;
    if (tensors == NULL && count > 0) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "no tensors were given");
    for (size_t i = 0; i < count; i++) {
        IRENEO_TRY(check_tensor(&tensors[i], &bytes));
        if (__builtin_add_overflow(total, bytes, &total))
            return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the tensors are larger than any memory");
    }
    IRENEO_TRY(IRENEO_ALLOCATE(&names, count, "names of tensors"));
    for (size_t i = 0; i < count; i++) names[i] = tensors[i].name;
    return check_distinct(names, count, "tensors");
}

static ireneo_error check_pairs(const char *const *metadata, size_t pairs) {
    const char **keys = NULL;
    if (metadata == NULL && pairs > 0) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "no metadata were given");
    for (size_t i = 0; i < 2 * pairs; i++)
        if (metadata[i] == NULL || !ireneo_is_utf8(metadata[i]))
            return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                               "a key or value of the metadata is missing or not UTF-8");
    IRENEO_TRY(IRENEO_ALLOCATE(&keys, pairs, "keys of metadata"));
    for (size_t i = 0; i < pairs; i++) keys[i] = metadata[2 * i];
    return check_distinct(keys, pairs, "metadata entries");
}

static void format_tensor(ireneo_json *json, const ireneo_tensor *tensor, size_t begin, size_t end) {
    ireneo_json_begin_object(json, tensor->name);
    ireneo_json_text(json, "dtype", ireneo_safetensors_type(tensor->dtype));
    ireneo_json_begin_array(json, "shape");
    for (int axis = 0; axis < tensor->axes; axis++) ireneo_json_size(json, NULL, tensor->shape[axis]);
    ireneo_json_end_array(json);
    ireneo_json_begin_array(json, "data_offsets");
    ireneo_json_size(json, NULL, begin);
    ireneo_json_size(json, NULL, end);
    ireneo_json_end_array(json);
    ireneo_json_end_object(json);
}

static size_t tensor_bytes(const ireneo_tensor *tensor) {
    size_t count = 0, bytes = 0;
    ireneo_shape_bytes(tensor->dtype, tensor->axes, tensor->shape, &count, &bytes);
    return bytes;
}

static void format_header(ireneo_json *json, const ireneo_tensor *tensors, size_t count,
                          const char *const *metadata, size_t pairs) {
    ireneo_json_begin_object(json, NULL);
    if (pairs > 0) {
        ireneo_json_begin_object(json, IRENEO_SAFETENSORS_METADATA);
        for (size_t i = 0; i < pairs; i++) ireneo_json_text(json, metadata[2 * i], metadata[2 * i + 1]);
        ireneo_json_end_object(json);
    }
    size_t begin = 0;
    for (size_t i = 0; i < count; i++) {
        size_t end = begin + tensor_bytes(&tensors[i]);
        format_tensor(json, &tensors[i], begin, end);
        begin = end;
    }
    ireneo_json_end_object(json);
}

/* The header is padded with spaces so that the data begin at a multiple of 8. */
static ireneo_error write_header(ireneo_atomic_file *file, const char *text, size_t length) {
    size_t padding = (HEADER_ALIGNMENT - length % HEADER_ALIGNMENT) % HEADER_ALIGNMENT;
    uint64_t announced = length + padding;
    unsigned char bytes[IRENEO_SAFETENSORS_LENGTH_BYTES];
    for (int i = 0; i < IRENEO_SAFETENSORS_LENGTH_BYTES; i++)
        bytes[i] = (unsigned char)(announced >> (8 * i));
    IRENEO_TRY(ireneo_atomic_file_write(file, bytes, sizeof bytes));
    IRENEO_TRY(ireneo_atomic_file_write(file, text, length));
    return ireneo_atomic_file_write(file, "        ", padding);
}

static ireneo_error write_file(const char *path, const ireneo_json *header, const ireneo_tensor *tensors,
                               size_t count) {
    if (header->broken)
        return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for the header of %s", path);
    if (header->length > IRENEO_SAFETENSORS_LARGEST_HEADER - HEADER_ALIGNMENT)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the names and metadata for %s are more than 100 MB", path);
    ireneo_atomic_file file;
    IRENEO_TRY(ireneo_atomic_file_begin(&file, path));
    ireneo_error error = write_header(&file, header->text, header->length);
    for (size_t i = 0; i < count && error == IRENEO_OK; i++)
        error = ireneo_atomic_file_write(&file, tensors[i].data, tensor_bytes(&tensors[i]));
    return ireneo_atomic_file_finish(&file, error);
}

ireneo_error ireneo_save_safetensors(const char *path, const ireneo_tensor *tensors, size_t count,
                                     const char *const *metadata, size_t pairs) {
    if (path == NULL) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the name of the file to write is empty");
    IRENEO_TRY(check_tensors(tensors, count));
    IRENEO_TRY(check_pairs(metadata, pairs));
    ireneo_json header = {0};
    format_header(&header, tensors, count, metadata, pairs);
    ireneo_error error = write_file(path, &header, tensors, count);
    ireneo_json_free(&header);
    return error;
}
