/* Matrices from files, with one line on stderr for a file whose numbers were rounded to float32. */
#ifndef IRENEO_CLI_MATRIX_FILES_H
#define IRENEO_CLI_MATRIX_FILES_H

#include "report.h"

/* As ireneo_load_matrix, ireneo_load_queries and ireneo_load_stack. The line is left out with --json. */
ireneo_error load_matrix(const command *self, const char *path, float **values, size_t *rows,
                         size_t *columns);
ireneo_error load_queries(const command *self, const char *path, float **values, size_t *rows,
                          size_t *columns);
ireneo_error load_stack(const command *self, const char *path, float **values, size_t *matrices, size_t *rows,
                        size_t *columns);

#endif
