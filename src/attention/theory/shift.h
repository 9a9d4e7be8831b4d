/* Functions on a grid at places between its points. */
#ifndef IRENEO_ATTENTION_THEORY_SHIFT_H
#define IRENEO_ATTENTION_THEORY_SHIFT_H

#include <stddef.h>

/* Weights of four neighbours, at -1, 0, 1 and 2, for the cubic through them at u. */
void ireneo_cubic(double u, double *weight);

/* to[i] += share * from(i + shift), shift in steps of the grid; beyond its ends a function stays what it is there. */
void ireneo_add_shifted(const double *from, size_t points, double shift, double share, double *to);

#endif
