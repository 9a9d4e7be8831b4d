/* RMSNorm without gain: y = x / sqrt(mean x^2 + 1e-12), and its transposed derivative
 * dx = (dy - y mean(y dy)) / sqrt(mean x^2). Sums in double, as in layer_norm.c. */
#include "attention/network/rms_norm.h"
#include "base/pool.h"
#include "base/vectorised.h"

#include <math.h>

enum { LANES = 16, GRAIN = 32 }; /* sums at a time; rows a thread takes at a time */

static const double LEAST_SQUARE = 1e-12;

/* Mean of x y over a slice. */
static inline __attribute__((always_inline)) double mean_product(const ireneo_scalar *x,
                                                                 const ireneo_scalar *y, size_t width) {
    double sums[LANES] = {0}, sum = 0.0;
    size_t i = 0;
    for (; i + LANES <= width; i += LANES)
        for (int k = 0; k < LANES; k++) sums[k] += (double)x[i + (size_t)k] * (double)y[i + (size_t)k];
    for (int k = 0; i < width; i++, k++) sums[k] += (double)x[i] * (double)y[i];
    for (int k = 0; k < LANES; k++) sum += sums[k];
    return sum / (double)width;
}

IRENEO_VECTORISED
static void normalise_slice(const ireneo_scalar *x, ireneo_scalar *y, size_t width, ireneo_scalar *scale) {
    ireneo_scalar factor = (ireneo_scalar)(1.0 / sqrt(mean_product(x, x, width) + LEAST_SQUARE));
    for (size_t i = 0; i < width; i++) y[i] = x[i] * factor;
    *scale = factor;
}

IRENEO_VECTORISED
static void normalise_slice_backward(const ireneo_scalar *y, ireneo_scalar scale, ireneo_scalar *gradient,
                                     size_t width) {
    ireneo_scalar along = (ireneo_scalar)mean_product(y, gradient, width);
    for (size_t i = 0; i < width; i++) gradient[i] = scale * (gradient[i] - y[i] * along);
}

typedef struct rms_work {
    ireneo_slices at;
    const ireneo_scalar *x;
    ireneo_scalar *y, *scale;
} rms_work;

static void normalise_range(void *context, size_t first, size_t last) {
    const rms_work *w = context;
    for (size_t row = first; row < last; row++)
        for (size_t k = 0; k < w->at.count; k++) {
            size_t from = row * w->at.stride + k * w->at.width;
            normalise_slice(w->x + from, w->y + from, w->at.width, w->scale + row * w->at.count + k);
        }
}

typedef struct rms_gradient {
    ireneo_slices at;
    const ireneo_scalar *y, *scale;
    ireneo_scalar *gradient;
} rms_gradient;

static void normalise_range_backward(void *context, size_t first, size_t last) {
    const rms_gradient *w = context;
    for (size_t row = first; row < last; row++)
        for (size_t k = 0; k < w->at.count; k++) {
            size_t from = row * w->at.stride + k * w->at.width;
            normalise_slice_backward(w->y + from, w->scale[row * w->at.count + k], w->gradient + from,
                                     w->at.width);
        }
}

void ireneo_rms_normalise(ireneo_slices at, const ireneo_scalar *x, ireneo_scalar *y, ireneo_scalar *scale,
                          int threads) {
    rms_work w = {at, x, y, scale};
    ireneo_share_rows(at.rows, GRAIN, threads, normalise_range, &w);
}

void ireneo_rms_normalise_backward(ireneo_slices at, const ireneo_scalar *y, const ireneo_scalar *scale,
                                   ireneo_scalar *gradient, int threads) {
    rms_gradient w = {at, y, scale, gradient};
    ireneo_share_rows(at.rows, GRAIN, threads, normalise_range_backward, &w);
}
