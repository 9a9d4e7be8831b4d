/* e^x of the network, by base/exponential.h with Taylor's polynomial of degree 7: it differs from the one
 * there in the last bit, and the trained networks of data/ and docs/attention.md were made with it. Relative
 * error below 2e-7 on [-87, 88]; smaller x count as -87 (1.6e-38), larger ones as 88. */
#ifndef IRENEO_ATTENTION_NETWORK_EXPONENTIAL_H
#define IRENEO_ATTENTION_NETWORK_EXPONENTIAL_H

#include "base/exponential.h"

static inline __attribute__((always_inline)) float ireneo_exponential(float x) {
    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    ireneo_exp_parts parts = ireneo_exp_split(x);
    float r = parts.rest, p = 1.9841270e-4f;
    p = p * r + 1.3888889e-3f;
    p = p * r + 8.3333333e-3f;
    p = p * r + 4.1666667e-2f;
    p = p * r + 1.6666667e-1f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    return p * parts.power;
}

#endif
