/* Blocks are summed by vectors inside and in order among each other; threads share the blocks. */
#include "linear/kernels/vector.h"
#include "base/pool.h"
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

/* Blocks of two vectors. */
typedef struct blocks {
    const float *a, *b;
    float *changed;
    float alpha;
    size_t first, length; /* first block at hand; entries */
    double sums[SUMS_AT_ONCE];
} blocks;

static void dot_of_block(void *context, size_t k, int thread) {
    (void)thread;
    blocks *v = context;
    size_t first = (v->first + k) * BLOCK, count = v->length - first < BLOCK ? v->length - first : BLOCK;
    v->sums[k] = block_dot(v->a + first, v->b + first, count);
}

double ireneo_dot(const float *a, const float *b, size_t length, int threads) {
    size_t all = (length + BLOCK - 1) / BLOCK;
    blocks v = {.a = a, .b = b, .length = length};
    double total = 0.0;
    for (; v.first < all; v.first += SUMS_AT_ONCE) {
        size_t many = all - v.first < SUMS_AT_ONCE ? all - v.first : SUMS_AT_ONCE;
        ireneo_share(many, many >= SHARED_FROM ? threads : 1, dot_of_block, &v);
        for (size_t k = 0; k < many; k++) total += v.sums[k];
    }
    return total;
}

IRENEO_VECTORISED
static void block_axpy(float alpha, const float *restrict x, float *restrict y, size_t count) {
    for (size_t k = 0; k < count; k++) y[k] += alpha * x[k];
}

static void add_to_block(void *context, size_t first, size_t last) {
    const blocks *v = context;
    block_axpy(v->alpha, v->a + first, v->changed + first, last - first);
}

void ireneo_axpy(double alpha, const float *x, float *y, size_t length, int threads) {
    blocks v = {.a = x, .changed = y, .alpha = (float)alpha};
    ireneo_share_rows(length, BLOCK, length >= (size_t)SHARED_FROM * BLOCK ? threads : 1, add_to_block, &v);
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
