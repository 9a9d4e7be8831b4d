/* Writer of .safetensors: the header is composed in memory, the tensors go to the file from where they are.
 */
#include "base/array.h"
#include "base/atomic_file.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/ram.h"
#include "base/safetensors.h"
#include "base/utf8.h"

#include <string.h>

enum { HEADER_ALIGNMENT = 8 };

/* What stands in the place of the digest until it is known. */
static const char UNSEALED[] = "0000000000000000000000000000000000000000000000000000000000000000";

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
                          const char *const *metadata, size_t pairs, bool sealed) {
    ireneo_json_begin_object(json, NULL);
    if (pairs > 0 || sealed) {
        ireneo_json_begin_object(json, IRENEO_SAFETENSORS_METADATA);
        if (sealed) ireneo_json_text(json, "checksum", UNSEALED);
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

/* A header with its length before it, padded with spaces so that the data begin at a multiple of 8. */
typedef struct framed_header {
    unsigned char length[IRENEO_SAFETENSORS_LENGTH_BYTES];
    size_t padding;
} framed_header;

static framed_header frame(const ireneo_json *header) {
    framed_header f = {.padding = (HEADER_ALIGNMENT - header->length % HEADER_ALIGNMENT) % HEADER_ALIGNMENT};
    uint64_t announced = header->length + f.padding;
    for (int i = 0; i < IRENEO_SAFETENSORS_LENGTH_BYTES; i++)
        f.length[i] = (unsigned char)(announced >> (8 * i));
    return f;
}

static const char PADDING[HEADER_ALIGNMENT + 1] = "        ";

/* Puts the digest of the whole file into its place in the header, which holds zeros so far. */
static void seal(ireneo_json *header, const ireneo_tensor *tensors, size_t count) {
    unsigned char digest[IRENEO_DIGEST_BYTES];
    char text[IRENEO_DIGEST_TEXT], *place = strstr(header->text, UNSEALED);
    framed_header f = frame(header);
    ireneo_digest d;
    ireneo_digest_begin(&d);
    ireneo_digest_bytes(&d, f.length, sizeof f.length);
    ireneo_digest_bytes(&d, header->text, header->length);
    ireneo_digest_bytes(&d, PADDING, f.padding);
    for (size_t i = 0; i < count; i++) ireneo_digest_bytes(&d, tensors[i].data, tensor_bytes(&tensors[i]));
    ireneo_digest_end(&d, digest);
    ireneo_digest_write(digest, text);
    if (place != NULL) memcpy(place, text, sizeof text - 1);
}

static ireneo_error write_header(ireneo_atomic_file *file, const ireneo_json *header) {
    framed_header f = frame(header);
    IRENEO_TRY(ireneo_atomic_file_write(file, f.length, sizeof f.length));
    IRENEO_TRY(ireneo_atomic_file_write(file, header->text, header->length));
    return ireneo_atomic_file_write(file, PADDING, f.padding);
}

static ireneo_error write_file(const char *path, ireneo_json *header, const ireneo_tensor *tensors,
                               size_t count, bool sealed) {
    if (header->broken)
        return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for the header of %s", path);
    if (header->length > IRENEO_SAFETENSORS_LARGEST_HEADER - HEADER_ALIGNMENT)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the names and metadata for %s are more than 100 MB", path);
    ireneo_atomic_file file;
    if (sealed) seal(header, tensors, count);
    IRENEO_TRY(ireneo_atomic_file_begin(&file, path));
    ireneo_error error = write_header(&file, header);
    for (size_t i = 0; i < count && error == IRENEO_OK; i++)
        error = ireneo_atomic_file_write(&file, tensors[i].data, tensor_bytes(&tensors[i]));
    return ireneo_atomic_file_finish(&file, error);
}

static ireneo_error save(const char *path, const ireneo_tensor *tensors, size_t count,
                         const char *const *metadata, size_t pairs, bool sealed) {
    if (path == NULL) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the name of the file to write is empty");
    IRENEO_TRY(check_tensors(tensors, count));
    IRENEO_TRY(check_pairs(metadata, pairs));
    ireneo_json header = {0};
    format_header(&header, tensors, count, metadata, pairs, sealed);
    ireneo_error error = write_file(path, &header, tensors, count, sealed);
    ireneo_json_free(&header);
    return error;
}

ireneo_error ireneo_save_safetensors(const char *path, const ireneo_tensor *tensors, size_t count,
                                     const char *const *metadata, size_t pairs) {
    return save(path, tensors, count, metadata, pairs, false);
}

ireneo_error ireneo_save_sealed(const char *path, const ireneo_tensor *tensors, size_t count,
                                const char *const *metadata, size_t pairs) {
    return save(path, tensors, count, metadata, pairs, true);
}
