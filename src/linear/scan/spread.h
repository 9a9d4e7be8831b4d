/* The spread of a fact's scores: what margins are measured in. Taken from a few sampled rows of a scan. */
#ifndef IRENEO_LINEAR_SCAN_SPREAD_H
#define IRENEO_LINEAR_SCAN_SPREAD_H

#include "base/holding.h"

typedef struct ireneo_sampled_rows {
    size_t every, rows, stride; /* each `every`-th row is kept */
    float *h;                   /* (rows, stride) */
    double *unit;               /* (rows) score units of the caller in one of the row */
} ireneo_sampled_rows;

/* Of `rows` rows on all ranks together. */
ireneo_error ireneo_sampled_rows_make(size_t rows, size_t every, size_t stride, ireneo_sampled_rows *sampled);
void ireneo_sampled_rows_free(ireneo_sampled_rows *sampled);

/* Keeps row number `row` (stride) if it is one of the sample. Different rows may be offered at the same time. */
void ireneo_sampled_rows_offer(ireneo_sampled_rows *sampled, size_t row, const float *h, double unit);

/* Brings together what the ranks offered, each of the rows that it holds: afterwards all have the whole sample. */
ireneo_error ireneo_sampled_rows_gather(ireneo_sampled_rows *sampled, const ireneo_holding *holding);

/* Root mean square, over the sample, of the standard deviation of a row's scores over values (candidates, stride). */
ireneo_error ireneo_sampled_rows_spread(const ireneo_sampled_rows *sampled, const float *values,
                                        size_t candidates, int threads, double *spread);

#endif
