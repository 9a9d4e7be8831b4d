/* Matrix products of the network: BLAS on tiles, threads over tiles. The tiles do not depend on the
 * number of threads, so neither do the bits of the result. */
#ifndef IRENEO_ATTENTION_NETWORK_PRODUCTS_H
#define IRENEO_ATTENTION_NETWORK_PRODUCTS_H

#include "attention/network/scalar.h"

#include <stdbool.h>
#include <stddef.h>

/* A matrix inside a larger row-major one; `transposed` reads it the other way round. */
typedef struct ireneo_operand {
    const ireneo_scalar *values;
    size_t stride; /* elements from row to row, as stored */
    bool transposed;
} ireneo_operand;

static inline ireneo_operand ireneo_plain(const ireneo_scalar *values, size_t stride) {
    return (ireneo_operand){values, stride, false};
}

static inline ireneo_operand ireneo_turned(const ireneo_scalar *values, size_t stride) {
    return (ireneo_operand){values, stride, true};
}

/* C (rows, columns) = factor A (rows, inner) B (inner, columns) + keep C. The BLAS must be set to one thread.
 */
void ireneo_product(size_t rows, size_t columns, size_t inner, ireneo_scalar factor, ireneo_operand a,
                    ireneo_operand b, ireneo_scalar keep, ireneo_scalar *c, size_t stride, int threads);

#endif
