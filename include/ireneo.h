/* Ireneo: the memory of neural networks.
 *
 * This header is the whole public interface. It reads top to bottom:
 *
 *   1. Errors, progress, version                      what every call shares
 *   2. Arrays on disk                                 .npy and .safetensors
 *   3. Random numbers                                 functions of (seed, stream, index)
 *   4. Linear memory: the capacity law                how many facts fit
 *   5. Linear memory: facts                           keys, candidates, targets
 *   6. Linear memory: storing                         the solver, its settings, how it ended
 *   7. Linear memory: using it                        save, load, check, recall
 *   8. Linear memory: proof                           certificates of impossibility
 *   9. Linear memory: gradient training               cross-entropy by Adam or L-BFGS, the usual way
 *  10. Linear memory: margin and noise                the safest memory, recall from noisy keys
 *  11. Dense memory: phases and basins                how many patterns fit, how far a query may be
 *  12. Dense memory: retrieval                        from a query to the stored pattern
 *  13. Dense memory: simulation                       the theory's sizes and far beyond
 *  14. Transformers at initialisation: theory         which weight scales keep the signal alive
 *  15. Transformers at initialisation: real networks  simulation, and training on text
 *
 * Conventions
 *   - A function that can fail returns ireneo_error; ireneo_last_error() holds one sentence about the last
 *     failure in the calling thread. How the work ended is a different question, answered by a status.
 *   - Matrices are row-major; every pointer argument has its shape beside it, as in (rows, columns).
 *   - Settings may be NULL: defaults. Freeing NULL is fine. The library never prints and never exits.
 *   - The library keeps no state between calls except the thread's last error sentence.
 */
#ifndef IRENEO_H
#define IRENEO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IRENEO_VERSION "0.1.0"

#if defined(__GNUC__)
#define IRENEO_API __attribute__((visibility("default")))
#else
#define IRENEO_API
#endif

/* ------------------------------------------------------------------------------------------------------
 * 1. Errors, progress, version
 * ---------------------------------------------------------------------------------------------------- */

/** What went wrong with a call. */
typedef enum ireneo_error {
    IRENEO_OK = 0,
    /** An argument is outside its range, or arguments contradict each other. */
    IRENEO_ERROR_ARGUMENT,
    /** The data cannot be used: malformed file, wrong shape or type, NaN, index out of range. */
    IRENEO_ERROR_DATA,
    /** The machine has not enough memory. */
    IRENEO_ERROR_MEMORY,
    /** A file could not be opened, read or written: missing, no permission, no space. */
    IRENEO_ERROR_IO,
    /** A numerical method did not reach its accuracy; the result would have been wrong. */
    IRENEO_ERROR_NUMERIC,
    /** The progress callback asked to stop and nothing useful could be returned. */
    IRENEO_ERROR_CANCELLED
} ireneo_error;

/** A short name for an error code, for logs. Never NULL. */
IRENEO_API const char *ireneo_error_name(ireneo_error error);

/** One sentence about the last failure in this thread. Never NULL; valid until the next failure. */
IRENEO_API const char *ireneo_last_error(void);

/** The version of the library that is linked, as "major.minor.patch". */
IRENEO_API const char *ireneo_version(void);

/** How long work tells how far it is, and how it is stopped. */
typedef struct ireneo_progress {
    /** Called now and then, always from the calling thread, with the name of the current stage and how much
     * of it is done. A result other than 0 asks the work to stop at the next safe point. NULL: never called.
     */
    int (*report)(void *context, const char *stage, double done, double total);
    /** Passed to report unchanged. */
    void *context;
} ireneo_progress;

/* ------------------------------------------------------------------------------------------------------
 * 2. Arrays on disk
 *
 * A location is "file.npy", "file.safetensors" (when it holds one tensor) or "file.safetensors:name". Files
 * with other endings are told apart by their first bytes. Large arrays are memory-mapped. Writes are atomic:
 * a reader sees the old file or the new one, never half; only devices and pipes such as /dev/stdout are
 * written directly.
 * ---------------------------------------------------------------------------------------------------- */

/** Element types that files may hold. */
typedef enum ireneo_dtype {
    IRENEO_FLOAT16,
    IRENEO_FLOAT32,
    IRENEO_FLOAT64,
    IRENEO_INT32,
    IRENEO_INT64
} ireneo_dtype;

/** A short name such as "float32". Never NULL. */
IRENEO_API const char *ireneo_dtype_name(ireneo_dtype dtype);

/** Bytes of one element. */
IRENEO_API size_t ireneo_dtype_size(ireneo_dtype dtype);

enum { IRENEO_MAX_AXES = 8 };

/** An array as it lies in a file: row-major elements of one type. */
typedef struct ireneo_array {
    ireneo_dtype dtype;
    /** Number of axes, 0 to IRENEO_MAX_AXES. */
    int axes;
    size_t shape[IRENEO_MAX_AXES];
    /** Product of the shape. */
    size_t count;
    /** The elements, at the file's own alignment; valid until ireneo_array_close. */
    const void *data;
    /** What close releases; not for users. */
    void *mapping;
    size_t mapping_bytes;
} ireneo_array;

/** Opens the array at a location. On failure the array is empty and may be closed all the same. */
IRENEO_API ireneo_error ireneo_array_open(const char *location, ireneo_array *array);

/** Releases what open took. */
IRENEO_API void ireneo_array_close(ireneo_array *array);

/** Reads a location as a float32 matrix (rows, columns); a vector counts as one column. Every element is
 * checked: NaN, infinity and numbers beyond float32 are errors that name row and column, counted from 0. An
 * array without elements is an error. Release *values with ireneo_free. */
IRENEO_API ireneo_error ireneo_load_matrix(const char *location, float **values, size_t *rows,
                                           size_t *columns);

/** The same for an array of three axes (matrices, rows, columns), such as own candidates of every fact. */
IRENEO_API ireneo_error ireneo_load_stack(const char *location, float **values, size_t *matrices,
                                          size_t *rows, size_t *columns);

/** Reads a location as a vector of whole numbers (count), from int32 or int64 of shape (count) or (count, 1),
 * not empty. Release *values with ireneo_free. */
IRENEO_API ireneo_error ireneo_load_indices(const char *location, int64_t **values, size_t *count);

/** Reads a location as a vector of finite float64 numbers (count), from a shape (count) or (count, 1), not
 * empty. Release *values with ireneo_free. */
IRENEO_API ireneo_error ireneo_load_vector(const char *location, double **values, size_t *count);

/** Writes a .npy file (version 1.0). */
IRENEO_API ireneo_error ireneo_save_npy(const char *path, ireneo_dtype dtype, int axes, const size_t *shape,
                                        const void *data);

/** One tensor of a .safetensors file to be written. */
typedef struct ireneo_tensor {
    const char *name;
    ireneo_dtype dtype;
    int axes;
    size_t shape[IRENEO_MAX_AXES];
    const void *data;
} ireneo_tensor;

/** Writes a .safetensors file; metadata is a list of `pairs` key-value pairs: key, value, key, value, ... */
IRENEO_API ireneo_error ireneo_save_safetensors(const char *path, const ireneo_tensor *tensors, size_t count,
                                                const char *const *metadata, size_t pairs);

