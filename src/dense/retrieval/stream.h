/* One pass of states over patterns: scores, weights and weighted sum, tile by tile.
 *
 * For every state x the pass makes the running sums
 *     total = sum_mu w_mu ,   sum = sum_mu w_mu xi_mu
 * where w_mu depends on the score s_mu = x . xi_mu by the rule:
 *     softmax      w = exp(lambda (s - peak))            peak: the largest score so far
 *     polynomial   w = (s / peak)^(degree - 1) for s > 0, and powers = sum (s / peak)^degree
 *     sign         w = s,                                  and powers = sum s^2
 * When the peak rises the sums made so far shrink. Scores exist for one tile (IRENEO_PASS_ROWS states times
 * IRENEO_PASS_BLOCK patterns) at a time. */
#ifndef IRENEO_DENSE_RETRIEVAL_STREAM_H
#define IRENEO_DENSE_RETRIEVAL_STREAM_H

#include "base/error.h"

enum { IRENEO_PASS_ROWS = 128, IRENEO_PASS_BLOCK = 512 };

/* Where patterns (count, neurons) come from: an array, or a function that makes rows first .. first + rows
 * - 1 whenever they are needed. */
typedef struct ireneo_pattern_source {
    size_t count, neurons;
    const float *stored; /* NULL: make is called */
    void (*make)(void *context, size_t first, size_t rows, float *block);
    void *context;
} ireneo_pattern_source;

/* The rule and its parameters; lambdas holds one number per state, or is NULL: all use lambda. */
typedef struct ireneo_pass_rule {
    ireneo_dense_rule rule;
    double lambda;
    const double *lambdas;
    int degree;
} ireneo_pass_rule;

/* Running sums of `rows` states. */
typedef struct ireneo_pass_sums {
    size_t rows, neurons, top;
    float *peak;       /* (rows) */
    double *total;     /* (rows) */
    double *powers;    /* (rows) */
    double *sum;       /* (rows, neurons) */
    float *top_score;  /* (rows, top), falling */
    size_t *top_index; /* (rows, top); SIZE_MAX where there are fewer patterns */
} ireneo_pass_sums;

/* Scratch of one thread. */
typedef struct ireneo_pass_scratch {
    float *scores; /* (IRENEO_PASS_ROWS, block) */
    float *part;   /* (IRENEO_PASS_ROWS, neurons) */
    float *made;   /* (block, neurons), only for patterns that are made */
    size_t block;
} ireneo_pass_scratch;

ireneo_error ireneo_pass_sums_create(ireneo_pass_sums *sums, size_t rows, size_t neurons, size_t top);
void ireneo_pass_sums_reset(ireneo_pass_sums *sums);
void ireneo_pass_sums_free(ireneo_pass_sums *sums);

ireneo_error ireneo_pass_scratch_create(ireneo_pass_scratch *scratch, size_t neurons, size_t block, int made);
void ireneo_pass_scratch_free(ireneo_pass_scratch *scratch);

/* Adds patterns first .. last - 1 to the sums of states (sums->rows <= IRENEO_PASS_ROWS, neurons). With
 * only_scores the weighted sum is left out, which saves half of the work. Calls BLAS in the calling thread.
 */
void ireneo_pass_add(const ireneo_pattern_source *source, size_t first, size_t last,
                     const ireneo_pass_rule *rule, const float *states, int only_scores,
                     ireneo_pass_scratch *scratch, ireneo_pass_sums *sums);

/* Adds the sums of another range of patterns, which comes after this one, for the same states. */
void ireneo_pass_merge(const ireneo_pass_rule *rule, const ireneo_pass_sums *other, ireneo_pass_sums *sums);

/* log sum_mu exp(lambda s_mu) of softmax, log sum_mu max(s_mu, 0)^degree of the polynomial rule. */
double ireneo_pass_log_partition(const ireneo_pass_rule *rule, const ireneo_pass_sums *sums, size_t row);

/* The share of one score in the total: its attention weight; for the sign rule the score itself. */
double ireneo_pass_weight(const ireneo_pass_rule *rule, const ireneo_pass_sums *sums, size_t row,
                          float score);

#endif
