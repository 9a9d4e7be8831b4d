/* Inside retrieval: the checks before it, and a way in that chooses the block of patterns. */
#ifndef IRENEO_DENSE_RETRIEVAL_RETRIEVAL_H
#define IRENEO_DENSE_RETRIEVAL_RETRIEVAL_H

#include "dense/retrieval/stream.h"

/* ireneo_dense_recall with `block` patterns at a time; the block changes rounding only. */
ireneo_error ireneo_dense_recall_blocked(const float *patterns, size_t count, size_t neurons,
                                         const float *queries, size_t query_count,
                                         const ireneo_dense_recall_settings *settings, size_t block,
                                         const ireneo_dense_recall_result *result,
                                         ireneo_dense_recall_info *info);

/* Defaults in the place of zeros, except for lambda; steps are 0 when only a look is asked for, and the tolerance
 * is what it says. */
ireneo_error ireneo_recall_fill_settings(const ireneo_dense_recall_settings *given,
                                         ireneo_dense_recall_settings *filled);

/* The lambda for patterns of this number, length and mean square entry when none was given. */
ireneo_error ireneo_recall_choose_lambda(size_t count, size_t neurons, double power, double *lambda);

ireneo_error ireneo_recall_check_settings(const ireneo_dense_recall_settings *settings, size_t count,
                                          size_t neurons, size_t query_count);

/* Finite entries, patterns with length, scores that fit in float32; *power is the mean of |xi|^2 / N. */
ireneo_error ireneo_recall_check_data(const float *patterns, size_t count, const float *queries,
                                      size_t query_count, size_t neurons, int threads, double *power);

/* sum_mu xi_mu,i^2 for every i, in *coupling (neurons); release with free. */
ireneo_error ireneo_recall_self_coupling(const float *patterns, size_t count, size_t neurons,
                                         double **coupling);

#endif
