/* In a file of its own because it is compiled with fused multiply-adds (CMakeLists.txt), which vector.c, whose
 * results must not depend on the machine, is not. */
#include "linear/kernels/add_scaled.h"
#include "base/vectorised.h"

IRENEO_VECTORISED
void ireneo_set_scaled(float alpha, const float *restrict x, float *restrict y, size_t count) {
    for (size_t k = 0; k < count; k++) y[k] = alpha * x[k];
}

IRENEO_VECTORISED
void ireneo_add_scaled(float alpha, const float *restrict x, float *restrict y, size_t count) {
    for (size_t k = 0; k < count; k++) y[k] += alpha * x[k];
}
