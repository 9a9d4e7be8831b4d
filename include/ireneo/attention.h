/* Transformers at initialisation: which weight scales keep the signal alive, and networks to see it. */
#ifndef IRENEO_ATTENTION_H
#define IRENEO_ATTENTION_H

#include "ireneo/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ===== Simple ========================================================================================
 * a transformer, where it stands, which scales to choose */

/* ------------------------------------------------------------------------------------------------------
 * 1. A transformer and its judgement
 *
 * Tokens x_s of width d have overlaps x_s . x_t / d = q for s = t and p otherwise; rho = p / q is their
 * cosine similarity. With W_Q and W_K drawn from N(0, beta sqrt(log T) / d) a row of attention over T keys is
 * a random energy model: for T to infinity it stays spread out below beta_c = sqrt(2 / (q (q - p))), and then
 * all outputs are alike (rank collapse); it condenses on a few keys above (entropy collapse). Results called
 * `..._limit` are this limit; all others are exact at the given T. Entropies are in nats. docs/attention.md.
 * ---------------------------------------------------------------------------------------------------- */

/** Where the norms are, for a branch f and skip strength a. */
typedef enum ireneo_normalisation {
    /** x <- LN(a x + f(x)) */
    IRENEO_NORMALISATION_POST,
    /** x <- a x + f(LN x) */
    IRENEO_NORMALISATION_PRE,
    /** x <- a x + f(x) */
    IRENEO_NORMALISATION_NONE,
    /** x <- a x + g LN f(x), as OLMo 2 */
    IRENEO_NORMALISATION_BRANCH,
    /** x <- a x + g LN f(LN x), as Gemma and Peri-LN */
    IRENEO_NORMALISATION_SANDWICH
} ireneo_normalisation;

/** The nonlinearity of the MLP: W_2 phi(W_1 x), or gated, W_2 (phi(W_g x) * W_1 x) for the three last. */
typedef enum ireneo_activation {
    IRENEO_ACTIVATION_RELU,
    IRENEO_ACTIVATION_TANH,
    IRENEO_ACTIVATION_GELU,
    IRENEO_ACTIVATION_SILU,
    IRENEO_ACTIVATION_REGLU,
    IRENEO_ACTIVATION_GEGLU,
    IRENEO_ACTIVATION_SWIGLU
} ireneo_activation;

/** "post", "pre", "none", "branch" or "sandwich". Never NULL. */
IRENEO_API const char *ireneo_normalisation_name(ireneo_normalisation normalisation);

/** "relu", "tanh", "gelu", "silu", "reglu", "geglu" or "swiglu". Never NULL. */
IRENEO_API const char *ireneo_activation_name(ireneo_activation activation);

/** A transformer and the scales of its random weights. Fill it with ireneo_transformer_defaults or a preset. */
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
    /** q of the input tokens; matters where the stream is not normalised, in all but post-LN. */
    double q_0;
    /** 1: token s sees only itself and those before it. */
    int causal;
    /** 1: norms divide by the root mean square and do not take the mean away. */
    int rms_norm;
    /** 1: attention and MLP read the same tokens and are added together, as in GPT-J and PaLM; the one skip has the
     * strength residual_attention. */
    int parallel;
    /** 1: a network has a matrix W_O of its own; value_variance is that of the product W_O W_V either way. */
    int output_projection;
    /** Heads of keys and values, which groups of query heads share; 0: as many as heads. */
    size_t key_heads;
    /** Width of a head; 0: width / heads. */
    size_t head_width;
    /** Keys that a row sees at most, the last ones; 0: no window. */
    double window;
    /** g of the norm on a branch's output (branch and sandwich); 0: 1. */
    double branch_gain;
    /** Variance of the gate matrix W_g times its inputs, for gated activations; 0: that of W_1. */
    double mlp_gate_variance;
    /** Queries and keys are rotated by their positions with this base; 0: not at all. */
    double rope_base;
    /** Queries and keys are normalised, and this is the product of their gains; beta has no say then. 0: not. */
    double query_key_norm;
    /** Logits x become c tanh(x / c); 0: not. */
    double soft_cap;
    uint64_t reserved[4];
} ireneo_transformer;

