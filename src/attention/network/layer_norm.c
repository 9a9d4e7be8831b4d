/* LayerNorm without affine part: y = (x - mean x) / sqrt(var x + 1e-12), and its transposed derivative
 * dx = (dy - mean dy - y mean(y dy)) / sqrt(var x). Sums in double: rows are long and nearly equal when the
 * rank collapses. */
#include "attention/network/layer_norm.h"
#include "base/pool.h"
#include "base/vectorised.h"

#include <math.h>

enum { LANES = 16, GRAIN = 32 }; /* sums at a time; rows a thread takes at a time */

static const double LEAST_VARIANCE = 1e-12;

/* Mean of a row and of its squared distance from it. */
static inline __attribute__((always_inline)) void row_moments(const ireneo_scalar *x, size_t width,
                                                              double *mean, double *variance) {
    double sums[LANES] = {0}, squares[LANES] = {0}, sum = 0.0, square = 0.0;
    size_t i = 0;
    for (; i + LANES <= width; i += LANES)
        for (int k = 0; k < LANES; k++) sums[k] += (double)x[i + (size_t)k];
    for (int k = 0; i < width; i++, k++) sums[k] += (double)x[i];
    for (int k = 0; k < LANES; k++) sum += sums[k];
    double centre = sum / (double)width;
    for (i = 0; i + LANES <= width; i += LANES)
        for (int k = 0; k < LANES; k++) {
            double distance = (double)x[i + (size_t)k] - centre;
            squares[k] += distance * distance;
        }
    for (int k = 0; i < width; i++, k++) squares[k] += ((double)x[i] - centre) * ((double)x[i] - centre);
    for (int k = 0; k < LANES; k++) square += squares[k];
    *mean = centre;
    *variance = square / (double)width;
}

IRENEO_VECTORISED
static void normalise_row(const ireneo_scalar *x, ireneo_scalar *y, size_t width, ireneo_scalar *scale) {
    double mean, variance;
    row_moments(x, width, &mean, &variance);
    ireneo_scalar centre = (ireneo_scalar)mean,
                  factor = (ireneo_scalar)(1.0 / sqrt(variance + LEAST_VARIANCE));
    for (size_t i = 0; i < width; i++) y[i] = (x[i] - centre) * factor;
    *scale = factor;
}

IRENEO_VECTORISED
static void normalise_row_backward(const ireneo_scalar *y, ireneo_scalar scale, ireneo_scalar *gradient,
                                   size_t width) {
    double sums[LANES] = {0}, products[LANES] = {0}, sum = 0.0, product = 0.0;
    size_t i = 0;
    for (; i + LANES <= width; i += LANES)
        for (int k = 0; k < LANES; k++) {
            double g = (double)gradient[i + (size_t)k];
            sums[k] += g;
            products[k] += g * (double)y[i + (size_t)k];
        }
    for (int k = 0; i < width; i++, k++) {
        sums[k] += (double)gradient[i];
        products[k] += (double)gradient[i] * (double)y[i];
    }
    for (int k = 0; k < LANES; k++) sum += sums[k];
    for (int k = 0; k < LANES; k++) product += products[k];
    ireneo_scalar mean = (ireneo_scalar)(sum / (double)width),
                  along = (ireneo_scalar)(product / (double)width);
    for (i = 0; i < width; i++) gradient[i] = scale * (gradient[i] - mean - y[i] * along);
}

/* Rows that are being normalised, and a gradient that goes back through that. */
typedef struct norm_work {
    const ireneo_scalar *x;
    ireneo_scalar *y, *scale;
    size_t width;
} norm_work;

static void normalise_range(void *context, size_t first, size_t last) {
    const norm_work *n = context;
    for (size_t row = first; row < last; row++)
        normalise_row(n->x + row * n->width, n->y + row * n->width, n->width, n->scale + row);
}

typedef struct norm_gradient {
    const ireneo_scalar *y, *scale;
    ireneo_scalar *gradient;
    size_t width;
} norm_gradient;

static void normalise_range_backward(void *context, size_t first, size_t last) {
    const norm_gradient *n = context;
    for (size_t row = first; row < last; row++)
        normalise_row_backward(n->y + row * n->width, n->scale[row], n->gradient + row * n->width, n->width);
}

void ireneo_normalise_rows(const ireneo_scalar *x, ireneo_scalar *y, size_t rows, size_t width,
                           ireneo_scalar *scale, int threads) {
    norm_work n = {x, y, scale, width};
    ireneo_share_rows(rows, GRAIN, threads, normalise_range, &n);
}

void ireneo_normalise_rows_backward(const ireneo_scalar *y, const ireneo_scalar *scale,
                                    ireneo_scalar *gradient, size_t rows, size_t width, int threads) {
    norm_gradient n = {y, scale, gradient, width};
    ireneo_share_rows(rows, GRAIN, threads, normalise_range_backward, &n);
}
