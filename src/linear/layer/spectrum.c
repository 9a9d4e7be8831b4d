/* The product of the smaller side, slab by slab of its rows over chunks of the larger side; the order of sums is fixed. */
#include "linear/layer/spectrum.h"
#include "base/parallel.h"
#include "base/ram.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { SLAB = 64, CHUNK = 256 };

typedef struct product {
    size_t side;   /* the smaller of the two */
    size_t filled; /* entries of the larger side in the chunk */
    double *chunk; /* (side, CHUNK) */
    double *gram;  /* (side, side): lower triangle, in slabs of rows */
} product;

static ireneo_error add_slab(void *context, size_t slab, int thread) {
    (void)thread;
    const product *p = context;
    size_t first = slab * SLAB, left = p->side - first, rows = left < SLAB ? left : SLAB;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)(first + rows), (int)p->filled, 1.0,
                p->chunk + first * CHUNK, CHUNK, p->chunk, CHUNK, 1.0, p->gram + first * p->side,
                (int)p->side);
    return IRENEO_OK;
}

/* Entries first .. of the larger side, as columns of the chunk. */
static void read_chunk(const float *matrix, size_t rows, size_t columns, size_t first, product *p) {
    size_t larger = rows < columns ? columns : rows;
    p->filled = larger - first < CHUNK ? larger - first : CHUNK;
    for (size_t i = 0; i < p->side; i++)
        for (size_t k = 0; k < p->filled; k++)
            p->chunk[i * CHUNK + k] = (double)(rows < columns ? matrix[i * columns + first + k]
                                                              : matrix[(first + k) * columns + i]);
}

static ireneo_error form_product(const float *matrix, size_t rows, size_t columns, int threads,
                                 const ireneo_progress *progress, product *p) {
    size_t larger = rows < columns ? columns : rows;
    for (size_t first = 0; first < larger; first += CHUNK) {
        if (ireneo_report(progress, "spectrum", (double)first, (double)larger) != 0)
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "the look at the layer was stopped");
        read_chunk(matrix, rows, columns, first, p);
        IRENEO_TRY(ireneo_parallel((p->side + SLAB - 1) / SLAB, threads, NULL, "spectrum", add_slab, p));
    }
    return IRENEO_OK;
}

ireneo_error ireneo_eigenvalues(double *matrix, size_t dim, double *values) {
    if (LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'N', 'L', (lapack_int)dim, matrix, (lapack_int)dim, values) != 0)
        return ireneo_fail(IRENEO_ERROR_NUMERIC, "the eigenvalues of a %zu x %zu matrix did not converge",
                           dim, dim);
    for (size_t k = 0; k < dim / 2; k++) { /* they come smallest first */
        double swap = values[k];
        values[k] = values[dim - 1 - k];
        values[dim - 1 - k] = swap;
    }
    for (size_t k = 0; k < dim; k++) values[k] = fmax(values[k], 0.0);
    return IRENEO_OK;
}

ireneo_error ireneo_singular_values(const float *matrix, size_t rows, size_t columns, int threads,
                                    const ireneo_progress *progress, double *values) {
    product p = {.side = rows < columns ? rows : columns};
    ireneo_error failed = IRENEO_ALLOCATE(&p.chunk, p.side * CHUNK, "a piece of the layer");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&p.gram, p.side * p.side, "products of rows");
    if (failed == IRENEO_OK) failed = form_product(matrix, rows, columns, threads, progress, &p);
    if (failed == IRENEO_OK) failed = ireneo_eigenvalues(p.gram, p.side, values);
    for (size_t k = 0; failed == IRENEO_OK && k < p.side; k++) values[k] = sqrt(values[k]);
    free(p.chunk);
    free(p.gram);
    return failed;
}