/** Giorlandino and Goldt's Figure 1: 50 post-LN ReLU blocks of width 720, one head, 512 tokens, weight
 * variances 0.2, bias variances 0.0004, residual strengths 1, beta 1, rho_0 0.05. */
IRENEO_API void ireneo_transformer_defaults(ireneo_transformer *transformer);

/** What a named model's usual initialisation amounts to: "bert-base", "gpt2-small", "gpt2-xl", "vit-b", "llama-3-8b", "qwen-3",
 * "gemma-3", "olmo-2" or "deepnorm"; or "small", the network that ireneo_attention_train is tried on: 24 post-LN ReLU blocks of
 * width 64, 4 heads, 32 tokens, beta 0.5, attention residual strength 2, rho_0 0.04. docs/attention-models.md has the numbers. */
IRENEO_API ireneo_error ireneo_transformer_preset(const char *name, ireneo_transformer *transformer);

/** Sets beta and the variances to what one standard deviation of all weight matrices amounts to, at the transformer's
 * sizes and context, and the variances of the biases to 0. preset: whose way is followed, as gpt2-small divides the
 * matrices that write into the stream by sqrt(2 layers); NULL: none does. std 0: 0.02, as presets have, or the numbers of
 * deepnorm or small, with their skips. With no_output_projection the values pass W_V alone, otherwise W_O too. */
IRENEO_API ireneo_error ireneo_transformer_set_std(ireneo_transformer *transformer, const char *preset,
                                                   double std, int no_output_projection);

/** Standard deviations of the entries of a block's weight matrices. */
typedef struct ireneo_block_deviations {
    /** W_Q, W_K, W_V, and W_O (0: there is none). */
    double query, key, value, output;
    /** The gate of a gated MLP (0 otherwise), W_1 and W_2. */
    double mlp_gate, mlp_in, mlp_out;
} ireneo_block_deviations;

/** Sets beta and the variances to what these amount to, the variances of the biases to 0, and output_projection. */
IRENEO_API ireneo_error ireneo_transformer_set_deviations(ireneo_transformer *transformer,
                                                          const ireneo_block_deviations *std);

/** What a config.json of Hugging Face says about a transformer. */
typedef struct ireneo_transformer_config {
    /** The architecture, with the weights that initializer_range amounts to. */
    ireneo_transformer transformer;
    /** initializer_range, or 0.02; rows of the embedding, 0 when it is not said. */
    double std;
    size_t vocabulary;
    /** "llama", "gpt2", ... */
    char model_type[32];
    /** Fields that are not understood, separated by ", "; "..." at the end of a list that is too long. */
    char unknown[512];
    /** What is understood and not part of the model here; "" when all is. */
    char note[256];
    uint64_t reserved[4];
} ireneo_transformer_config;

/** Reads a config.json; docs/attention-models.md lists the types of models. A field that is missing, or that contradicts
 * another, is IRENEO_ERROR_DATA. */
IRENEO_API ireneo_error ireneo_transformer_read_config(const char *path, ireneo_transformer_config *config);

/** beta of query and key weights with these standard deviations: std_query std_key width / sqrt(log T). */
IRENEO_API double ireneo_beta_from_std(double std_query, double std_key, double width, double context);

