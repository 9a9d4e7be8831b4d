/* The facts in white coordinates: what the solver works on. */
#ifndef IRENEO_LINEAR_PROBLEM_PROBLEM_H
#define IRENEO_LINEAR_PROBLEM_PROBLEM_H

#include "base/whiten.h"
#include "linear/facts/facts.h"
#include "linear/kernels/int8.h"

#include <stdbool.h>

typedef struct ireneo_problem {
    const ireneo_facts *facts;
    ireneo_holding holding; /* which of all rows are here */
    size_t rows, columns;   /* n, as many as are here, and P */
    size_t dim_in, dim_out; /* dimensions that keys and values span */
    size_t stride;          /* dim_out rounded up to whole vectors: rows of y are padded with zeros */
    float *x;               /* white keys (rows, dim_in), E |x|^2 = 1; owned */
    float *y; /* white values (columns, stride), covariance 1; once a node; NULL with own candidates */
    ireneo_shared shared_y; /* they */
    ireneo_int8 int8;       /* of y, for scans; empty until packed, and where it would not pay */
    ireneo_whitening keys, values;
    int threads;
} ireneo_problem;

ireneo_error ireneo_problem_make(const ireneo_facts *facts, int threads, ireneo_problem *problem);
void ireneo_problem_free(ireneo_problem *problem);

/* y again, after the whitening of the values has changed; once a node. */
ireneo_error ireneo_problem_whiten_values(ireneo_problem *problem);

/* Eight-bit copies of the values, where scans gain by them. */
ireneo_error ireneo_problem_pack(ireneo_problem *problem);

static inline size_t ireneo_problem_target(const ireneo_problem *problem, size_t row) {
    return ireneo_target_of(problem->facts, row);
}

/* The target's vector; made in `scratch` (dim_out) when candidates are each fact's own. */
const float *ireneo_problem_target_value(const ireneo_problem *problem, size_t row, float *scratch);

/* Certificates sum rows in this many groups, in a fixed order, so that sums do not depend on the number of threads. What
 * ranks sum together has groups of its own (base/holding.h). */
enum { IRENEO_GROUPS = 16 };
static inline void ireneo_group_range(size_t group, size_t rows, size_t *first, size_t *last) {
    *first = group * rows / IRENEO_GROUPS;
    *last = (group + 1) * rows / IRENEO_GROUPS;
}

/* h (dim_out) = W x of one row, for w (dim_out, dim_in). */
void ireneo_problem_apply(const ireneo_problem *problem, const float *w, size_t row, float *h);

/* Scales w (dim_out, dim_in) to scores of spread one: they have spread |h|, and rms |h| is |W|_F / sqrt(dim_in).
 */
void ireneo_problem_scale(const ireneo_problem *problem, float *w);

/* Changes a matrix from white coordinates to the caller's, and back. Both are row-major; They do not
 * overlap. */
ireneo_error ireneo_matrix_from_white(const ireneo_problem *problem, const float *white, float *matrix);
ireneo_error ireneo_matrix_to_white(const ireneo_problem *problem, const float *matrix, float *white);

/* The first for factors (dim_out, rank) and (dim_in, rank). */
ireneo_error ireneo_factor_from_white(const ireneo_whitening *whitening, const float *white, size_t rank,
                                      float *factor);

#endif
