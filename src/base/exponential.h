/* e^x of floats in loops that vectorise: x = n log 2 + r with |r| <= log(2) / 2, a polynomial for e^r, and n
 * into the exponent bits.
 *
 * The functions are inline, because only then do the loops around them become vector instructions. Sums run
 * in 16 fixed lanes, so every instruction set gives the same bits. */
#ifndef IRENEO_BASE_EXPONENTIAL_H
#define IRENEO_BASE_EXPONENTIAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* e^x = power e^rest, for -87 <= x <= 88. */
typedef struct ireneo_exp_parts {
    float rest, power;
} ireneo_exp_parts;

static inline __attribute__((always_inline)) ireneo_exp_parts ireneo_exp_split(float x) {
    const float round_to_whole = 12582912.0f; /* 1.5 * 2^23: the sum's low bits are the whole number */
    float shifted = x * 1.44269504088896341f + round_to_whole, n = shifted - round_to_whole;
    ireneo_exp_parts parts = {.rest = (x - n * 0.693359375f) + n * 2.12194440e-4f};
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 23) + 0x3f800000u;
    memcpy(&parts.power, &bits, sizeof bits);
    return parts;
}

/* e^x with a relative error below 2e-7 for -87 <= x <= 88 (the classic Cephes polynomial); beyond 88 that of
 * 88, below -87 without meaning: callers put their own zero there. */
static inline __attribute__((always_inline)) float ireneo_exp_float(float x) {
    ireneo_exp_parts parts = ireneo_exp_split(x > 88.0f ? 88.0f : x);
    float r = parts.rest, p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    return (p * (r * r) + r + 1.0f) * parts.power;
}

/* values[i] = exp(factor (values[i] - shift)) in place, or 0 where the exponent is below `least` >= -87;
 * returns their sum. The row of a softmax, but for the division. */
double ireneo_exp_sum(float *values, size_t count, float factor, float shift, float least);

#endif
