/* Averages over one Gaussian logit x ~ N(0, sigma^2) that every exact formula for softmax rows is made of:
 *
 *     F(t)   = 1 - E exp(-e^{x - t})                      (rises from 0 to 1 as t falls)
 *     M_n(t) = E[ e^{n (x - t)} exp(-e^{x - t}) ] ,  n = 1 .. 4
 *     D(t)   = E[ (x - t) e^{x - t} exp(-e^{x - t}) ]     (dM_n / dn at n = 1) .
 *
 * Both come from the trapezoid rule, which converges exponentially for these analytic integrands. A wide
 * kernel (sigma of a grid step or more) is a convolution on one grid of x and t, tabulated once; a narrow one
 * evaluates the exponentials at a few nodes. */
#ifndef IRENEO_ATTENTION_THEORY_REM_KERNEL_H
#define IRENEO_ATTENTION_THEORY_REM_KERNEL_H

#include "base/error.h"

#define IRENEO_REM_STEP 0.125 /* of the grid; halving it changes no result by more than 1e-12 */

/* Places of the averages in an array: F, M_1 .. M_4, D. */
enum { IRENEO_REM_F = 0, IRENEO_REM_MOMENTS = 4, IRENEO_REM_D = 5, IRENEO_REM_AVERAGES = 6 };

typedef struct ireneo_rem_kernel {
    double sigma, offset;               /* the grid of t, and of x, is index * IRENEO_REM_STEP + offset */
    ptrdiff_t first, last;              /* grid indices that the tables below cover */
    double *density;                    /* (last - first + 1): step * density of N(0, sigma^2) */
    double *tail;                       /* (last - first + 2): sum of the densities from an index upward */
    double *shape[IRENEO_REM_AVERAGES]; /* (window): what is averaged, as functions of u = x - t */
} ireneo_rem_kernel;

/* Prepares the averages for grid indices between lowest and highest. */
ireneo_error ireneo_rem_kernel_open(double sigma, double offset, ptrdiff_t lowest, ptrdiff_t highest,
                                    ireneo_rem_kernel *kernel);
void ireneo_rem_kernel_close(ireneo_rem_kernel *kernel);

/* The first `count` averages at a grid index. */
void ireneo_rem_kernel_at(const ireneo_rem_kernel *kernel, ptrdiff_t index, int count, double *averages);

/* The t above which keys F(t) < e^log_level: from the bound F(t) <= E min(1, e^{x - t}). */
double ireneo_rem_upper_end(double sigma, double keys, double log_level);

/* A t below which nothing is left of phi(t)^{T-1} at any number of keys, as a grid index. */
ptrdiff_t ireneo_rem_lower_end(double sigma);

#endif
