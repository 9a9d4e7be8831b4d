/* Linear associative memory: how many facts fit, storing them, proof that they do not fit. */
#ifndef IRENEO_LINEAR_H
#define IRENEO_LINEAR_H

#include "ireneo/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ===== Simple ========================================================================================
 * how many facts fit, storing them, asking for them */

enum { IRENEO_HASH_BYTES = 32 };

/* ------------------------------------------------------------------------------------------------------
 * 1. How many facts fit
 *
 * A linear memory is a matrix W (dim_out, dim_in). It recalls the fact (key x, value y) when y^T W x is
 * larger than the score of every other candidate. n facts among P candidates fit when n delta(P) (1 - eps) < D, where
 * delta(P) is the statistical dimension of the cone "the target wins", D = dim_in dim_out E(rank) counts the freedom of
 * W, and eps is what facts gain or lose by sharing their candidates. The law predicts the size at which random facts
 * stop fitting; docs/linear.md derives it, and the report says where it is not known to hold within 3 %.
 * ---------------------------------------------------------------------------------------------------- */

/** Which facts the law is about. */
typedef enum ireneo_problem_kind {
    /** All facts choose among the same candidates: what users have. */
    IRENEO_PROBLEM_ORIGINAL,
    /** Every fact has candidates of its own: what the theory solves exactly. */
    IRENEO_PROBLEM_DECOUPLED
} ireneo_problem_kind;

/** "original", "decoupled". Never NULL. */
IRENEO_API const char *ireneo_problem_kind_name(ireneo_problem_kind problem);

/** How often each candidate is asked for. */
typedef enum ireneo_targets {
    /** All alike, in turn: as many different targets as there can be. */
    IRENEO_TARGETS_EACH,
    /** Drawn at random for every fact, candidate t = 1, 2, ... with chance proportional to t^-zipf. */
    IRENEO_TARGETS_ZIPF
} ireneo_targets;

/** "each", "zipf". Never NULL. */
IRENEO_API const char *ireneo_targets_name(ireneo_targets targets);

/** The memory that is asked about. Zero-initialise it and fill what matters. */
typedef struct ireneo_shape {
    /** Dimension of the keys and of the values; of their span when they do not fill the space. */
    size_t dim_in, dim_out;
    /** Largest rank of W; 0: no limit. */
    size_t rank;
    /** Candidates every key competes over; 0: as many as facts, each fact with its own value. Up to 1e12. */
    double candidates;
    /** Number of facts a question is about; 0: only the capacity is asked. Up to 1e12. */
    double facts;
    /** Margin by which targets must win, in units of |W|_F / sqrt(dim_in): the spread of the scores of keys
     * of norm one and values of unit variance. */
    double margin;
    /** Whether facts share their candidates. */
    ireneo_problem_kind problem;
    /** How often each candidate is asked for, by a rule and its exponent (0 to 10; 0: every candidate alike), or by the
     * numbers of facts that ask for each (candidates), which then decide; NULL: by the rule. */
    ireneo_targets targets;
    double zipf;
    const double *frequencies;
    uint64_t reserved[4];
} ireneo_shape;

/** What the law says. */
typedef struct ireneo_capacity_report {
    /** Facts that fit: the finite-size law. The mean, over random instances, of the largest number that fits. */
    double facts_capacity;
    /** The same when every fact has candidates of its own, n delta(P) = dim_in dim_out E(rank). */
    double facts_capacity_decoupled;
    /** The limit formula n log P = D / 2, reached only at astronomical sizes. */
    double facts_capacity_asymptotic;
    /** Facts that the Hebbian rule holds without an error, by its limit formula n log P = dim_in dim_out / 8. */
    double facts_capacity_hebbian;
    /** Facts that it does hold without an error in half of all random instances. The rule is about full matrices: with a
     * rank this, the limit and hebbian_accuracy are NaN. */
    double facts_hebbian_half;
    /** Candidates at capacity. */
    double candidates;
    /** delta(P) and v(P) at that number of candidates: mean and variance of the competitors that bind a fact. */
    double delta, variance;
    /** eps of the facts asked about, or at capacity: the share of its dimensions that a fact saves by sharing candidates
     * with others; negative when few answers are asked for often. */
    double correction;
    /** Chance that a target lies in the convex hull of the other candidates, where it can never win. */
    double hull_probability;
    /** D = dim_in min(dim_out, P - 1) E(rank): P values span no more. */
    double effective_dimension;
    /** Numbers that a stored memory holds: dim_in dim_out, or rank (dim_in + dim_out). */
    double parameters;
    /** log2(P) bits a fact, at capacity, over the parameters. */
    double bits_per_parameter;
    /** n log P / (dim_in dim_out), for the facts asked about, or at capacity. */
    double load;
    /** Facts asked about over facts_capacity; 1 when none were asked about. */
    double fraction_of_capacity;
    /** Expected share of those facts that the Hebbian rule recalls. */
    double hebbian_accuracy;
    /** Chance that all the facts asked about fit; NaN when none were. */
    double probability_all_fit;
    /** Why the law may be off by more than 3 % here, in one sentence; "" where it is known to hold. */
    char caveat[200];
    uint64_t reserved[4];
} ireneo_capacity_report;

