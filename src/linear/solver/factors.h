/* A memory of limited rank, W = U V^T: what its factors make of points, directions and gradients of matrices. In a full
 * memory they are the same, and nothing is done. */
#ifndef IRENEO_LINEAR_SOLVER_FACTORS_H
#define IRENEO_LINEAR_SOLVER_FACTORS_H

#include "linear/solver/minimiser.h"

/* w = U V^T, after the factors have changed. */
void ireneo_factors_compose(ireneo_minimiser *minimiser);

/* line = dU V^T + U dV^T and curve = dU dV^T of the direction. */
void ireneo_factors_line(ireneo_minimiser *minimiser);

/* G_U = G V, G_V = G^T U of the gradient of the matrix. */
void ireneo_factors_gradient(ireneo_minimiser *minimiser);

#endif
