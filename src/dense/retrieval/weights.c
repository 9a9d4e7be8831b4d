/* Attention weights of a row of scores: exponentials by base/exponential.h, powers by repeated squares. */
#include "dense/retrieval/weights.h"
#include "base/exponential.h"
#include "base/vectorised.h"

enum { LANES = 16 };

/* Weights below e^-60 vanish in a float32 sum; as exact zeros they keep subnormal numbers, which are slow,
 * out of the matrix products. */
static const float SMALLEST_EXPONENT = -60.0f;

double ireneo_softmax_weights(float *scores, size_t count, float lambda, float peak) {
    return ireneo_exp_sum(scores, count, lambda, peak, SMALLEST_EXPONENT);
}

IRENEO_VECTORISED
double ireneo_polynomial_weights(float *scores, size_t count, int degree, float peak, double *power_sum) {
    float inverse = 1.0f / peak, smallest = 1e-26f;
    double sum = 0.0, powers = 0.0;
    for (size_t i = 0; i < count; i += LANES) {
        float base[LANES] = {0}, weight[LANES];
        size_t width = count - i < LANES ? count - i : LANES;
        for (size_t k = 0; k < width; k++) base[k] = scores[i + k] > 0.0f ? scores[i + k] * inverse : 0.0f;
        float square[LANES];
        for (int k = 0; k < LANES; k++) {
            weight[k] = 1.0f;
            square[k] = base[k];
        }
        for (int rest = degree - 1; rest > 0; rest >>= 1) {
            if (rest & 1)
                for (int k = 0; k < LANES; k++) weight[k] *= square[k];
            for (int k = 0; k < LANES; k++) square[k] = square[k] < smallest ? 0.0f : square[k] * square[k];
        }
        float weight_sum = 0.0f, power = 0.0f;
        for (size_t k = 0; k < width; k++) {
            float w = weight[k] < smallest ? 0.0f : weight[k];
            scores[i + k] = w;
            weight_sum += w;
            power += w * base[k];
        }
        sum += (double)weight_sum;
        powers += (double)power;
    }
    *power_sum = powers;
    return sum;
}