/** Reads one metadata value of a .safetensors file; *value is NULL when the key is not there. Release with
 * ireneo_free. */
IRENEO_API ireneo_error ireneo_safetensors_metadata(const char *path, const char *key, char **value);

/** Whether a .safetensors file holds a tensor of this name (1 or 0 in *found). */
IRENEO_API ireneo_error ireneo_safetensors_has(const char *path, const char *name, int *found);

/** Writes a whole file atomically: temporary file beside it, fsync, rename. */
IRENEO_API ireneo_error ireneo_save_bytes(const char *path, const void *bytes, size_t count);

/** Releases anything the library allocated for the caller. */
IRENEO_API void ireneo_free(void *block);

/* ------------------------------------------------------------------------------------------------------
 * 3. Random numbers
 *
 * Number `index` of stream `stream` under `seed` is a fixed function of the three (Philox4x32-10), so that
 * data do not depend on the number of threads or on the order in which they are made. Each function writes
 * the numbers first .. first + count - 1 to values (count), over `threads` threads (0: all cores).
 * ---------------------------------------------------------------------------------------------------- */

/** N(0, 1) in float32; the same bits on every machine. Tails reach 6.7. */
IRENEO_API void ireneo_random_normals_float(uint64_t seed, uint64_t stream, uint64_t first, size_t count,
                                            int threads, float *values);

/** N(0, 1) in float64. */
IRENEO_API void ireneo_random_normals(uint64_t seed, uint64_t stream, uint64_t first, size_t count,
                                      int threads, double *values);

/** Uniform on (0, 1), 52 bits, in float64. */
IRENEO_API void ireneo_random_uniforms(uint64_t seed, uint64_t stream, uint64_t first, size_t count,
                                       int threads, double *values);

/* ------------------------------------------------------------------------------------------------------
 * 4. Linear memory: the capacity law
 *
 * A linear memory is a matrix W (dim_out, dim_in). It recalls the fact (key x, value y) when y^T W x is
 * larger than the score of every other candidate. n facts among P candidates fit when n delta(P) < D, where
 * delta(P) is the statistical dimension of the cone "the target wins" and D = dim_in dim_out E(rank) counts
 * the freedom of W. The law predicts the size at which random facts stop fitting within a few per cent;
 * docs/linear.md derives it.
 * ---------------------------------------------------------------------------------------------------- */

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
} ireneo_shape;

/** What the law says. */
typedef struct ireneo_capacity_report {
    /** Facts that fit: the finite-size law. Half of all random instances of this size can be stored. */
    double facts_capacity;
    /** The limit formula n log P = D / 2, reached only at astronomical sizes. */
    double facts_capacity_asymptotic;
    /** Facts that the Hebbian rule holds without an error, by its limit formula n log P = dim_in dim_out / 8.
     */
    double facts_capacity_hebbian;
    /** Candidates at capacity. */
    double candidates;
    /** delta(P) and v(P) at that number of candidates: mean and variance of the competitors that bind a fact.
     */
    double delta, variance;
    /** D = dim_in dim_out E(rank). */
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
} ireneo_capacity_report;

/** Everything the law says about a shape. Takes a few milliseconds. */
IRENEO_API ireneo_error ireneo_capacity(const ireneo_shape *shape, ireneo_capacity_report *report);

/** D = dim_in dim_out E(rank): the number of dimensions that a memory of this shape has to offer. */
IRENEO_API double ireneo_effective_dimension(const ireneo_shape *shape);

/** Chance that shape->facts random facts fit (with shape->margin). */
IRENEO_API ireneo_error ireneo_capacity_probability(const ireneo_shape *shape, double *probability);

/** The largest margin with which shape->facts facts fit, in the units of ireneo_shape; 0 beyond capacity.
 * Asymptotic. */
IRENEO_API ireneo_error ireneo_capacity_margin(const ireneo_shape *shape, double *margin);

/** Facts over d^2 at which the target still beats the mean of the top `tail_fraction` of its competitors
 * (listwise recall). */
IRENEO_API double ireneo_listwise_capacity(double tail_fraction);

/** log(volume of memories that recall everything) / d^2 at load n log P / d^2, number of candidates to
 * infinity. */
IRENEO_API double ireneo_free_entropy_asymptotic(double load);

/** The same at finitely many candidates, for the decoupled problem, from an average over `draws` random
 * draws. *overlap is the typical overlap of two solutions, *error the standard error of the result; both may
 * be NULL. */
IRENEO_API ireneo_error ireneo_free_entropy(double load, size_t candidates, size_t draws, uint64_t seed,
                                            double *entropy, double *overlap, double *error);

/* ------------------------------------------------------------------------------------------------------
 * 5. Linear memory: facts
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
} ireneo_facts;

/** Fails with a sentence when the facts cannot be used: no facts, one candidate, NaN, target out of range. */
IRENEO_API ireneo_error ireneo_facts_check(const ireneo_facts *facts);

/** A fingerprint of keys, values and targets, kept in memories and certificates. */
IRENEO_API uint64_t ireneo_facts_hash(const ireneo_facts *facts);

/** Random instances of the two problems of the theory. Fact i has candidate i; keys and values are N(0, 1).
 *  The facts of a smaller instance are a prefix of those of a larger one with the same seed. */
typedef struct ireneo_sample {
    uint64_t seed;
    size_t dim_in, dim_out;
} ireneo_sample;

/** Keys first .. first + count - 1 into (count, dim_in). */
IRENEO_API void ireneo_sample_keys(const ireneo_sample *sample, size_t first, size_t count, float *keys);

/** Shared candidates first .. first + count - 1 into (count, dim_out): the original problem. */
IRENEO_API void ireneo_sample_values(const ireneo_sample *sample, size_t first, size_t count, float *values);

/** Own candidates of a fact: the decoupled problem. An ireneo_own_candidates whose context is an
 * ireneo_sample. */
IRENEO_API void ireneo_sample_own_candidates(const void *sample, size_t fact, size_t first, size_t count,
                                             float *values);

/* ------------------------------------------------------------------------------------------------------
 * 6. Linear memory: storing
 * ---------------------------------------------------------------------------------------------------- */

/** How the work ended. */
typedef enum ireneo_status {
    /** All facts are recalled; a full pass over all candidates found no exception. */
    IRENEO_STORED,
    /** No memory of this shape recalls all facts; a certificate proves it. */
    IRENEO_IMPOSSIBLE,
    /** Some facts were given up, the rest is stored (overload). */
    IRENEO_PARTIAL,
    /** A limit was reached before an answer; the memory is the best one found. */
    IRENEO_UNDECIDED,
    /** The progress callback asked to stop; the memory is the best one found and can be gone on from. */
    IRENEO_INTERRUPTED
} ireneo_status;

/** "stored", "impossible", "partial", "undecided", "interrupted". Never NULL. */
IRENEO_API const char *ireneo_status_name(ireneo_status status);

