/* The bytes of a whole file, for readers that parse it in place. */
#ifndef IRENEO_BASE_FILE_VIEW_H
#define IRENEO_BASE_FILE_VIEW_H

#include "base/error.h"

/* Files below this size are read, larger ones mapped: a mapped file that another program shortens kills the
 * reader with SIGBUS, and for a small file there is nothing to gain from that risk. */
enum { IRENEO_MAP_FROM_BYTES = 64 * 1024 * 1024 };

typedef struct ireneo_file_view {
    const unsigned char *bytes;
    size_t count;
    void *mapping;        /* what close releases */
    size_t mapping_bytes; /* 0: mapping came from the allocator, otherwise from mmap */
} ireneo_file_view;

/* On failure the view is empty and may be closed all the same. */
ireneo_error ireneo_file_view_open(const char *path, ireneo_file_view *view);

void ireneo_file_view_close(ireneo_file_view *view);

#endif
