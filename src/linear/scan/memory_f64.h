/* A memory in float64, for the places where float32 could err. */
#ifndef IRENEO_LINEAR_SCAN_MEMORY_F64_H
#define IRENEO_LINEAR_SCAN_MEMORY_F64_H

#include "base/error.h"

typedef struct ireneo_memory_f64 {
    size_t dim_in, dim_out, rank;
    double *matrix, *left, *right; /* float64 copies of the memory's arrays */
} ireneo_memory_f64;

ireneo_error ireneo_memory_f64_make(const ireneo_memory *memory, ireneo_memory_f64 *f64);
void ireneo_memory_f64_free(ireneo_memory_f64 *f64);

/* h (count, dim_out) = W x for keys (count, dim_in). `scratch` holds count * (dim_in + rank) doubles. */
void ireneo_memory_f64_apply(const ireneo_memory_f64 *w, const float *keys, size_t count, double *scratch,
                             double *h);

#endif