/** Everything the law says about a shape. Takes some ten milliseconds. */
IRENEO_API ireneo_error ireneo_capacity(const ireneo_shape *shape, ireneo_capacity_report *report);

/* ------------------------------------------------------------------------------------------------------
 * 2. Facts
 * ---------------------------------------------------------------------------------------------------- */

/** Writes candidates first .. first + count - 1 of one fact to values (count, dim_out). Called from many
 * threads at once. */
typedef void (*ireneo_own_candidates)(const void *context, size_t fact, size_t first, size_t count,
                                      float *values);

/** Facts to store: views of the caller's arrays, never owned. Zero-initialise and fill. */
typedef struct ireneo_facts {
    /** n facts, P candidates. */
    size_t facts, candidates;
    size_t dim_in, dim_out;
    /** Keys (facts, dim_in). */
    const float *keys;
    /** Candidates (candidates, dim_out) that all facts share; NULL when every fact has its own. */
    const float *values;
    /** Index of each fact's value among its candidates (facts); NULL: fact i has candidate i. */
    const int64_t *targets;
    /** Own candidates of each fact, made on demand (the decoupled problem); NULL when values are shared. */
    ireneo_own_candidates own_candidates;
    const void *own_context;
    /** Offsets (facts, dim_out): fact i is recalled when its target's y^T (W x_i + residuals_i) is largest, as in the
     * last block of a transformer, where W x is added to the residual stream. NULL: none. */
    const float *residuals;
    /** For facts that the processes of an MPI job share out (the program's own; see src/base/holding.h): which of them are
     * here. NULL: all. */
    const struct ireneo_holding *holding;
    uint64_t reserved[4];
} ireneo_facts;

/** Fails with a sentence when the facts cannot be used: no facts, one candidate, NaN, target out of range. */
IRENEO_API ireneo_error ireneo_facts_check(const ireneo_facts *facts);

/* ------------------------------------------------------------------------------------------------------
 * 3. Storing
 * ---------------------------------------------------------------------------------------------------- */

/** How the work ended. */
typedef enum ireneo_status {
    /** All facts are recalled; a full pass over all candidates found no exception. */
    IRENEO_STATUS_STORED,
    /** No memory of this shape recalls all facts; a certificate proves it. */
    IRENEO_STATUS_IMPOSSIBLE,
    /** Some facts were given up, the rest is stored (overload); or a one-pass rule was applied and recalls a part. */
    IRENEO_STATUS_PARTIAL,
    /** A limit was reached before an answer; the memory is the best one found. */
    IRENEO_STATUS_UNDECIDED,
    /** The progress callback asked to stop; the memory is the best one found and can be gone on from. */
    IRENEO_STATUS_INTERRUPTED,
    /** All new facts are recalled and all protected ones kept; a full pass over all candidates found no exception. */
    IRENEO_STATUS_EDITED
} ireneo_status;

/** "stored", "impossible", "partial", "undecided", "interrupted", "edited". Never NULL. */
IRENEO_API const char *ireneo_status_name(ireneo_status status);

/** How facts are stored. */
typedef enum ireneo_solver {
    /** Projection on the recall cones: reaches capacity. */
    IRENEO_SOLVER_PROJECT,
    /** W = sum_i y_f(i) x_i^T: one pass, a quarter of the capacity. */
    IRENEO_SOLVER_HEBBIAN,
    /** The same in whitened coordinates, which is what the theory of the Hebbian rule is about: real
     * embeddings share a mean and a few strong directions that drown the plain rule. */
    IRENEO_SOLVER_HEBBIAN_WHITE,
    /** One fact after the other, W += rate (y - W x) x^T / |x|^2: what linear attention with the delta rule (DeltaNet)
     * does. The last facts are recalled best. */
    IRENEO_SOLVER_DELTA,
    /** The W of least sum |y - W x|^2 + ridge, where recursive least squares arrive after one pass. */
    IRENEO_SOLVER_LEAST_SQUARES
} ireneo_solver;

/** "project", "hebbian", "hebbian-white", "delta", "least-squares". Never NULL. */
IRENEO_API const char *ireneo_solver_name(ireneo_solver solver);

