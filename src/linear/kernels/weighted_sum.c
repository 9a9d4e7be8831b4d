/* Four vectors at a time, so that the sum is loaded and stored once for all of them, while the next four are fetched: they
 * come in no order a processor could foresee. In a file of its own because it is compiled with fused multiply-adds
 * (CMakeLists.txt), which vector.c, whose results must not depend on the machine, is not. */
#include "linear/kernels/weighted_sum.h"
#include "base/vectorised.h"

enum { AT_ONCE = 4, LINE = 16 }; /* vectors; floats in a line of the cache */

static void fetch(const float *const *vectors, size_t count, size_t dim) {
    for (size_t k = 0; k < count && k < AT_ONCE; k++)
        for (size_t i = 0; i < dim; i += LINE) __builtin_prefetch(vectors[k] + i);
}

IRENEO_VECTORISED
static void add_one(float weight, const float *restrict a, float *restrict out, size_t dim) {
    for (size_t i = 0; i < dim; i++) out[i] += weight * a[i];
}

IRENEO_VECTORISED
static void add_four(const float *weights, const float *const *vectors, float *restrict out, size_t dim) {
    const float *a = vectors[0], *b = vectors[1], *c = vectors[2], *d = vectors[3];
    float p = weights[0], q = weights[1], r = weights[2], s = weights[3];
    for (size_t i = 0; i < dim; i++) out[i] += (p * a[i] + q * b[i]) + (r * c[i] + s * d[i]);
}

void ireneo_weighted_sum(const float *weights, const float *const *vectors, size_t count, float *out,
                         size_t dim) {
    size_t k = 0;
    for (size_t i = 0; i < dim; i++) out[i] = 0.0f;
    for (; k + AT_ONCE <= count; k += AT_ONCE) {
        fetch(vectors + k + AT_ONCE, count - k - AT_ONCE, dim);
        add_four(weights + k, vectors + k, out, dim);
    }
    for (; k < count; k++) add_one(weights[k], vectors[k], out, dim);
}
