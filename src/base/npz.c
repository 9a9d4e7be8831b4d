/* Members of zip files, through libzip. What an archive declares is believed only as far as it fits: the
 * member's size against its compressed bytes and against its own .npy header, and all of it against the RAM. */
#include "base/npz.h"

#include "base/json_read.h"
#include "base/npy.h"
#include "base/ram.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

enum { LARGEST_DEFLATION = 1032 /* times; zlib.net/zlib_tech.html */ };

bool ireneo_npz_recognise(const unsigned char *bytes, size_t count) {
    return count >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

static ireneo_error malformed(const ireneo_source *source, const char *reason) {
    return ireneo_fail(IRENEO_ERROR_DATA, "%s: %s", source->location, reason);
}

/* ---- Choosing a member ---- */

static bool ends_with_npy(const char *name, size_t length) {
    return length > 4 && strcmp(name + length - 4, ".npy") == 0;
}

/* Names are compared without .npy, as NumPy does. */
static bool is_called(const char *member, const char *name) {
    size_t length = strlen(member);
    if (strcmp(member, name) == 0) return true;
    return ends_with_npy(member, length) && strlen(name) == length - 4 &&
           strncmp(member, name, length - 4) == 0;
}

typedef struct choice {
    zip_int64_t index;
    size_t found, arrays; /* members of the name, and all that are arrays */
    bool torch;           /* PyTorch writes zip files too */
    char list[512];       /* names of arrays, for a sentence */
} choice;

static void add_to_list(choice *c, const char *name) {
    size_t end = strlen(c->list), length = strlen(name) - 4;
    bool fits = end + length + 8 <= sizeof c->list && ireneo_name_printable(name);
    const char *separator = c->arrays > 1 ? ", " : "";
    if (fits)
        snprintf(c->list + end, sizeof c->list - end, "%s%.*s", separator, (int)length, name);
    else if (end < 4 || strcmp(c->list + end - 3, "...") != 0)
        snprintf(c->list + end, sizeof c->list - end, "%s...", separator);
}

static void look_through(struct zip *archive, const char *name, choice *c) {
    zip_int64_t entries = zip_get_num_entries(archive, 0);
    for (zip_int64_t i = 0; i < entries; i++) {
        const char *member = zip_get_name(archive, (zip_uint64_t)i, 0);
        if (member == NULL) continue;
        size_t length = strlen(member);
        bool array = ends_with_npy(member, length);
        c->torch |= length >= 9 && strcmp(member + length - 9, "/data.pkl") == 0;
        if (array) c->arrays++, add_to_list(c, member);
        if (name == NULL ? !array : !is_called(member, name)) continue;
        c->found++;
        c->index = i;
    }
}

static ireneo_error choose_member(ireneo_source *source, const char *name, zip_int64_t *index) {
    choice c = {0};
    const char *path = source->file.path;
    look_through(source->archive, name, &c);
    *index = c.index;
    if (c.found == 1) return IRENEO_OK;
    if (c.torch && c.arrays == 0)
        return ireneo_fail(
            IRENEO_ERROR_DATA,
            "%s is a PyTorch file, which cannot be read; in Python: "
            "safetensors.torch.save_file(torch.load('%s', weights_only=True), 'new.safetensors')",
            path, path);
    if (c.arrays == 0)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s is a zip file without arrays of NumPy (.npy)", path);
    if (name == NULL)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s holds %zu arrays; choose one as '%s:name' from %s", path,
                           c.arrays, path, c.list);
    if (c.found > 1)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s holds %zu arrays '%.100s'", path, c.found, name);
    return ireneo_fail(IRENEO_ERROR_DATA, "%s holds no array '%.100s'; it holds %s", path, name, c.list);
}

/* ---- Opening ---- */

