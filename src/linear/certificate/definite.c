/* Positive definiteness, proved after the event.
 *
 * G - shift I is factorised as L L^T in floating point. How that was done does not matter: with F = G - shift I - L L^T,
 * x^T G x = shift |x|^2 + |L^T x|^2 + x^T F x, so the smallest eigenvalue of G is at least shift - |F|_F. F is computed
 * from G and L; a sum of n products in any order errs by at most n U |L| |L|^T entry by entry, whose Frobenius norm is
 * at most n U |L|_F^2, and subtracting from G adds 2 U |G|.
 *
 * The matrix is cut into the tiles of cholesky.h. L takes the place of the lower triangle while G stays in the upper
 * one; tiles on the diagonal are copied. */
#include "linear/certificate/definite.h"
#include "base/pool.h"
#include "base/ram.h"
#include "linear/certificate/cholesky.h"

#include <cblas.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { TILE = IRENEO_CHOLESKY_TILE };

static const double UNIT = 0x1p-53;

typedef struct tiles {
    double *g;        /* (size, size) */
    double *diagonal; /* (tiles, TILE, TILE) of G - shift I */
    size_t size, count;
    int threads;
} tiles;

static size_t width(const tiles *t, size_t tile) {
    return tile + 1 < t->count ? TILE : t->size - tile * TILE;
}

static double *tile_at(const tiles *t, size_t row, size_t column) {
    return t->g + row * TILE * t->size + column * TILE;
}

/* Takes the shift off the diagonal and copies its tiles. */
static void begin(tiles *t, double shift) {
    for (size_t k = 0; k < t->size; k++) t->g[k * t->size + k] -= shift;
    for (size_t k = 0; k < t->count; k++)
        for (size_t i = 0; i < width(t, k); i++)
            memcpy(t->diagonal + (k * TILE + i) * TILE, tile_at(t, k, k) + i * t->size,
                   width(t, k) * sizeof(double));
}

/* The factor is lower triangular also inside the tiles on the diagonal. */
static void clear_above(const tiles *t) {
    for (size_t k = 0; k < t->count; k++)
        for (size_t i = 0; i < width(t, k); i++)
            for (size_t j = i + 1; j < width(t, k); j++) tile_at(t, k, k)[i * t->size + j] = 0.0;
}

/* A look at all tiles. */
typedef struct inspection {
    const tiles *t;
    double *space;          /* (threads, TILE, TILE) */
    double *missed, *sizes; /* (count, count) */
} inspection;

/* |F|^2 and |L|^2 of one tile on or below the diagonal. */
static void look_at_tile(void *context, size_t at, int thread) {
    const inspection *all = context;
    const tiles *t = all->t;
    size_t i = at / t->count, j = at % t->count;
    if (j > i) return;
    double *space = all->space + (size_t)thread * TILE * TILE, *missed = &all->missed[at],
           *size = &all->sizes[at];
    size_t rows = width(t, i), columns = width(t, j);
    for (size_t a = 0; a < rows; a++)
        for (size_t b = 0; b < columns; b++)
            space[a * TILE + b] =
                i == j ? t->diagonal[(i * TILE + a) * TILE + b] : tile_at(t, j, i)[b * t->size + a];
    for (size_t k = 0; k <= j; k++)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)columns, (int)width(t, k), -1.0,
                    tile_at(t, i, k), (int)t->size, tile_at(t, j, k), (int)t->size, 1.0, space, TILE);
    *missed = *size = 0.0;
    for (size_t a = 0; a < rows; a++)
        for (size_t b = 0; b < columns; b++) {
            double l = tile_at(t, i, j)[a * t->size + b];
            *missed += space[a * TILE + b] * space[a * TILE + b];
            *size += l * l;
        }
    if (i != j) *missed *= 2.0; /* and its mirror image */
}

/* An upper bound of |F|_F. */
static ireneo_error bound_missed(const tiles *t, double *bound) {
    size_t all = t->count * t->count;
    inspection work = {.t = t};
    double square = 0.0, size = 0.0;
    ireneo_error failed =
        IRENEO_ALLOCATE(&work.space, (size_t)t->threads * TILE * TILE, "tiles of an exact proof");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&work.missed, all, "tiles of an exact proof");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&work.sizes, all, "tiles of an exact proof");
    if (failed == IRENEO_OK) {
        ireneo_share(all, t->threads, look_at_tile, &work);
        for (size_t at = 0; at < all; at++) square += work.missed[at], size += work.sizes[at];
        /* |G - shift I|_F <= |L|_F^2 + |F|_F */
        double rounding = ((double)t->size + 8.0) * UNIT * (2.0 * size + sqrt(square));
        *bound = (sqrt(square) + rounding) * (1.0 + 1e-6);
    }
    free(work.space), free(work.missed), free(work.sizes);
    return failed;
}

ireneo_error ireneo_definite_bound(double *matrix, size_t size, double shift, int threads,
                                   const ireneo_progress *progress, double *bound) {
    tiles t = {.g = matrix, .size = size, .count = (size + TILE - 1) / TILE, .threads = threads};
    double missed = INFINITY;
    *bound = -INFINITY;
    IRENEO_TRY(IRENEO_ALLOCATE(&t.diagonal, t.count * TILE * TILE, "tiles of an exact proof"));
    begin(&t, shift);
    bool positive = ireneo_cholesky(matrix, size, threads);
    ireneo_error failed = IRENEO_OK;
    if (ireneo_report(progress, "proving it exactly", 0.6, 1.0))
        failed = ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped during the exact proof");
    clear_above(&t);
    if (failed == IRENEO_OK && positive) failed = bound_missed(&t, &missed);
    if (failed == IRENEO_OK && missed < 0.5 * shift) *bound = shift * (1.0 - 4.0 * UNIT) - missed;
    free(t.diagonal);
    return failed;
}
