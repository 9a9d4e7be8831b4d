/* Sums of a few scaled rows: what gradients are made of. */
#ifndef IRENEO_LINEAR_KERNELS_ADD_SCALED_H
#define IRENEO_LINEAR_KERNELS_ADD_SCALED_H

#include <stddef.h>

/* y = alpha x, over count entries. */
void ireneo_set_scaled(float alpha, const float *restrict x, float *restrict y, size_t count);

/* y += alpha x, over count entries. */
void ireneo_add_scaled(float alpha, const float *restrict x, float *restrict y, size_t count);

#endif
