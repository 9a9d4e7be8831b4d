/* Patterns and queries as the dynamics see them: of one length, white, or as given. */
#ifndef IRENEO_DENSE_RETRIEVAL_PREPARE_H
#define IRENEO_DENSE_RETRIEVAL_PREPARE_H

#include "base/error.h"

/* Rows that retrieval works on; they are the caller's own when nothing was to be done. */
typedef struct ireneo_prepared {
    size_t neurons; /* of the rows below: fewer than given when the patterns do not fill their space */
    const float *patterns, *queries; /* (count, neurons), (query_count, neurons) */
    float *own_patterns, *own_queries;
    double power; /* mean of |xi|^2 / neurons of the prepared patterns */
} ireneo_prepared;

/* Prepares rows (count, neurons) and (query_count, neurons) that were checked; queries may be NULL. `power` is that of
 * the patterns as given. */
ireneo_error ireneo_prepare(ireneo_dense_preparation preparation, const float *patterns, size_t count,
                            const float *queries, size_t query_count, size_t neurons, double power,
                            int threads, ireneo_prepared *prepared);

/* Rows (count, neurons), finite, to length sqrt(neurons), in place; `what` names them in the sentence about one that has
 * no direction. */
ireneo_error ireneo_scale_rows(const char *what, float *rows, size_t count, size_t neurons);

void ireneo_prepared_free(ireneo_prepared *prepared);

#endif
