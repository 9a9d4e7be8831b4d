/* Attention weights of a row of scores; the exponential is a polynomial so that it runs across vector lanes.
 */
#include "dense/retrieval/weights.h"
#include "base/vectorised.h"

#include <stdint.h>
#include <string.h>

enum { LANES = 16 };

/* Weights below e^-60 vanish in a float32 sum; as exact zeros they keep subnormal numbers, which are slow,
 * out of the matrix products. */
static const float SMALLEST_EXPONENT = -60.0f;

/* e^x for -60 <= x <= 0 within 2 units in the last place: x = n log 2 + r, then a polynomial of degree 7 in r
 * (the classic Cephes one) and n added to the exponent. */
static inline __attribute__((always_inline)) float exp_of_nonpositive(float x) {
    const float shift = 12582912.0f; /* 1.5 * 2^23: adding it rounds to a whole number in the low bits */
    float shifted = x * 1.44269504088896341f + shift;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    float n = shifted - shift;
    float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    float y = p * (r * r) + r + 1.0f;
    uint32_t exponent = (bits + (127u - 0x4b400000u)) << 23; /* 2^n */
    float scale;
    memcpy(&scale, &exponent, sizeof scale);
    return y * scale;
}

static inline __attribute__((always_inline)) float shifted_exp(float score, float lambda, float peak) {
    float x = lambda * (score - peak);
    float bounded = x < SMALLEST_EXPONENT ? SMALLEST_EXPONENT : x;
    float value = exp_of_nonpositive(bounded);
    return x < SMALLEST_EXPONENT ? 0.0f : value;
}

static double sum_lanes(const float *lanes) {
    double sum = 0.0;
    for (int k = 0; k < LANES; k++) sum += (double)lanes[k];
    return sum;
}

IRENEO_VECTORISED
float ireneo_largest_score(const float *scores, size_t count) {
    float lanes[LANES];
    size_t whole = count - count % LANES;
    for (int k = 0; k < LANES; k++) lanes[k] = scores[0];
    for (size_t i = 0; i < whole; i += LANES)
        for (int k = 0; k < LANES; k++)
            lanes[k] = scores[i + (size_t)k] > lanes[k] ? scores[i + (size_t)k] : lanes[k];
    float largest = lanes[0];
    for (int k = 1; k < LANES; k++) largest = lanes[k] > largest ? lanes[k] : largest;
    for (size_t i = whole; i < count; i++) largest = scores[i] > largest ? scores[i] : largest;
    return largest;
}

IRENEO_VECTORISED
double ireneo_softmax_weights(float *scores, size_t count, float lambda, float peak) {
    float lanes[LANES] = {0};
    size_t whole = count - count % LANES;
    for (size_t i = 0; i < whole; i += LANES)
        for (int k = 0; k < LANES; k++) {
            float w = shifted_exp(scores[i + (size_t)k], lambda, peak);
            scores[i + (size_t)k] = w;
            lanes[k] += w;
        }
    double sum = sum_lanes(lanes);
    for (size_t i = whole; i < count; i++) {
        scores[i] = shifted_exp(scores[i], lambda, peak);
        sum += (double)scores[i];
    }
    return sum;
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

IRENEO_VECTORISED
double ireneo_square_sum(const float *scores, size_t count) {
    double lanes[LANES] = {0}, sum = 0.0;
    size_t whole = count - count % LANES;
    for (size_t i = 0; i < whole; i += LANES)
        for (int k = 0; k < LANES; k++) {
            double s = (double)scores[i + (size_t)k];
            lanes[k] += s * s;
        }
    for (int k = 0; k < LANES; k++) sum += lanes[k];
    for (size_t i = whole; i < count; i++) sum += (double)scores[i] * (double)scores[i];
    return sum;
}
