/* Mean squares of the entries of a weight matrix on disk, read once and in blocks. */
#ifndef IRENEO_ATTENTION_MODELS_TENSOR_SCAN_H
#define IRENEO_ATTENTION_MODELS_TENSOR_SCAN_H

#include "base/error.h"

#include <stdbool.h>

enum { IRENEO_SCAN_PARTS = 3 };

/* What is asked of a tensor. Matrices may hold several of equal number of outputs, or with `ends` given ones. */
typedef struct ireneo_scan_request {
    bool transposed; /* (inputs, outputs) in the file, as in GPT-2; otherwise (outputs, inputs) */
    size_t parts;    /* 1 to IRENEO_SCAN_PARTS */
    size_t ends[IRENEO_SCAN_PARTS]; /* of the parts along the outputs; the last is their number */
    const double *gain;             /* (inputs) of the norm before the matrix; NULL: 1 */
} ireneo_scan_request;

/* What one part holds. */
typedef struct ireneo_scan_part {
    double deviation; /* standard deviation of the entries */
    double power;     /* mean square of entry times gain */
} ireneo_scan_part;

/* The type is float16, bfloat16, float32 or float64; NaN and infinity are errors. */
ireneo_error ireneo_tensor_scan(const char *path, const char *name, const ireneo_scan_request *request,
                                ireneo_scan_part parts[IRENEO_SCAN_PARTS]);

/* "path:name", to be released with free(). */
ireneo_error ireneo_tensor_location(const char *path, const char *name, char **location);

/* The shape of a matrix. */
ireneo_error ireneo_tensor_shape(const char *path, const char *name, size_t *rows, size_t *columns);

/* A vector of real numbers (count), to be released with ireneo_free. */
ireneo_error ireneo_tensor_vector(const char *path, const char *name, double **values, size_t *count);

#endif
