/* The projection loss in float64 on a list of pairs: values, residuals, gradient and products with the
 * Hessian. certify_newton.c and max_margin.c minimise it; certify_exact.c takes its pairs.
 *
 * Row i has scores s_j of its listed competitors and s_a of its target. With shifts c_j >= 0 the projection
 * is that of u_j = s_j + c_j, u_a = s_a - sum c_j (shifts are the multipliers of an augmented Lagrangian;
 * without them u = s). With the level t of row_projection.h,
 *     r_j = (u_j + margin - t)_+ ,
 *     loss = sum_i (sum_j r_j^2 + (sum_j r_j)^2) / 2 ,   gradient = sum_ij r_ij (y_j - y_target) x_i^T .
 * While the set of active pairs (r > 0) stays the same the loss is quadratic. */
#ifndef IRENEO_LINEAR_CERTIFICATE_PAIR_LOSS_H
#define IRENEO_LINEAR_CERTIFICATE_PAIR_LOSS_H

#include "linear/problem/working_set.h"

/* Pairs of a row: those of its list in the working set, and old ones that have a shift. */
enum { IRENEO_MOST_PAIRS = IRENEO_MOST_SLOTS };

typedef struct ireneo_pair_loss {
    const ireneo_problem *p;
    size_t in, out, area, pairs;
    double margin;
    double *x, *y;            /* (rows, in), (columns, out) in float64; y NULL with own candidates */
    double *own, *own_target; /* (pairs, out), (rows, out) with own candidates */
    size_t *start;            /* (rows + 1) first pair of each row */
    uint32_t *candidate;      /* (pairs), rising within a row */
    double *shift;            /* (pairs) */
    double *score, *residual; /* (pairs) at the last evaluation */
    double *target;           /* (rows) target scores */
    double *partial;          /* (groups, out, in) */
    double *tiles;            /* (threads, 2 * tile * out) */
    double loss, weight_sum;  /* of the residuals */
    double gap;               /* smallest s_a - s_j of a listed pair */
    size_t active;            /* pairs with r > 0 */
    size_t products;          /* Hessian products so far */
} ireneo_pair_loss;

/* Keys and values in the coordinates of the problem, computed from the caller's numbers in float64, and the
 * pairs that the working set holds, without shifts. */
ireneo_error ireneo_pair_loss_make(const ireneo_problem *problem, const ireneo_working_set *set,
                                   double margin, ireneo_pair_loss *loss);
void ireneo_pair_loss_free(ireneo_pair_loss *loss);

/* Pairs become those of the working set together with the old ones that have a shift. *added counts the pairs that
 * were not there before. Scores and residuals are undefined until the next evaluation. */
ireneo_error ireneo_pair_loss_merge(ireneo_pair_loss *loss, const ireneo_working_set *set, size_t *added);

/* Everything at w (out, in); gradient (out, in). */
void ireneo_pair_loss_evaluate(ireneo_pair_loss *loss, const double *w, double *gradient);

/* product (out, in) = Hessian of the last evaluation's active set times direction (out, in). */
void ireneo_pair_loss_product(ireneo_pair_loss *loss, const double *direction, double *product);

/* The residuals of the last evaluation, or the shifts, as weights of a certificate that sum to one. */
ireneo_error ireneo_pair_loss_certificate(const ireneo_pair_loss *loss, const double *weights,
                                          ireneo_certificate **certificate);

#endif
