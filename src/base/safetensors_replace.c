/* A copy of a .safetensors file with one tensor changed: the header and all other bytes are taken over as they are. */
#include "base/atomic_file.h"
#include "base/narrow.h"
#include "base/ram.h"
#include "base/safetensors.h"
#include "base/source.h"

#include <string.h>
#include <sys/stat.h>

enum { PIECE = 1 << 20 };

static ireneo_error copy_bytes(const ireneo_input_file *from, size_t begin, size_t end,
                               ireneo_atomic_file *to) {
    unsigned char *piece = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&piece, PIECE, "a piece of a file"));
    ireneo_error failed = IRENEO_OK;
    for (size_t at = begin; failed == IRENEO_OK && at < end; at += PIECE) {
        size_t count = end - at < PIECE ? end - at : PIECE;
        failed = ireneo_input_file_read(from, at, piece, count);
        if (failed == IRENEO_OK) failed = ireneo_atomic_file_write(to, piece, count);
    }
    free(piece);
    return failed;
}

/* A checksum over the whole file (base/seal.h) would no longer be right. */
static ireneo_error refuse_sealed(const ireneo_source *s) {
    unsigned char *head = NULL;
    size_t count = 0;
    IRENEO_TRY(ireneo_safetensors_head(&s->file, &head, &count));
    bool sealed =
        count > IRENEO_SAFETENSORS_LENGTH_BYTES && memmem(head, count, "\"checksum\": \"", 13) != NULL;
    free(head);
    return sealed
               ? ireneo_fail(
                     IRENEO_ERROR_DATA,
                     "the file of %s carries a checksum of its contents, which a changed tensor would break; "
                     "write the matrix with -o",
                     s->location)
               : IRENEO_OK;
}

/* Is it a .safetensors file, whose tensor has this shape, and that no checksum guards? */
static ireneo_error check_source(const ireneo_source *s, size_t rows, size_t columns) {
    const ireneo_layout *l = &s->layout;
    unsigned char head[IRENEO_SAFETENSORS_LENGTH_BYTES + 1] = {0};
    if (s->archive == NULL && s->block == NULL && s->file.bytes > sizeof head)
        IRENEO_TRY(ireneo_input_file_read(&s->file, 0, head, sizeof head));
    if (!ireneo_safetensors_recognise(head, sizeof head, s->file.bytes))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "%s is no tensor of a .safetensors file, so there is no file to put it back into",
                           s->location);
    if (l->axes != 2 || l->shape[0] != rows || l->shape[1] != columns)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s is not a matrix of %zu x %zu", s->location, rows, columns);
    return refuse_sealed(s);
}

static ireneo_error refuse_same(const ireneo_source *s, const char *path) {
    struct stat old, new;
    if (fstat(s->file.descriptor, &old) != 0 || stat(path, &new) != 0) return IRENEO_OK;
    if (old.st_dev != new.st_dev || old.st_ino != new.st_ino) return IRENEO_OK;
    return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s is the file that is edited; give the copy another name",
                       path);
}

static ireneo_error write_copy(const ireneo_source *s, const char *path, const unsigned char *elements) {
    ireneo_atomic_file file;
    size_t begin = s->layout.offset, end = begin + s->layout.bytes;
    IRENEO_TRY(ireneo_atomic_file_begin(&file, path));
    ireneo_error failed = copy_bytes(&s->file, 0, begin, &file);
    if (failed == IRENEO_OK) failed = ireneo_atomic_file_write(&file, elements, end - begin);
    if (failed == IRENEO_OK) failed = copy_bytes(&s->file, end, s->file.bytes, &file);
    return ireneo_atomic_file_finish(&file, failed);
}

ireneo_error ireneo_safetensors_replace(const char *location, const char *path, float *matrix, size_t rows,
                                        size_t columns, ireneo_dtype *dtype) {
    IRENEO_REQUIRE(location != NULL && path != NULL && matrix != NULL,
                   "replacing a tensor needs its location, a path and a matrix");
    ireneo_source s;
    unsigned char *elements = NULL;
    ireneo_error failed = ireneo_source_open(location, &s);
    if (failed == IRENEO_OK) failed = check_source(&s, rows, columns);
    if (failed == IRENEO_OK) failed = refuse_same(&s, path);
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&elements, s.layout.bytes, "a tensor");
    if (failed == IRENEO_OK) failed = ireneo_narrow(s.layout.dtype, matrix, rows * columns, elements);
    if (failed == IRENEO_OK) failed = write_copy(&s, path, elements);
    if (failed == IRENEO_OK && dtype != NULL) *dtype = s.layout.dtype;
    free(elements);
    ireneo_source_close(&s);
    return failed;
}
