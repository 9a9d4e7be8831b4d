/* Products of a matrix of many rows, kept in sixteen bits, with small matrices that change: what an iteration of the minimiser
 * spends most of its time on, X D^T and M^T X. Twice as many products an instruction as in float32; sums are exact, and
 * rounding errs by some 1e-4 of the norms (docs/integers.md). */
#ifndef IRENEO_LINEAR_KERNELS_INT16_PRODUCT_H
#define IRENEO_LINEAR_KERNELS_INT16_PRODUCT_H

#include "ireneo.h"
#include "linear/kernels/int16_kernel.h"

enum {
    IRENEO_PRODUCT_MOST_DIM = 4096, /* beyond it rounding is too coarse */
    IRENEO_PRODUCT_MOST_HELD = 256  /* rows of one sum */
};

/* Row i is scale[i] times whole numbers. */
typedef struct ireneo_int16_rows {
    size_t rows, dim, stride; /* stride: whole vectors of 32 entries */
    int16_t *entries;         /* (rows + 7, stride), padded with zeros */
    float *scale;             /* (rows) */
    ireneo_int16_kernel kernel;
} ireneo_int16_rows;

/* A matrix (columns, dim) to multiply rows with: scale times whole numbers. */
typedef struct ireneo_int16_panels {
    size_t columns, panels, pairs;
    int16_t *entries; /* (panels, pairs, 16, 2) */
    float scale;
} ireneo_int16_panels;

/* values (rows, dim). */
ireneo_error ireneo_int16_rows_make(const float *values, size_t rows, size_t dim, int threads,
                                    ireneo_int16_rows *sixteen);
void ireneo_int16_rows_free(ireneo_int16_rows *sixteen);

ireneo_error ireneo_int16_panels_allocate(const ireneo_int16_rows *rows, size_t columns,
                                          ireneo_int16_panels *panels);
void ireneo_int16_panels_free(ireneo_int16_panels *panels);

/* Rounds the matrix (columns, dim) as finely as products with these rows allow. False when it is not finite; then
 * nothing can be multiplied. */
bool ireneo_int16_panels_set(const ireneo_int16_rows *rows, const float *matrix, int threads,
                             ireneo_int16_panels *panels);

/* out (count, stride) = rows first .. first + count - 1 times the matrix, transposed. Rows of out are written up to whole panels:
 * stride >= 16 panels. */
void ireneo_int16_multiply(const ireneo_int16_rows *rows, size_t first, size_t count,
                           const ireneo_int16_panels *panels, float *out, size_t stride);

/* Space that a sum needs, in floats. */
size_t ireneo_int16_sum_space(size_t dim, size_t columns);

/* out (columns, dim) = sum_k m_k x_k^T, or what is added to it: m (count, stride) has count <= 256 rows of `columns`
 * entries, and x_k is row held[k]. False, with out left alone, when m is not finite or too large. */
bool ireneo_int16_sum(const ireneo_int16_rows *rows, const uint32_t *held, size_t count, const float *m,
                      size_t stride, size_t columns, bool add, float *space, float *out);

#endif
