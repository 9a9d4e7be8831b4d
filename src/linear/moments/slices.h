/* Rows of float32 numbers as sums of slices whose products BLAS adds up without rounding (docs/layers.md, "Exact sums").
 *
 * A column of a tile is x = s_1 + s_2 + ..., each s_k a whole number of at most 21 bits times a power of two that the
 * column's numbers in the slice share. A product of two such columns, summed over at most 1024 rows, is a whole number
 * below 2^53 times a power of two: float64 holds it and every partial sum, in whatever order (the idea of Ozaki, Ogita,
 * Oishi and Rump, Numerical Algorithms 59, 2012). */
#ifndef IRENEO_LINEAR_MOMENTS_SLICES_H
#define IRENEO_LINEAR_MOMENTS_SLICES_H

#include "base/error.h"

#include <stdbool.h>

enum {
    IRENEO_SLICE_ROWS = 1024, /* of a tile */
    IRENEO_SLICE_BITS = 21,   /* 2 * 21 + 10 = 52 */
    IRENEO_SLICE_PANEL = 128, /* columns that are sliced and multiplied together */
    IRENEO_MOST_SLICES = 16   /* float32 numbers span 277 bits, and a slice takes at least 21 */
};

typedef struct ireneo_slices {
    size_t side, panels; /* columns: those of the rows and one of ones */
    size_t rows;         /* of this tile */
    size_t count;
    double *slice[IRENEO_MOST_SLICES]; /* (IRENEO_SLICE_ROWS, side) each */
    bool *used[IRENEO_MOST_SLICES];    /* (panels): something there is not zero */
    double *rest;                      /* (IRENEO_SLICE_ROWS, side): what is left to be sliced */
} ireneo_slices;

/* Room for tiles of rows of `dim` entries. On failure the slices may be freed all the same. */
ireneo_error ireneo_slices_make(size_t dim, ireneo_slices *slices);

/* Slices rows (count, side - 1), count <= IRENEO_SLICE_ROWS, all finite. */
ireneo_error ireneo_slices_cut(ireneo_slices *slices, const float *rows, size_t count, int threads);

void ireneo_slices_free(ireneo_slices *slices);

#endif
