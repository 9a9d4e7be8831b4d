/* Limited-memory BFGS directions for large float32 vectors; inner products in float64. */
#ifndef IRENEO_LINEAR_SOLVER_LBFGS_H
#define IRENEO_LINEAR_SOLVER_LBFGS_H

#include "base/error.h"

typedef struct ireneo_lbfgs {
    size_t length, history; /* entries of a vector, pairs remembered */
    size_t used, next;
    float *steps, *changes; /* (history, length): moves of the point and of the gradient */
    double *products;       /* (history) 1 / <step, change> */
    double scale;           /* <s, y> / <y, y> of the newest pair */
    int threads;
} ireneo_lbfgs;

ireneo_error ireneo_lbfgs_allocate(size_t length, size_t history, int threads, ireneo_lbfgs *lbfgs);
void ireneo_lbfgs_free(ireneo_lbfgs *lbfgs);
void ireneo_lbfgs_forget(ireneo_lbfgs *lbfgs);

/* direction (length) = - H gradient, by the two-loop recursion. */
void ireneo_lbfgs_direction(const ireneo_lbfgs *lbfgs, const float *gradient, float *direction);

/* Remembers a step `scale * direction` and the change from old_gradient to new_gradient; pairs without
 * curvature are skipped. */
void ireneo_lbfgs_remember(ireneo_lbfgs *lbfgs, double scale, const float *direction,
                           const float *old_gradient, const float *new_gradient);

#endif
