/* Reader of .safetensors. A file is trusted with nothing: the header text is checked before cJSON
 * sees it, and the layout of every tensor before any of them is used. */
#include "base/safetensors.h"

#include "base/array.h"
#include "base/dtype.h"
#include "base/json_read.h"
#include "base/ram.h"

#include <stdio.h>
#include <string.h>

enum { LENGTH_BYTES = IRENEO_SAFETENSORS_LENGTH_BYTES, LARGEST_HEADER = IRENEO_SAFETENSORS_LARGEST_HEADER };

static const struct type {
    const char *name;
    ireneo_dtype dtype;
} types[] = {{"F16", IRENEO_DTYPE_FLOAT16}, {"F32", IRENEO_DTYPE_FLOAT32}, {"F64", IRENEO_DTYPE_FLOAT64},
             {"I32", IRENEO_DTYPE_INT32},   {"I64", IRENEO_DTYPE_INT64},   {"BF16", IRENEO_DTYPE_BFLOAT16},
             {"BOOL", IRENEO_DTYPE_BOOL},   {"U8", IRENEO_DTYPE_UINT8},    {"I8", IRENEO_DTYPE_INT8},
             {"U16", IRENEO_DTYPE_UINT16},  {"I16", IRENEO_DTYPE_INT16},   {"U32", IRENEO_DTYPE_UINT32},
             {"U64", IRENEO_DTYPE_UINT64}};

static const struct type *find_type(const char *name) {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0) return &types[i];
    return NULL;
}

const char *ireneo_safetensors_type(ireneo_dtype dtype) {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].dtype == dtype) return types[i].name;
    return "?"; /* not reached: the shape check refuses other types */
}

/* ---- The header text ---- */

typedef struct entry {
    const char *name;
    const char *type;
    const cJSON *shape;
    size_t begin, end; /* bytes within the data */
} entry;

typedef struct document {
    const char *path;
    size_t data_offset; /* from the beginning of the file */
    size_t data_bytes;
    cJSON *json;
    const cJSON *metadata; /* NULL: none */
    entry *entries;        /* (count), in the order of the data */
    size_t count;
} document;

static ireneo_error malformed(const char *path, const char *reason) {
    return ireneo_fail(IRENEO_ERROR_DATA, "%s: not a valid .safetensors file: %s", path, reason);
}

static uint64_t header_length(const unsigned char *bytes) {
    uint64_t length = 0;
    for (int i = 0; i < LENGTH_BYTES; i++) length |= (uint64_t)bytes[i] << (8 * i);
    return length;
}

bool ireneo_safetensors_recognise(const unsigned char *bytes, size_t head, size_t count) {
    return head > LENGTH_BYTES && header_length(bytes) <= count - LENGTH_BYTES && bytes[LENGTH_BYTES] == '{';
}

ireneo_error ireneo_safetensors_head(const ireneo_input_file *file, unsigned char **head, size_t *count) {
    unsigned char first[LENGTH_BYTES];
    *head = NULL;
    if (file->bytes < LENGTH_BYTES) return ireneo_input_file_head(file, LENGTH_BYTES, head, count);
    IRENEO_TRY(ireneo_input_file_read(file, 0, first, LENGTH_BYTES));
    uint64_t length = header_length(first);
    bool possible = length <= file->bytes - LENGTH_BYTES && length <= LARGEST_HEADER;
    return ireneo_input_file_head(file, LENGTH_BYTES + (possible ? (size_t)length : 0), head, count);
}

static ireneo_error find_header(const char *path, const unsigned char *bytes, size_t head, size_t count,
                                size_t *length) {
    if (head < LENGTH_BYTES) return malformed(path, "it is truncated inside the length of the header");
    uint64_t announced = header_length(bytes);
    if (announced > count - LENGTH_BYTES)
        return ireneo_fail(
            IRENEO_ERROR_DATA,
            "%s: not a valid .safetensors file: a header of %llu bytes is announced, %zu bytes are there",
            path, (unsigned long long)announced, count - LENGTH_BYTES);
    if (announced > LARGEST_HEADER || announced > head - LENGTH_BYTES)
        return malformed(path, "the header is larger than the 100 MB the format allows");
    *length = (size_t)announced;
    return IRENEO_OK;
}

