/* Queries from a file, from standard input (-) or from a pipe. */
#ifndef IRENEO_CLI_STREAMED_QUERIES_H
#define IRENEO_CLI_STREAMED_QUERIES_H

#include "report.h"

/* Whether a path is standard input or no regular file, such as a pipe. */
bool is_stream(const char *path);

/* As load_queries of matrix_files.h. A stream holds what a file may hold, told apart by its first bytes: .npy, .npz,
 * .safetensors, or text of numbers. Returns 0 or an exit code. */
int load_streamed_queries(const command *self, const char *path, float **values, size_t *rows,
                          size_t *columns);

#endif