/** What counts as collapse. Zero-initialised settings, or NULL, are the defaults. */
typedef struct ireneo_attention_collapse_settings {
    /** Rank collapse: 1 - rho after the last block is below this; 0: 0.001. */
    double rank_limit;
    /** Entropy collapse: the mean entropy of the first block's attention is below this share of log(keys);
     * 0: 1/3. In the limit T to infinity the line is beta_c instead. */
    double entropy_limit;
    /** Gradients explode: |dL/dx|^2 |x|^2 grows by more than this from the last block to the first; 0: 1000 in
     * post-LN, 1e5 elsewhere. */
    double growth_limit;
    /** Learning rate of Adam that is asked about; 0: none, and only the largest safe one is told. */
    double rate;
    /** Steps at that rate, to judge whether it is too small to learn anything by; 0: that is not asked. */
    double steps;
    /** Threads; 0: all cores. */
    int threads;
    /** NULL: none. */
    const ireneo_progress *progress;
    uint64_t reserved[4];
} ireneo_attention_collapse_settings;

/** Where a transformer stands between the two collapses. */
typedef struct ireneo_attention_assessment {
    /** Cosine similarity after the last block. */
    double rho, rho_limit;
    /** Entropy, participation and query gradient (as in ireneo_attention_report) of the first block. */
    double entropy, participation, gradient;
    /** The beta of entropy collapse, and how many times larger than the transformer's it is. */
    double beta_line, beta_line_limit, beta_margin;
    /** The attention residual strength of rank collapse, and how many times smaller it is. */
    double residual_line, residual_line_limit, residual_margin;
    int rank_collapse, entropy_collapse;
    /** |dL/dx|^2 |x|^2 at the input over that at the output, by the law of ireneo_attention_gradient_depth; what a
     * step of Adam at the rate asked for changes (0 without one), see docs/attention-network.md; and the largest
     * rate at which that is still learning. NaN for blocks whose law is not known. */
    double growth, update, safe_rate;
    int gradients_explode, rate_too_large, rate_too_small;
    /** Nothing of this stands in the way: not rank, nor gradients, nor the rate. Where the law of gradients is
     * not known, entropy collapse stands for it. */
    int trainable;
    uint64_t reserved[4];
} ireneo_attention_assessment;

/** Judges a transformer; settings may be NULL. */
IRENEO_API ireneo_error ireneo_attention_assess(const ireneo_transformer *transformer,
                                                const ireneo_attention_collapse_settings *settings,
                                                ireneo_attention_assessment *assessment);

/** How a recommendation is made. Zero-initialised settings, or NULL, are the defaults. */
typedef struct ireneo_attention_recommend_settings {
    ireneo_attention_collapse_settings collapse;
    /** beta is this many times below the line of entropy collapse; 0: 7. */
    double beta_margin;
    /** Share of the input's 1 - rho that must be left after the last block; 0: 0.99. */
    double retention;
    /** 1: branches have unit size and the skips are made strong; -1: skips have strength 1 and the branches are
     * made small; 0: in post-LN the skips are made for a learning rate of 0.003 at width 64, which falls as one
     * over the width, and then the branches small; elsewhere as -1, and tokens that enter with a smaller q_0 than 1
     * are recommended to have q_0 = 1. */
    int tune_skips;
    /** 1: attention has no output projection W_O. */
    int no_output_projection;
    uint64_t reserved[4];
} ireneo_attention_recommend_settings;

/** Standard deviations of the weights' entries, biases zero, that keep away from both collapses. */
typedef struct ireneo_attention_recommendation {
    /** The architecture with the recommended scales, ready for ireneo_attention_propagate. */
    ireneo_transformer transformer;
    double std_query, std_key, std_value, std_output, std_mlp_in, std_mlp_out;
    /** Factor on the branches (1 when the skips are tuned). */
    double branch_scale;
    ireneo_attention_assessment assessment;
    uint64_t reserved[4];
} ireneo_attention_recommendation;

/** Recommends scales for the architecture, the context, rho_0 and q_0 of a transformer; its weight scales and
 * residual strengths do not matter. */
IRENEO_API ireneo_error ireneo_attention_recommend(const ireneo_transformer *transformer,
                                                   const ireneo_attention_recommend_settings *settings,
                                                   ireneo_attention_recommendation *recommendation);

enum { IRENEO_CONVENTIONS = 5 };

