/* What the file formats share: element types, shapes, and conversion to what the rooms compute with. */
#ifndef IRENEO_BASE_ARRAY_H
#define IRENEO_BASE_ARRAY_H

#include "base/error.h"

#include <stdbool.h>

/* For sentences about types that cannot be read. */
#define IRENEO_DTYPE_LIST "float16, float32, float64, int32 or int64"

/* The elements of a shape and their bytes; false when the axes other than those of length 0 overflow size_t.
 */
bool ireneo_shape_bytes(ireneo_dtype dtype, int axes, const size_t *shape, size_t *count, size_t *bytes);

/* The check before writing an array: `what` names it in the sentence; *bytes is the size of its data. */
ireneo_error ireneo_check_writable(const char *what, ireneo_dtype dtype, int axes, const size_t *shape,
                                   const void *data, size_t *bytes);

/* What the public loaders do once the array is open; `location` is for error sentences. */
ireneo_error ireneo_array_to_matrix(const char *location, const ireneo_array *array, float **values,
                                    size_t *rows, size_t *columns);
ireneo_error ireneo_array_to_indices(const char *location, const ireneo_array *array, int64_t **values,
                                     size_t *count);
ireneo_error ireneo_array_to_vector(const char *location, const ireneo_array *array, double **values,
                                    size_t *count);

#endif
