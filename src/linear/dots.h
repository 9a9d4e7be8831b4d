/* Eight inner products at a time with one vector: what an inner iteration does most. */
#ifndef IRENEO_LINEAR_DOTS_H
#define IRENEO_LINEAR_DOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* out[q] = <h, y[q]> for q = 0..7. Sums are taken in vector order. */
void ireneo_eight_dots(const float *h, const float *const y[8], size_t dim, float *out);

/* out[k] = <h, row list[k] of values (any, stride)> for k < count. */
void ireneo_listed_dots(const float *h, const float *values, size_t stride, size_t dim, const uint32_t *list,
                        size_t count, float *out);

/* Eight products with vectors in IEEE half precision, dim a multiple of 16: half the memory traffic, products with a relative error near
 * 2e-4. Only where ireneo_half_dots_available(). */
bool ireneo_half_dots_available(void);
void ireneo_eight_half_dots(const float *h, const uint16_t *const y[8], size_t dim, float *out);

/* count floats to half precision, rounded to nearest. Only where available. */
void ireneo_floats_to_half(const float *values, size_t count, uint16_t *half);

#endif