/** A stored memory: a matrix, or two factors. Score of value y for key x: y^T W x. */
typedef struct ireneo_memory {
    size_t dim_in, dim_out;
    /** Rank of the factors; 0: a full matrix. */
    size_t rank;
    /** W (dim_out, dim_in); NULL when factored. */
    float *matrix;
    /** W = left right^T: left (dim_out, rank), right (dim_in, rank); NULL when not factored. */
    float *left, *right;
    /** Fingerprint of the facts it was made from; zeros: unknown. */
    unsigned char facts_hash[IRENEO_HASH_BYTES];
    uint64_t reserved[4];
} ireneo_memory;

/** Settings of ireneo_store. Zero-initialised settings, or NULL, are the defaults. */
typedef struct ireneo_store_settings {
    ireneo_solver solver;
    /** Rank of the memory; 0: full. */
    size_t rank;
    /** Threads; 0: all cores. */
    int threads;
    /** Most passes over all candidates; 0: 200. */
    size_t max_scans;
    /** Most iterations of the inner minimiser; 0: 3000. */
    size_t max_iterations;
    /** When the minimiser comes to no verdict, full memories of at most this many entries are settled by an
     * exact method; 0: 2500, which takes seconds; 6400 takes a minute and 0.5 GB. Larger ones get a minute of patience for
     * a proof. 1: neither. */
    size_t settle;
    /** Non-zero: a proof of impossibility is made exact also above 2500 entries of W; see ireneo_verify_settings. */
    int exact;
    /** Margin of the loss in units of the score spread; 0: one that narrows down to 0.05 on the way, from 0.97 of the law on
     * to 0.025; 0.05 or 0.025 with a rank, 1 beyond 1.015 of the law, and 0.1 when facts are given up (overload). */
    double margin;
    /** A memory to start from instead of the Hebbian one; NULL: none. */
    const ireneo_memory *initial;
    /** Non-zero: when more facts are offered than fit, choose which to keep, and store those. */
    int overload;
    /** With overload: how much each fact matters (facts), all > 0; a heavier fact is given up only if lighter
     * ones do not do. The weights are put into at most eight classes. NULL: all alike. */
    const double *weights;
    /** NULL: none. */
    const ireneo_progress *progress;
    /** Of the delta rule, between 0 and 2; 0: 1, after which a fact's value is exactly W x. */
    double rate;
    /** Of least squares: ridge |W|_F^2 times the mean square entry of the keys, summed over the facts, is added; 0: 1e-6. */
    double ridge;
    /** The rules hebbian, delta and least-squares in coordinates in which the keys of these moments are white; the ridge
     * is then on the mean squared output for those keys. NULL: the caller's coordinates. The solver project works in
     * white coordinates of its own, and its verdict depends on none. */
    const struct ireneo_moments *moments;
    /** Solver project: a file that keeps the state of the work, written before every pass over all candidates and when
     * progress asks to stop, once the work has taken two seconds. It holds the memory found so far, too. NULL: none. */
    const char *state;
    /** Non-zero: goes on from that file, which must be of the same facts, rank and margin. The result is the one that the
     * work would have had without a break. `initial` is not looked at. */
    int resume;
    /** A fact counts as recalled when its target is among so many best, all others scoring strictly less; at most 256 and
     * less than the candidates. 0: 1. For more than one no proof of impossibility exists that this library knows: facts
     * that are not stored are undecided. Not with overload, residuals, exact or ireneo_max_margin. */
    size_t top;
    uint64_t reserved[4];
} ireneo_store_settings;

/** What a store may leave beside the memory. Release it with ireneo_store_result_free. */
typedef struct ireneo_store_result {
    /** The proof, when the facts are impossible; NULL otherwise. ireneo_max_margin: when they are stored, the
     * weights that bound the margin. See section 5. */
    struct ireneo_certificate *certificate;
    /** With overload: 1 for each fact that the memory recalls, 0 for those given up (facts); NULL otherwise. */
    unsigned char *kept;
    uint64_t reserved[4];
} ireneo_store_result;

/** Releases what a result holds, and empties it. */
IRENEO_API void ireneo_store_result_free(ireneo_store_result *result);

/** Where the time went, in seconds. */
typedef struct ireneo_store_phases {
    double whiten, start, scan, check, direction, line_search, gradient, history, certificate;
} ireneo_store_phases;

