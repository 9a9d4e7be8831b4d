/* Layers of real models: the moments of the keys that a layer sees. */
#ifndef IRENEO_LAYER_H
#define IRENEO_LAYER_H

#include "ireneo/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------
 * 1. Moments of keys
 *
 * What ordinary use asks of a layer is told by the second moment C = E x x^T of the keys x that it sees: |(W' - W)
 * L|_F^2 with C = L L^T is the mean squared change of its output. Moments are kept as exact sums: nothing is rounded
 * while rows are added, whatever their order, so parts that are added to each other give the moments of the whole,
 * bit for bit, on every machine and with any number of threads (docs/layers.md).
 * ---------------------------------------------------------------------------------------------------- */

/** Exact sums of x x^T and x over rows x, and how many rows there were. */
typedef struct ireneo_moments ireneo_moments;

/** Moments of no rows, for keys of `dim` entries. Release with ireneo_moments_free. */
IRENEO_API ireneo_error ireneo_moments_new(size_t dim, ireneo_moments **moments);

/** Adds rows (count, dim), all finite. After a failure the moments are of no use but may be released. settings may be
 * NULL. */
IRENEO_API ireneo_error ireneo_moments_add(ireneo_moments *moments, const float *rows, size_t count,
                                           const ireneo_run_settings *settings);

/** Adds the rows of other moments of the same dim. */
IRENEO_API ireneo_error ireneo_moments_merge(ireneo_moments *moments, const ireneo_moments *other);

/** Moments of all rows of `count` locations: arrays of two or more axes, of which the last is the dim, and files that
 * ireneo_moments_save wrote. Arrays are read in blocks of rows; only Fortran order and text are held whole. Numbers that
 * float32 does not hold are rounded, as by ireneo_load_queries. settings may be NULL. Release with ireneo_moments_free. */
IRENEO_API ireneo_error ireneo_moments_of_files(const char *const *locations, size_t count,
                                                const ireneo_run_settings *settings,
                                                ireneo_moments **moments);

/** Entries of a key, and rows so far; 0 for NULL. */
IRENEO_API size_t ireneo_moments_dim(const ireneo_moments *moments);
IRENEO_API uint64_t ireneo_moments_count(const ireneo_moments *moments);

/** The second moment E x x^T (dim, dim), whole and symmetric, and the mean (dim): each sum rounded once, then divided by
 * the count. Either may be NULL. Moments of no rows are IRENEO_ERROR_DATA. */
IRENEO_API ireneo_error ireneo_moments_read(const ireneo_moments *moments, double *second, double *mean);

/** What moments say of their keys. */
typedef struct ireneo_moments_report {
    size_t dim;
    uint64_t count;
    /** E |x|^2, and the share of it that the mean takes, |E x|^2 / E |x|^2. */
    double mean_square, mean_share;
    /** Participation ratio (tr C)^2 / tr C^2 of the second moment: about how many directions the keys use; the same
     * around the mean, NaN when all rows are equal. */
    double participation, participation_centred;
    uint64_t reserved[4];
} ireneo_moments_report;

/** Fills a report. Moments of no rows are IRENEO_ERROR_DATA. */
IRENEO_API ireneo_error ireneo_moments_describe(const ireneo_moments *moments, ireneo_moments_report *report);

/** Writes moments as .safetensors: second_moment (dim, dim), mean (dim), count (1), and sums, from which parts are
 * merged. Equal moments give equal files. */
IRENEO_API ireneo_error ireneo_moments_save(const ireneo_moments *moments, const char *path);

/** Reads them back. A damaged file or one of another kind is IRENEO_ERROR_DATA. */
IRENEO_API ireneo_error ireneo_moments_load(const char *path, ireneo_moments **moments);

/** Releases moments. */
IRENEO_API void ireneo_moments_free(ireneo_moments *moments);

#ifdef __cplusplus
}
#endif

#endif
