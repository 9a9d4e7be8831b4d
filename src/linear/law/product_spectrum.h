/* Singular values of a product U V^T with independent Gaussian entries: the spectrum of a factored memory
 * before training. Laws of the squared non-zero ones over d^2, for U and V of shape (d, kappa d). */
#ifndef IRENEO_LINEAR_LAW_PRODUCT_SPECTRUM_H
#define IRENEO_LINEAR_LAW_PRODUCT_SPECTRUM_H

#include "base/error.h"

/* The ends of the support; 0 < kappa <= 1. */
void ireneo_product_spectrum_edges(double kappa, double *lower, double *upper);

/* Density and distribution of the squared values at x. */
double ireneo_product_spectrum_density(double x, double kappa);
double ireneo_product_spectrum_cdf(double x, double kappa);

#endif