/** How ireneo_store ended. */
typedef struct ireneo_store_info {
    ireneo_status status;
    size_t facts, recalled;
    /** What the law says about this shape, with the ranks of the data as dimensions. */
    double facts_capacity, fraction_of_capacity;
    /** Smallest gap between a target and its best competitor, over the score spread; negative when not all
     * are recalled. */
    double margin;
    /** Passes over all candidates, and iterations of the inner minimiser. */
    size_t scans, iterations;
    double seconds;
    size_t peak_bytes;
    /** Dimensions that keys and values span; of the arrays, for the plain Hebbian rule, which does not look. */
    size_t span_in, span_out;
    /** Loss at the end, and the norm of its gradient over that at the start. */
    double loss, gradient_ratio;
    /** When impossible: what ireneo_verify says of the certificate, whether it excludes every real matrix, and the
     * angular margin that it excludes. Up to 2500 entries of W a proof is always exact. */
    double certificate_norm_bound, angular_margin_bound;
    int exact;
    /** Why the facts do not fit, or what stood in the way, where it can be said of single facts; "" otherwise. */
    char reason[160];
    ireneo_store_phases phases;
    /** When interrupted: non-zero when the file of settings.state holds where the work stopped. */
    int state_kept;
    uint64_t reserved[4];
} ireneo_store_info;

/** Fails with IRENEO_ERROR_MEMORY, before anything is loaded, when the machine has not the RAM for ireneo_store with this
 * many threads (0: all cores) and for keys and values. Only the sizes of the facts are looked at, and whether
 * own_candidates is set; what own candidates are made from is not counted. */
IRENEO_API ireneo_error ireneo_store_require_ram(const ireneo_facts *facts, int threads);

/** Stores the facts. *memory is set whenever IRENEO_OK is returned, also when the status is not "stored"; release
 * it with ireneo_memory_free. Needs about 3 times the RAM of the input arrays. settings, result and info may be
 * NULL; without a result a proof is made all the same, and thrown away. */
IRENEO_API ireneo_error ireneo_store(const ireneo_facts *facts, const ireneo_store_settings *settings,
                                     ireneo_memory **memory, ireneo_store_result *result,
                                     ireneo_store_info *info);

/* ------------------------------------------------------------------------------------------------------
 * 4. Using it
 * ---------------------------------------------------------------------------------------------------- */

/** What a full pass over all candidates finds. */
typedef struct ireneo_check_report {
    size_t facts, recalled;
    /** As in ireneo_store_info. */
    double margin;
    /** Smallest score of a target minus that of its best competitor, as the scores come; not above 0 when not
     * all are recalled. */
    double gap;
    /** Pairs that float32 could not decide and float64 did, of facts that had not failed by then. */
    size_t recomputed;
    uint64_t reserved[4];
} ireneo_check_report;

/** Counts the facts that a memory recalls, trusting nothing but the numbers. `recalled` (facts) receives 1 or
 * 0 a fact; it and settings may be NULL. */
IRENEO_API ireneo_error ireneo_check(const ireneo_memory *memory, const ireneo_facts *facts,
                                     const ireneo_run_settings *settings, unsigned char *recalled,
                                     ireneo_check_report *report);

/** The same, where a fact counts as recalled when its target is among the `top` best: when at most top - 1 candidates score
 * as much as it or more. Gap and margin are then those to the top-th best competitor. */
IRENEO_API ireneo_error ireneo_check_top(const ireneo_memory *memory, const ireneo_facts *facts, size_t top,
                                         const ireneo_run_settings *settings, unsigned char *recalled,
                                         ireneo_check_report *report);

/** The `top` best of `candidates` values for each of `count` queries: indices and scores (count, top), best
 * first; top is 1 to 500. When fewer candidates exist, the rest holds -1 and -infinity. settings may be NULL. */
IRENEO_API ireneo_error ireneo_recall(const ireneo_memory *memory, const float *queries, size_t count,
                                      const float *values, size_t candidates, size_t top,
                                      const ireneo_run_settings *settings, int64_t *indices, float *scores);

/** The same where every query comes with an offset: the score of y for query i is y^T (W x_i + residuals_i). residuals
 * is (count, dim_out); NULL: none. */
IRENEO_API ireneo_error ireneo_recall_with_residuals(const ireneo_memory *memory, const float *queries,
                                                     const float *residuals, size_t count,
                                                     const float *values, size_t candidates, size_t top,
                                                     const ireneo_run_settings *settings, int64_t *indices,
                                                     float *scores);

/** What a file may hold beside a memory, so that it can be asked without other files, and by name. Zero-initialise
 * and fill what is there; NULL: not there. Saving only looks at it. */
typedef struct ireneo_memory_extras {
    /** Values to choose from (candidates, dim_out), and their names (candidates). */
    size_t candidates;
    float *values;
    char **value_labels;
    /** Keys (facts, dim_in), and their names (facts). */
    size_t facts;
    float *keys;
    char **key_labels;
    uint64_t reserved[4];
} ireneo_memory_extras;