/** A usual way to draw the weights of an architecture, and what follows. */
typedef struct ireneo_attention_convention {
    /** "gpt2", "bert", "deepnorm", "mup" or "torch" (torch.nn.Linear as it comes). */
    char name[16];
    ireneo_block_deviations std;
    /** The architecture with these scales; deepnorm puts its norms after the sum. */
    ireneo_transformer transformer;
    /** Similarity after the last block, and 1 - rho; entropy of the first block's attention. NaN where the theory does not
     * know the block. */
    double rho, distance, entropy;
    uint64_t reserved[4];
} ireneo_attention_convention;

/** What others do for this architecture: fills IRENEO_CONVENTIONS rows. The transformer's own scales do not matter. */
IRENEO_API ireneo_error ireneo_attention_conventions(const ireneo_transformer *transformer,
                                                     int no_output_projection,
                                                     ireneo_attention_convention *conventions);

/* ===== Advanced ======================================================================================
 * depth by depth, layer by layer, diagrams, real networks */

/* ------------------------------------------------------------------------------------------------------
 * 2. Depth, one layer, the diagram
 * ---------------------------------------------------------------------------------------------------- */

/** How tokens change with depth. Index l counts blocks passed, 0 is the input. */
typedef struct ireneo_attention_propagation {
    size_t layers;
    /** (layers + 1) cosine similarity; 1 - rho, which stays accurate near collapse; q. */
    double *rho, *rho_limit, *distance, *distance_limit, *scale, *scale_limit;
    /** (layers) participation and entropy of attention in block l + 1. */
    double *participation, *participation_limit, *entropy, *entropy_limit;
    /** 1 - rho shrinks by chi = chi_attention chi_mlp per block near rho = 1; for pre-LN at the last block's
     * q. */
    double chi, chi_attention, chi_mlp;
    /** -1 / log(chi) blocks; infinite when chi >= 1. */
    double correlation_depth;
    /** Attention residual strength above which rho = 1 is not the end, at infinite depth; may be infinite. */
    double critical_residual;
    /** (layers + 1) under a causal mask: similarity within the first and the last quarter of the rows; then rho and
     * all others are means over rows, and limits those without the mask. Without a mask: rho. */
    double *rho_early, *rho_late;
    /** What free releases. */
    void *block;
    uint64_t reserved[4];
} ireneo_attention_propagation;

/** Iterates the block map, exact at T and in the limit. Release with ireneo_attention_propagation_free. */
IRENEO_API ireneo_error ireneo_attention_propagate(const ireneo_transformer *transformer,
                                                   ireneo_attention_propagation *propagation);

/** The same, where rho, distance, scale, participation and entropy are of the last `last` rows only (0: of all), as
 * ireneo_attention_simulate measures them; without a causal mask all rows are alike. */
IRENEO_API ireneo_error ireneo_attention_propagate_last(const ireneo_transformer *transformer, double last,
                                                        ireneo_attention_propagation *propagation);

/** Releases what a propagation holds, and empties it. */
IRENEO_API void ireneo_attention_propagation_free(ireneo_attention_propagation *propagation);

/** The attention residual strength at which 1 - rho after the last block is `rank_limit`: weaker skips lose
 * more. Exact at T in *residual, in the limit in *residual_limit (either may be NULL). 0 when no skip is
 * needed, infinite when none is strong enough. */
IRENEO_API ireneo_error ireneo_attention_critical_residual(const ireneo_transformer *transformer,
                                                           double rank_limit, double *residual,
                                                           double *residual_limit);

