/* Inside retrieval: the checks before it, and a way in that chooses the block of patterns. */
#ifndef IRENEO_DENSE_RETRIEVAL_RETRIEVAL_H
#define IRENEO_DENSE_RETRIEVAL_RETRIEVAL_H

#include "dense/retrieval/prepare.h"
#include "dense/retrieval/stream.h"

/* ireneo_dense_recall with `block` patterns at a time; the block changes rounding only. */
ireneo_error ireneo_dense_recall_blocked(const float *patterns, size_t count, size_t neurons,
                                         const float *queries, size_t query_count,
                                         const ireneo_dense_recall_settings *settings, size_t block,
                                         const ireneo_dense_recall_result *result,
                                         ireneo_dense_recall_info *info);

/* Queries (query_count, memory->neurons) over `count` patterns that were checked and prepared; settings are filled,
 * with their lambda. States in the result have rows of `width`; the counts of info grow. */
ireneo_error ireneo_recall_prepared(const ireneo_prepared *memory, size_t count, const float *queries,
                                    size_t query_count, size_t width,
                                    const ireneo_dense_recall_settings *settings, int threads, size_t block,
                                    const ireneo_dense_recall_result *result, ireneo_dense_recall_info *info);

/* Defaults in the place of zeros, except for lambda; steps are 0 when only a look is asked for, and the tolerance
 * is what it says. */
ireneo_error ireneo_recall_fill_settings(const ireneo_dense_recall_settings *given,
                                         ireneo_dense_recall_settings *filled);

/* The lambda beyond which basins of this number of random patterns of this length and power do not grow any more. */
ireneo_error ireneo_recall_theory_lambda(size_t count, size_t neurons, double power, double *lambda);

ireneo_error ireneo_recall_check_settings(const ireneo_dense_recall_settings *settings, size_t count,
                                          size_t neurons);

/* Finite entries, patterns with length, scores that fit in float32; *power is the mean of |xi|^2 / N, then the length
 * of the shortest and of the longest pattern. Queries may be NULL when there are none. */
ireneo_error ireneo_recall_check_data(const float *patterns, size_t count, const float *queries,
                                      size_t query_count, size_t neurons, int threads, double *power,
                                      double *shortest, double *longest);

/* sum_mu xi_mu,i^2 for every i, in *coupling (neurons); release with free. */
ireneo_error ireneo_recall_self_coupling(const float *patterns, size_t count, size_t neurons,
                                         double **coupling);

#endif