/** Writes a memory as .safetensors: tensor W, or U and V with W = U V^T. `extras` become tensors values, keys, and
 * key_labels and value_labels (UTF-8 bytes) with key_label_offsets and value_label_offsets (int64, one more than
 * rows). Names are UTF-8 of at most 4096 bytes without control characters. `info` and `settings` become metadata.
 * All three may be NULL. */
IRENEO_API ireneo_error ireneo_memory_save(const ireneo_memory *memory, const char *path,
                                           const ireneo_memory_extras *extras,
                                           const ireneo_store_settings *settings,
                                           const ireneo_store_info *info);

/** Reads a memory that ireneo_memory_save wrote, or any .safetensors with a tensor W, or with U and V. */
IRENEO_API ireneo_error ireneo_memory_load(const char *path, ireneo_memory **memory);

/** Reads what is beside the memory in its file; what is not there stays NULL. Shapes and names are checked. Release it
 * with ireneo_memory_extras_free. */
IRENEO_API ireneo_error ireneo_memory_load_extras(const char *path, const ireneo_memory *memory,
                                                  ireneo_memory_extras *extras);

/** Releases what ireneo_memory_load_extras took, and empties it. */
IRENEO_API void ireneo_memory_extras_free(ireneo_memory_extras *extras);

/** Releases a memory. */
IRENEO_API void ireneo_memory_free(ireneo_memory *memory);

/* ===== Advanced ======================================================================================
 * proofs, margins, training, the law in detail, random instances */

/* ------------------------------------------------------------------------------------------------------
 * 5. Proof of impossibility
 *
 * Normalised data: keys divided by their root-mean-square norm; values minus their mean, divided by the root
 * mean square of their entries. If W recalls all facts with margin 1, then sum R <= <E, W> <= |E|_F |W|_F
 * with E = sum_k R_k (y_target - y_competitor) x^T, so |W|_F >= sum R / |E|_F. A certificate is accepted when
 * this bound, with every rounding error counted against it, exceeds 1e6: a solvable instance has solutions of
 * norm 10 to 1000.
 * ---------------------------------------------------------------------------------------------------- */

/** A proof that facts do not fit: weights R_k > 0 on pairs (fact, competitor) with sum_k R_k (y_target -
 * y_competitor) x^T = 0. A memory that recalls all facts would make every term's score positive, and their
 * sum zero. For facts with residuals r also sum_k R_k ((y_target - y_competitor)^T r - margin) must not be positive. */
typedef struct ireneo_certificate {
    /** Number of weights. */
    size_t count;
    /** Fact, competitor and weight of each (count), sorted by fact. */
    int64_t *facts, *candidates;
    double *weights;
    /** Fingerprint of the facts it is about. */
    unsigned char facts_hash[IRENEO_HASH_BYTES];
    /** What it says, in one sentence; "" for the general case. */
    char reason[160];
    /** Margin of each weight's fact (count), the same for all weights of a fact and none negative: the proof is that no
     * memory recalls all facts with these gaps, in units of the scores. NULL: recalls them at all. */
    double *margins;
    uint64_t reserved[4];
} ireneo_certificate;

/** What the independent check of a certificate finds. */
typedef struct ireneo_verify_report {
    /** 1: the certificate is valid: exact, or with an angular margin bound below 1e-9. */
    int accepted;
    /** 1: no real matrix at all recalls all facts: positive weights on these very pairs cancel exactly. */
    int exact;
    /** No memory recalls all facts with a larger angular margin: every memory has a pair with (y_target -
     * y_competitor)^T W x <= bound |y_target - y_competitor| |W|_F |x|. Free of all scales; 0 when exact. */
    double angular_margin_bound;
    /** No memory of smaller Frobenius norm recalls all facts with margin 1, on normalised data (keys of root mean
     * square norm one, values of unit variance), by these very weights; infinite when they cancel as they are. */
    double norm_bound;
    /** Sum of the weights as they are; |sum_k w_k a_k|_F for pairs of norm one and weights that sum to one, and the
     * bound on its rounding error that was added to it. */
    double weight_sum, residual, rounding_bound;
    size_t weights;
    /** Why it was not accepted, or what it proves, in one sentence. */
    char sentence[320];
    uint64_t reserved[4];
} ireneo_verify_report;

/** Settings of ireneo_verify. Zero-initialised settings, or NULL, are the defaults. */
typedef struct ireneo_verify_settings {
    /** Threads, at most 4096; 0: all cores. */
    int threads;
    /** Whether the proof must be exact: 0: tried for memories of at most 2500 entries, which takes seconds; 1: tried
     * whatever the size, (dim_in dim_out)^3 operations and 8 (dim_in dim_out)^2 bytes. */
    int exact;
    const ireneo_progress *progress;
    uint64_t reserved[4];
} ireneo_verify_settings;