/** A stored memory: a matrix, or two factors. Score of value y for key x: y^T W x. */
typedef struct ireneo_memory {
    size_t dim_in, dim_out;
    /** Rank of the factors; 0: a full matrix. */
    size_t rank;
    /** W (dim_out, dim_in); NULL when factored. */
    float *matrix;
    /** W = left right^T: left (dim_out, rank), right (dim_in, rank); NULL when not factored. */
    float *left, *right;
    /** Fingerprint of the facts it was made from. */
    uint64_t facts_hash;
} ireneo_memory;

IRENEO_API void ireneo_memory_free(ireneo_memory *memory);

/** A proof that facts do not fit: weights R_k > 0 on pairs (fact, competitor) with sum_k R_k (y_target -
 * y_competitor) x^T = 0. A memory that recalls all facts would make every term's score positive, and their
 * sum zero. See section 8. */
typedef struct ireneo_certificate {
    /** Number of weights. */
    size_t count;
    /** Fact, competitor and weight of each (count), sorted by fact. */
    int64_t *facts, *candidates;
    double *weights;
    /** Fingerprint of the facts it is about. */
    uint64_t facts_hash;
    /** What it says, in one sentence; "" for the general case. */
    char reason[160];
} ireneo_certificate;

typedef enum ireneo_solver {
    /** Projection on the recall cones: reaches capacity. */
    IRENEO_SOLVER_PROJECT,
    /** W = sum_i y_f(i) x_i^T: one pass, a quarter of the capacity. */
    IRENEO_SOLVER_HEBBIAN,
    /** The same in whitened coordinates, which is what the theory of the Hebbian rule is about: real
     * embeddings share a mean and a few strong directions that drown the plain rule. */
    IRENEO_SOLVER_HEBBIAN_WHITE
} ireneo_solver;

/** Settings of ireneo_store. Zero-initialised settings, or NULL, are the defaults. */
typedef struct ireneo_store_settings {
    ireneo_solver solver;
    /** Rank of the memory; 0: full. */
    size_t rank;
    /** Threads; 0: all cores. */
    int threads;
    /** Most passes over all candidates; 0: 40. */
    size_t max_scans;
    /** Most iterations of the inner minimiser; 0: 3000. */
    size_t max_iterations;
    /** When the minimiser comes to no verdict, full memories of at most this many entries are settled by an
     * exact method; 0: 2500, which takes seconds; 6400 takes a minute and 0.5 GB. */
    size_t settle;
    /** Margin of the loss in units of the score spread; 0: 0.05, and 0.025 close to capacity. */
    double margin;
    /** A memory to start from instead of the Hebbian one; NULL: none. */
    const ireneo_memory *initial;
    /** Receives the certificate when the facts are impossible (NULL otherwise); release it with
     *  ireneo_certificate_free. NULL: the proof is made all the same, and thrown away. */
    ireneo_certificate **certificate;
    /** Non-zero: when more facts are offered than fit, choose which to keep, and store those. */
    int overload;
    /** With overload: how much each fact matters (facts), all > 0; a heavier fact is given up only if lighter
     * ones do not do. The weights are put into at most eight classes. NULL: all alike. */
    const double *weights;
    /** With overload: receives 1 for each fact that the memory recalls, 0 for those given up (facts); NULL:
     * not wanted. */
    unsigned char *kept;
    const ireneo_progress *progress;
} ireneo_store_settings;

/** Where the time went, in seconds. */
typedef struct ireneo_store_phases {
    double whiten, start, scan, proof, direction, line_search, gradient, history, certificate;
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
    /** Dimensions that keys and values span. */
    size_t span_in, span_out;
    /** Loss at the end, and the norm of its gradient over that at the start. */
    double loss, gradient_ratio;
    /** When impossible: the bound that ireneo_verify gives for the certificate. */
    double certificate_norm_bound;
    ireneo_store_phases phases;
} ireneo_store_info;

/** Stores the facts. *memory is set whenever IRENEO_OK is returned, also when the status is not "stored".
 *  Needs about 3 times the memory of the input arrays. settings and info may be NULL. */
IRENEO_API ireneo_error ireneo_store(const ireneo_facts *facts, const ireneo_store_settings *settings,
                                     ireneo_memory **memory, ireneo_store_info *info);

/* ------------------------------------------------------------------------------------------------------
 * 7. Linear memory: using it
 * ---------------------------------------------------------------------------------------------------- */

/** What a full pass over all candidates finds. */
typedef struct ireneo_check_report {
    size_t facts, recalled;
    /** As in ireneo_store_info. */
    double margin;
    /** Smallest score of a target minus that of its best competitor, as the scores come; not above 0 when not
     * all are recalled. */
    double gap;
    /** Pairs that float32 could not decide and float64 did. */
    size_t recomputed;
} ireneo_check_report;

/** Counts the facts that a memory recalls, trusting nothing but the numbers. `recalled` (facts) receives 1 or
 * 0 a fact; may be NULL. */
IRENEO_API ireneo_error ireneo_check(const ireneo_memory *memory, const ireneo_facts *facts, int threads,
                                     const ireneo_progress *progress, unsigned char *recalled,
                                     ireneo_check_report *report);

/** The `top` best of `candidates` values for each of `count` queries: indices and scores (count, top), best
 * first. When fewer candidates exist, the rest holds -1 and -infinity. */
IRENEO_API ireneo_error ireneo_recall(const ireneo_memory *memory, const float *queries, size_t count,
                                      const float *values, size_t candidates, size_t top, int threads,
                                      int64_t *indices, float *scores);

/** Writes a memory as .safetensors: tensor W, or U and V with W = U V^T; `values` (candidates, dim_out) is
 * added unless NULL. `info` and `settings` become metadata; both may be NULL. */
IRENEO_API ireneo_error ireneo_memory_save(const ireneo_memory *memory, const char *path, const float *values,
                                           size_t candidates, const ireneo_store_settings *settings,
                                           const ireneo_store_info *info);

/** Reads a memory that ireneo_memory_save wrote, or any .safetensors with a tensor W, or with U and V. */
IRENEO_API ireneo_error ireneo_memory_load(const char *path, ireneo_memory **memory);

/* ------------------------------------------------------------------------------------------------------
 * 8. Linear memory: proof
 *
 * Normalised data: keys divided by their root-mean-square norm; values minus their mean, divided by the root
 * mean square of their entries. If W recalls all facts with margin 1, then sum R <= <E, W> <= |E|_F |W|_F
 * with E = sum_k R_k (y_target - y_competitor) x^T, so |W|_F >= sum R / |E|_F. A certificate is accepted when
 * this bound, with every rounding error counted against it, exceeds 1e6: a solvable instance has solutions of
 * norm 10 to 1000.
 * ---------------------------------------------------------------------------------------------------- */

/** What the independent check of a certificate finds. */
typedef struct ireneo_verify_report {
    /** 1: the certificate is valid and its bound exceeds 1e6. */
    int accepted;
    /** No memory of smaller Frobenius norm recalls all facts with margin 1, on normalised data; infinite when
     * E vanishes exactly. */
    double norm_bound;
    /** Sum of the weights, |E|_F on normalised data, and the bound on the rounding error of |E|_F that was
     * added to it. */
    double weight_sum, residual, rounding_bound;
    size_t weights;
    /** Why it was not accepted, or what it proves, in one sentence. */
    char sentence[320];
} ireneo_verify_report;

