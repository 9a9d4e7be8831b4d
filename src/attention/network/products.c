/* Matrix products cut into tiles, each of them one BLAS call of one thread: C is made tile by tile. */
#include "attention/network/products.h"
#include "base/pool.h"

#include <cblas.h>

/* Sides of a tile, at most. BLAS packs both operands again for every tile: flat or narrow ones cost more. */
enum { TILE_ROWS = 256, TILE_COLUMNS = 1024 };

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

/* How C (rows, columns) is cut, into equal parts. It does not depend on the number of threads. */
typedef struct grid {
    size_t rows, columns, inner, down, across;
    ireneo_scalar factor, keep;
    ireneo_operand a, b;
    ireneo_scalar *c;
    size_t stride;
} grid;

static void multiply_tile(void *context, size_t tile, int thread) {
    (void)thread;
    const grid *g = context;
    ireneo_operand a = g->a, b = g->b;
    size_t i = tile / g->across, j = tile % g->across;
    size_t top = g->rows * i / g->down, height = g->rows * (i + 1) / g->down - top;
    size_t left = g->columns * j / g->across, breadth = g->columns * (j + 1) / g->across - left;
    a.values += a.transposed ? top : top * a.stride;
    b.values += b.transposed ? left * b.stride : left;
    multiply(height, breadth, g->inner, g->factor, a, b, g->keep, g->c + top * g->stride + left, g->stride);
}

void ireneo_product(size_t rows, size_t columns, size_t inner, ireneo_scalar factor, ireneo_operand a,
                    ireneo_operand b, ireneo_scalar keep, ireneo_scalar *c, size_t stride, int threads) {
    grid g = {.rows = rows,
              .columns = columns,
              .inner = inner,
              .down = (rows + TILE_ROWS - 1) / TILE_ROWS,
              .across = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS,
              .factor = factor,
              .keep = keep,
              .a = a,
              .b = b,
              .c = c,
              .stride = stride};
    ireneo_share(g.down * g.across, threads, multiply_tile, &g);
}
