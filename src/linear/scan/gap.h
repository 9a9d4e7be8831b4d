/* The gap (y_target - y_j)^T W x of one pair, with a sign that is shown and not guessed: in float64 where a rounding
 * bound allows it, else in exact arithmetic on the numbers of the caller. */
#ifndef IRENEO_LINEAR_SCAN_GAP_H
#define IRENEO_LINEAR_SCAN_GAP_H

#include "base/error.h"
#include "base/exact.h"

#include <stdbool.h>

/* Bound on |h - W x| over |x| for every h that ireneo_memory_f64_apply makes: sums of dim_in (and rank) products. */
double ireneo_gap_error_rate(const ireneo_memory *memory);

/* One fact as its gaps see it. */
typedef struct ireneo_gap_row {
    const ireneo_memory *memory;
    const float *key;    /* (dim_in) */
    const double *h;     /* (dim_out) W x in float64 */
    double norm, error;  /* |h|, and a bound on |h - W x| */
    ireneo_exact *exact; /* (dim_out + rank) space for exact sums of this row */
    bool known;          /* the space holds W x */
} ireneo_gap_row;

/* The gap between two values (dim_out) in float64; *error bounds its distance from the true one. */
double ireneo_gap_f64(const ireneo_gap_row *row, const float *target, const float *other, double *error);

/* The gap with its true sign, zero for a tie only. */
double ireneo_gap_exact(ireneo_gap_row *row, const float *target, const float *other);

#endif
