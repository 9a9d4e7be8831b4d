/* An array where it lies: its layout, and its elements as a stream that comes from a file, from a member of an
 * archive, or from RAM. */
#ifndef IRENEO_BASE_SOURCE_H
#define IRENEO_BASE_SOURCE_H

#include "base/input_file.h"

#include <stdbool.h>

/* What a header says about an array. */
typedef struct ireneo_layout {
    ireneo_dtype dtype;
    int axes;
    size_t shape[IRENEO_MAX_AXES];
    size_t count;       /* elements: the product of the shape */
    size_t bytes;       /* of all elements */
    size_t offset;      /* of the first element in the file */
    bool big_endian;    /* and the elements have more than one byte */
    bool fortran_order; /* the first axis runs fastest, and that makes a difference */
} ireneo_layout;

struct zip;
struct zip_file;

typedef struct ireneo_source {
    const char *location; /* the caller's, for sentences */
    ireneo_layout layout;
    ireneo_input_file file; /* where the elements are, unless one of the next is set */
    struct zip *archive;
    struct zip_file *member;
    char *path;           /* of file, when it is not the caller's */
    unsigned char *block; /* elements in RAM */
    size_t done;          /* bytes of elements that were read */
    size_t first_row;     /* rows of the file before those of a part */
} ireneo_source;

/* Opens "file", or "file:name" where files hold several arrays. On failure the source may be closed all the
 * same. */
ireneo_error ireneo_source_open(const char *location, ireneo_source *source);

/* The next `bytes` of the elements, as they lie in the file. */
ireneo_error ireneo_source_read(ireneo_source *source, void *buffer, size_t bytes);

void ireneo_source_close(ireneo_source *source);

/* Before anything is read: from here on the source is a part of itself, `rows` of its first axis from `first` on. False,
 * and nothing has changed, where its rows do not lie side by side or cannot be skipped. */
bool ireneo_source_cut(ireneo_source *source, size_t first, size_t rows);

/* Sets count and bytes of a layout from its type and shape; false when the axes other than those of length 0
 * overflow size_t. */
bool ireneo_layout_measure(ireneo_layout *layout);

/* The place in row-major order of the element that is at `index` in the order of the file. */
size_t ireneo_layout_place(const ireneo_layout *layout, size_t index);

/* Hands all elements to `visit` in blocks, in the order of the file and the byte order of this machine. With
 * Fortran order a block is part of one column, or whole columns: up to IRENEO_BLOCK_COLUMNS. */
enum { IRENEO_BLOCK_COLUMNS = 64 };
typedef ireneo_error (*ireneo_block_visitor)(void *context, const ireneo_layout *layout,
                                             const unsigned char *elements, size_t first, size_t count);
size_t
ireneo_block_elements(const ireneo_layout *layout); /* of the largest block, of an array that is not empty */
ireneo_error ireneo_source_visit(ireneo_source *source, ireneo_block_visitor visit, void *context);

/* Puts a block of a visit, of elements of `size` bytes, into their row-major places in `all`. */
void ireneo_place_block(const ireneo_layout *layout, const void *elements, size_t size, size_t first,
                        size_t count, void *all);

#endif
