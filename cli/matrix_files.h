/* Matrices from files, with one line on stderr for a file whose numbers were rounded to float32. */
#ifndef IRENEO_CLI_MATRIX_FILES_H
#define IRENEO_CLI_MATRIX_FILES_H

#include "base/held_array.h"
#include "report.h"

/* As ireneo_load_matrix, ireneo_load_queries and ireneo_load_stack. The line is left out with --json. */
ireneo_error load_matrix(const command *self, const char *path, float **values, size_t *rows,
                         size_t *columns);
ireneo_error load_queries(const command *self, const char *path, float **values, size_t *rows,
                          size_t *columns);
ireneo_error load_stack(const command *self, const char *path, float **values, size_t *matrices, size_t *rows,
                        size_t *columns);

/* As ireneo_held_load and ireneo_shared_load of base/held_array.h: over the ranks of a job. *values points into the shared
 * memory. */
ireneo_error load_held(const command *self, const char *path, ireneo_matrix_reading reading,
                       const ireneo_holding *holding, float **values, size_t *columns);
ireneo_error load_shared(const command *self, const char *path, ireneo_matrix_reading reading,
                         ireneo_shared *shared, float **values, size_t *rows, size_t *columns);

#endif
