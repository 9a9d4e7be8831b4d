/* What the file formats share: shapes, and conversion to what the rooms compute with. */
#ifndef IRENEO_BASE_ARRAY_H
#define IRENEO_BASE_ARRAY_H

#include "base/error.h"
#include "base/source.h"

#include <stdbool.h>

/* The elements of a shape and their bytes; false when the axes other than those of length 0 overflow size_t.
 */
bool ireneo_shape_bytes(ireneo_dtype dtype, int axes, const size_t *shape, size_t *count, size_t *bytes);

/* The check before writing an array: `what` names it in the sentence; *bytes is the size of its data. */
ireneo_error ireneo_check_writable(const char *what, ireneo_dtype dtype, int axes, const size_t *shape,
                                   const void *data, size_t *bytes);

/* How a source is read as a matrix. */
typedef enum ireneo_matrix_reading {
    IRENEO_READ_ROWS,    /* two axes; one axis is a column */
    IRENEO_READ_QUERIES, /* two axes; one axis is a row; rows may become equal */
    IRENEO_READ_STACK    /* three axes, of which the first two count rows; fewer as rows */
} ireneo_matrix_reading;

/* What the public loaders do once the source is open. Notes are not NULL. */
ireneo_error ireneo_source_to_matrix(ireneo_source *source, ireneo_matrix_reading reading, float **values,
                                     size_t *rows, size_t *columns, ireneo_load_notes *notes);
ireneo_error ireneo_source_to_array(ireneo_source *source, ireneo_array *array);
ireneo_error ireneo_array_to_indices(const char *location, const ireneo_array *array, int64_t **values,
                                     size_t *count);
ireneo_error ireneo_array_to_vector(const char *location, const ireneo_array *array, double **values,
                                    size_t *count);

#endif
