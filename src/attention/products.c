/* BLAS calls of the network. */
#include "attention/products.h"

#include <cblas.h>

enum { TILE_ROWS = 128 };

static void multiply(size_t rows, size_t columns, size_t inner, ireneo_scalar factor, ireneo_operand a,
                     ireneo_operand b, ireneo_scalar keep, ireneo_scalar *c, size_t stride) {
    enum CBLAS_TRANSPOSE turn_a = a.transposed ? CblasTrans : CblasNoTrans;
    enum CBLAS_TRANSPOSE turn_b = b.transposed ? CblasTrans : CblasNoTrans;
#ifdef IRENEO_NETWORK_DOUBLE
    cblas_dgemm(CblasRowMajor, turn_a, turn_b, (int)rows, (int)columns, (int)inner, factor, a.values,
                (int)a.stride, b.values, (int)b.stride, keep, c, (int)stride);
#else
    cblas_sgemm(CblasRowMajor, turn_a, turn_b, (int)rows, (int)columns, (int)inner, factor, a.values,
                (int)a.stride, b.values, (int)b.stride, keep, c, (int)stride);
#endif
}

static void multiply_tile(size_t tile, size_t rows, size_t columns, size_t inner, ireneo_scalar factor,
                          ireneo_operand a, ireneo_operand b, ireneo_scalar keep, ireneo_scalar *c,
                          size_t stride) {
    size_t first = tile * TILE_ROWS, count = rows - first < TILE_ROWS ? rows - first : TILE_ROWS;
    a.values += a.transposed ? first : first * a.stride;
    multiply(count, columns, inner, factor, a, b, keep, c + first * stride, stride);
}

void ireneo_product(size_t rows, size_t columns, size_t inner, ireneo_scalar factor, ireneo_operand a,
                    ireneo_operand b, ireneo_scalar keep, ireneo_scalar *c, size_t stride, int threads) {
    size_t tiles = (rows + TILE_ROWS - 1) / TILE_ROWS;
    if (threads <= 1 || tiles == 1) { /* a team of one costs more than a small product */
        for (size_t tile = 0; tile < tiles; tile++)
            multiply_tile(tile, rows, columns, inner, factor, a, b, keep, c, stride);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t tile = 0; tile < tiles; tile++)
        multiply_tile(tile, rows, columns, inner, factor, a, b, keep, c, stride);
}