/** Checks a certificate against facts with code of its own: signs, indices, fingerprint, residual in
 * compensated float64 sums. */
IRENEO_API ireneo_error ireneo_verify(const ireneo_certificate *certificate, const ireneo_facts *facts,
                                      int threads, ireneo_verify_report *report);

/** Writes a certificate (.safetensors), and reads it back. A damaged file or one of another version is
 * IRENEO_ERROR_DATA. */
IRENEO_API ireneo_error ireneo_certificate_save(const ireneo_certificate *certificate, const char *path);
IRENEO_API ireneo_error ireneo_certificate_load(const char *path, ireneo_certificate **certificate);
IRENEO_API void ireneo_certificate_free(ireneo_certificate *certificate);

/* ------------------------------------------------------------------------------------------------------
 * 9. Linear memory: gradient training
 *
 * How memories are usually trained: full-batch softmax cross-entropy over the candidates, from small random
 * weights. It is here for comparison; ireneo_store reaches capacity, sooner.
 * ---------------------------------------------------------------------------------------------------- */

typedef enum ireneo_optimiser {
    /** Adam with linear warm-up and cosine decay to zero. */
    IRENEO_OPTIMISER_ADAM,
    /** L-BFGS with a line search: the minimum of the cross-entropy itself. */
    IRENEO_OPTIMISER_LBFGS
} ireneo_optimiser;

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
    const ireneo_progress *progress;
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
} ireneo_train_info;

/** Trains a memory. *memory is set whenever IRENEO_OK is returned. settings and info may be NULL. */
IRENEO_API ireneo_error ireneo_train(const ireneo_facts *facts, const ireneo_train_settings *settings,
                                     ireneo_memory **memory, ireneo_train_info *info);

/** Mean cross-entropy of a memory over the facts, in nats. */
IRENEO_API ireneo_error ireneo_cross_entropy(const ireneo_memory *memory, const ireneo_facts *facts,
                                             int threads, double *loss);

/* ------------------------------------------------------------------------------------------------------
 * 10. Linear memory: margin and noise
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
    /** How the facts are stored first. The rank must be 0 and the solver the default. When the facts are
     * stored, *store.certificate receives the weights that bound the margin: ireneo_verify's norm_bound for
     * them is the least |W|_F, on normalised data, of a memory with gaps of at least 1. */
    ireneo_store_settings store;
    /** Relative duality gap at which the work ends; 0: 1e-3. */
    double duality_gap;
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
} ireneo_max_margin_info;

/** Stores the facts with the largest margin. *memory is set whenever IRENEO_OK is returned; it has the
 * largest margin up to the duality gap when the status is "stored". settings and info may be NULL. */
IRENEO_API ireneo_error ireneo_max_margin(const ireneo_facts *facts,
                                          const ireneo_max_margin_settings *settings, ireneo_memory **memory,
                                          ireneo_max_margin_info *info);

/** Noise on the keys of ireneo_check_noise. */
typedef struct ireneo_noise {
    /** Standard deviation of the Gaussian noise that every entry of every key receives, in units of the
     * root-mean-square entry of the keys. */
    double strength;
    /** Independent draws of the noise on all keys; 0: 10. */
    size_t draws;
    uint64_t seed;
} ireneo_noise;

/** Recall from noisy keys. */
typedef struct ireneo_noise_report {
    /** Share of recalled facts, averaged over the draws, and its standard error (from the spread of each
     * fact's outcomes over the draws; at least 1 over the number of trials). */
    double recall, error;
    size_t facts, draws;
    /** The noise in the keys' own units. */
    double deviation;
} ireneo_noise_report;

/** Recall when the keys arrive with noise; the same for any number of threads. Needs one more copy of the
 * keys. */
IRENEO_API ireneo_error ireneo_check_noise(const ireneo_memory *memory, const ireneo_facts *facts,
                                           const ireneo_noise *noise, int threads,
                                           const ireneo_progress *progress, ireneo_noise_report *report);

/* ------------------------------------------------------------------------------------------------------
 * 11. Dense memory: phases and basins
 *
 * A dense associative memory (modern Hopfield network, softmax attention) holds P = e^(alpha N) patterns xi,
 * each of N numbers and of length sqrt(N). A query x moves by
 *
 *     x <- sum_mu a_mu xi_mu ,   a = softmax(lambda x.xi) .
 *
 * For unit vectors the same softmax has the inverse temperature beta = lambda N. The theory of random
 * patterns says how many fit at a given lambda and how far from its pattern a query may start; docs/dense.md
 * derives it. Natural logarithms throughout; numbers of patterns are given as logarithms, for they can be
 * e^3000.
 * ---------------------------------------------------------------------------------------------------- */

/** How random patterns are drawn. */
typedef enum ireneo_ensemble {
    /** Uniform on the sphere of radius sqrt(N). */
    IRENEO_SPHERICAL,
    /** Independent N(0, 1) entries. */
    IRENEO_GAUSSIAN,
    /** Independent entries -1 and +1. */
    IRENEO_BINARY
} ireneo_ensemble;

/** A short name such as "spherical". Never NULL. */
IRENEO_API const char *ireneo_ensemble_name(ireneo_ensemble ensemble);

/** The memory that is asked about. Zero-initialise it and fill what matters. */
typedef struct ireneo_dense_point {
    ireneo_ensemble ensemble;
    /** Inverse temperature of the softmax, from 1e-9 to 1e9. 0: not given. */
    double lambda;
    /** Load log(P)/N, from 1e-9 to 100. 0: not given. */
    double alpha;
    /** N, from 2 to 1e9. 0: the limit of large N. */
    double neurons;
    /** P, from 2 to 2^63, instead of alpha; needs neurons. 0: not given. */
    double patterns;
} ireneo_dense_point;

/** How many patterns fit. What cannot be said is NaN; what no lambda can reach is infinite. */
typedef struct ireneo_phases_report {
    /** The point on the critical line: one is given, the other is alpha = alpha_1(lambda) or lambda =
     * lambda_c(alpha). */
    double lambda, alpha;
    /** Largest load at which a given pattern is retrieved. */
    double alpha_1;
    /** Load below which few patterns near the query make the competing sum, instead of exponentially many. */
    double alpha_star;
    /** Load up to which all P patterns are retrieved at once. */
    double alpha_c_lower_bound;
    /** 1 when that bound is the exact alpha_c; 0 for Gaussian patterns, where it is conjectured to be. */
    int alpha_c_exact;
    /** alpha_1 by its expansion for large lambda. */
    double alpha_1_large_lambda;
    /** Smallest lambda that retrieves a given pattern, or all patterns, at load alpha. */
    double lambda_c, lambda_c_all;
    /** lambda beyond which the nearest patterns alone compete at load alpha. */
    double lambda_star;
    /** The rigorous bound on alpha of Ramsauer et al. (theorem 3), and what their separation condition gives
     * for one pattern and for all pairs; spherical patterns only. */
    double ramsauer, ramsauer_separation_one, ramsauer_separation_pairs;
    /** kappa: the weight of the competitors, which the finite-N results replace by its mean, has the relative
     * variance e^(-N kappa). */
    double noise_exponent;

    /** At N neurons, NaN without. log P at which one step puts half of the attention on the pattern; up to
     * which the dynamics stay at the pattern; N alpha_1 and N alpha_c_lower_bound. All at lambda. */
    double log_patterns_one_step, log_patterns_converged, log_patterns_limit, log_patterns_all;
    /** Smallest lambda for e^(alpha N) patterns: one step, whole dynamics, and the log(N)/N law of the
     * latter. */
    double lambda_one_step, lambda_converged, lambda_converged_law;
} ireneo_phases_report;

