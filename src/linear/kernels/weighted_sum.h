/* Weighted sums of listed vectors: what gradients are made of. */
#ifndef IRENEO_LINEAR_KERNELS_WEIGHTED_SUM_H
#define IRENEO_LINEAR_KERNELS_WEIGHTED_SUM_H

#include <stddef.h>

/* out (dim) = sum_k weights[k] vectors[k] over count >= 1 vectors, which do not overlap out. */
void ireneo_weighted_sum(const float *weights, const float *const *vectors, size_t count, float *out,
                         size_t dim);

#endif
