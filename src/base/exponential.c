/* exp(x) = 2^k exp(r) with k = round(x / log 2): the power goes into the exponent bits, the rest is a
 * polynomial of degree 6 on |r| <= log(2) / 2 (the classic Cephes one). */
#include "base/exponential.h"
#include "base/vectorised.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 16 };

static inline __attribute__((always_inline)) float exp_float(float x) {
    const float round_to_whole = 12582912.0f; /* 1.5 * 2^23: the sum's low bits are the whole number */
    float clamped = x > 88.0f ? 88.0f : x;
    float shifted = clamped * 1.44269504088896341f + round_to_whole, k = shifted - round_to_whole;
    float r = clamped - k * 0.693359375f + k * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1.0f;
    uint32_t bits;
    float power;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 23) + 0x3f800000u;
    memcpy(&power, &bits, sizeof power);
    float result = p * power;
    return x < -87.0f ? 0.0f : result;
}

IRENEO_VECTORISED
void ireneo_exp_floats(const float *values, float *results, size_t count) {
    for (size_t i = 0; i < count; i++) results[i] = exp_float(values[i]);
}

IRENEO_VECTORISED
double ireneo_exp_floats_sum(float *values, size_t count, float shift) {
    float lanes[LANES] = {0.0f};
    size_t whole = count - count % LANES;
    for (size_t i = 0; i < whole; i += LANES) {
        for (size_t k = 0; k < LANES; k++) {
            float e = exp_float(values[i + k] - shift);
            values[i + k] = e;
            lanes[k] += e;
        }
    }
    double sum = 0.0;
    for (size_t k = 0; k < LANES; k++) sum += (double)lanes[k];
    for (size_t i = whole; i < count; i++) {
        values[i] = exp_float(values[i] - shift);
        sum += (double)values[i];
    }
    return sum;
}

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
