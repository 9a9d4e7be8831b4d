/* Exponentials of many floats at once, for softmax.
 *
 * Relative error below 2e-7 on [-87, 88]; below -87 the result is 0, above 88 it is that of 88. Sums run in
 * 16 fixed lanes, so every instruction set gives the same bits. */
#ifndef IRENEO_BASE_EXPONENTIAL_H
#define IRENEO_BASE_EXPONENTIAL_H

#include <stddef.h>

/* results[i] = exp(values[i]); the arrays (count) may be the same one. */
void ireneo_exp_floats(const float *values, float *results, size_t count);

/* values[i] = exp(values[i] - shift) in place; returns their sum. */
double ireneo_exp_floats_sum(float *values, size_t count, float shift);

/* The largest of count values; -infinity when there are none. */
float ireneo_largest_float(const float *values, size_t count);

#endif
