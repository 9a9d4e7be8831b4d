/* Entropy of pairs of matrices of a rank, as a function of their overlap. */
#ifndef IRENEO_LINEAR_LAW_RANK_ENTROPY_H
#define IRENEO_LINEAR_LAW_RANK_ENTROPY_H

#include "linear/law/rank_saddle.h"

/* S(q) on a grid of -log(1 - q), with its slope. */
enum { RANK_ENTROPY_MOST = 640 };
typedef struct rank_entropy {
    size_t count;
    double height[RANK_ENTROPY_MOST]; /* -log(1 - q), rising from 0 */
    double entropy[RANK_ENTROPY_MOST], slope[RANK_ENTROPY_MOST];
} rank_entropy;

ireneo_error ireneo_rank_entropy_make(rank_shape shape, rank_entropy *table);

/* S(q), 0 <= q <= 0.9995; for kappa = 1 it would be 1/2 log(1 - q) + q / (2 (1 - q)). */
double ireneo_rank_entropy_at(const rank_entropy *table, double overlap);

/* The saddle that belongs to an overlap 0 < q < 1, and its Lambda. From where the cut is closed (v = 1e-300) on, that
 * of the largest overlap that is not. */
ireneo_error ireneo_rank_saddle_of(rank_shape shape, double overlap, rank_saddle *saddle, double *lambda);

#endif
