/* A regular file that is read piece by piece. Files are read and never mapped: a mapped file that another
 * program shortens kills the reader with SIGBUS, a read one is an error. */
#ifndef IRENEO_BASE_INPUT_FILE_H
#define IRENEO_BASE_INPUT_FILE_H

#include "base/error.h"

typedef struct ireneo_input_file {
    const char *path; /* the caller's, for sentences */
    int descriptor;   /* -1: closed */
    size_t bytes;     /* when it was opened */
} ireneo_input_file;

/* Folders, pipes and devices are refused at once. On failure the file may be closed all the same. */
ireneo_error ireneo_input_file_open(const char *path, ireneo_input_file *file);

/* Exactly `bytes` from `offset` on; a file that ends before them is an error. */
ireneo_error ireneo_input_file_read(const ireneo_input_file *file, size_t offset, void *buffer, size_t bytes);

/* The first `bytes`, or fewer when the file is shorter, in a block to be released with free(), with a NUL
 * behind them. */
ireneo_error ireneo_input_file_head(const ireneo_input_file *file, size_t bytes, unsigned char **head,
                                    size_t *count);

void ireneo_input_file_close(ireneo_input_file *file);

#endif
