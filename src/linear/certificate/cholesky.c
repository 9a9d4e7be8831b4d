/* Cholesky by tiles: A_kk = L_kk L_kk^T, then A_ik <- A_ik L_kk^-T, then A_ij <- A_ij - A_ik A_jk^T.
 *
 * LAPACK would do the same with BLAS's own threads, but their number belongs to the whole process. Here every
 * tile is one BLAS call in one thread, and the tiles depend on the size only. */
#include "linear/certificate/cholesky.h"

#include <cblas.h>
#include <lapacke.h>

enum { TILE = IRENEO_CHOLESKY_TILE };

static size_t tile_size(size_t side, size_t tile) {
    size_t left = side - tile * TILE;
    return left < TILE ? left : TILE;
}

/* Row of tiles i below the diagonal tile k: A_ik <- A_ik L_kk^-T. */
static void solve_tile(double *matrix, size_t side, size_t i, size_t k) {
    const double *corner = matrix + (k * side + k) * TILE;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)tile_size(side, i),
                TILE, 1.0, corner, (int)side, matrix + (i * side + k) * TILE, (int)side);
}

/* Row of tiles i: A_ij <- A_ij - A_ik A_jk^T for k < j <= i. */
static void update_row(double *matrix, size_t side, size_t i, size_t k) {
    for (size_t j = k + 1; j <= i; j++)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)tile_size(side, i), (int)tile_size(side, j),
                    TILE, -1.0, matrix + (i * side + k) * TILE, (int)side, matrix + (j * side + k) * TILE,
                    (int)side, 1.0, matrix + (i * side + j) * TILE, (int)side);
}

bool ireneo_cholesky(double *matrix, size_t side, int threads) {
    size_t tiles = (side + TILE - 1) / TILE;
    for (size_t k = 0; k < tiles; k++) {
        double *corner = matrix + (k * side + k) * TILE;
        /* A lower triangle by rows is an upper one by columns, which LAPACK takes as it is. */
        if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (lapack_int)tile_size(side, k), corner, (lapack_int)side) !=
            0)
            return false;
#pragma omp parallel num_threads(threads)
        {
#pragma omp for schedule(dynamic)
            for (size_t i = k + 1; i < tiles; i++) solve_tile(matrix, side, i, k);
#pragma omp for schedule(dynamic)
            for (size_t back = k + 1; back < tiles; back++) /* the longest rows first */
                update_row(matrix, side, tiles + k - back, k);
        }
    }
    return true;
}
