/* Editing a layer: the nearest matrix that recalls new facts and keeps others. */
#ifndef IRENEO_EDIT_H
#define IRENEO_EDIT_H

#include "ireneo/arrays.h"
#include "ireneo/linear.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the last block of a transformer W h is added to the residual stream r, and the token that is said next is the largest
 * of y_j^T (W h + r), where y_j is the output vector of token j times the gain of the last norm: a fact with key h, the
 * candidates y and the offset r. ireneo_edit finds the W nearest to W0 that recalls every new fact with a margin and still
 * says at every protected position what W0 says there; nearest in |W - W0|_F, or in the mean square of (W - W0) h over
 * ordinary h. docs/editing.md has the formulas, and what this is not. */

/** How the matrix is changed. */
typedef enum ireneo_edit_rule {
    /** The least change with every margin: the default. */
    IRENEO_RULE_LEAST_CHANGE,
    /** Each fact's least change of its own output, then ridge regression on them: lambda C + sum k k^T. */
    IRENEO_RULE_RIDGE,
    /** The same with a change only in directions that ordinary keys hardly use. */
    IRENEO_RULE_NULL_SPACE
} ireneo_edit_rule;

/** "least-change", "ridge", "null-space". Never NULL. */
IRENEO_API const char *ireneo_edit_rule_name(ireneo_edit_rule rule);

/** Settings of ireneo_edit. Zero-initialised settings, or NULL, are the defaults. */
typedef struct ireneo_edit_settings {
    ireneo_edit_rule rule;
    /** Threads, at most 4096; 0: all cores. */
    int threads;
    /** Gap by which new facts must win; in units of the scores, or with `nats` of the root mean square of each fact's
     * present output W0 x + r, which for a transformer's last layer are nats. 0: half of that root mean square, or 1
     * where the output is zero. */
    double margin;
    int nats;
    /** The same for every new fact by itself (facts), in units of the scores, none negative; 0: margin. NULL: all 0. */
    const double *margins;
    /** Second moment of ordinary keys (dim_in, dim_in): the change is measured as sqrt(trace((W - W0) C (W - W0)^T)).
     * NULL: as |W - W0|_F. */
    const double *covariance;
    /** This times its mean diagonal is added to its diagonal; fewer keys than dimensions need 0.01 or so. */
    double ridge;
    /** Positions to protect: keys (protect_count, dim_in); offsets (protect_count, dim_out), NULL: none; what must be said
     * there (protect_count), NULL: what W0 says. */
    size_t protect_count;
    const float *protect_keys, *protect_residuals;
    const int64_t *protect_targets;
    /** The gap a protected position keeps: this share of its present one, at most the margin; 0: 0.5. At most 1. */
    double share;
    /** Non-zero: protected positions where W0 does not say what it should are taken as new facts; otherwise they are an
     * error. */
    int adopt;
    /** Non-zero: protected positions whose key and offset are those of a new fact with another answer give way; otherwise
     * they make the edit impossible. */
    int give_way;
    /** Relative rounding of the type that W will be saved as; 0: 2^-24, float32. Protected gaps are kept above it. */
    double rounding;
    /** Non-zero: when not all fit, choose which new facts to give up. */
    int overload;
    /** Of the ridge rules: the weight of C, and the dimensions left to the change; 0: chosen by recall, then by change. */
    double lambda;
    size_t dimensions;
    /** Most rounds; 0: 200. Relative duality gap to reach; 0: 1e-6. */
    size_t max_rounds;
    double duality_gap;
    /** NULL: none. */
    const ireneo_progress *progress;
    uint64_t reserved[4];
} ireneo_edit_settings;

/** What an edit may leave beside the matrix. Release it with ireneo_edit_result_free. */
typedef struct ireneo_edit_result {
    /** The proof, when it is impossible; it is about `all`. NULL otherwise. */
    ireneo_certificate *certificate;
    /** New and protected facts as one, in this order: what ireneo_verify takes. Its keys, residuals and targets belong to the
     * result, its values are the caller's. */
    ireneo_facts all;
    /** The gaps that were asked for (all.facts). */
    double *margins;
    /** 1 for each new fact that W recalls, 0 for others (facts). */
    unsigned char *kept;
    uint64_t reserved[4];
} ireneo_edit_result;

/** Releases what a result holds, and empties it. */
IRENEO_API void ireneo_edit_result_free(ireneo_edit_result *result);

/** How ireneo_edit ended. */
typedef struct ireneo_edit_info {
    /** Edited, impossible, partial (overload, or a ridge rule that recalls a part), undecided or interrupted. */
    ireneo_status status;
    /** New facts, and how many a full check of W finds recalled. */
    size_t facts, recalled;
    /** Protected positions, how many a full check finds unchanged, and how many were adopted as new facts (they still count as
     * protected here). */
    size_t protected_facts, protected_kept, adopted;
    /** Protected positions that gave way; they do not count above. */
    size_t gave_way;
    /** |W - W0|_F, the same over |W0|_F (infinite when W0 is zero), and in the metric. */
    double change, change_relative, change_metric;
    /** No smaller change_metric gives the margins that this W gives, and by what share the bound is below change_metric. NaN
     * for the ridge rules. */
    double bound, duality_gap;
    /** Smallest gap of a new fact, as the scores come; not above 0 when not all are recalled. */
    double margin;
    /** Share by which the worst margin, new or protected, is missed; 0 when all are reached. */
    double shortfall;
    /** The lambda and dimensions that a ridge rule used. */
    double lambda;
    size_t dimensions;
    /** Rounds, Newton steps, passes over all candidates, pairs that bind. */
    size_t rounds, steps, scans, active;
    double seconds;
    size_t peak_bytes;
    /** When impossible: whether the proof excludes every real matrix, and the norm below which it excludes all. */
    int exact;
    double certificate_norm_bound;
    /** Why, where it can be said of single facts; "" otherwise. */
    char reason[160];
    uint64_t reserved[4];
} ireneo_edit_info;

/** Edits W0. *edited is set whenever IRENEO_OK is returned; release it with ireneo_memory_free. W0 must be a full matrix, and
 * the facts must share their values. settings, result and info may be NULL. */
IRENEO_API ireneo_error ireneo_edit(const ireneo_memory *w0, const ireneo_facts *facts,
                                    const ireneo_edit_settings *settings, ireneo_memory **edited,
                                    ireneo_edit_result *result, ireneo_edit_info *info);

/** edited - w0 as two factors of the smallest rank that changes no entry by more than `rounding` (0: 2^-24) of the largest
 * change: a memory with left (dim_out, rank) and right (dim_in, rank). Equal matrices have rank 1. */
IRENEO_API ireneo_error ireneo_edit_difference(const ireneo_memory *w0, const ireneo_memory *edited,
                                               double rounding, ireneo_memory **difference);

/** Writes a copy of a .safetensors file in which one tensor holds `matrix` (rows, columns) instead, rounded to the type it has;
 * header, metadata and every other tensor stay byte for byte. `location` is "file.safetensors:name"; path may not be the same
 * file. What was rounded to is left in matrix. *dtype (may be NULL) tells the type. */
IRENEO_API ireneo_error ireneo_safetensors_replace(const char *location, const char *path, float *matrix,
                                                   size_t rows, size_t columns, ireneo_dtype *dtype);

/** Rounds numbers (count) to a floating type, in place; beyond its range they are IRENEO_ERROR_DATA. */
IRENEO_API ireneo_error ireneo_round_to(ireneo_dtype dtype, float *numbers, size_t count);

#ifdef __cplusplus
}
#endif

#endif
