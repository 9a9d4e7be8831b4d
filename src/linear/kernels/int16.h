/* Sixteen-bit copies of the candidates, for inner products with listed ones along the search line: half the
 * memory traffic of float32 and half the instructions. Entries are rounded to multiples of the vector's
 * largest entry / limit, where the limit is as large as exact 32-bit sums allow: products err by about 1e-4
 * |h| |y| / sqrt(dim). */
#ifndef IRENEO_LINEAR_KERNELS_INT16_H
#define IRENEO_LINEAR_KERNELS_INT16_H

#include "base/ranks.h"

typedef struct ireneo_int16 {
    size_t rows, dim, stride; /* stride: whole vectors of 32 entries */
    float limit;              /* largest |integer| */
    int16_t *entries;         /* (rows, stride), padded with zeros */
    float *scale;             /* (rows) */
    ireneo_shared shared;     /* where both are: once a node */
} ireneo_int16;

/* values (rows, stride), of which the first dim entries count. The ranks of a node make one copy together; NULL: this
 * process makes its own. */
ireneo_error ireneo_int16_make(const float *values, size_t rows, size_t dim, size_t stride, int threads,
                               ireneo_ranks *ranks, ireneo_int16 *sixteen);
void ireneo_int16_free(ireneo_int16 *sixteen);

/* Rounds h (dim) into entries (sixteen->stride) and returns its scale. */
float ireneo_int16_round(const ireneo_int16 *sixteen, const float *h, int16_t *entries);

/* out[k] = <h, row list[k]> for k < count, with h rounded and its scale. */
void ireneo_int16_dots(const ireneo_int16 *sixteen, const int16_t *h, float scale, const uint32_t *list,
                       size_t count, float *out);

#endif
