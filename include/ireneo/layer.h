/* Layers of real models: the moments of the keys that a layer sees, its spectrum, the room it has for facts. */
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

/* ------------------------------------------------------------------------------------------------------
 * 2. A layer
 *
 * A matrix W (dim_out, dim_in) of a model, looked at as a memory: which directions it uses, how many facts fit into a
 * matrix of its shape, and how many of those its ordinary use claims. Changing W by D only outside of k directions of
 * the keys leaves every output for keys within them as it was, and D still has dim_out (dim_in - k) dimensions, each
 * fact using delta(P) of them; docs/layers.md derives it and says what it is not.
 * ---------------------------------------------------------------------------------------------------- */

/** What a layer is looked at with. Zero-initialised settings, or NULL, are the defaults. */
typedef struct ireneo_layer_settings {
    /** Candidates that a fact competes over; 0: as many as facts, or those of `values`. */
    double candidates;
    /** Candidates themselves (value_count, dim_out), whose span is then taken for dim_out; NULL: none. */
    const float *values;
    size_t value_count;
    /** Moments of the keys that the layer sees in ordinary use; NULL: unknown. */
    const ireneo_moments *ordinary;
    /** Share of E |x|^2 of ordinary keys that new facts must leave alone; 0: 0.99. */
    double share;
    /** Threads; 0: all cores. The result does not depend on it. */
    int threads;
    /** NULL: none. */
    const ireneo_progress *progress;
    uint64_t reserved[4];
} ireneo_layer_settings;

/** What is found. */
typedef struct ireneo_layer_report {
    size_t dim_in, dim_out;
    /** Frobenius norm, and singular values: largest, median, smallest of min(dim_in, dim_out). Absolute accuracy 1e-8 of
     * the largest. */
    double norm, largest, median, smallest;
    /** Singular values above 1e-6 of the largest. */
    size_t rank;
    /** |W|_F^2 / largest^2; (sum s^2)^2 / sum s^4; exp of the entropy of s / sum s. */
    double stable_rank, participation, effective_rank;
    /** Dimensions of keys and candidates that the law counts: those of the matrix, or what data span. */
    size_t span_in, span_out;
    double candidates, delta;
    /** Facts that fit into a matrix of this shape, and into one of this rank, by the law. */
    double facts_capacity, facts_capacity_at_rank;
    /** With ordinary keys, else NaN: their participation, around zero and around the mean; how many directions hold the
     * share of their square; the facts of the law that these directions stand for, and those that are left. */
    double key_participation, key_participation_centred;
    double key_directions, facts_claimed, facts_left;
    /** E |W x|^2 over ordinary keys, else NaN; and about how many new facts, each of which needs an output changed by as
     * much as outputs are large, move ordinary outputs by 1 % of that, when stored with the least change. */
    double output_square, facts_gentle;
    uint64_t reserved[4];
} ireneo_layer_report;

/** Looks at a matrix (dim_out, dim_in), all finite. singular (min(dim_in, dim_out)) receives the singular values, largest
 * first, and spectrum (dim_in) the eigenvalues of the second moment of ordinary keys, largest first; either may be NULL,
 * and settings too. */
IRENEO_API ireneo_error ireneo_layer(const float *matrix, size_t dim_out, size_t dim_in,
                                     const ireneo_layer_settings *settings, double *singular,
                                     double *spectrum, ireneo_layer_report *report);

#ifdef __cplusplus
}
#endif

#endif