/** The critical line at point->lambda, or at point->alpha: exactly one of them is given. */
IRENEO_API ireneo_error ireneo_dense_phases(const ireneo_dense_point *point, ireneo_phases_report *report);

/** How far a query may be from its pattern. What cannot be said is NaN. */
typedef struct ireneo_basins_report {
    double lambda, alpha;
    /** log P at N neurons; NaN without. */
    double log_patterns;
    /** 1 when a pattern is retrieved from its neighbourhood: lambda > lambda_c. */
    int retrieved;
    /** 1 when only the nearest patterns compete: lambda >= lambda_star. */
    int condensed;
    /** Largest angle (radian) between a random query of length sqrt(N) and its pattern; NaN when nothing is
     * retrieved. */
    double theta_c;
    /** The same for every lambda >= lambda_star: beyond it another pattern is nearer. NaN if there is none.
     */
    double theta_star;
    /** Thresholds at this load. */
    double lambda_c, lambda_star;
    /** Free energy of the competing patterns; cos(theta_c) when retrieved. */
    double free_energy;
    /** alpha over alpha_1(lambda): 1 is full. */
    double fraction_of_capacity;
    /** Binary patterns: the shares of flipped bits that go with theta_c and theta_star. NaN otherwise. */
    double flip_fraction, flip_fraction_star;
    /** |x|/sqrt(N) of the state where a query that is not retrieved ends, N to infinity. */
    double lost_radius;

    /** At N neurons and below lambda_star, NaN otherwise. Angle at which one step puts half of the attention
     * on the pattern, and up to which the averaged dynamics come back (300 steps; NaN where they do not
     * settle). */
    double theta_one_step, theta_converged;
    /** Thresholds in lambda at N neurons, as in ireneo_phases_report. */
    double lambda_one_step, lambda_converged;
    /** Gaussian patterns, lambda < 1: chance that one step from a pattern stays there, from the spread of its
     * norm. */
    double retrieval_probability;
} ireneo_basins_report;

/** Basins at point->lambda and point->alpha, or point->patterns with point->neurons. */
IRENEO_API ireneo_error ireneo_dense_basins(const ireneo_dense_point *point, ireneo_basins_report *report);

/** Scaled dot products: lambda = scaled_lambda / N^exponent and P = exp(scaled_alpha N^(1 - exponent)), 0 <
 * exponent < 1. *scaled_alpha is the largest load by the formulas of the limit at lambda, *scaled_alpha_exact
 * by the average at this N; both tend to scaled_lambda, slowly. Either may be NULL. */
IRENEO_API ireneo_error ireneo_dense_scaled(ireneo_ensemble ensemble, double scaled_lambda, double exponent,
                                            double neurons, double *scaled_alpha, double *scaled_alpha_exact);

/* ------------------------------------------------------------------------------------------------------
 * 12. Dense memory: retrieval
 *
 * A dense memory keeps its patterns as they are and answers a query x by moving it, step after step, to a
 * weighted mean of the patterns:
 *     softmax      x' = sum a_mu xi_mu ,  a = softmax(lambda x . xi) ;
 *                  energy  |x|^2 / 2 - (1/lambda) log sum exp(lambda x . xi)
 *     polynomial   a_mu proportional to (x . xi_mu)^(degree - 1) where x . xi_mu > 0, else 0 ;
 *                  energy  log |x| - (1/degree) log sum max(x . xi, 0)^degree
 *     sign         x_i' = sign( sum_{j != i} J_ij x_j ) ,  J = sum xi xi^T / N : Hopfield's classical rule ;
 *                  energy  -1/2 sum_{i != j} J_ij x_i x_j
 * No step raises the energy of the first two; all units of the sign rule move at once and may fall into a
 * cycle of two states. The patterns are streamed: memory grows with patterns + queries, never with their
 * product. Numbers are float32, sums float64; results do not depend on the number of threads.
 * ---------------------------------------------------------------------------------------------------- */

/** How scores become weights. */
typedef enum ireneo_dense_rule {
    IRENEO_RULE_SOFTMAX,
    IRENEO_RULE_POLYNOMIAL,
    IRENEO_RULE_SIGN
} ireneo_dense_rule;

/** A short name such as "softmax". Never NULL. */
IRENEO_API const char *ireneo_dense_rule_name(ireneo_dense_rule rule);

/** How a recall runs. Start from ireneo_recall_defaults() and change what matters. */
typedef struct ireneo_recall_settings {
    /** Default softmax. */
    ireneo_dense_rule rule;
    /** Inverse temperature of softmax, also called beta; 0 < lambda <= 1e30. Default 1. */
    double lambda;
    /** Degree of the polynomial rule, 2 to 1000. Default 4. */
    int degree;
    /** Most steps of a query; 0 only looks at the query. Default 100. */
    size_t steps;
    /** A query has converged when a step moves it by no more than this times the root mean square length of
     * the patterns. Default 1e-5. */
    double tolerance;
    /** Largest weights that are reported for each query. Default 0. */
    size_t top;
    /** Threads; 0: all cores. */
    int threads;
    /** May be NULL. */
    const ireneo_progress *progress;
} ireneo_recall_settings;

/** Where results go: arrays of the caller, or NULL where they are not wanted. */
typedef struct ireneo_recall_result {
    /** (queries, neurons): where the queries went. */
    float *states;
    /** (queries): energy of the query, and of the state it went to (costs half a step more). */
    double *energy_before, *energy_after;
    /** (queries): steps made, and length of the last step over the root mean square length of the patterns.
     */
    size_t *steps;
    double *change;
    /** (queries): 1 when the query converged. */
    unsigned char *converged;
    /** (queries, top): the patterns with the largest scores, falling, and their weights in the last step (in
     * the query itself when no step was asked for); for the sign rule x . xi / N. Where there are fewer than
     * `top` patterns: SIZE_MAX and 0. */
    size_t *top_index;
    double *top_weight;
} ireneo_recall_result;

/** What happened in all. */
typedef struct ireneo_recall_info {
    /** Queries that converged. */
    size_t converged;
    /** Steps of the query that took most, and of all queries together. */
    size_t longest, steps;
    /** Mean of |xi|^2 / N, which is 1 for normalised patterns. */
    double pattern_power;
    double seconds;
} ireneo_recall_info;

IRENEO_API ireneo_recall_settings ireneo_recall_defaults(void);

/** Moves queries (query_count, neurons) over patterns (count, neurons). Patterns without length and entries
 * that are not finite are errors that name the row. info may be NULL. */
IRENEO_API ireneo_error ireneo_dense_recall(const float *patterns, size_t count, size_t neurons,
                                            const float *queries, size_t query_count,
                                            const ireneo_recall_settings *settings,
                                            const ireneo_recall_result *result, ireneo_recall_info *info);

