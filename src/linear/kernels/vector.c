/* Blocks are summed by vectors inside and in order among each other; threads share the blocks. */
#include "linear/kernels/vector.h"
#include "base/vectorised.h"

enum {
    BLOCK = 1 << 14, /* entries of a block: two of them fit into a core's first cache */
    SHARED_FROM = 8, /* blocks from which waking other threads pays */
    SUMS_AT_ONCE = 1024
};

IRENEO_VECTORISED
static double block_dot(const float *a, const float *b, size_t count) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t k = 0; k < count; k++) sum += (double)a[k] * (double)b[k];
    return sum;
}

double ireneo_dot(const float *a, const float *b, size_t length, int threads) {
    size_t blocks = (length + BLOCK - 1) / BLOCK;
    double sums[SUMS_AT_ONCE], total = 0.0;
    for (size_t base = 0; base < blocks; base += SUMS_AT_ONCE) {
        size_t many = blocks - base < SUMS_AT_ONCE ? blocks - base : SUMS_AT_ONCE;
#pragma omp parallel for num_threads(threads) schedule(static) if (many >= SHARED_FROM)
        for (size_t k = 0; k < many; k++) {
            size_t first = (base + k) * BLOCK, count = length - first < BLOCK ? length - first : BLOCK;
            sums[k] = block_dot(a + first, b + first, count);
        }
        for (size_t k = 0; k < many; k++) total += sums[k];
    }
    return total;
}

IRENEO_VECTORISED
static void block_axpy(float alpha, const float *restrict x, float *restrict y, size_t count) {
    for (size_t k = 0; k < count; k++) y[k] += alpha * x[k];
}

void ireneo_axpy(double alpha, const float *x, float *y, size_t length, int threads) {
    size_t blocks = (length + BLOCK - 1) / BLOCK;
#pragma omp parallel for num_threads(threads) schedule(static) if (blocks >= SHARED_FROM)
    for (size_t k = 0; k < blocks; k++) {
        size_t first = k * BLOCK, count = length - first < BLOCK ? length - first : BLOCK;
        block_axpy((float)alpha, x + first, y + first, count);
    }
}

IRENEO_VECTORISED
static double block_axpy_dot(float alpha, const float *restrict x, float *restrict y, const float *restrict z,
                             size_t count) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t k = 0; k < count; k++) {
        y[k] += alpha * x[k];
        sum += (double)y[k] * (double)z[k];
    }
    return sum;
}

double ireneo_axpy_dot(double alpha, const float *x, float *y, const float *z, size_t length, int threads) {
    if (length > SHARED_FROM * (size_t)BLOCK) {
        ireneo_axpy(alpha, x, y, length, threads);
        return ireneo_dot(z, y, length, threads);
    }
    double total = 0.0;
    for (size_t first = 0; first < length; first += BLOCK)
        total += block_axpy_dot((float)alpha, x + first, y + first, z + first,
                                length - first < BLOCK ? length - first : BLOCK);
    return total;
}

IRENEO_VECTORISED
double ireneo_dot_f64(const double *a, const double *b, size_t count) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t k = 0; k < count; k++) sum += a[k] * b[k];
    return sum;
}
