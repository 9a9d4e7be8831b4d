/* Eight-bit copies of candidates, and the scan that finds with them those that may score above a threshold.
 *
 * y_j is rounded to ŷ_j = scale_j q_j with small integers q, and so is every row h_i. Integer sums are exact, so the score
 * found differs from the true one by at most |h - ĥ| |y| + |ĥ| |y - ŷ|: what a scan leaves out is left out for certain,
 * and what it finds is scored again. The largest |y| and |y - ŷ| are taken over the 48 candidates of a kernel, so that a
 * few long ones do no harm to the others. */
#ifndef IRENEO_LINEAR_KERNELS_INT8_H
#define IRENEO_LINEAR_KERNELS_INT8_H

#include "base/ranks.h"
#include "linear/kernels/int8_kernel.h"

#include <stdbool.h>

typedef struct ireneo_int8 {
    const ireneo_int8_kernel *kernel;
    size_t columns, dim, steps;        /* candidates, width, width in groups of four */
    size_t groups;                     /* of 48 candidates */
    uint8_t *packed;                   /* (groups, 3, steps, 16, 4): q + shift */
    float *scale;                      /* (groups, 48); zero beyond the last candidate */
    float *largest;                    /* (groups) largest |y|, rounded up */
    float *error;                      /* (groups) largest |y - ŷ|, rounded up */
    double usual_largest, usual_error; /* means of those over the groups */
    ireneo_shared shared;              /* where the arrays are: once a node */
} ireneo_int8;

/* A tile of rows in eight bits. */
typedef struct ireneo_int8_rows {
    int8_t *entries; /* (rows, 4 steps) */
    int32_t *offset; /* (rows) undoes the shift that candidates carry */
    float *scale;    /* (rows) */
    float *norm;     /* (rows) |h|, rounded up */
    float *error;    /* (rows) |h - ĥ|, rounded up */
    float *bar;      /* (rows) what integer sums times scale_j are compared with */
    uint64_t *bits;  /* (rows, groups) which exceed it, 48 candidates a word */
    size_t groups;
} ireneo_int8_rows;

/* Does it pay for scores of this size, on this processor? */
bool ireneo_int8_useful(size_t rows, size_t columns, size_t dim);

/* values (columns, stride), of which the first dim entries count; dim is at most IRENEO_INT8_WIDEST. The ranks of a node
 * make one copy together; NULL: this process makes its own. */
enum { IRENEO_INT8_WIDEST = 32768 }; /* 255 * 127 * 32768 < 2^31: sums cannot overflow */
ireneo_error ireneo_int8_make(const float *values, size_t columns, size_t dim, size_t stride, int threads,
                              ireneo_ranks *ranks, ireneo_int8 *quantised);
void ireneo_int8_free(ireneo_int8 *quantised);

/* Room for tiles of `rows` rows, scanned over at most `columns` candidates at a time. */
ireneo_error ireneo_int8_rows_allocate(const ireneo_int8 *quantised, size_t rows, size_t columns,
                                       ireneo_int8_rows *tile);
void ireneo_int8_rows_free(ireneo_int8_rows *tile);
void ireneo_int8_rows_set(const ireneo_int8 *quantised, const float *h, size_t count, size_t stride,
                          ireneo_int8_rows *tile);

/* Largest possible |h_i^T y_j - ĥ_i^T ŷ_j| for the candidates of one group, and what it is for most groups. */
double ireneo_int8_bound(const ireneo_int8 *quantised, const ireneo_int8_rows *tile, size_t row,
                         size_t group);
double ireneo_int8_usual_bound(const ireneo_int8 *quantised, const ireneo_int8_rows *tile, size_t row);

/* What a scan may miss. */
typedef enum ireneo_int8_care {
    IRENEO_INT8_CERTAIN, /* nothing: all whose score exceeds the threshold are found */
    IRENEO_INT8_LIKELY /* hardly anything: all but those whose rounding is off by more than four typical sizes */
} ireneo_int8_care;

/* For each of `count` rows the candidates column .. column + columns - 1 whose score may exceed threshold[i], in rising
 * order, into hits (count, room); found[i] tells how many, or IRENEO_TOO_MANY. column is a multiple of 48. */
#define IRENEO_TOO_MANY UINT32_MAX
void ireneo_int8_scan(const ireneo_int8 *quantised, ireneo_int8_rows *tile, size_t count, size_t column,
                      size_t columns, const float *threshold, ireneo_int8_care care, uint32_t *hits,
                      size_t room, uint32_t *found);

#endif