/** One attention layer: what comes in, and how its weights are drawn. */
typedef struct ireneo_attention_input {
    /** Query-key scale: logits of normalised tokens have variance beta^2 log(context). */
    double beta;
    /** T: tokens for which the weights were scaled, 2 to 1e12. */
    double context;
    /** Keys that the row really sees: s for row s under a causal mask, the unpadded tokens otherwise. 0: all. */
    double keys;
    /** Overlap of a token with itself and with another, 0 <= p <= q; after LayerNorm q = 1 and p = rho. q 0: 1. */
    double q, p;
    /** Variance of W_V times its number of inputs (with an output projection: of the product of the two). */
    double value_variance;
    /** Variance of the value bias, one vector for all tokens. */
    double value_bias_variance;
    /** d, for the terms of order log(T) / d; 0: infinite. */
    size_t width;
    /** Whether the uniform part 1 / T is subtracted from the attention weights. */
    int gain_control;
    /** As in ireneo_transformer; zero is without. Under a norm of queries and keys only `gradient` knows beta, the scale of the weights
     * before the norm (0: g / sqrt(log T)). */
    double window, rope_base, query_key_norm, soft_cap;
    /** Width of a head, for rotary positions and the norm of queries and keys; 0: d, one head. */
    size_t head_width;
    uint64_t reserved[4];
} ireneo_attention_input;

/** What such a layer does on average. */
typedef struct ireneo_attention_report {
    /** Where the row condenses when T goes to infinity: infinite under a cap; with a norm of queries and keys that of g / sqrt(log T). */
    double beta_c;
    /** Spread of the logits within a row, over sqrt(log keys); the transition is at sqrt 2. Under a cap the spread that has the same
     * participation. */
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
     * infinite. */
    double finite_width_q, finite_width_p;
    /** E |dL/dW_Q|^2 / (d sqrt(log T) sum_s |dL/do_s|^2), for uncorrelated dL/do_s; |dL/dW_K|^2 is the same. */
    double gradient, gradient_limit;
    /** Its floor of order 1 / d, included in `gradient`. */
    double gradient_floor;
    uint64_t reserved[4];
} ireneo_attention_report;

/** One layer, exactly and in the limit. Takes a few milliseconds. */
IRENEO_API ireneo_error ireneo_attention_layer(const ireneo_attention_input *input,
                                               ireneo_attention_report *report);

/** One point of the trainability diagram. */
typedef struct ireneo_attention_trainability_cell {
    double beta, residual;
    /** Similarity after the last block. */
    double rho, rho_limit;
    /** Of the first block's attention. */
    double entropy, participation;
    /** As in ireneo_attention_assessment. */
    double growth, update, safe_rate;
    int gradients_explode, rate_too_large, rate_too_small;
    int rank_collapse, entropy_collapse, trainable;
    /** Trainable in the limit: neither collapse; gradients and rates are not judged there. */
    int rank_collapse_limit, entropy_collapse_limit, trainable_limit;
} ireneo_attention_trainability_cell;

/** The diagram over query-key scale and attention residual strength. */
typedef struct ireneo_attention_trainability {
    size_t betas, residuals;
    /** (betas, residuals) */
    ireneo_attention_trainability_cell *cells;
    /** (betas): the residual strength of rank collapse at each beta. */
    double *rank_line, *rank_line_limit;
    /** The beta of entropy collapse, which does not depend on the residual strength. */
    double beta_line, beta_line_limit;
    uint64_t reserved[4];
} ireneo_attention_trainability;

/** Judges a transformer at every beta (beta_count) and attention residual strength (residual_count); its own
 * values of the two do not matter. Release with ireneo_attention_trainability_free. */
IRENEO_API ireneo_error ireneo_attention_trainability_diagram(
    const ireneo_transformer *transformer, const double *betas, size_t beta_count, const double *residuals,
    size_t residual_count, const ireneo_attention_collapse_settings *settings,
    ireneo_attention_trainability *diagram);

/** Releases what a diagram holds, and empties it. */
IRENEO_API void ireneo_attention_trainability_free(ireneo_attention_trainability *diagram);

/* ------------------------------------------------------------------------------------------------------
 * 3. Real networks
 *
 * A transformer with random weights, run forward and backward, and a small one trained on text: what the
 * theory of sections 1 and 2 is held against. docs/attention-network.md tells how.
 * ---------------------------------------------------------------------------------------------------- */

