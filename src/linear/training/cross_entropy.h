/* Softmax cross-entropy of a linear memory over all facts, and its gradient, without an (n, P) array.
 *
 *     loss = 1/n sum_i log sum_j exp(s_ij - s_i,f(i)),      s_ij = y_j^T W x_i .
 *
 * With the weights p_ij = softmax_j(s_ij) and m_i = sum_j p_ij y_j - y_f(i), the gradient is
 * 1/n sum_i m_i x_i^T. One scan makes both: tiles of scores are exponentiated against a running reference
 * and summed at once; when the reference rises, what was summed so far is scaled down. */
#ifndef IRENEO_LINEAR_TRAINING_CROSS_ENTROPY_H
#define IRENEO_LINEAR_TRAINING_CROSS_ENTROPY_H

#include "base/error.h"

/* What one scan finds. */
typedef struct cross_entropy_point {
    double loss;
    size_t recalled; /* facts whose target beats every competitor, in float32 */
    float least_gap; /* smallest target score minus best competitor */
} cross_entropy_point;

/* The facts, the shape of the memory and the buffers of a scan. */
typedef struct cross_entropy {
    const ireneo_facts *facts;
    size_t rank; /* 0: a full matrix */
    int threads;
    size_t rows;          /* facts in a tile */
    size_t columns;       /* candidates in a block of scores */
    size_t block_columns; /* own candidates made at a time */
    float *pull;          /* m_i (facts, dim_out) */
    float *reduced;       /* X V and M U, each (facts, rank); NULL for a full matrix */
    float *hidden;        /* W x for the rows of a tile, a slice per thread */
    float *scores;        /* a block of scores, or own candidates and their scores, a slice per thread */
    size_t hidden_size, scores_size; /* floats in a slice */
    cross_entropy_point *points;     /* (tiles) what each found */
} cross_entropy;

/* Number of parameters: dim_out dim_in, or (dim_out + dim_in) rank. They lie in one array: W (dim_out,
 * dim_in), or U (dim_out, rank) followed by V (dim_in, rank) with W = U V^T. */
size_t ireneo_cross_entropy_parameters(const cross_entropy *objective);

/* `columns` is the width of a block of scores; 0: a good one. The facts must outlive the objective. */
ireneo_error ireneo_cross_entropy_open(const ireneo_facts *facts, size_t rank, int threads, size_t columns,
                                       cross_entropy *objective);
void ireneo_cross_entropy_close(cross_entropy *objective);

/* Loss at the parameters and, unless NULL, its gradient. The result does not depend on the thread count. */
void ireneo_cross_entropy_evaluate(cross_entropy *objective, const float *parameters, float *gradient,
                                   cross_entropy_point *point);

#endif
