/* Cholesky by tiles: A_kk = L_kk L_kk^T, then A_ik <- A_ik L_kk^-T, then A_ij <- A_ij - A_ik A_jk^T.
 *
 * LAPACK would do the same with BLAS's own threads, but their number belongs to the whole process. Here every
 * tile is one BLAS call in one thread, and the tiles depend on the size only. */
#include "linear/certificate/cholesky.h"
#include "base/pool.h"

#include <cblas.h>
#include <lapacke.h>

enum { TILE = IRENEO_CHOLESKY_TILE };

static size_t tile_size(size_t side, size_t tile) {
    size_t left = side - tile * TILE;
    return left < TILE ? left : TILE;
}

/* The matrix with tiles up to the diagonal one, k, done. */
typedef struct stage {
    double *matrix;
    size_t side, tiles, k;
} stage;

/* A row of tiles i below the diagonal tile k: A_ik <- A_ik L_kk^-T. */
static void solve_tile(void *context, size_t index, int thread) {
    (void)thread;
    const stage *s = context;
    double *matrix = s->matrix;
    size_t side = s->side, k = s->k, i = k + 1 + index;
    const double *corner = matrix + (k * side + k) * TILE;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)tile_size(side, i),
                TILE, 1.0, corner, (int)side, matrix + (i * side + k) * TILE, (int)side);
}

/* A row of tiles i, the longest first: A_ij <- A_ij - A_ik A_jk^T for k < j <= i. */
static void update_row(void *context, size_t index, int thread) {
    (void)thread;
    const stage *s = context;
    double *matrix = s->matrix;
    size_t side = s->side, k = s->k, i = s->tiles - 1 - index;
    for (size_t j = k + 1; j <= i; j++)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)tile_size(side, i), (int)tile_size(side, j),
                    TILE, -1.0, matrix + (i * side + k) * TILE, (int)side, matrix + (j * side + k) * TILE,
                    (int)side, 1.0, matrix + (i * side + j) * TILE, (int)side);
}

bool ireneo_cholesky(double *matrix, size_t side, int threads) {
    stage s = {matrix, side, (side + TILE - 1) / TILE, 0};
    for (size_t k = 0; k < s.tiles; k++) {
        double *corner = matrix + (k * side + k) * TILE;
        /* A lower triangle by rows is an upper one by columns, which LAPACK takes as it is. */
        if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (lapack_int)tile_size(side, k), corner, (lapack_int)side) !=
            0)
            return false;
        s.k = k;
        ireneo_share(s.tiles - 1 - k, threads, solve_tile, &s);
        ireneo_share(s.tiles - 1 - k, threads, update_row, &s);
    }
    return true;
}
