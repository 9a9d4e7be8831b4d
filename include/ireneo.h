/* Ireneo: the memory of neural networks.
 *
 * This header is the whole public interface. It reads top to bottom:
 *
 *   1. Errors, progress, version           what every call shares
 *   2. Arrays on disk                      .npy and .safetensors
 *   3. Random numbers                      functions of (seed, stream, index)
 *   4. Linear memory: the capacity law     how many facts fit
 *   5. Transformers at initialisation: theory    which weight scales keep the signal alive
 *   6. Transformers at initialisation: real networks    simulation, and training on text
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

/** Uniform on (0, 1), 53 bits, in float64. */
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
    /** Margin by which targets must win, in units of |W|_F / sqrt(dim_out): the spread of the scores of
     * unit-variance data. */
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
 * 5. Transformers at initialisation: theory
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
 * 6. Transformers at initialisation: real networks
 *
 * An encoder with random weights, run forward and backward, and a small one trained on text: what the theory
 * of section 5 is held against. docs/attention-network.md tells how.
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
    /** What prediction by the frequencies of the whole text would lose on that last tenth. */
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
