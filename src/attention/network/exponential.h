/* e^x that compilers turn into vector instructions: x = n log 2 + r with |r| <= log(2) / 2, a polynomial of
 * degree 7 for e^r, and n into the exponent bits. Relative error below 2e-7 on [-87, 88]; smaller x count as
 * -87 (1.6e-38), larger ones as 88. Inline, because only then do the loops around it vectorise. */
#ifndef IRENEO_ATTENTION_NETWORK_EXPONENTIAL_H
#define IRENEO_ATTENTION_NETWORK_EXPONENTIAL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline __attribute__((always_inline)) float ireneo_exponential(float x) {
    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    const float round_to_whole = 12582912.0f; /* 1.5 * 2^23: the sum has no room for a fraction */
    float n = (x * 1.44269504f + round_to_whole) - round_to_whole;
    float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.9841270e-4f;
    p = p * r + 1.3888889e-3f;
    p = p * r + 8.3333333e-3f;
    p = p * r + 4.1666667e-2f;
    p = p * r + 1.6666667e-1f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    int32_t bits = ((int32_t)n + 127) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

#endif
