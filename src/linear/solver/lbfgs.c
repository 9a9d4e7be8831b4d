/* The two-loop recursion (Nocedal 1980). Vectors are cut in blocks of fixed size, so sums do not depend on
 * threads. */
#include "linear/solver/lbfgs.h"
#include "base/ram.h"
#include "base/vectorised.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 1 << 14, MOST_HISTORY = 64 };

ireneo_error ireneo_lbfgs_allocate(size_t length, size_t history, int threads, ireneo_lbfgs *lbfgs) {
    memset(lbfgs, 0, sizeof *lbfgs);
    lbfgs->length = length;
    lbfgs->history = history < MOST_HISTORY ? history : MOST_HISTORY;
    lbfgs->threads = threads;
    size_t count;
    IRENEO_TRY(ireneo_multiply_sizes(lbfgs->history, length, &count, "L-BFGS history"));
    ireneo_error failed = IRENEO_ALLOCATE(&lbfgs->steps, count, "L-BFGS history");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&lbfgs->changes, count, "L-BFGS history");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&lbfgs->products, lbfgs->history, "L-BFGS history");
    if (failed != IRENEO_OK) ireneo_lbfgs_free(lbfgs);
    return failed;
}

void ireneo_lbfgs_free(ireneo_lbfgs *lbfgs) {
    free(lbfgs->steps);
    free(lbfgs->changes);
    free(lbfgs->products);
    memset(lbfgs, 0, sizeof *lbfgs);
}

void ireneo_lbfgs_forget(ireneo_lbfgs *lbfgs) {
    lbfgs->used = lbfgs->next = 0;
}

IRENEO_VECTORISED
static double block_dot(const float *a, const float *b, size_t count) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t k = 0; k < count; k++) sum += (double)a[k] * (double)b[k];
    return sum;
}

double ireneo_dot(const float *a, const float *b, size_t length, int threads) {
    size_t blocks = (length + BLOCK - 1) / BLOCK;
    double sums[1024], total = 0.0;
    for (size_t base = 0; base < blocks; base += 1024) {
        size_t many = blocks - base < 1024 ? blocks - base : 1024;
#pragma omp parallel for num_threads(threads) schedule(static) if (many >= 8)
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
#pragma omp parallel for num_threads(threads) schedule(static) if (blocks >= 8)
    for (size_t k = 0; k < blocks; k++) {
        size_t first = k * BLOCK, count = length - first < BLOCK ? length - first : BLOCK;
        block_axpy((float)alpha, x + first, y + first, count);
    }
}

/* y += alpha x, and <z, y> afterwards, in one walk. */
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

static double axpy_dot(double alpha, const float *x, float *y, const float *z, size_t length, int threads) {
    if (length > 8 * (size_t)BLOCK) { /* large enough to share among threads */
        ireneo_axpy(alpha, x, y, length, threads);
        return ireneo_dot(z, y, length, threads);
    }
    double total = 0.0;
    for (size_t first = 0; first < length; first += BLOCK)
        total += block_axpy_dot((float)alpha, x + first, y + first, z + first,
                                length - first < BLOCK ? length - first : BLOCK);
    return total;
}

static size_t newest(const ireneo_lbfgs *l, size_t age) {
    return (l->next + l->history - 1 - age) % l->history;
}

void ireneo_lbfgs_direction(const ireneo_lbfgs *l, const float *gradient, float *direction) {
    double weight[MOST_HISTORY], product;
    size_t n = l->length;
    for (size_t k = 0; k < n; k++) direction[k] = -gradient[k];
    if (l->used == 0) return;
    product = ireneo_dot(l->steps + newest(l, 0) * n, direction, n, l->threads);
    for (size_t age = 0; age < l->used; age++) { /* from the newest to the oldest */
        size_t at = newest(l, age), older = newest(l, age + 1);
        weight[at] = product * l->products[at];
        if (age + 1 < l->used)
            product =
                axpy_dot(-weight[at], l->changes + at * n, direction, l->steps + older * n, n, l->threads);
        else
            ireneo_axpy(-weight[at], l->changes + at * n, direction, n, l->threads);
    }
    for (size_t k = 0; k < n; k++) direction[k] *= (float)l->scale;
    product = ireneo_dot(l->changes + newest(l, l->used - 1) * n, direction, n, l->threads);
    for (size_t age = l->used; age-- > 0;) { /* and back */
        size_t at = newest(l, age);
        double by = weight[at] - product * l->products[at];
        if (age > 0)
            product = axpy_dot(by, l->steps + at * n, direction, l->changes + newest(l, age - 1) * n, n,
                               l->threads);
        else
            ireneo_axpy(by, l->steps + at * n, direction, n, l->threads);
    }
}

void ireneo_lbfgs_remember(ireneo_lbfgs *l, double scale, const float *direction, const float *old_gradient,
                           const float *new_gradient) {
    float *step = l->steps + l->next * l->length, *change = l->changes + l->next * l->length,
          factor = (float)scale;
    for (size_t k = 0; k < l->length; k++) {
        step[k] = factor * direction[k];
        change[k] = new_gradient[k] - old_gradient[k];
    }
    double product = ireneo_dot(step, change, l->length, l->threads),
           square = ireneo_dot(change, change, l->length, l->threads);
    if (!(product > 1e-12 * square) || square == 0.0) return;
    l->products[l->next] = 1.0 / product;
    l->scale = product / square;
    l->next = (l->next + 1) % l->history;
    if (l->used < l->history) l->used++;
}