/* ---- Names and layout ---- */

static ireneo_error check_names(const char *path, const cJSON *object) {
    bool repeat = false;
    IRENEO_TRY(ireneo_json_keys_repeat(object, &repeat));
    return repeat ? malformed(path, "a name occurs twice in the header") : IRENEO_OK;
}

/* Bytes of an entry's shape; false when it holds something else than whole numbers or overflows. */
static bool entry_bytes(const entry *tensor, size_t element_bytes, size_t *bytes) {
    const cJSON *item = NULL;
    bool empty = false;
    *bytes = element_bytes;
    cJSON_ArrayForEach(item, tensor->shape) {
        size_t length = 0;
        if (!ireneo_json_whole_number(item, &length)) return false;
        if (length == 0)
            empty = true;
        else if (__builtin_mul_overflow(*bytes, length, bytes))
            return false;
    }
    if (empty) *bytes = 0;
    return true;
}

static ireneo_error bad_entry(const document *file, const entry *tensor, const char *reason) {
    return ireneo_fail(IRENEO_ERROR_DATA, "%s: tensor '%.100s': %s", file->path, tensor->name, reason);
}

static ireneo_error read_entry(const document *file, const cJSON *item, entry *tensor) {
    *tensor = (entry){.name = item->string};
    if (!ireneo_name_printable(tensor->name))
        return malformed(file->path, "the name of a tensor holds a control character");
    if (!cJSON_IsObject(item)) return bad_entry(file, tensor, "its description is not a JSON object");
    IRENEO_TRY(check_names(file->path, item));
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(item, "dtype");
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(item, "shape");
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(item, "data_offsets");
    if (!cJSON_IsString(type)) return bad_entry(file, tensor, "it has no dtype");
    if (!cJSON_IsArray(shape)) return bad_entry(file, tensor, "it has no shape");
    if (!cJSON_IsArray(offsets) || cJSON_GetArraySize(offsets) != 2 ||
        !ireneo_json_whole_number(cJSON_GetArrayItem(offsets, 0), &tensor->begin) ||
        !ireneo_json_whole_number(cJSON_GetArrayItem(offsets, 1), &tensor->end))
        return bad_entry(file, tensor, "its data_offsets are not two whole numbers");
    tensor->type = type->valuestring;
    tensor->shape = shape;
    if (tensor->begin > tensor->end || tensor->end > file->data_bytes)
        return bad_entry(file, tensor, "its data lie outside the file, which may be truncated");
    const struct type *known = find_type(tensor->type);
    size_t bytes = 0;
    if (!entry_bytes(tensor, known == NULL ? 1 : ireneo_dtype_size(known->dtype), &bytes))
        return bad_entry(file, tensor,
                         "its shape holds something else than whole numbers, or is larger than any memory");
    if (known != NULL && bytes != tensor->end - tensor->begin)
        return bad_entry(file, tensor, "its data_offsets do not fit its dtype and shape");
    return IRENEO_OK;
}

static int compare_entries(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* The format wants every byte of the data to belong to exactly one tensor. */
static ireneo_error check_layout(document *file) {
    qsort(file->entries, file->count, sizeof *file->entries, compare_entries);
    size_t end = 0;
    for (size_t i = 0; i < file->count; i++) {
        if (file->entries[i].begin < end)
            return bad_entry(file, &file->entries[i], "its data overlap those of another tensor");
        if (file->entries[i].begin > end)
            return bad_entry(file, &file->entries[i], "bytes before its data belong to no tensor");
        end = file->entries[i].end;
    }
    if (end != file->data_bytes) return malformed(file->path, "bytes at its end belong to no tensor");
    return IRENEO_OK;
}

static ireneo_error check_metadata(const document *file, const cJSON *metadata) {
    if (!cJSON_IsObject(metadata)) return malformed(file->path, "the metadata are not a JSON object");
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, metadata) {
        if (!cJSON_IsString(item)) return malformed(file->path, "a metadata value is not a string");
    }
    return check_names(file->path, metadata);
}

