/* Facts to be written into a given matrix, in the coordinates of the metric in which the change is measured.
 *
 *     minimise |D|_F   subject to   u_ij^T (D k_i + o_i) >= m_i   for every fact i and every competitor j ,
 *
 * with o_i = W0 x_i + r_i what the layer gives now, u_ij = y_target - y_j, the metric C = L L^T, k_i = L^-1 x_i and
 * W = W0 + D L^-1 (docs/editing.md). All of it is float64: n, P and the dimensions are those of a layer, not of a
 * corpus. */
#ifndef IRENEO_LINEAR_EDIT_EDIT_PROBLEM_H
#define IRENEO_LINEAR_EDIT_EDIT_PROBLEM_H

#include "base/progress.h"

typedef struct ireneo_edit_problem {
    size_t rows, dim_in, dim_out, candidates;
    size_t *target;  /* (rows) */
    double *keys;    /* (rows, dim_in) k */
    double *outputs; /* (rows, dim_out) o */
    double *values;  /* (candidates, dim_out) */
    double *margins; /* (rows) m */
    double *metric;  /* (dim_in, dim_in) L, lower triangle; NULL: the identity */
    int threads;
    const ireneo_progress *progress;
} ireneo_edit_problem;

/* Takes facts and W0 (dim_out, dim_in; NULL: zero) over, with `metric` (L, or NULL), which stays the caller's. Margins are
 * zeros. */
ireneo_error ireneo_edit_problem_make(const ireneo_facts *facts, const float *w0, double *metric, int threads,
                                      const ireneo_progress *progress, ireneo_edit_problem *problem);
void ireneo_edit_problem_free(ireneo_edit_problem *problem);

/* The Cholesky factor of a metric (dim, dim), after `ridge` times its mean diagonal was added to the diagonal. Fails with
 * IRENEO_ERROR_DATA when it is not symmetric, finite and positive definite. Release *factor with free(). */
ireneo_error ireneo_metric_factor(const double *metric, size_t dim, double ridge, int threads,
                                  double **factor);

/* change (dim_out, dim_in) = D L^-1, in place. */
void ireneo_metric_undo(const ireneo_edit_problem *problem, double *change);

/* product (rows, n) = a (rows, m) b^T with b (n, m), or a b with b (m, n) when not transposed, by all threads. */
void ireneo_edit_multiply(const double *a, const double *b, int transposed, size_t rows, size_t n, size_t m,
                          int threads, double *out);

/* out (n, m) = kept out + a^T b with a (count, n) and b (count, m), by all threads. */
void ireneo_edit_outer(const double *a, const double *b, size_t count, size_t n, size_t m, double kept,
                       int threads, double *out);

#endif
