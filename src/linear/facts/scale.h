/* Scales that change no verdict. Whether a memory recalls a fact does not depend on the length of its key, nor on a
 * common factor of all values: multiplying by powers of two takes both away without rounding. */
#ifndef IRENEO_LINEAR_FACTS_SCALE_H
#define IRENEO_LINEAR_FACTS_SCALE_H

#include <stddef.h>

/* |v| in float64: no float32 vector overflows or vanishes. */
double ireneo_norm_f32(const float *vector, size_t dim);

/* The e with 2^e <= size < 2^(e + 1); 0 for size 0. */
int ireneo_exponent(double size);

#endif