static ireneo_error read_entries(document *file) {
    IRENEO_TRY(check_names(file->path, file->json));
    IRENEO_TRY(IRENEO_ALLOCATE(&file->entries, (size_t)cJSON_GetArraySize(file->json), "list of tensors"));
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, file->json) {
        if (strcmp(item->string, IRENEO_SAFETENSORS_METADATA) == 0) {
            IRENEO_TRY(check_metadata(file, item));
            file->metadata = item;
        } else {
            IRENEO_TRY(read_entry(file, item, &file->entries[file->count]));
            file->count++;
        }
    }
    return check_layout(file);
}

static void document_close(document *file) {
    cJSON_Delete(file->json);
    free(file->entries);
}

static ireneo_error document_open(const char *path, const unsigned char *bytes, size_t head, size_t count,
                                  document *file) {
    *file = (document){.path = path};
    size_t length = 0;
    IRENEO_TRY(find_header(path, bytes, head, count, &length));
    file->data_offset = LENGTH_BYTES + length;
    file->data_bytes = count - file->data_offset;
    ireneo_error error =
        ireneo_json_read(path, ".safetensors file: the header", bytes + LENGTH_BYTES, length, &file->json);
    if (error == IRENEO_OK) error = read_entries(file);
    if (error != IRENEO_OK) document_close(file);
    return error;
}

/* ---- One tensor ---- */

static const entry *find_entry(const document *file, const char *name) {
    for (size_t i = 0; i < file->count; i++)
        if (strcmp(file->entries[i].name, name) == 0) return &file->entries[i];
    return NULL;
}

/* "W (300 x 64)" into text (capacity); what does not fit is cut off. Returns the length. */
static size_t format_entry(const entry *tensor, char *text, size_t capacity) {
    size_t end = (size_t)snprintf(text, capacity, "%s (", tensor->name);
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, tensor->shape) {
        if (end >= capacity) break;
        end += (size_t)snprintf(text + end, capacity - end, "%s%.0f",
                                item == tensor->shape->child ? "" : " x ", item->valuedouble);
    }
    if (end < capacity) end += (size_t)snprintf(text + end, capacity - end, ")");
    return end;
}

/* "U (2 x 3), V (3 x 3)" into list (capacity), with "..." for what does not fit. */
static void list_names(const document *file, char *list, size_t capacity) {
    static const char separator[] = ", ", rest[] = "...";
    size_t end = 0;
    list[0] = '\0';
    for (size_t i = 0; i < file->count; i++) {
        char item[256];
        bool fits = format_entry(&file->entries[i], item, sizeof item) < sizeof item &&
                    end + strlen(item) + 2 * sizeof separator + sizeof rest <= capacity;
        end +=
            (size_t)snprintf(list + end, capacity - end, "%s%s", i == 0 ? "" : separator, fits ? item : rest);
        if (!fits) return;
    }
}

/* NULL, with a sentence, when the tensor is not there or the choice is not clear. */
static const entry *choose_entry(const document *file, const char *name) {
    if (name == NULL && file->count == 1) return &file->entries[0];
    const entry *tensor = name == NULL ? NULL : find_entry(file, name);
    if (tensor != NULL) return tensor;
    char list[512];
    list_names(file, list, sizeof list);
    if (file->count == 0)
        ireneo_fail(IRENEO_ERROR_DATA, "%s holds no tensors", file->path);
    else if (name != NULL)
        ireneo_fail(IRENEO_ERROR_DATA, "%s holds no tensor '%.100s'; it holds %s", file->path, name, list);
    else
        ireneo_fail(IRENEO_ERROR_DATA, "%s holds %zu tensors; choose one as '%s:name' from %s", file->path,
                    file->count, file->path, list);
    return NULL;
}

static ireneo_error unreadable(const document *file, const entry *tensor) {
    if (strncmp(tensor->type, "F8", 2) == 0 || strncmp(tensor->type, "F4", 2) == 0)
        return ireneo_fail(
            IRENEO_ERROR_DATA,
            "%s: tensor '%.100s' is quantised (%.20s), and its numbers mean nothing without the "
            "scales that go with them; save it as bfloat16 or float32",
            file->path, tensor->name, tensor->type);
    return ireneo_fail(IRENEO_ERROR_DATA,
                       "%s: tensor '%.100s' has elements of type %.20s, which cannot be read; save it "
                       "as " IRENEO_DTYPE_LIST,
                       file->path, tensor->name, tensor->type);
}

