/* Eight inner products at a time with one vector: what an iteration of the minimiser does most. */
#ifndef IRENEO_LINEAR_KERNELS_DOT8_H
#define IRENEO_LINEAR_KERNELS_DOT8_H

#include <stddef.h>
#include <stdint.h>

/* out[q] = <h, y[q]> for q = 0..7. Sums are taken in vector order. */
void ireneo_dot8(const float *h, const float *const y[8], size_t dim, float *out);

/* out[k] = <h, row list[k] of values (any, stride)> for k < count. */
void ireneo_dot8_listed(const float *h, const float *values, size_t stride, size_t dim, const uint32_t *list,
                        size_t count, float *out);

#endif
