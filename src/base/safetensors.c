/* Reader of .safetensors. A file is trusted with nothing: the header text is checked before cJSON
 * sees it, and the layout of every tensor before any of them is used. */
#include "base/safetensors.h"

#include "base/array.h"
#include "base/file_view.h"
#include "base/ram.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

enum {
    LENGTH_BYTES = IRENEO_SAFETENSORS_LENGTH_BYTES,
    LARGEST_HEADER = IRENEO_SAFETENSORS_LARGEST_HEADER,
    DEEPEST_NESTING = 8 /* a valid header has 3; cJSON recurses at each level */
};

/* Types whose size is known. Tensors of other types may lie in a file beside those that are read. */
static const struct type {
    const char *name;
    size_t bytes;
    bool readable;
    ireneo_dtype dtype;
} types[] = {{"F16", 2, true, IRENEO_DTYPE_FLOAT16},
             {"F32", 4, true, IRENEO_DTYPE_FLOAT32},
             {"F64", 8, true, IRENEO_DTYPE_FLOAT64},
             {"I32", 4, true, IRENEO_DTYPE_INT32},
             {"I64", 8, true, IRENEO_DTYPE_INT64},
             {"BF16", 2, false, 0},
             {"BOOL", 1, false, 0},
             {"U8", 1, false, 0},
             {"I8", 1, false, 0},
             {"U16", 2, false, 0},
             {"I16", 2, false, 0},
             {"U32", 4, false, 0},
             {"U64", 8, false, 0}};

static const struct type *find_type(const char *name) {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0) return &types[i];
    return NULL;
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
    const unsigned char *data;
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

bool ireneo_safetensors_recognise(const unsigned char *bytes, size_t count) {
    return count > LENGTH_BYTES && header_length(bytes) <= count - LENGTH_BYTES && bytes[LENGTH_BYTES] == '{';
}

static ireneo_error find_header(const char *path, const unsigned char *bytes, size_t count, size_t *length) {
    if (count < LENGTH_BYTES) return malformed(path, "it is truncated inside the length of the header");
    uint64_t announced = header_length(bytes);
    if (announced > count - LENGTH_BYTES)
        return ireneo_fail(
            IRENEO_ERROR_DATA,
            "%s: not a valid .safetensors file: a header of %llu bytes is announced, %zu bytes are there",
            path, (unsigned long long)announced, count - LENGTH_BYTES);
    if (announced > LARGEST_HEADER)
        return malformed(path, "the header is larger than the 100 MB the format allows");
    *length = (size_t)announced;
    return IRENEO_OK;
}

/* Steps over a string whose opening quote is at text[at]; returns the index of the closing quote, or length
 * when there is none or a character that JSON forbids. An escaped NUL would cut names short, so it is refused
 * too. */
static size_t skip_string(const char *text, size_t length, size_t at) {
    for (size_t i = at + 1; i < length; i++) {
        if (text[i] == '"') return i;
        if ((unsigned char)text[i] < ' ') return length;
        if (text[i] != '\\') continue;
        if (length - i >= 6 && memcmp(text + i, "\\u0000", 6) == 0) return length;
        i++;
    }
    return length;
}

/* cJSON takes any control character for a space, ignores what follows the object and recurses 1000 deep; this
 * does not. */
static ireneo_error check_text(const char *path, const char *text, size_t length) {
    if (length == 0 || text[0] != '{') return malformed(path, "the header is not a JSON object");
    int depth = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (i > 0 && depth == 0 && !space)
            return malformed(path, "something follows the JSON object of the header");
        if (!space && (unsigned char)c < ' ') return malformed(path, "the header holds a control character");
        if (c == '"' && (i = skip_string(text, length, i)) == length)
            return malformed(path,
                             "the header is not JSON: a string is not closed or holds a control character");
        if (c == '{' || c == '[') depth++;
        if (c == '}' || c == ']') depth--;
        if (depth > DEEPEST_NESTING) return malformed(path, "the header is nested too deeply");
    }
    return depth == 0 ? IRENEO_OK : malformed(path, "the header is not JSON: brackets are not closed");
}

static ireneo_error parse_json(const char *path, const unsigned char *header, size_t length, cJSON **json) {
    char *text = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&text, length + 1, "header of a .safetensors file"));
    memcpy(text, header, length);
    text[length] = '\0'; /* cJSON before 1.7.18 may look one character past the length it is given */
    ireneo_error error = check_text(path, text, length);
    if (error == IRENEO_OK) {
        *json = cJSON_ParseWithLength(text, length);
        if (!cJSON_IsObject(*json)) error = malformed(path, "the header is not JSON");
    }
    free(text);
    return error;
}

/* ---- Names and layout ---- */

bool ireneo_name_printable(const char *name) {
    for (; *name != '\0'; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f) return false;
    return true;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool ireneo_names_repeat(const char **names, size_t count) {
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0) return true;
    return false;
}

static ireneo_error check_names(const char *path, const cJSON *object) {
    const char **names = NULL;
    size_t count = 0;
    const cJSON *child = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&names, (size_t)cJSON_GetArraySize(object), "names of tensors"));
    cJSON_ArrayForEach(child, object) names[count++] = child->string;
    bool repeat = ireneo_names_repeat(names, count);
    free(names);
    return repeat ? malformed(path, "a name occurs twice in the header") : IRENEO_OK;
}