/* ------------------------------------------------------------------------------------------------------
 * 13. Dense memory: simulation
 *
 * One draw stores P random patterns and starts softmax retrieval at, or at an angle from, the first of them.
 * After one step it counts as retrieved when it holds more than half of the attention; after several, when
 * the state ends within `closeness` of it: |x - xi|^2 < closeness |xi|^2. Five ways to make a draw:
 *   - direct: all patterns, made from the random stream again for every pass when they do not fit in memory.
 *   - scalars: one step; exact; only the P overlaps with the query are drawn.
 *   - tail: one step; the largest overlaps exactly, the sum of all others as a Gaussian; any P, also e^3000;
 *     spherical and Gaussian patterns.
 *   - conditioning: many steps; exact; Gaussian patterns; what a step reveals of the patterns is drawn when
 *     it is needed, O(P) numbers a step instead of the P x N matrix.
 *   - hybrid: many steps; spherical patterns; the ones nearest to the start as vectors, the others by their
 *     mean field; any P. docs/dense-simulation.md tells where it holds.
 * A draw is a pure function of (experiment, index): the seed is part of the experiment.
 * ---------------------------------------------------------------------------------------------------- */

/** How a draw is made. */
typedef enum ireneo_dense_method {
    IRENEO_METHOD_DIRECT,
    IRENEO_METHOD_SCALARS,
    IRENEO_METHOD_TAIL,
    IRENEO_METHOD_CONDITIONING,
    IRENEO_METHOD_HYBRID
} ireneo_dense_method;

/** A short name such as "direct". Never NULL. */
IRENEO_API const char *ireneo_dense_method_name(ireneo_dense_method method);

/** What a draw tells. */
typedef enum ireneo_dense_measure {
    /** Whether the pattern is retrieved at this lambda and angle: 1 or 0. */
    IRENEO_MEASURE_PROBABILITY,
    /** The lambda from which on it is retrieved, for this angle; infinity when no lambda is enough. */
    IRENEO_MEASURE_LAMBDA,
    /** The angle up to which it is retrieved, in radians, for this lambda; 0 when it is not even from angle
     * 0.
     */
    IRENEO_MEASURE_ANGLE
} ireneo_dense_measure;

/** A short name such as "lambda". Never NULL. */
IRENEO_API const char *ireneo_dense_measure_name(ireneo_dense_measure measure);

/** Everything a draw depends on. Start from ireneo_dense_experiment_defaults() and change what matters. */
typedef struct ireneo_dense_experiment {
    ireneo_dense_method method;
    ireneo_ensemble ensemble;
    ireneo_dense_measure measure;
    /** N, at least 2 (tail and hybrid: at least 4). */
    size_t neurons;
    /** log P = alpha N. Below 34, P is the nearest whole number, at least 2. */
    double log_patterns;
    /** Inverse temperature; not read when lambda is measured. */
    double lambda;
    /** Angle between the start and the pattern, 0 to pi; not read when the angle is measured. For binary
     * patterns (1 - cos angle) / 2 is the share of flipped entries, rounded to whole entries. */
    double angle;
    /** Most steps; 1: the criterion of one step. Default 1. */
    size_t steps;
    /** Default 0.1. */
    double closeness;
    /** Mean number of patterns kept apart by tail and hybrid. Default 500. */
    double kept;
    /** Where the search of several steps for lambda begins and ends; 0: from the theory. */
    double search_lower, search_upper;
    uint64_t seed;
} ireneo_dense_experiment;

/** What one draw found. */
typedef struct ireneo_dense_draw {
    /** The answer to the measure. */
    double value;
    /** log of (attention of all other patterns / attention of the pattern) in the first step, at the last
     * lambda and angle looked at. */
    double log_ratio;
    /** x . x0 / |x0|^2 after the first step: how much of the start is left. */
    double first_overlap;
    /** x . xi / |xi|^2 at the end, |x| / |xi| at the end, and steps made; after one step of the methods
     * `scalars` and `tail`, which do not know them, NaN. */
    double overlap, length;
    size_t steps;
} ireneo_dense_draw;

/** Many draws in one number: the mean of values (probability) or their median (lambda, angle). */
typedef struct ireneo_dense_summary {
    size_t draws;
    double value;
    /** Standard error: binomial, or from order statistics. */
    double error;
    double seconds;
} ireneo_dense_summary;

IRENEO_API ireneo_dense_experiment ireneo_dense_experiment_defaults(void);

/** Makes draw number `index`, in the calling thread. */
IRENEO_API ireneo_error ireneo_dense_draw_one(const ireneo_dense_experiment *experiment, uint64_t index,
                                              ireneo_dense_draw *draw);

/** Makes draws 0 .. draws - 1 over `threads` threads (0: all cores). all (draws) and progress may be NULL. */
IRENEO_API ireneo_error ireneo_dense_simulate(const ireneo_dense_experiment *experiment, size_t draws,
                                              int threads, const ireneo_progress *progress,
                                              ireneo_dense_draw *all, ireneo_dense_summary *summary);

/* ------------------------------------------------------------------------------------------------------
 * 14. Transformers at initialisation: theory
 *
 * Tokens x_s of width d have overlaps x_s . x_t / d = q for s = t and p otherwise; rho = p / q is their
 * cosine similarity. With W_Q and W_K drawn from N(0, beta sqrt(log T) / d) a row of attention over T keys is
 * a random energy model: for T to infinity it stays spread out below beta_c = sqrt(2 / (q (q - p))), and then
 * all outputs are alike (rank collapse); it condenses on a few keys above (entropy collapse). Results called
 * `..._limit` are this limit; all others are exact at the given T. Entropies are in nats. docs/attention.md.
 * ---------------------------------------------------------------------------------------------------- */

/** One attention layer: what comes in, and how its weights are drawn. */
typedef struct ireneo_attention_input {
    /** Query-key scale: logits of normalised tokens have variance beta^2 log(context). */
    double beta;
    /** T: tokens for which the weights were scaled, 2 to 1e12. */
    double context;
    /** Keys that the row really sees: s for row s under a causal mask, the unpadded tokens otherwise. 0: all.
     */
    double keys;
    /** Overlap of a token with itself and with another, 0 <= p <= q; after LayerNorm q = 1 and p = rho. */
    double q, p;
    /** Variance of W_V times its number of inputs (with an output projection: of the product of the two). */
    double value_variance;
    /** Variance of the value bias, one vector for all tokens. */
    double value_bias_variance;
    /** d, for the terms of order log(T) / d; 0: infinite. */
    size_t width;
    /** Whether the uniform part 1 / T is subtracted from the attention weights. */
    int gain_control;
} ireneo_attention_input;