/** Checks a certificate against facts with code of its own: signs, indices, fingerprint, the sum of the pairs with every
 * rounding error counted against it, and whether weights close by cancel exactly. settings may be NULL. */
IRENEO_API ireneo_error ireneo_verify(const ireneo_certificate *certificate, const ireneo_facts *facts,
                                      const ireneo_verify_settings *settings, ireneo_verify_report *report);

/** Writes a certificate (.safetensors). */
IRENEO_API ireneo_error ireneo_certificate_save(const ireneo_certificate *certificate, const char *path);

/** Reads it back. A damaged file or one of another version is IRENEO_ERROR_DATA. */
IRENEO_API ireneo_error ireneo_certificate_load(const char *path, ireneo_certificate **certificate);

/** Releases a certificate. */
IRENEO_API void ireneo_certificate_free(ireneo_certificate *certificate);

/* ------------------------------------------------------------------------------------------------------
 * 6. Margin and noise
 *
 * Of all memories that recall the facts, the one with the largest margin tolerates most: it maximises the
 * smallest gap (y_target - y_j)^T W x over |W|_F. Equivalently it minimises |W|_F^2 / 2 subject to gaps of at
 * least 1, in the caller's coordinates: scaling keys or values, or moving all values by one vector, does not
 * change which W is best. Margins are reported as gap / (|W|_F rms|x| rms|y - mean y| / sqrt(span_in
 * span_out)), the units of ireneo_shape: for normalised data (keys of rms norm 1, values of unit variance)
 * that fill their spaces this is gap / (|W|_F / sqrt(dim_in)). Own candidates are taken to have unit
 * variance.
 * ---------------------------------------------------------------------------------------------------- */

/** Settings of ireneo_max_margin. Zero-initialised settings, or NULL, are the defaults. */
typedef struct ireneo_max_margin_settings {
    /** How the facts are stored first. The rank must be 0 and the solver the default. */
    ireneo_store_settings store;
    /** Relative duality gap at which the work ends; 0: 1e-3. */
    double duality_gap;
    uint64_t reserved[4];
} ireneo_max_margin_settings;

/** How ireneo_max_margin ended. */
typedef struct ireneo_max_margin_info {
    /** How storing ended, with scans, recalled facts and seconds of the whole; when the facts are not stored
     * the other fields are NaN. Iterations are those of storing. */
    ireneo_store_info store;
    /** The margin of the memory, measured on it after rounding to float32 by a pass over all candidates. */
    double margin;
    /** No memory has a larger margin than this: the bound of the dual problem. */
    double margin_bound;
    /** 1 - margin / margin_bound. */
    double duality_gap;
    /** What the law expects at this size (asymptotic; see ireneo_capacity_margin). */
    double margin_law;
    /** Newton steps, and products with the Hessian that they took. */
    size_t newton_steps, products;
    uint64_t reserved[4];
} ireneo_max_margin_info;

/** Stores the facts with the largest margin. *memory is set whenever IRENEO_OK is returned; it has the largest margin
 * up to the duality gap when the status is "stored". Then result->certificate holds weights whose norm_bound, by
 * ireneo_verify, is the least |W|_F, on normalised data, of a memory with gaps of at least 1. settings, result and
 * info may be NULL. */
IRENEO_API ireneo_error ireneo_max_margin(const ireneo_facts *facts,
                                          const ireneo_max_margin_settings *settings, ireneo_memory **memory,
                                          ireneo_store_result *result, ireneo_max_margin_info *info);

/** Noise on the keys of ireneo_check_noise. */
typedef struct ireneo_noise {
    /** Standard deviation of the Gaussian noise that every entry of every key receives, in units of the
     * root-mean-square entry of the keys. */
    double strength;
    /** Independent draws of the noise on all keys; 0: 10. */
    size_t draws;
    uint64_t seed;
    uint64_t reserved[4];
} ireneo_noise;

/** Recall from noisy keys. */
typedef struct ireneo_noise_report {
    /** Share of recalled facts, averaged over the draws, and its standard error (from the spread of each
     * fact's outcomes over the draws; at least 1 over the number of trials). */
    double recall, error;
    size_t facts, draws;
    /** The noise in the keys' own units. */
    double deviation;
    uint64_t reserved[4];
} ireneo_noise_report;

/** Recall when the keys arrive with noise; the same for any number of threads. Needs one more copy of the keys.
 * settings may be NULL. */
IRENEO_API ireneo_error ireneo_check_noise(const ireneo_memory *memory, const ireneo_facts *facts,
                                           const ireneo_noise *noise, const ireneo_run_settings *settings,
                                           ireneo_noise_report *report);

