/* Activations of the MLP and their derivatives: ReLU max(0, x), tanh, GELU x Phi(x), SiLU x / (1 + e^-x).
 *
 * The float build uses loops that vectorise: tanh x = 1 - 2 / (e^{2x} + 1), and the error function by
 * Abramowitz and Stegun 7.1.26 (absolute error 1.5e-7). */
#include "attention/network/activation.h"
#include "attention/network/exponential.h"
#include "base/pool.h"
#include "base/vectorised.h"

#include <math.h>

enum { CHUNK = 4096 }; /* numbers a thread takes at a time */

#ifdef IRENEO_NETWORK_DOUBLE
#define TANH tanh
static inline double logistic(double x) {
    return 1.0 / (1.0 + exp(-x));
}
static inline double normal_cdf(double x) {
    return 0.5 * erfc(-x * M_SQRT1_2);
}
static inline double normal_density(double x) {
    return exp(-0.5 * x * x) * 0.3989422804014327;
}
#else
#define TANH fast_tanh
static inline __attribute__((always_inline)) float fast_tanh(float x) {
    return 1.0f - 2.0f / (ireneo_exponential(2.0f * x) + 1.0f);
}
static inline __attribute__((always_inline)) float logistic(float x) {
    return 1.0f / (1.0f + ireneo_exponential(-x));
}
static inline __attribute__((always_inline)) float normal_density(float x) {
    return ireneo_exponential(-0.5f * x * x) * 0.39894228f;
}
/* Phi(x) = 1 - erfc(x / sqrt 2) / 2 for x > 0, mirrored below. */
static inline __attribute__((always_inline)) float normal_cdf(float x) {
    float size = fabsf(x);
    float t = 1.0f / (1.0f + 0.2316418882f * size); /* 0.3275911 / sqrt 2 */
    float p = 1.061405429f;
    p = p * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    float tail = 0.5f * p * t * ireneo_exponential(-0.5f * size * size);
    return x > 0.0f ? 1.0f - tail : tail;
}
#endif

IRENEO_VECTORISED
static void activate(ireneo_activation activation, const ireneo_scalar *x, ireneo_scalar *y, size_t count) {
    switch (activation) {
    case IRENEO_ACTIVATION_RELU:
        for (size_t i = 0; i < count; i++) y[i] = x[i] > 0 ? x[i] : 0;
        break;
    case IRENEO_ACTIVATION_TANH:
        for (size_t i = 0; i < count; i++) y[i] = TANH(x[i]);
        break;
    case IRENEO_ACTIVATION_GELU:
        for (size_t i = 0; i < count; i++) y[i] = x[i] * normal_cdf(x[i]);
        break;
    case IRENEO_ACTIVATION_SILU:
        for (size_t i = 0; i < count; i++) y[i] = x[i] * logistic(x[i]);
        break;
    case IRENEO_ACTIVATION_REGLU: /* gated.c */
    case IRENEO_ACTIVATION_GEGLU:
    case IRENEO_ACTIVATION_SWIGLU:
        break;
    }
}

IRENEO_VECTORISED
static void activate_backward(ireneo_activation activation, const ireneo_scalar *x, ireneo_scalar *gradient,
                              size_t count) {
    switch (activation) {
    case IRENEO_ACTIVATION_RELU:
        for (size_t i = 0; i < count; i++) gradient[i] = x[i] > 0 ? gradient[i] : 0;
        break;
    case IRENEO_ACTIVATION_TANH:
        for (size_t i = 0; i < count; i++) {
            ireneo_scalar y = TANH(x[i]);
            gradient[i] *= 1 - y * y;
        }
        break;
    case IRENEO_ACTIVATION_GELU:
        for (size_t i = 0; i < count; i++) gradient[i] *= normal_cdf(x[i]) + x[i] * normal_density(x[i]);
        break;
    case IRENEO_ACTIVATION_SILU:
        for (size_t i = 0; i < count; i++) {
            ireneo_scalar share = logistic(x[i]);
            gradient[i] *= share * (1 + x[i] * (1 - share));
        }
        break;
    case IRENEO_ACTIVATION_REGLU: /* gated.c */
    case IRENEO_ACTIVATION_GEGLU:
    case IRENEO_ACTIVATION_SWIGLU:
        break;
    }
}

typedef struct activation_work {
    ireneo_activation activation;
    const ireneo_scalar *x;
    ireneo_scalar *y; /* or the gradient, backward */
} activation_work;

static void activate_range(void *context, size_t first, size_t last) {
    const activation_work *w = context;
    activate(w->activation, w->x + first, w->y + first, last - first);
}

static void activate_range_backward(void *context, size_t first, size_t last) {
    const activation_work *w = context;
    activate_backward(w->activation, w->x + first, w->y + first, last - first);
}

void ireneo_activate(ireneo_activation activation, const ireneo_scalar *x, ireneo_scalar *y, size_t count,
                     int threads) {
    activation_work w = {activation, x, y};
    ireneo_share_rows(count, CHUNK, threads, activate_range, &w);
}

void ireneo_activate_backward(ireneo_activation activation, const ireneo_scalar *x, ireneo_scalar *gradient,
                              size_t count, int threads) {
    activation_work w = {activation, x, gradient};
    ireneo_share_rows(count, CHUNK, threads, activate_range_backward, &w);
}