static ireneo_error describe_entry(const document *file, const entry *tensor, ireneo_layout *layout) {
    const struct type *type = find_type(tensor->type);
    if (type == NULL) return unreadable(file, tensor);
    if (cJSON_GetArraySize(tensor->shape) > IRENEO_MAX_AXES)
        return bad_entry(file, tensor, "it has more than 8 axes");
    layout->dtype = type->dtype;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, tensor->shape) {
        if (ireneo_json_whole_number(item, &layout->shape[layout->axes])) layout->axes++;
    }
    layout->offset = file->data_offset + tensor->begin;
    if (!ireneo_layout_measure(layout)) return bad_entry(file, tensor, "its shape is larger than any memory");
    return IRENEO_OK;
}

ireneo_error ireneo_safetensors_parse(const char *path, const unsigned char *bytes, size_t head, size_t count,
                                      const char *name, ireneo_layout *layout) {
    *layout = (ireneo_layout){0};
    document file = {0};
    IRENEO_TRY(document_open(path, bytes, head, count, &file));
    const entry *tensor = choose_entry(&file, name);
    ireneo_error error = tensor == NULL ? IRENEO_ERROR_DATA : describe_entry(&file, tensor, layout);
    document_close(&file);
    return error;
}

/* ---- Questions about a whole file ---- */

static ireneo_error copy_metadata(const document *file, const char *key, char **value) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(file->metadata, key);
    if (item == NULL) return IRENEO_OK;
    *value = strdup(item->valuestring);
    if (*value == NULL)
        return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for metadata of %s", file->path);
    return IRENEO_OK;
}

/* Reads and checks the header, and nothing behind it. */
static ireneo_error read_document(const char *path, document *file) {
    ireneo_input_file input;
    unsigned char *head = NULL;
    size_t count = 0;
    if (path == NULL) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "no file to read was given");
    IRENEO_TRY(ireneo_input_file_open(path, &input));
    ireneo_error error = ireneo_safetensors_head(&input, &head, &count);
    if (error == IRENEO_OK) error = document_open(path, head, count, input.bytes, file);
    free(head);
    ireneo_input_file_close(&input);
    return error;
}

ireneo_error ireneo_safetensors_metadata(const char *path, const char *key, char **value) {
    IRENEO_REQUIRE(value != NULL, "reading metadata needs a place for the value");
    *value = NULL;
    IRENEO_REQUIRE(path != NULL, "no file to read was given");
    document file = {0};
    if (key == NULL) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "no metadata key was given");
    IRENEO_TRY(read_document(path, &file));
    ireneo_error error = copy_metadata(&file, key, value);
    document_close(&file);
    return error;
}

ireneo_error ireneo_safetensors_has(const char *path, const char *name, int *found) {
    IRENEO_REQUIRE(found != NULL, "looking for a tensor needs a place for the answer");
    *found = 0;
    IRENEO_REQUIRE(path != NULL, "no file to read was given");
    document file = {0};
    if (name == NULL) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "no tensor name was given");
    IRENEO_TRY(read_document(path, &file));
    *found = find_entry(&file, name) != NULL;
    document_close(&file);
    return IRENEO_OK;
}

ireneo_error ireneo_safetensors_names(const char *path, char ***names, size_t *count) {
    document file = {0};
    const char **list = NULL;
    IRENEO_TRY(read_document(path, &file));
    ireneo_error error = IRENEO_ALLOCATE(&list, file.count, "list of tensors");
    for (size_t i = 0; error == IRENEO_OK && i < file.count; i++) list[i] = file.entries[i].name;
    if (error == IRENEO_OK) error = ireneo_names_pack(list, file.count, names);
    if (error == IRENEO_OK) *count = file.count;
    free(list);
    document_close(&file);
    return error;
}
