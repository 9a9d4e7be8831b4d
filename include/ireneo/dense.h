/* Dense associative memory (modern Hopfield networks): how many patterns fit, retrieval, simulation. */
#ifndef IRENEO_DENSE_H
#define IRENEO_DENSE_H

#include "ireneo/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ===== Simple ========================================================================================
 * how many patterns fit, retrieval, and what given patterns do */

/* ------------------------------------------------------------------------------------------------------
 * 1. Phases and basins
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
typedef enum ireneo_dense_ensemble {
    /** Uniform on the sphere of radius sqrt(N). */
    IRENEO_DENSE_ENSEMBLE_SPHERICAL,
    /** Independent N(0, 1) entries. */
    IRENEO_DENSE_ENSEMBLE_GAUSSIAN,
    /** Independent entries -1 and +1. */
    IRENEO_DENSE_ENSEMBLE_BINARY
} ireneo_dense_ensemble;

/** A short name such as "spherical". Never NULL. */
IRENEO_API const char *ireneo_dense_ensemble_name(ireneo_dense_ensemble ensemble);

/** The memory that is asked about. Zero-initialise it and fill what matters. */
typedef struct ireneo_dense_point {
    ireneo_dense_ensemble ensemble;
    /** Inverse temperature of the softmax, from 1e-9 to 1e9. 0: not given. */
    double lambda;
    /** Load log(P)/N, from 1e-9 to 100. 0: not given. */
    double alpha;
    /** N, from 2 to 1e9. 0: the limit of large N. */
    double neurons;
    /** P, from 2 to 2^63, instead of alpha; needs neurons. 0: not given. */
    double patterns;
    uint64_t reserved[4];
} ireneo_dense_point;

/** How many patterns fit. What cannot be said is NaN; what no lambda can reach is infinite. */
typedef struct ireneo_dense_phases_report {
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
    uint64_t reserved[4];
} ireneo_dense_phases_report;

/** The critical line at point->lambda, or at point->alpha: exactly one of them is given. */
IRENEO_API ireneo_error ireneo_dense_phases(const ireneo_dense_point *point,
                                            ireneo_dense_phases_report *report);

/** How far a query may be from its pattern. What cannot be said is NaN. */
typedef struct ireneo_dense_basins_report {
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
    /** The same for every lambda >= lambda_star: beyond it another pattern is nearer. NaN if there is none. */
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
    /** Thresholds in lambda at N neurons, as in ireneo_dense_phases_report. */
    double lambda_one_step, lambda_converged;
    /** Gaussian patterns, lambda < 1: chance that one step from a pattern stays there, from the spread of its
     * norm. */
    double retrieval_probability;
    uint64_t reserved[4];
} ireneo_dense_basins_report;

/** Basins at point->lambda and point->alpha, or point->patterns with point->neurons. */
IRENEO_API ireneo_error ireneo_dense_basins(const ireneo_dense_point *point,
                                            ireneo_dense_basins_report *report);

/* ------------------------------------------------------------------------------------------------------
 * 2. Retrieval
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
    IRENEO_DENSE_RULE_SOFTMAX,
    IRENEO_DENSE_RULE_POLYNOMIAL,
    IRENEO_DENSE_RULE_SIGN
} ireneo_dense_rule;

/** A short name such as "softmax". Never NULL. */
IRENEO_API const char *ireneo_dense_rule_name(ireneo_dense_rule rule);

/** What is done to patterns and queries first. */
typedef enum ireneo_dense_preparation {
    /** Each row is brought to length sqrt(N): else long patterns swallow short ones. */
    IRENEO_DENSE_PREPARATION_NORMALISED,
    /** Rows in the white coordinates of the patterns (mean zero, covariance the identity; directions in which the
     * patterns do not vary are left out, and are 0 in states), then of length sqrt of their number. */
    IRENEO_DENSE_PREPARATION_WHITENED,
    /** As they are. lambda then acts on x . xi: for patterns of length r sqrt(N) it is the theory's over r^2. */
    IRENEO_DENSE_PREPARATION_RAW
} ireneo_dense_preparation;

/** A short name such as "whitened". Never NULL. */
IRENEO_API const char *ireneo_dense_preparation_name(ireneo_dense_preparation preparation);

/** What became of a query; a is its weights in the last step. */
typedef enum ireneo_dense_verdict {
    /** It stands at one pattern, which has more than 3/4 of the weight: |x - xi|^2 < 0.1 |xi|^2. For the polynomial
     * and the sign rule, which do not keep the length: cos(x, xi) > 0.95. */
    IRENEO_DENSE_VERDICT_RETRIEVED,
    /** It stands between few patterns: the 16 largest weights (of fewer than 64 patterns a quarter of them, at least
     * 2) make half of all or more; for the sign rule the squares of as many overlaps x . xi / N. Equal patterns share
     * their weight and are a mixture. */
    IRENEO_DENSE_VERDICT_MIXTURE,
    /** Neither: an average over many patterns, or nowhere near any. */
    IRENEO_DENSE_VERDICT_LOST
} ireneo_dense_verdict;