/* ------------------------------------------------------------------------------------------------------
 * 7. Gradient training
 *
 * How memories are usually trained: full-batch softmax cross-entropy over the candidates, from small random
 * weights. It is here for comparison; ireneo_store reaches capacity, sooner.
 * ---------------------------------------------------------------------------------------------------- */

/** How a memory is trained. */
typedef enum ireneo_optimiser {
    /** Adam with linear warm-up and cosine decay to zero. */
    IRENEO_OPTIMISER_ADAM,
    /** L-BFGS with a line search: the minimum of the cross-entropy itself. */
    IRENEO_OPTIMISER_LBFGS
} ireneo_optimiser;

/** "adam", "lbfgs". Never NULL. */
IRENEO_API const char *ireneo_optimiser_name(ireneo_optimiser optimiser);

/** Settings of ireneo_train. Zero-initialised settings, or NULL, are the defaults. */
typedef struct ireneo_train_settings {
    ireneo_optimiser optimiser;
    /** Rank of the memory; 0: a full matrix, otherwise two factors are trained. */
    size_t rank;
    /** Threads; 0: all cores. */
    int threads;
    /** Seed of the initial weights. */
    uint64_t seed;
    /** Largest rate of Adam; 0: 0.03. */
    double rate;
    /** Share of the steps in which the rate grows; 0: 0.05, negative: none. */
    double warm_up;
    /** Most steps; 0: 5000. */
    size_t max_steps;
    /** Standard deviation of the entries of W at the start; 0: 0.01. */
    double initial_scale;
    /** Non-zero: do not stop when all facts are recalled but go on lowering the loss. */
    int past_recall;
    /** L-BFGS stops when the gradient is this share of that at the start; 0: 1e-5. */
    double tolerance;
    /** NULL: none. */
    const ireneo_progress *progress;
    uint64_t reserved[4];
} ireneo_train_settings;

/** How ireneo_train ended. */
typedef struct ireneo_train_info {
    /** "stored", "undecided" (a limit was reached with facts missing) or "interrupted". */
    ireneo_status status;
    size_t facts, recalled;
    /** Mean cross-entropy at the last weights, in nats. */
    double loss;
    /** As in ireneo_store_info. */
    double margin;
    /** Steps taken, and sweeps over all candidates that they needed. */
    size_t steps, sweeps;
    double seconds;
    uint64_t reserved[4];
} ireneo_train_info;

/** Trains a memory. *memory is set whenever IRENEO_OK is returned. settings and info may be NULL. */
IRENEO_API ireneo_error ireneo_train(const ireneo_facts *facts, const ireneo_train_settings *settings,
                                     ireneo_memory **memory, ireneo_train_info *info);

/** Mean cross-entropy of a memory over the facts, in nats. settings may be NULL. */
IRENEO_API ireneo_error ireneo_cross_entropy(const ireneo_memory *memory, const ireneo_facts *facts,
                                             const ireneo_run_settings *settings, double *loss);

/* ------------------------------------------------------------------------------------------------------
 * 8. More of the law
 * ---------------------------------------------------------------------------------------------------- */

/** D = dim_in dim_out E(rank): the number of dimensions that a memory of this shape has to offer; NaN for NULL. With
 * candidates that all facts share (shape->candidates), min(dim_out, candidates - 1) takes the place of dim_out. */
IRENEO_API double ireneo_effective_dimension(const ireneo_shape *shape);

/** Chance that shape->facts random facts fit (with shape->margin). */
IRENEO_API ireneo_error ireneo_capacity_probability(const ireneo_shape *shape, double *probability);

/** The largest margin with which shape->facts facts fit, in the units of ireneo_shape; 0 beyond capacity.
 * Asymptotic. */
IRENEO_API ireneo_error ireneo_capacity_margin(const ireneo_shape *shape, double *margin);

/** The smallest dimension of a square memory, of rank shape->rank unless 0, that holds shape->facts random facts with
 * this chance; dim_in and dim_out of the shape do not matter. */
IRENEO_API ireneo_error ireneo_capacity_dim(const ireneo_shape *shape, double chance, size_t *dim);

/** The smallest rank at which shape->facts random facts fit with this chance, whatever shape->rank; 0 when a full matrix
 * does not hold them. */
IRENEO_API ireneo_error ireneo_capacity_rank(const ireneo_shape *shape, double chance, size_t *rank);

/** About how many of shape->facts random facts a store with overload keeps. Not a law: measured, within some per cent. */
IRENEO_API ireneo_error ireneo_capacity_overload(const ireneo_shape *shape, double *kept);

/** Facts whose targets can all be among the `top` best of their candidates: an upper bound, reached for top = 1 with
 * candidates of their own and nearly so for more (docs/linear.md, "Among the K best"). Shared candidates, targets and facts
 * of the shape do not enter; its margin must be 0, and top less than the candidates. */
