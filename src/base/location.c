/* From a location to a source: splits "file:name", finds the format by ending or first bytes, and lets its
 * reader describe the array. */
#include "base/foreign.h"
#include "base/npy.h"
#include "base/npz.h"
#include "base/ram.h"
#include "base/safetensors.h"
#include "base/safetensors_index.h"
#include "base/source.h"
#include "base/table.h"

#include <string.h>
#include <sys/stat.h>

enum { FIRST_BYTES = 64 };

/* ---- File and name ---- */

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* Splits "file:name" in place; *name is NULL when the whole is a file. File names and tensor names may both
 * hold colons: the longest prefix that is a file wins, and when there is none the last colon splits. */
static void split_location(char *location, const char **name) {
    *name = NULL;
    if (is_file(location)) return;
    char *last = strrchr(location, ':');
    for (char *colon = last; colon != NULL; colon = memrchr(location, ':', (size_t)(colon - location))) {
        *colon = '\0';
        bool found = is_file(location);
        if (found) {
            *name = colon + 1;
            return;
        }
        *colon = ':';
    }
    if (last == NULL) return;
    *last = '\0';
    *name = last + 1;
}

/* ---- Formats ---- */

typedef enum file_kind {
    KIND_NPY,
    KIND_NPZ,
    KIND_SAFETENSORS,
    KIND_INDEX,
    KIND_TABLE,
    KIND_FOREIGN
} file_kind;

static file_kind kind_by_ending(const char *path) {
    static const struct {
        const char *ending;
        file_kind kind;
    } endings[] = {{".npy", KIND_NPY},    {".npz", KIND_NPZ},   {".safetensors", KIND_SAFETENSORS},
                   {".json", KIND_INDEX}, {".csv", KIND_TABLE}, {".tsv", KIND_TABLE},
                   {".txt", KIND_TABLE}};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (ireneo_ends_with(path, endings[i].ending)) return endings[i].kind;
    return KIND_FOREIGN;
}

static file_kind kind_of(const ireneo_input_file *file, const unsigned char *first, size_t count) {
    file_kind kind = kind_by_ending(file->path);
    if (ireneo_is_lfs_pointer(first, count)) return KIND_FOREIGN;
    if (kind != KIND_FOREIGN) return kind;
    if (ireneo_npy_recognise(first, count)) return KIND_NPY;
    if (ireneo_safetensors_recognise(first, count, file->bytes)) return KIND_SAFETENSORS;
    if (ireneo_foreign_recognise(file->path, first, count)) return KIND_FOREIGN;
    return ireneo_npz_recognise(first, count) ? KIND_NPZ : KIND_FOREIGN;
}

static ireneo_error open_npy(ireneo_source *source) {
    const ireneo_input_file *file = &source->file;
    unsigned char first[IRENEO_NPY_FIRST_BYTES], *head = NULL;
    size_t count = file->bytes < sizeof first ? file->bytes : sizeof first;
    IRENEO_TRY(ireneo_input_file_read(file, 0, first, count));
    size_t needed = ireneo_npy_head_bytes(first, count);
    IRENEO_TRY(ireneo_input_file_head(file, needed > count ? needed : count, &head, &count));
    ireneo_error error = ireneo_npy_parse(file->path, head, count, file->bytes, &source->layout);
    free(head);
    return error;
}

static ireneo_error open_safetensors(ireneo_source *source, const char *name) {
    unsigned char *head = NULL;
    size_t count = 0;
    IRENEO_TRY(ireneo_safetensors_head(&source->file, &head, &count));
    ireneo_error error =
        ireneo_safetensors_parse(source->file.path, head, count, source->file.bytes, name, &source->layout);
    free(head);
    return error;
}

/* The index is left for the shard that holds the tensor. */
static ireneo_error open_shard(ireneo_source *source, const char *name) {
    unsigned char *text = NULL;
    size_t count = 0;
    if (source->file.bytes > IRENEO_SAFETENSORS_LARGEST_HEADER)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: an index of more than 100 MB is not read",
                           source->file.path);
    IRENEO_TRY(ireneo_input_file_head(&source->file, source->file.bytes, &text, &count));
    ireneo_error error = ireneo_safetensors_shard(source->file.path, text, count, name, &source->path);
    free(text);
    if (error != IRENEO_OK) return error;
    if (!is_file(source->path))
        return ireneo_fail(IRENEO_ERROR_IO, "%s puts '%.100s' into %s, which is not there", source->file.path,
                           name, source->path);
    ireneo_input_file_close(&source->file);
    IRENEO_TRY(ireneo_input_file_open(source->path, &source->file));
    return open_safetensors(source, name);
}

static ireneo_error open_table(ireneo_source *source) {
    unsigned char *text = NULL;
    size_t count = 0;
    IRENEO_TRY(ireneo_ram_require((double)source->file.bytes, source->location));
    IRENEO_TRY(ireneo_input_file_head(&source->file, source->file.bytes, &text, &count));
    ireneo_error error =
        ireneo_table_parse(source->file.path, (const char *)text, count, &source->layout, &source->block);
    free(text);
    return error;
}

static ireneo_error open_kind(ireneo_source *source, const char *name) {
    unsigned char first[FIRST_BYTES];
    size_t count = source->file.bytes < sizeof first ? source->file.bytes : sizeof first;
    IRENEO_TRY(ireneo_input_file_read(&source->file, 0, first, count));
    file_kind kind = kind_of(&source->file, first, count);
    if ((kind == KIND_NPY || kind == KIND_TABLE) && name != NULL)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "%s is a %s, which holds one array without a name; remove ':%s'",
                           source->file.path, kind == KIND_NPY ? ".npy file" : "text of numbers", name);
    switch (kind) {
    case KIND_NPY:
        return open_npy(source);
    case KIND_NPZ:
        return ireneo_npz_open(name, source);
    case KIND_SAFETENSORS:
        return open_safetensors(source, name);
    case KIND_INDEX:
        return open_shard(source, name);
    case KIND_TABLE:
        return open_table(source);
    case KIND_FOREIGN:
        break;
    }
    return ireneo_foreign_fail(source->file.path, first, count);
}

ireneo_error ireneo_source_open(const char *location, ireneo_source *source) {
    *source = (ireneo_source){.location = location, .file.descriptor = -1};
    if (location == NULL) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "no file to read was given");
    char *path = strdup(location);
    if (path == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory to open %s", location);
    const char *name = NULL;
    split_location(path, &name);
    ireneo_error error = ireneo_input_file_open(path, &source->file);
    if (error == IRENEO_OK) error = open_kind(source, name);
    /* Sentences about what is read later speak of the location, which lives longer than this copy. */
    source->file.path = location;
    free(path);
    return error;
}
