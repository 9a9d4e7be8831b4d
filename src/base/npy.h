/* The .npy format of NumPy, versions 1.0 to 3.0 (numpy.org/neps/nep-0001-npy-format.html). */
#ifndef IRENEO_BASE_NPY_H
#define IRENEO_BASE_NPY_H

#include "base/error.h"

#include <stdbool.h>

/* Whether these bytes begin with the magic string of .npy. */
bool ireneo_npy_recognise(const unsigned char *bytes, size_t count);

/* Describes the array in a file's bytes (count); array->data points into them. `path` is for error sentences.
 */
ireneo_error ireneo_npy_parse(const char *path, const unsigned char *bytes, size_t count,
                              ireneo_array *array);

#endif
