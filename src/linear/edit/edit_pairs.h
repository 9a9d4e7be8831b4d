/* Pairs (fact, competitor) that may bind, and what a combination of them does.
 *
 * A pair p = (i, j) stands for the matrix z_p = u_ij k_i^T and asks <z_p, D> >= c_p = m_i - u_ij^T o_i. The least D is a
 * combination D = sum a_p z_p, so everything can be said in the a: the gap that D adds to pair q is (Q a)_q with
 * Q_pq = (u_p . u_q)(k_p . k_q), and |D|^2 = a^T Q a. */
#ifndef IRENEO_LINEAR_EDIT_EDIT_PAIRS_H
#define IRENEO_LINEAR_EDIT_EDIT_PAIRS_H

#include "linear/edit/edit_problem.h"

#include <stdbool.h>

enum { IRENEO_NO_PAIR = -1 };

typedef struct ireneo_edit_pairs {
    const ireneo_edit_problem *problem;
    size_t count, room;
    uint32_t *row, *candidate; /* (count) */
    int64_t *next, *head;      /* (count) pair before it of the same row; (rows) the last one */
    double *needed;            /* (count) c */
    double *weight;            /* (count) l, the multipliers */
    double *a, *gap;           /* (count) the combination, and Q a */
    double *mixed, *change;    /* (rows, dim_out) sum_j a_ij u_ij; (dim_out, dim_in) D */
    double *moved;             /* (rows, dim_out) D k */
    double diagonal;           /* mean of Q_pp */
} ireneo_edit_pairs;

ireneo_error ireneo_edit_pairs_make(const ireneo_edit_problem *problem, ireneo_edit_pairs *pairs);
void ireneo_edit_pairs_free(ireneo_edit_pairs *pairs);

static inline bool ireneo_edit_pairs_listed(const ireneo_edit_pairs *pairs, size_t row, size_t candidate) {
    for (int64_t k = pairs->head[row]; k != IRENEO_NO_PAIR; k = pairs->next[k])
        if (pairs->candidate[k] == candidate) return true;
    return false;
}

/* Adds a pair unless it is there. */
ireneo_error ireneo_edit_pairs_add(ireneo_edit_pairs *pairs, size_t row, size_t candidate);

/* u (dim_out) of a pair. */
void ireneo_edit_pairs_difference(const ireneo_edit_pairs *pairs, size_t pair, double *u);

/* gap (count) = Q a, with mixed, change and moved left behind. */
void ireneo_edit_pairs_product(ireneo_edit_pairs *pairs, const double *a, double *gap);

/* matrix (count, count), lower triangle, of Q among the pairs listed, plus ridge on the diagonal. */
ireneo_error ireneo_edit_pairs_matrix(const ireneo_edit_pairs *pairs, const size_t *list, size_t count,
                                      double ridge, double *matrix);

/* A full pass over all candidates at D (moved, as the last product left it): the smallest gap of every row in least
 * (rows), and up to `most` new pairs a row whose gap misses the margin by more than `tolerance` of it. *added counts them. */
ireneo_error ireneo_edit_scan(ireneo_edit_pairs *pairs, size_t most, double tolerance, double *least,
                              size_t *added);

#endif