/** Text as token ids, (sequences, length), row after row; one sequence is a stream. Negative ids are padding: they are left out before
 * anything else, so that such a position is no key, no query and in no mean. */
typedef struct ireneo_attention_tokens {
    const int64_t *ids;
    size_t sequences, length;
    /** What close releases. */
    void *block;
    uint64_t reserved[4];
} ireneo_attention_tokens;

/** Reads ids from a location of whole numbers with one axis (a stream) or two (sequences), up to 2^31 - 1. `padding`: the id that
 * stands for padding, and no other may be negative then; NULL: all negative ones do. Release with
 * ireneo_attention_tokens_close; on failure tokens is empty. */
IRENEO_API ireneo_error ireneo_attention_tokens_open(const char *location, const int64_t *padding,
                                                     ireneo_attention_tokens *tokens);
IRENEO_API void ireneo_attention_tokens_close(ireneo_attention_tokens *tokens);

/** Tokens that a draw of ireneo_attention_simulate sees, on average over so many draws. */
IRENEO_API ireneo_error ireneo_attention_tokens_keys(const ireneo_attention_tokens *tokens, double context,
                                                     size_t draws, double *keys);

/** How ireneo_attention_simulate measures. Zero-initialised settings, or NULL, are the defaults. */
typedef struct ireneo_attention_simulate_settings {
    /** Independent networks and inputs; 0: 10. */
    size_t draws;
    /** 1: leave out the backward pass; gradients are NaN then. */
    int forward_only;
    uint64_t seed;
    /** 0: all cores. The result does not depend on it. */
    int threads;
    /** NULL: none. */
    const ireneo_progress *progress;
    /** NULL: Gaussian tokens of overlap rho_0. Otherwise draw k reads window k of the text: every sequence is cut into windows of
     * `context` tokens, and a shorter sequence is one itself. An id has a Gaussian vector, the same wherever it stands, drawn anew for every
     * draw; overlaps come from the text, and rho_0 has no say. Weights are scaled for `context` tokens all the same. */
    const ireneo_attention_tokens *tokens;
    /** Standard deviation of the Gaussian vectors of positions, over that of ids; 0: 1, or none with rotary positions; negative: none. */
    double positions;
    /** rho, q, participation and entropy are of the last so many tokens only; 0: of all. For causal networks, whose first rows see few
     * keys. */
    size_t last;
    uint64_t reserved[4];
} ireneo_attention_simulate_settings;

/** A mean over draws and its standard error (NaN for a single draw). */
typedef struct ireneo_attention_estimate {
    double mean, error;
} ireneo_attention_estimate;

/** What was measured at one depth: 0 is the input, l the output of block l. */
typedef struct ireneo_attention_depth {
    /** Mean cosine between different tokens, and mean squared length of a token over the width. */
    ireneo_attention_estimate rho, q;
    /** Of the attention rows of block l (NaN at depth 0): sum of squares; entropy in nats; sum over keys of
     * the product of two different rows. */
    ireneo_attention_estimate participation, entropy, overlap;
    /** Squared norms of gradients over that of the (random) gradient at the output: with respect to the
     * tokens at this depth, and to the weights of block l (NaN at depth 0). */
    ireneo_attention_estimate gradient_tokens, gradient_query, gradient_key, gradient_value, gradient_mlp_in,
        gradient_mlp_out;
    /** rho among the first and among the last tokens of a sequence, which differ under a causal mask: `last` of them,
     * or a quarter. */
    ireneo_attention_estimate rho_early, rho_late;
    /** Gradients of the output projection and of the gate; NaN where there is none. */
    ireneo_attention_estimate gradient_output, gradient_mlp_gate;
} ireneo_attention_depth;

/** Random networks fed with Gaussian tokens of overlap rho_0, or with a text, and squared length q_0; depths is
 * (layers + 1). settings may be NULL. */
