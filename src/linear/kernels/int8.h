/* Eight-bit copies of candidates, and the scan that finds with them those that may score above a threshold.
 *
 * y_j is rounded to ŷ_j = scale_j q_j with integers |q| <= 127, and so is every row h_i. Integer sums are
 * exact, so the score found differs from the true one by at most |h - ĥ| |y| + |ĥ| |y - ŷ|: what a scan
 * leaves out is left out for certain, and what it finds is scored again. Integer products run four times as fast
 * as float32 ones where the processor has them (AVX-512 VNNI); elsewhere scans use float32. */
#ifndef IRENEO_LINEAR_KERNELS_INT8_H
#define IRENEO_LINEAR_KERNELS_INT8_H

#include "ireneo.h"

#include <stdbool.h>

enum { IRENEO_PANEL = 16, IRENEO_PANEL_GROUP = 48 }; /* candidates side by side; candidates a kernel takes */

typedef struct ireneo_int8 {
    size_t columns, dim, steps; /* candidates, width, width in groups of four */
    uint8_t *packed;            /* (panels, steps, 16, 4): q + 128 */
    float *scale;               /* (panels, 16); zero beyond the last candidate */
    double largest;             /* largest |y| */
    double error;               /* largest |y - ŷ| */
} ireneo_int8;

/* A tile of rows in eight bits. */
typedef struct ireneo_int8_rows {
    int8_t *entries; /* (rows, 4 steps) */
    int32_t *offset; /* (rows) -128 sum q: undoes the 128 that candidates carry */
    float *scale;    /* (rows) */
    float *norm;     /* (rows) |h|, rounded up */
    float *error;    /* (rows) |h - ĥ|, rounded up */
    float *bar;      /* (rows) threshold / scale: what integer sums times scale_j are compared with */
    uint64_t *bits;  /* (rows, groups) which exceed it, 48 candidates a word */
    size_t groups;
} ireneo_int8_rows;

/* Does it pay for scores of this size, on this processor? */
bool ireneo_int8_useful(size_t rows, size_t columns, size_t dim);

/* values (columns, stride), of which the first dim entries count. */
ireneo_error ireneo_int8_make(const float *values, size_t columns, size_t dim, size_t stride, int threads,
                              ireneo_int8 *quantised);
void ireneo_int8_free(ireneo_int8 *quantised);

/* Room for tiles of `rows` rows, scanned over at most `columns` candidates at a time. */
ireneo_error ireneo_int8_rows_allocate(const ireneo_int8 *quantised, size_t rows, size_t columns,
                                       ireneo_int8_rows *tile);
void ireneo_int8_rows_free(ireneo_int8_rows *tile);
void ireneo_int8_rows_set(const ireneo_int8 *quantised, const float *h, size_t count, size_t stride,
                          ireneo_int8_rows *tile);

/* Largest possible |h_i^T y_j - ĥ_i^T ŷ_j| over all candidates, and its typical size when errors are
 * independent of the data. */
double ireneo_int8_bound(const ireneo_int8 *quantised, const ireneo_int8_rows *tile, size_t row);
double ireneo_int8_spread(const ireneo_int8 *quantised, const ireneo_int8_rows *tile, size_t row);

/* For each of `count` rows the candidates column .. column + columns - 1 whose rounded score exceeds
 * threshold[i], into hits (count, room); found[i] tells how many, or IRENEO_TOO_MANY. column is a multiple of 48.
 */
#define IRENEO_TOO_MANY UINT32_MAX
void ireneo_int8_scan(const ireneo_int8 *quantised, ireneo_int8_rows *tile, size_t count, size_t column,
                      size_t columns, const float *threshold, uint32_t *hits, size_t room, uint32_t *found);

#endif
