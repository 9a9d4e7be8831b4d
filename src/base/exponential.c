/* Weights of a softmax row and their sum, in one pass. */
#include "base/exponential.h"
#include "base/vectorised.h"

enum { LANES = 16 };

static inline __attribute__((always_inline)) float weight(float x, float least) {
    float e = ireneo_exp_float(x);
    return x < least ? 0.0f : e;
}

IRENEO_VECTORISED
double ireneo_exp_sum(float *values, size_t count, float factor, float shift, float least) {
    float lanes[LANES] = {0.0f};
    size_t whole = count - count % LANES;
    for (size_t i = 0; i < whole; i += LANES) {
        for (size_t k = 0; k < LANES; k++) {
            float e = weight(factor * (values[i + k] - shift), least);
            values[i + k] = e;
            lanes[k] += e;
        }
    }
    double sum = 0.0;
    for (size_t k = 0; k < LANES; k++) sum += (double)lanes[k];
    for (size_t i = whole; i < count; i++) {
        values[i] = weight(factor * (values[i] - shift), least);
        sum += (double)values[i];
    }
    return sum;
}