/** A short name such as "mixture". Never NULL. */
IRENEO_API const char *ireneo_dense_verdict_name(ireneo_dense_verdict verdict);

/** Settings of ireneo_dense_recall. Zero-initialised settings, or NULL, are the defaults. */
typedef struct ireneo_dense_recall_settings {
    ireneo_dense_rule rule;
    ireneo_dense_preparation preparation;
    /** Inverse temperature of softmax, also called beta, at most 1e30; 0: the one at which basins of random patterns of
     * this number are as wide as they get, or as much more as these patterns need to stay put (ireneo_dense_audit). */
    double lambda;
    /** Non-zero: a lambda of 0 is chosen by the theory alone, without a look at the patterns. */
    int unaudited;
    /** Degree of the polynomial rule, 2 to 1000; 0: 4. */
    int degree;
    /** Most steps of a query; 0: 100. */
    size_t steps;
    /** Non-zero: make no step, only look at the query. */
    int look;
    /** A query has converged when a step moves it by no more than this times the root mean square length of the
     * patterns; 0: 1e-5, negative: only when it does not move at all. */
    double tolerance;
    /** Largest weights that are reported for each query; 0: none. */
    size_t top;
    /** Threads; 0: all cores. */
    int threads;
    /** NULL: none. */
    const ireneo_progress *progress;
    uint64_t reserved[4];
} ireneo_dense_recall_settings;

/** Where results go: arrays of the caller, or NULL where they are not wanted. */
typedef struct ireneo_dense_recall_result {
    /** (queries, neurons): where the queries went, among the patterns as they were prepared. */
    float *states;
    /** (queries): an ireneo_dense_verdict on each. */
    unsigned char *verdict;
    /** (queries): energy of the query, and of the state it went to (costs half a step more). */
    double *energy_before, *energy_after;
    /** (queries): steps made, and length of the last step over the root mean square length of the patterns. */
    size_t *steps;
    double *change;
    /** (queries): 1 when the query converged. */
    unsigned char *converged;
    /** (queries, top): the patterns with the largest scores, falling, and their weights in the last step (in
     * the query itself when no step was asked for); for the sign rule x . xi / N. Where there are fewer than
     * `top` patterns: SIZE_MAX and 0. */
    size_t *top_index;
    double *top_weight;
    uint64_t reserved[4];
} ireneo_dense_recall_result;

/** What happened in all. */
typedef struct ireneo_dense_recall_info {
    /** Queries that converged, and verdicts. */
    size_t converged, retrieved, mixtures, lost;
    /** Steps of the query that took most, and of all queries together. */
    size_t longest, steps;
    /** Mean of |xi|^2 / N after the preparation: 1 unless patterns are taken raw. */
    double pattern_power;
    /** Length of the shortest and of the longest pattern as given. */
    double shortest_pattern, longest_pattern;
    /** The lambda that was used; NaN for the other rules. */
    double lambda;
    double seconds;
    uint64_t reserved[4];
} ireneo_dense_recall_info;

/** Scales rows (count, neurons) to length sqrt(neurons), in place. A row of zeros is an error that names it. */
IRENEO_API ireneo_error ireneo_dense_normalise(float *rows, size_t count, size_t neurons);

/** Moves queries (query_count, neurons) over patterns (count, neurons). Patterns without length and entries
 * that are not finite are errors that name the row. settings, result and info may be NULL. */
IRENEO_API ireneo_error ireneo_dense_recall(const float *patterns, size_t count, size_t neurons,
                                            const float *queries, size_t query_count,
                                            const ireneo_dense_recall_settings *settings,
                                            const ireneo_dense_recall_result *result,
                                            ireneo_dense_recall_info *info);

/* ------------------------------------------------------------------------------------------------------
 * 3. Audit
 *
 * What a memory of *these* patterns does, where the theory speaks of random ones. Patterns are looked at one by
 * one: does a query that starts at the pattern stay there; which other pattern is nearest; up to which angle does
 * a query come back, off in a random direction, and off in the worst, which is towards the other pattern with
 * which it ties first (for patterns of one length the nearest, and half way there; docs/dense.md). All patterns
 * are streamed past those that are looked at: no array of patterns x patterns exists.
 * ---------------------------------------------------------------------------------------------------- */

/** Settings of ireneo_dense_audit. Zero-initialised settings, or NULL, are the defaults, and those of recall. */
typedef struct ireneo_dense_audit_settings {
    ireneo_dense_rule rule;
    ireneo_dense_preparation preparation;
    /** Inverse temperature of softmax; 0: the one that ireneo_dense_recall would choose. */
    double lambda;
    /** Degree of the polynomial rule; 0: 4. */
    int degree;
    /** How many patterns are looked at, drawn by the seed; 0: as many as 10^9 / (count neurons), at least 64. All of
     * them when there are no more than that. */
    size_t sample;
    uint64_t seed;
    /** Threads; 0: all cores. */
    int threads;
    /** NULL: none. */
    const ireneo_progress *progress;
    uint64_t reserved[4];
} ireneo_dense_audit_settings;

