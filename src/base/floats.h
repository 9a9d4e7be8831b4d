/* Reductions over arrays of floats. They run in fixed lanes, so every instruction set gives the same bits. */
#ifndef IRENEO_BASE_FLOATS_H
#define IRENEO_BASE_FLOATS_H

#include <stddef.h>

/* The largest of count values; -infinity when there are none. */
float ireneo_largest_float(const float *values, size_t count);

/* The sum of their squares, in double precision. */
double ireneo_square_sum(const float *values, size_t count);

#endif