static ireneo_error check_member(const ireneo_source *source, const zip_stat_t *member) {
    zip_uint64_t wanted =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if ((member->valid & wanted) != wanted)
        return malformed(source, "the archive does not say how large it is");
    if (member->encryption_method != ZIP_EM_NONE)
        return malformed(source, "it is encrypted; save it without");
    if (member->comp_method != ZIP_CM_STORE && member->comp_method != ZIP_CM_DEFLATE)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "%s: compression method %u of zip is not read; use numpy.savez_compressed",
                           source->location, (unsigned)member->comp_method);
    bool stored = member->comp_method == ZIP_CM_STORE;
    if (member->comp_size > source->file.bytes || member->size / LARGEST_DEFLATION > member->comp_size ||
        (stored && member->size != member->comp_size))
        return malformed(source, "the archive declares a size that cannot be");
    return IRENEO_OK;
}

static ireneo_error read_layout(ireneo_source *source, size_t size) {
    unsigned char first[IRENEO_NPY_FIRST_BYTES], *head = NULL;
    size_t there = size < sizeof first ? size : sizeof first;
    IRENEO_TRY(ireneo_npz_read(source, first, there));
    size_t needed = ireneo_npy_head_bytes(first, there);
    if (needed < there || needed > size) needed = there; /* the parser will say what is wrong */
    IRENEO_TRY(IRENEO_ALLOCATE(&head, needed, source->location));
    memcpy(head, first, there);
    ireneo_error error = ireneo_npz_read(source, head + there, needed - there);
    if (error == IRENEO_OK) error = ireneo_npy_parse(source->location, head, needed, size, &source->layout);
    free(head);
    if (error == IRENEO_OK && source->layout.offset + source->layout.bytes != size)
        error = malformed(source, "something follows the array in its member of the archive");
    return error;
}

static ireneo_error open_member(ireneo_source *source, zip_int64_t index) {
    zip_stat_t member;
    if (zip_stat_index(source->archive, (zip_uint64_t)index, 0, &member) != 0)
        return malformed(source, zip_strerror(source->archive));
    IRENEO_TRY(check_member(source, &member));
    source->member = zip_fopen_index(source->archive, (zip_uint64_t)index, 0);
    if (source->member == NULL) return malformed(source, zip_strerror(source->archive));
    return read_layout(source, (size_t)member.size);
}

ireneo_error ireneo_npz_open(const char *name, ireneo_source *source) {
    int code = 0, descriptor = dup(source->file.descriptor);
    zip_int64_t index = 0;
    if (descriptor >= 0) source->archive = zip_fdopen(descriptor, 0, &code);
    if (source->archive == NULL) {
        zip_error_t reason;
        if (descriptor >= 0) close(descriptor);
        zip_error_init_with_code(&reason, code);
        ireneo_fail(IRENEO_ERROR_DATA, "%s: not a valid .npz file: %s", source->file.path,
                    zip_error_strerror(&reason));
        zip_error_fini(&reason);
        return IRENEO_ERROR_DATA;
    }
    IRENEO_TRY(choose_member(source, name, &index));
    return open_member(source, index);
}

/* ---- Reading ---- */

ireneo_error ireneo_npz_read(ireneo_source *source, void *buffer, size_t bytes) {
    unsigned char *at = buffer;
    while (bytes > 0) {
        zip_int64_t got = zip_fread(source->member, at, bytes);
        if (got < 0) return malformed(source, zip_file_strerror(source->member));
        if (got == 0) return malformed(source, "the member of the archive is truncated");
        at += got;
        bytes -= (size_t)got;
    }
    return IRENEO_OK;
}

ireneo_error ireneo_npz_finish(ireneo_source *source) {
    unsigned char byte;
    zip_int64_t got = zip_fread(source->member, &byte, 1);
    if (got < 0) return malformed(source, zip_file_strerror(source->member));
    return got == 0 ? IRENEO_OK : malformed(source, "the member of the archive is longer than declared");
}

void ireneo_npz_close(ireneo_source *source) {
    if (source->member != NULL) zip_fclose(source->member);
    if (source->archive != NULL) zip_discard(source->archive);
    source->member = NULL;
    source->archive = NULL;
}