IRENEO_API ireneo_error ireneo_attention_simulate(const ireneo_transformer *transformer,
                                                  const ireneo_attention_simulate_settings *settings,
                                                  ireneo_attention_depth *depths);

/** The law for gradient_tokens at every depth (layers + 1): grows towards the input when attention is
 * condensed. Leading order in the width, for token gradients that stay independent; keeps within a few per
 * cent a block while tokens are far from alike. */
IRENEO_API ireneo_error ireneo_attention_gradient_depth(const ireneo_transformer *transformer,
                                                        double *gradient);

enum { IRENEO_CURVE_POINTS = 20 };

/** How ireneo_attention_train learns. Zero-initialised settings, or NULL, are the defaults. */
typedef struct ireneo_attention_train_settings {
    /** Steps of Adam, 0: 1000; sequences a step, 0: 24. */
    size_t steps, batch;
    /** Steps until the rate is reached, then it falls linearly to 0 at the last step; 0: a tenth of the
     * steps. */
    size_t warmup;
    /** Largest learning rate, 0: 0.001. */
    double rate;
    /** Share of positions that an encoder's text has masked, and predicted, 0: 0.2. A decoder (causal) predicts
     * the symbol after each of its own. */
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
    uint64_t reserved[4];
} ireneo_attention_train_settings;

/** How a training run ended. Losses are mean cross-entropies of the symbols asked for, in nats. */
typedef struct ireneo_attention_train_report {
    /** Different bytes or ids in the text; numbers that were trained. */
    size_t symbols, parameters;
    /** Steps made; fewer than asked for when the loss became infinite or NaN, and diverged is 1 then. */
    size_t steps;
    int diverged;
    /** Entropy of the symbols' frequencies: the best loss without a look at the neighbours. */
    double unigram_entropy;
    /** Mean over the last tenth of the steps, and on the last tenth of the text, which is not trained on. */
    double final_loss, held_out_loss;
    /** What prediction by the frequencies of the whole text loses at the same positions of that last tenth. */
    double held_out_unigram;
    /** What prediction by the symbol before loses there, for a decoder: the skips alone carry that much. NaN for
     * an encoder. More than 4096 symbols: NaN. */
    double held_out_bigram;
    /** Mean loss over each twentieth of the steps; NaN where there were none. */
    double curve[IRENEO_CURVE_POINTS];
    /** Mean cosine between tokens of a sequence of the text at the input and at the output of the network,
     * and mean entropy of attention rows in the first layer and in all layers: before training and after. */
    double rho_0_before, rho_before, entropy_first_before, entropy_before;
    double rho_0_after, rho_after, entropy_first_after, entropy_after;
    double seconds;
    uint64_t reserved[4];
} ireneo_attention_train_report;

/** Trains the transformer on a text (length bytes): to fill masked positions, or, when it is causal, to predict
 * what follows. settings may be NULL. */
IRENEO_API ireneo_error ireneo_attention_train(const ireneo_transformer *transformer, const void *text,
                                               size_t length, const ireneo_attention_train_settings *settings,
                                               ireneo_attention_train_report *report);

/** The same over the ids of a text instead of its bytes: those that occur are the symbols. Sequences are put one after the other. */
IRENEO_API ireneo_error ireneo_attention_train_tokens(const ireneo_transformer *transformer,
                                                      const ireneo_attention_tokens *tokens,
                                                      const ireneo_attention_train_settings *settings,
                                                      ireneo_attention_train_report *report);

/** The same as ireneo_attention_train with the text in a file. */
IRENEO_API ireneo_error ireneo_attention_train_file(const ireneo_transformer *transformer, const char *path,
                                                    const ireneo_attention_train_settings *settings,
                                                    ireneo_attention_train_report *report);

/* ------------------------------------------------------------------------------------------------------
 * 4. Models on disk
 *
 * Where the weights of a model in .safetensors files stand: as if their entries were independent numbers of the standard
 * deviations that they have. docs/attention-models.md.
 * ---------------------------------------------------------------------------------------------------- */

