/* Largest value and sum of squares, lane by lane. */
#include "base/floats.h"
#include "base/vectorised.h"

#include <math.h>

enum { LANES = 16, WIDE_LANES = 8 }; /* floats, doubles in the widest register */

IRENEO_VECTORISED
float ireneo_largest_float(const float *values, size_t count) {
    float lanes[LANES], largest = -INFINITY;
    size_t whole = count - count % LANES;
    for (size_t k = 0; k < LANES; k++) lanes[k] = -INFINITY;
    for (size_t i = 0; i < whole; i += LANES)
        for (size_t k = 0; k < LANES; k++) lanes[k] = values[i + k] > lanes[k] ? values[i + k] : lanes[k];
    for (size_t k = 0; k < LANES; k++) largest = lanes[k] > largest ? lanes[k] : largest;
    for (size_t i = whole; i < count; i++) largest = values[i] > largest ? values[i] : largest;
    return largest;
}

IRENEO_VECTORISED
double ireneo_square_sum(const float *values, size_t count) {
    double lanes[WIDE_LANES] = {0.0}, sum = 0.0;
    size_t i = 0;
    for (; i + WIDE_LANES <= count; i += WIDE_LANES)
        for (size_t k = 0; k < WIDE_LANES; k++) lanes[k] += (double)values[i + k] * (double)values[i + k];
    for (size_t k = 0; i < count; i++, k++) lanes[k] += (double)values[i] * (double)values[i];
    for (size_t k = 0; k < WIDE_LANES; k++) sum += lanes[k];
    return sum;
}
