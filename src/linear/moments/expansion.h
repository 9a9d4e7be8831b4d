/* Exact sums of float64 numbers as short lists of float64 numbers (docs/layers.md, "Exact sums").
 *
 * A list stands for the sum of its numbers. The canonical list of a sum S is c_1 = S rounded to nearest, c_2 = S - c_1
 * rounded to nearest, and so on until nothing is left: it depends on S alone. */
#ifndef IRENEO_LINEAR_MOMENTS_EXPANSION_H
#define IRENEO_LINEAR_MOMENTS_EXPANSION_H

#include <stddef.h>

enum { IRENEO_EXPANSION_MOST = 64 }; /* numbers that a list may have; sums here need at most 13 */

/* a + b = *sum + *error, exactly, with the sum rounded to nearest (Knuth). */
static inline void ireneo_two_sum(double a, double b, double *sum, double *error) {
    double s = a + b, part = s - a;
    *error = (a - (s - part)) + (b - part);
    *sum = s;
}

/* The canonical list of the sum of numbers (count), count <= IRENEO_EXPANSION_MOST, into parts
 * (IRENEO_EXPANSION_MOST); returns its length, 0 for a sum of zero. */
size_t ireneo_expansion_canonical(const double *numbers, size_t count, double *parts);

#endif