/* JSON numbers are doubles, exact to 2^53: eight petabytes. */
static bool whole_number(const cJSON *item, size_t *number) {
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= 0x1p53)) return false;
    *number = (size_t)item->valuedouble;
    return (double)*number == item->valuedouble;
}

/* Bytes of an entry's shape; false when it holds something else than whole numbers or overflows. */
static bool entry_bytes(const entry *tensor, size_t element_bytes, size_t *bytes) {
    const cJSON *item = NULL;
    bool empty = false;
    *bytes = element_bytes;
    cJSON_ArrayForEach(item, tensor->shape) {
        size_t length = 0;
        if (!whole_number(item, &length)) return false;
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
        !whole_number(cJSON_GetArrayItem(offsets, 0), &tensor->begin) ||
        !whole_number(cJSON_GetArrayItem(offsets, 1), &tensor->end))
        return bad_entry(file, tensor, "its data_offsets are not two whole numbers");
    tensor->type = type->valuestring;
    tensor->shape = shape;
    if (tensor->begin > tensor->end || tensor->end > file->data_bytes)
        return bad_entry(file, tensor, "its data lie outside the file, which may be truncated");
    const struct type *known = find_type(tensor->type);
    size_t bytes = 0;
    if (!entry_bytes(tensor, known == NULL ? 1 : known->bytes, &bytes))
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

static ireneo_error document_open(const char *path, const unsigned char *bytes, size_t count,
                                  document *file) {
    *file = (document){.path = path};
    size_t length = 0;
    IRENEO_TRY(find_header(path, bytes, count, &length));
    file->data = bytes + LENGTH_BYTES + length;
    file->data_bytes = count - LENGTH_BYTES - length;
    ireneo_error error = parse_json(path, bytes + LENGTH_BYTES, length, &file->json);
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

/* "U, V, W" into list (capacity), with "..." for what does not fit. */
static void list_names(const document *file, char *list, size_t capacity) {
    static const char separator[] = ", ", rest[] = "...";
    size_t end = 0;
    list[0] = '\0';
    for (size_t i = 0; i < file->count; i++) {
        const char *name = file->entries[i].name;
        bool fits = end + strlen(name) + 2 * sizeof separator + sizeof rest <= capacity;
        end +=
            (size_t)snprintf(list + end, capacity - end, "%s%s", i == 0 ? "" : separator, fits ? name : rest);
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

static ireneo_error describe_entry(const document *file, const entry *tensor, ireneo_array *array) {
    const struct type *type = find_type(tensor->type);
    if (type == NULL || !type->readable)
        return ireneo_fail(
            IRENEO_ERROR_DATA,
            "%s: tensor '%.100s' has elements of type %.20s, which cannot be read; use " IRENEO_DTYPE_LIST,
            file->path, tensor->name, tensor->type);
    if (cJSON_GetArraySize(tensor->shape) > IRENEO_MAX_AXES)
        return bad_entry(file, tensor, "it has more than 8 axes");
    array->dtype = type->dtype;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, tensor->shape) {
        if (whole_number(item, &array->shape[array->axes])) array->axes++;
    }
    array->count = (tensor->end - tensor->begin) / type->bytes;
    array->data = file->data + tensor->begin;
    return IRENEO_OK;
}

ireneo_error ireneo_safetensors_parse(const char *path, const unsigned char *bytes, size_t count,
                                      const char *name, ireneo_array *array) {
    *array = (ireneo_array){0};
    document file = {0};
    IRENEO_TRY(document_open(path, bytes, count, &file));
    const entry *tensor = choose_entry(&file, name);
    ireneo_error error = tensor == NULL ? IRENEO_ERROR_DATA : describe_entry(&file, tensor, array);
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

static ireneo_error open_file(const char *path, ireneo_file_view *view, document *file) {
    if (path == NULL) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "no file to read was given");
    IRENEO_TRY(ireneo_file_view_open(path, view));
    ireneo_error error = document_open(path, view->bytes, view->count, file);
    if (error != IRENEO_OK) ireneo_file_view_close(view);
    return error;
}

ireneo_error ireneo_safetensors_metadata(const char *path, const char *key, char **value) {
    IRENEO_REQUIRE(value != NULL, "reading metadata needs a place for the value");
    *value = NULL;
    IRENEO_REQUIRE(path != NULL, "no file to read was given");
    ireneo_file_view view = {0};
    document file = {0};
    if (key == NULL) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "no metadata key was given");
    IRENEO_TRY(open_file(path, &view, &file));
    ireneo_error error = copy_metadata(&file, key, value);
    document_close(&file);
    ireneo_file_view_close(&view);
    return error;
}

ireneo_error ireneo_safetensors_has(const char *path, const char *name, int *found) {
    IRENEO_REQUIRE(found != NULL, "looking for a tensor needs a place for the answer");
    *found = 0;
    IRENEO_REQUIRE(path != NULL, "no file to read was given");
    ireneo_file_view view = {0};
    document file = {0};
    if (name == NULL) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "no tensor name was given");
    IRENEO_TRY(open_file(path, &view, &file));
    *found = find_entry(&file, name) != NULL;
    document_close(&file);
    ireneo_file_view_close(&view);
    return IRENEO_OK;
}
