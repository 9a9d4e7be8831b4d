/* White coordinates: those in which rows have the identity as second moment (docs/linear.md, "Invariances"). */
#ifndef IRENEO_BASE_WHITEN_H
#define IRENEO_BASE_WHITEN_H

#include "base/holding.h"

#include <stdbool.h>

/* x' = forward (x - mean), and x = mean + back x' for x in the span of the data. */
typedef struct ireneo_whitening {
    size_t dim, span;
    bool gentle;     /* well conditioned: applying it in float32 loses nothing */
    bool centred;    /* the mean is not taken to be zero */
    double *mean;    /* (dim) */
    double *forward; /* (span, dim) */
    double *back;    /* (dim, span) */
} ireneo_whitening;

/* The mean (dim) of rows (count, dim), in float64. */
ireneo_error ireneo_mean_row(const float *rows, size_t count, size_t dim, int threads, double *mean);

/* The same over the rows that all ranks hold; rows are those held here. */
ireneo_error ireneo_mean_held(const float *rows, const ireneo_holding *holding, size_t dim, int threads,
                              double *mean);

/* Coordinates in which rows (count, dim) have the identity as second moment, around their mean if centred; with
 * unit_norm the identity / span, so that E |x|^2 = 1. Dependent dimensions are dropped: span is the rank of the
 * data. */
ireneo_error ireneo_whitening_make(const float *rows, size_t count, size_t dim, bool centred, bool unit_norm,
                                   int threads, ireneo_whitening *whitening);

ireneo_error ireneo_whitening_make_held(const float *rows, const ireneo_holding *holding, size_t dim,
                                        bool centred, bool unit_norm, int threads,
                                        ireneo_whitening *whitening);

/* The same from a second moment (dim, dim) that is known, of which the lower triangle is read; the mean is taken to
 * be zero. */
ireneo_error ireneo_whitening_from_moment(const double *moment, size_t dim, bool unit_norm,
                                          ireneo_whitening *whitening);

/* The identity, for data that are white already. */
ireneo_error ireneo_whitening_identity(size_t dim, ireneo_whitening *whitening);

/* rows (count, dim) in white coordinates, into the first `span` entries of each row of white (count, stride).
 */
ireneo_error ireneo_whitening_apply(const ireneo_whitening *whitening, const float *rows, size_t count,
                                    size_t stride, int threads, float *white);

ireneo_error ireneo_whitening_apply_held(const ireneo_whitening *whitening, const float *rows,
                                         const ireneo_holding *holding, size_t stride, int threads,
                                         float *white);

void ireneo_whitening_free(ireneo_whitening *whitening);

#endif
