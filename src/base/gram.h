/* Inner products of all pairs of rows. */
#ifndef IRENEO_BASE_GRAM_H
#define IRENEO_BASE_GRAM_H

#include <stddef.h>

/* The lower triangle of A A^T in products (rows, rows), diagonal included, for A (rows, columns). What is above the
 * diagonal is left as it was. In plain C, so that what needs a small one needs no BLAS, and gives the same bits
 * everywhere. */
void ireneo_gram(const double *a, size_t rows, size_t columns, double *products);

#endif