/** What was found. Angles are in radian; what cannot be said is NaN. */
typedef struct ireneo_dense_audit_report {
    /** Patterns in all, and how many were looked at: equal when the report is about every pattern. */
    size_t patterns, audited;
    /** The lambda that was used; NaN for the other rules. */
    double lambda;
    /** Of the audited: how many stay put (they are retrieved, see ireneo_dense_verdict, from themselves), and their
     * share. */
    size_t staying;
    double stay;
    /** Angle to the nearest other pattern: smallest and median over the audited; and the pair that is nearest. */
    double nearest_least, nearest_median;
    size_t nearest_pair[2];
    /** Queries at this angle from their pattern, in a random direction, come back: measured, by dynamics, for 99 % or
     * more of the audited that stay put (all but one in 100, rounded down). */
    double random_angle;
    /** The share of those that came back from there. */
    double random_share;
    /** Up to here every query comes back, whatever its direction: smallest and median over the audited that stay
     * put. */
    double worst_least, worst_median;
    /** Length of the shortest and of the longest pattern as given. */
    double shortest_pattern, longest_pattern;
    double seconds;
    uint64_t reserved[4];
} ireneo_dense_audit_report;

/** Looks at patterns (count, neurons). settings may be NULL. */
IRENEO_API ireneo_error ireneo_dense_audit(const float *patterns, size_t count, size_t neurons,
                                           const ireneo_dense_audit_settings *settings,
                                           ireneo_dense_audit_report *report);

/* ===== Advanced ======================================================================================
 * simulation at any size, scaled dot products */

/* ------------------------------------------------------------------------------------------------------
 * 4. Simulation
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
    IRENEO_DENSE_METHOD_DIRECT,
    IRENEO_DENSE_METHOD_SCALARS,
    IRENEO_DENSE_METHOD_TAIL,
    IRENEO_DENSE_METHOD_CONDITIONING,
    IRENEO_DENSE_METHOD_HYBRID
} ireneo_dense_method;

/** A short name such as "direct". Never NULL. */
IRENEO_API const char *ireneo_dense_method_name(ireneo_dense_method method);

/** What a draw tells. */
typedef enum ireneo_dense_measure {
    /** Whether the pattern is retrieved at this lambda and angle: 1 or 0. */
    IRENEO_DENSE_MEASURE_PROBABILITY,
    /** The lambda from which on it is retrieved, for this angle; infinity when no lambda is enough. */
    IRENEO_DENSE_MEASURE_LAMBDA,
    /** The angle up to which it is retrieved, in radians, for this lambda; 0 when it is not even from angle
     * 0. */
    IRENEO_DENSE_MEASURE_ANGLE
} ireneo_dense_measure;

/** A short name such as "lambda". Never NULL. */
IRENEO_API const char *ireneo_dense_measure_name(ireneo_dense_measure measure);

/** Everything a draw depends on. Zero-initialise it and fill what matters. */
typedef struct ireneo_dense_experiment {
    ireneo_dense_method method;
    ireneo_dense_ensemble ensemble;
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
    /** Most steps; 1: the criterion of one step; 0: 1 for scalars and tail, 400 for the other methods. */
    size_t steps;
    /** How near the state must come; 0: 0.1. */
    double closeness;
    /** Mean number of patterns kept apart by tail and hybrid; 0: 500. */
    double kept;
    /** Where the search of several steps for lambda begins and ends; 0: from the theory. */
    double search_lower, search_upper;
    /** 0: 1. */
    uint64_t seed;
    uint64_t reserved[4];
} ireneo_dense_experiment;

/** Puts the defaults in the place of zeros. Every call does so by itself; this is for telling what was done. */
IRENEO_API void ireneo_dense_experiment_defaults(ireneo_dense_experiment *experiment);

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
    uint64_t reserved[4];
} ireneo_dense_summary;

/** Makes draw number `index`, in the calling thread. */
IRENEO_API ireneo_error ireneo_dense_draw_one(const ireneo_dense_experiment *experiment, uint64_t index,
                                              ireneo_dense_draw *draw);

/** Makes draws 0 .. draws - 1. settings and all (draws) may be NULL. */
IRENEO_API ireneo_error ireneo_dense_simulate(const ireneo_dense_experiment *experiment, size_t draws,
                                              const ireneo_run_settings *settings, ireneo_dense_draw *all,
                                              ireneo_dense_summary *summary);

/** Scaled dot products: lambda = scaled_lambda / N^exponent and P = exp(scaled_alpha N^(1 - exponent)), 0 <
 * exponent < 1. *scaled_alpha is the largest load by the formulas of the limit at lambda, *scaled_alpha_exact
 * by the average at this N; both tend to scaled_lambda, slowly. Either may be NULL. */
IRENEO_API ireneo_error ireneo_dense_scaled(ireneo_dense_ensemble ensemble, double scaled_lambda,
                                            double exponent, double neurons, double *scaled_alpha,
                                            double *scaled_alpha_exact);

#ifdef __cplusplus
}
#endif

#endif