/** What such a layer does on average. */
typedef struct ireneo_attention_report {
    /** Where the row condenses when T goes to infinity. */
    double beta_c;
    /** Spread of the logits within a row, over sqrt(log keys); the transition is at sqrt 2. */
    double beta_effective;
    /** Participation Y2 = E sum_k A_k^2: one over the number of keys that count. */
    double participation, participation_limit;
    /** E sum_k A_k^3, E sum_k A_k^4 and E (sum_k A_k^2)^2. */
    double y3, y3_limit, y4, y4_limit, y2_squared, y2_squared_limit;
    /** Mean entropy of a row. */
    double entropy, entropy_limit;
    /** O12 = E sum_k A_sk A_tk for two rows; its limit is 0. */
    double overlap;
    /** Powers of T with which participation and overlap vanish in the limit, logarithms left out. */
    double participation_exponent, overlap_exponent;
    /** Overlaps of the output tokens, values applied, no skip. */
    double q_out, p_out, q_out_limit, p_out_limit;
    /** What the finite width adds to q_out and p_out; the second is an estimate. 0 when the width is
     * infinite.
     */
    double finite_width_q, finite_width_p;
    /** E |dL/dW_Q|^2 / (d sqrt(log T) sum_s |dL/do_s|^2), for uncorrelated dL/do_s; |dL/dW_K|^2 is the same.
     */
    double gradient, gradient_limit;
    /** Its floor of order 1 / d, included in `gradient`. */
    double gradient_floor;
} ireneo_attention_report;

/** One layer, exactly and in the limit. Takes a few milliseconds. */
IRENEO_API ireneo_error ireneo_attention_layer(const ireneo_attention_input *input,
                                               ireneo_attention_report *report);

/** Where the LayerNorms are: x <- LN(a x + f(x)) or x <- a x + f(LN x). */
typedef enum ireneo_normalisation { IRENEO_POST_LN, IRENEO_PRE_LN } ireneo_normalisation;

/** The nonlinearity of the MLP. */
typedef enum ireneo_activation { IRENEO_RELU, IRENEO_TANH, IRENEO_GELU } ireneo_activation;

/** Short names, "post" and "relu". Never NULL. */
IRENEO_API const char *ireneo_normalisation_name(ireneo_normalisation normalisation);
IRENEO_API const char *ireneo_activation_name(ireneo_activation activation);

/** A transformer and the scales of its random weights. Fill it with ireneo_transformer_defaults or a preset.
 */
typedef struct ireneo_transformer {
    /** Blocks of attention and MLP. */
    size_t layers;
    size_t width, heads, mlp_width;
    /** Tokens T, and keys that a row sees (0: all). */
    double context, keys;
    ireneo_normalisation normalisation;
    ireneo_activation activation;
    int gain_control;
    /** Query-key scale: entries of W_Q and W_K have variance beta sqrt(log T) / width. */
    double beta;
    /** Variances of the entries times the number of inputs: of W_V (or of W_O W_V), W_1 and W_2. */
    double value_variance, mlp_in_variance, mlp_out_variance;
    /** Variances of the biases. */
    double value_bias_variance, mlp_bias_variance;
    /** Factors on the skip branches around attention and MLP. */
    double residual_attention, residual_mlp;
    /** Cosine similarity of the input tokens. */
    double rho_0;
    /** q of the input tokens; matters for pre-LN only. */
    double q_0;
} ireneo_transformer;

/** Giorlandino and Goldt's Figure 1: 50 post-LN ReLU blocks of width 720, one head, 512 tokens, weight
 * variances 0.2, bias variances 0.0004, residual strengths 1, beta 1, rho_0 0.05. */
IRENEO_API void ireneo_transformer_defaults(ireneo_transformer *transformer);

/** What a named model's usual initialisation amounts to: "bert-base", "gpt2-small" or "vit-b". */
IRENEO_API ireneo_error ireneo_transformer_preset(const char *name, ireneo_transformer *transformer);

/** beta of query and key weights with these standard deviations: std_query std_key width / sqrt(log T). */
IRENEO_API double ireneo_beta_from_std(double std_query, double std_key, double width, double context);

/** How tokens change with depth. Index l counts blocks passed, 0 is the input. */
typedef struct ireneo_propagation {
    size_t layers;
    /** (layers + 1) cosine similarity; 1 - rho, which stays accurate near collapse; q. */
    double *rho, *rho_limit, *distance, *distance_limit, *scale, *scale_limit;
    /** (layers) participation and entropy of attention in block l + 1. */
    double *participation, *participation_limit, *entropy, *entropy_limit;
    /** 1 - rho shrinks by chi = chi_attention chi_mlp per block near rho = 1; for pre-LN at the last block's
     * q.
     */
    double chi, chi_attention, chi_mlp;
    /** -1 / log(chi) blocks; infinite when chi >= 1. */
    double correlation_depth;
    /** Attention residual strength above which rho = 1 is not the end, at infinite depth; may be infinite. */
    double critical_residual;
    /** What free releases. */
    void *block;
} ireneo_propagation;

/** Iterates the block map, exact at T and in the limit. Release with ireneo_propagation_free. */
IRENEO_API ireneo_error ireneo_propagate(const ireneo_transformer *transformer,
                                         ireneo_propagation *propagation);
IRENEO_API void ireneo_propagation_free(ireneo_propagation *propagation);

/** The attention residual strength at which 1 - rho after the last block is `rank_limit`: weaker skips lose
 * more. Exact at T in *residual, in the limit in *residual_limit (either may be NULL). 0 when no skip is
 * needed, infinite when none is strong enough. */
IRENEO_API ireneo_error ireneo_critical_residual(const ireneo_transformer *transformer, double rank_limit,
                                                 double *residual, double *residual_limit);

/** What counts as collapse. Fields that are 0 take their defaults. */
typedef struct ireneo_collapse_settings {
    /** Rank collapse: 1 - rho after the last block is below this. Default 0.05. */
    double rank_limit;
    /** Entropy collapse: the mean entropy of the first block's attention is below this share of log(keys).
     * Default 1/3. In the limit T to infinity the line is beta_c instead. */
    double entropy_limit;
    /** Threads; 0: all cores. */
    int threads;
    /** Progress and cancelling; may be NULL. */
    const ireneo_progress *progress;
} ireneo_collapse_settings;

/** Where a transformer stands between the two collapses. */
typedef struct ireneo_assessment {
    /** Cosine similarity after the last block. */
    double rho, rho_limit;
    /** Entropy, participation and query gradient (as in ireneo_attention_report) of the first block. */
    double entropy, participation, gradient;
    /** The beta of entropy collapse, and how many times larger than the transformer's it is. */
    double beta_line, beta_line_limit, beta_margin;
    /** The attention residual strength of rank collapse, and how many times smaller it is. */
    double residual_line, residual_line_limit, residual_margin;
    int rank_collapse, entropy_collapse;
} ireneo_assessment;

/** Judges a transformer; settings may be NULL. */
IRENEO_API ireneo_error ireneo_assess(const ireneo_transformer *transformer,
                                      const ireneo_collapse_settings *settings,
                                      ireneo_assessment *assessment);

/** One point of the trainability diagram. */
typedef struct ireneo_trainability_cell {
    double beta, residual;
    /** Similarity after the last block. */
    double rho, rho_limit;
    /** Of the first block's attention. */
    double entropy, participation;
    int rank_collapse, entropy_collapse, trainable;
    int rank_collapse_limit, entropy_collapse_limit, trainable_limit;
} ireneo_trainability_cell;

