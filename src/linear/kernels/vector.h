/* Long float32 vectors: sums over blocks of fixed size, so that results do not depend on threads. */
#ifndef IRENEO_LINEAR_KERNELS_VECTOR_H
#define IRENEO_LINEAR_KERNELS_VECTOR_H

#include <stddef.h>

/* <a, b> in float64. */
double ireneo_dot(const float *a, const float *b, size_t length, int threads);

/* y += alpha x. */
void ireneo_axpy(double alpha, const float *x, float *y, size_t length, int threads);

/* y += alpha x, and <z, y> afterwards, in one walk where the vectors are short. */
double ireneo_axpy_dot(double alpha, const float *x, float *y, const float *z, size_t length, int threads);

/* <a, b> of float64 vectors (count) by one thread, always summed in the same order. */
double ireneo_dot_f64(const double *a, const double *b, size_t count);

#endif