/** How ireneo_attention_diagnose reads a model. Zero-initialised settings, or NULL, are the defaults. */
typedef struct ireneo_attention_diagnose_settings {
    /** The model's config.json; NULL: what names and shapes tell. */
    const char *config;
    /** Location of whole numbers (sequences, tokens), ids of tokens with -1 as padding, whose vectors are measured; NULL:
     * all tokens of the embedding. */
    const char *tokens;
    /** Tokens T; 0: those of the longest sequence, or what the configuration or the position vectors say, or 1024. */
    double context;
    /** 1: layers named as in torch.nn.TransformerEncoder were made with norm_first, which their names do not tell. */
    int norm_first;
    /** A layer is near a line that is less than this factor away; 0: 1.5. */
    double near;
    /** What counts as collapse; also threads and progress. */
    ireneo_attention_collapse_settings collapse;
    uint64_t reserved[4];
} ireneo_attention_diagnose_settings;

/** One layer. What it lacks is NaN. */
typedef struct ireneo_attention_layer_scales {
    /** Of the entries as they are in the file. */
    ireneo_block_deviations std;
    /** What they amount to behind the gains of the norms before them. */
    double beta, value_variance, mlp_in_variance, mlp_gate_variance, mlp_out_variance;
    double value_bias_variance, mlp_bias_variance;
    /** Strengths of the skips: gains of the norms that they come from in post-LN, 1 otherwise. */
    double residual_attention, residual_mlp;
    /** Gains of the norms of queries and keys, and of the norms behind the branches; 0 without them. */
    double query_key_norm, branch_gain;
    /** Tokens after this layer of this model, and the entropy of its attention. */
    double rho, q, entropy;
    /** Where the lines are for a model all of whose layers are like this one, and how many times away; below 1 they are
     * passed. */
    double beta_line, beta_margin, residual_line, residual_margin;
    /** Whether all matrices are there; whether a line is near. */
    int complete, near_entropy, near_rank;
} ireneo_attention_layer_scales;

/** A model on the diagram. */
typedef struct ireneo_attention_diagnosis {
    /** The architecture, with means of the layers' scales, and rho_0 and q_0 as measured. */
    ireneo_transformer transformer;
    ireneo_attention_assessment assessment;
    size_t layers;
    /** (layers) */
    ireneo_attention_layer_scales *scales;
    /** Measured: mean cosine, which may be below zero, and mean square of the input; NaN without an embedding. */
    double rho_0, q_0;
    /** Rows of the embedding; tokens that were measured, padding left out. */
    size_t vocabulary, tokens;
    /** Whose names the tensors have: "llama", "gpt2", "bert", "vit", "timm" or "torch"; model_type of a configuration. */
    char family[32];
    /** (unknown_count) names of tensors that are not understood. */
    const char *const *unknown;
    size_t unknown_count;
    /** Fields of the configuration that are not understood; what was assumed or left out; why nothing was judged, "" when
     * all was. */
    char unknown_fields[512], note[512], refusal[256];
    /** What free releases. */
    void *block;
    uint64_t reserved[4];
} ireneo_attention_diagnosis;

/** Reads a model: a .safetensors file, or the .index.json of several. Each tensor is read once, in blocks. Tensors with
 * unknown names are listed and not guessed at; where the theory does not cover the architecture the scales are there and
 * the judgement is not. settings may be NULL. Release with ireneo_attention_diagnosis_free. */
IRENEO_API ireneo_error ireneo_attention_diagnose(const char *model,
                                                  const ireneo_attention_diagnose_settings *settings,
                                                  ireneo_attention_diagnosis *diagnosis);

/** Releases what a diagnosis holds, and empties it. */
IRENEO_API void ireneo_attention_diagnosis_free(ireneo_attention_diagnosis *diagnosis);

#ifdef __cplusplus
}
#endif

#endif