/** The diagram over query-key scale and attention residual strength. */
typedef struct ireneo_trainability {
    size_t betas, residuals;
    /** (betas, residuals) */
    ireneo_trainability_cell *cells;
    /** (betas): the residual strength of rank collapse at each beta. */
    double *rank_line, *rank_line_limit;
    /** The beta of entropy collapse, which does not depend on the residual strength. */
    double beta_line, beta_line_limit;
} ireneo_trainability;

/** Judges a transformer at every beta (beta_count) and attention residual strength (residual_count); its own
 * values of the two do not matter. Release with ireneo_trainability_free. */
IRENEO_API ireneo_error ireneo_trainability_diagram(const ireneo_transformer *transformer,
                                                    const double *betas, size_t beta_count,
                                                    const double *residuals, size_t residual_count,
                                                    const ireneo_collapse_settings *settings,
                                                    ireneo_trainability *diagram);
IRENEO_API void ireneo_trainability_free(ireneo_trainability *diagram);

/** How a recommendation is made. Fields that are 0 take their defaults. */
typedef struct ireneo_recommendation_settings {
    ireneo_collapse_settings collapse;
    /** beta is this many times below the line of entropy collapse. Default 2. */
    double beta_margin;
    /** Share of the input's 1 - rho that must be left after the last block. Default 0.5. */
    double retention;
    /** 0: skips have strength 1 and the branches are made small; 1: branches have unit size and the skips are
     * made strong. */
    int tune_skips;
    /** 1: attention has no output projection W_O. */
    int no_output_projection;
} ireneo_recommendation_settings;

/** Standard deviations of the weights' entries, biases zero, that keep away from both collapses. */
typedef struct ireneo_recommendation {
    /** The architecture with the recommended scales, ready for ireneo_propagate. */
    ireneo_transformer transformer;
    double std_query, std_key, std_value, std_output, std_mlp_in, std_mlp_out;
    /** Factor on the branches (1 when the skips are tuned). */
    double branch_scale;
    ireneo_assessment assessment;
} ireneo_recommendation;

/** Recommends scales for the architecture, the context, rho_0 and q_0 of a transformer; its weight scales and
 * residual strengths do not matter. */
IRENEO_API ireneo_error ireneo_recommend(const ireneo_transformer *transformer,
                                         const ireneo_recommendation_settings *settings,
                                         ireneo_recommendation *recommendation);

/* ------------------------------------------------------------------------------------------------------
 * 15. Transformers at initialisation: real networks
 *
 * An encoder with random weights, run forward and backward, and a small one trained on text: what the theory
 * of section 14 is held against. docs/attention-network.md tells how.
 * ---------------------------------------------------------------------------------------------------- */

/** How ireneo_attention_simulate measures. */
typedef struct ireneo_network_settings {
    /** Independent networks and inputs; 0: 10. */
    size_t draws;
    /** 1: a token sees only itself and those before it. */
    int causal;
    /** 1: leave out the backward pass; gradients are NaN then. */
    int forward_only;
    uint64_t seed;
    /** 0: all cores. The result does not depend on it. */
    int threads;
    const ireneo_progress *progress;
} ireneo_network_settings;

/** A mean over draws and its standard error (NaN for a single draw). */
typedef struct ireneo_estimate {
    double mean, error;
} ireneo_estimate;

/** What was measured at one depth: 0 is the input, l the output of block l. */
typedef struct ireneo_network_depth {
    /** Mean cosine between different tokens, and mean squared length of a token over the width. */
    ireneo_estimate rho, q;
    /** Of the attention rows of block l (NaN at depth 0): sum of squares; entropy in nats; sum over keys of
     * the product of two different rows. */
    ireneo_estimate participation, entropy, overlap;
    /** Squared norms of gradients over that of the (random) gradient at the output: with respect to the
     * tokens at this depth, and to the weights of block l (NaN at depth 0). */
    ireneo_estimate gradient_tokens, gradient_query, gradient_key, gradient_value, gradient_mlp_in,
        gradient_mlp_out;
} ireneo_network_depth;

/** Random networks fed with Gaussian tokens of overlap rho_0 and squared length q_0; depths is (layers + 1).
 */
IRENEO_API ireneo_error ireneo_attention_simulate(const ireneo_transformer *transformer,
                                                  const ireneo_network_settings *settings,
                                                  ireneo_network_depth *depths);

/** The law for gradient_tokens at every depth (layers + 1), post-LN: grows towards the input when attention
 * is condensed. Leading order in the width, for token gradients that stay independent; keeps within a few per
 * cent a block while tokens are far from alike. */
IRENEO_API ireneo_error ireneo_gradient_depth(const ireneo_transformer *transformer, double *gradient);

enum { IRENEO_CURVE_POINTS = 20 };

/** How ireneo_attention_train learns. Zero-initialise it and fill what matters. */
typedef struct ireneo_network_training_settings {
    /** Steps of Adam, 0: 1000; sequences a step, 0: 16. */
    size_t steps, batch;
    /** Steps until the rate is reached, then it falls linearly to 0 at the last step; 0: a tenth of the
     * steps.
     */
    size_t warmup;
    /** Largest learning rate, 0: 0.001. */
    double rate;
    /** Share of positions that are masked and predicted, 0: 0.2. */
    double mask;
    /** Gradients longer than this are shortened to it; 0: 1, negative: never. */
    double clip;
    /** 1: the output matrix is that of the token embeddings. */
    int tied;
    uint64_t seed;
    /** 0: all cores. The result does not depend on it. */
    int threads;
    /** The stage holds the present loss. */
    const ireneo_progress *progress;
} ireneo_network_training_settings;

/** How a training run ended. Losses are mean cross-entropies of masked symbols in nats. */
typedef struct ireneo_network_training_report {
    /** Different bytes in the text; numbers that were trained. */
    size_t symbols, parameters;
    /** Steps made; fewer than asked for when the loss became infinite or NaN, and diverged is 1 then. */
    size_t steps;
    int diverged;
    /** Entropy of the bytes' frequencies: the best loss without a look at the neighbours. */
    double unigram_entropy;
    /** Mean over the last tenth of the steps, and on the last tenth of the text, which is not trained on. */
    double final_loss, held_out_loss;
    /** What prediction by the frequencies of the whole text loses at the masked positions of that last tenth.
     */
    double held_out_unigram;
    /** Mean loss over each twentieth of the steps; NaN where there were none. */
    double curve[IRENEO_CURVE_POINTS];
    /** Mean cosine between tokens of a sequence of the text at the input and at the output of the network,
     * and mean entropy of attention rows in the first layer and in all layers: before training and after. */
    double rho_0_before, rho_before, entropy_first_before, entropy_before;
    double rho_0_after, rho_after, entropy_first_after, entropy_after;
    double seconds;
} ireneo_network_training_report;

/** Trains the transformer to fill masked positions of a text (length bytes). */
IRENEO_API ireneo_error ireneo_attention_train(const ireneo_transformer *transformer, const void *text,
                                               size_t length,
                                               const ireneo_network_training_settings *settings,
                                               ireneo_network_training_report *report);

/** The same with the text in a file. */
IRENEO_API ireneo_error ireneo_attention_train_file(const ireneo_transformer *transformer, const char *path,
                                                    const ireneo_network_training_settings *settings,
                                                    ireneo_network_training_report *report);

#ifdef __cplusplus
}
#endif

#endif