IRENEO_API ireneo_error ireneo_capacity_top(const ireneo_shape *shape, size_t top, double *facts);

/** Facts over d^2 at which the target still beats the mean of the top `tail_fraction` of its competitors
 * (listwise recall). */
IRENEO_API double ireneo_listwise_capacity(double tail_fraction);

/** log(volume of memories that recall everything) / d^2 at load n log P / d^2, number of candidates to
 * infinity. */
IRENEO_API double ireneo_free_entropy_asymptotic(double load);

/** The volume of solutions at finitely many candidates. */
typedef struct ireneo_free_entropy_report {
    /** log(volume) / d^2 and its standard error; -infinity from capacity on, load = log P / delta(P). */
    double entropy, entropy_error;
    /** The typical overlap q of two solutions and its standard error; 1 from capacity on. */
    double overlap, overlap_error;
    /** Singular values of a typical solution: the ends of the law of those that are not zero, and the mean of s^4 over all
     * min(d_in, d_out), in units in which that of s^2 is 1. Zero from capacity on. */
    double singular_low, singular_high, singular_fourth;
    uint64_t reserved[4];
} ireneo_free_entropy_report;

/** The same at finitely many candidates, for the decoupled problem, from an average over `draws` random draws, at least
 * six. */
IRENEO_API ireneo_error ireneo_free_entropy(double load, size_t candidates, size_t draws, uint64_t seed,
                                            ireneo_free_entropy_report *report);

/** The same for memories of a rank, rank_share = rank / min(d_in, d_out), aspect = min / max of the two dimensions, both in
 * (0, 1]. The volume is the chance that W = U V^T recalls everything, V a uniformly random frame on the narrower side, U
 * Gaussian. candidates = 0: the limit of many, with no draws and no error. */
IRENEO_API ireneo_error ireneo_free_entropy_of_rank(double load, size_t candidates, double rank_share,
                                                    double aspect, size_t draws, uint64_t seed,
                                                    ireneo_free_entropy_report *report);

/** Density of the non-zero singular values of typical solutions at an overlap 0 <= q < 1, at `values` (count), in units in
 * which the mean of s^2 over all min(d_in, d_out) is 1, into densities (count). */
IRENEO_API ireneo_error ireneo_solution_spectrum(double overlap, double rank_share, double aspect,
                                                 size_t count, const double *values, double *densities);

/* ------------------------------------------------------------------------------------------------------
 * 9. Random instances and fingerprints
 * ---------------------------------------------------------------------------------------------------- */

/** A fingerprint of keys, candidates (own ones included), targets and residuals, kept in memories and certificates: BLAKE2b, so
 * that no two different sets of facts with one fingerprint are known. hash is (IRENEO_HASH_BYTES). */
IRENEO_API ireneo_error ireneo_facts_hash(const ireneo_facts *facts, unsigned char *hash);

/** Random instances of the two problems of the theory. Fact i has candidate i, or the one that ireneo_sample_targets says;
 *  keys and values are N(0, 1). The facts of a smaller instance are a prefix of those of a larger one with the same seed. */
typedef struct ireneo_sample {
    uint64_t seed;
    size_t dim_in, dim_out;
} ireneo_sample;

/** Keys first .. first + count - 1 into (count, dim_in). */
IRENEO_API ireneo_error ireneo_sample_keys(const ireneo_sample *sample, size_t first, size_t count,
                                           float *keys);

/** Shared candidates first .. first + count - 1 into (count, dim_out): the original problem. */
IRENEO_API ireneo_error ireneo_sample_values(const ireneo_sample *sample, size_t first, size_t count,
                                             float *values);

/** Targets of facts first .. first + count - 1 among so many candidates. IRENEO_TARGETS_EACH: fact i has candidate i,
 * modulo the candidates when facts are more. IRENEO_TARGETS_ZIPF: drawn, candidate 0, 1, ... with chances that go as 1,
 * 2^-zipf, 3^-zipf, ...; with zipf = 0 all alike. The target of a fact depends on the candidates but not on how many facts
 * there are, so that of few facts and of many the first have the same ones. */
IRENEO_API ireneo_error ireneo_sample_targets(const ireneo_sample *sample, ireneo_targets rule, double zipf,
                                              size_t candidates, size_t first, size_t count,
                                              int64_t *targets);

/** Own candidates of a fact: the decoupled problem. An ireneo_own_candidates whose context is an
 * ireneo_sample. */
IRENEO_API void ireneo_sample_own_candidates(const void *sample, size_t fact, size_t first, size_t count,
                                             float *values);

#ifdef __cplusplus
}
#endif

#endif
