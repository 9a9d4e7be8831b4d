/* Lengths and their powers of two. */
#include "linear/facts/scale.h"
#include "base/floats.h"

#include <math.h>

double ireneo_norm_f32(const float *vector, size_t dim) {
    return sqrt(ireneo_square_sum(vector, dim));
}

int ireneo_exponent(double size) {
    return size > 0.0 ? ilogb(size) : 0;
}
