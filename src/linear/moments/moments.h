/* Moments of rows: the sum of (x, 1) (x, 1)^T, exactly. Its last row holds the sum of x and the count. */
#ifndef IRENEO_LINEAR_MOMENTS_MOMENTS_H
#define IRENEO_LINEAR_MOMENTS_MOMENTS_H

#include "linear/moments/expansion.h"
#include "linear/moments/slices.h"

#include <stdatomic.h>

/* Entry k of the lower triangle, by rows, is layer[0][k] + layer[1][k] + ...: each layer takes up what the one before
 * it rounds away, and a layer more is made when something is left behind the last. */
struct ireneo_moments {
    size_t dim;
    size_t entries; /* (dim + 1) (dim + 2) / 2 */
    uint64_t count;
    atomic_size_t layers;
    double *layer[IRENEO_EXPANSION_MOST]; /* (entries) each */
    ireneo_slices slices;                 /* room for the tile at hand; empty until rows are added */
};

/* Place of the first entry of row i. */
static inline size_t ireneo_triangle_row(size_t i) {
    return i * (i + 1) / 2;
}

/* Adds numbers (count), which are destroyed, to entries first .. first + count - 1. May run in several threads at once
 * for entries that do not overlap. */
ireneo_error ireneo_moments_take(ireneo_moments *moments, size_t first, size_t count, double *numbers);

/* One tile of at most IRENEO_SLICE_ROWS rows, all finite. */
ireneo_error ireneo_moments_tile(ireneo_moments *moments, const float *rows, size_t count, int threads);

/* The canonical list of one entry, into parts (IRENEO_EXPANSION_MOST); returns its length. */
size_t ireneo_moments_entry(const ireneo_moments *moments, size_t entry, double *parts);

#endif
