/* Softmax of one row, with what the theory asks about it: Z = sum e^{a_k - max}, participation
 * sum e^{2 (a_k - max)} / Z^2 and entropy log Z - sum (a_k - max) e^{a_k - max} / Z.
 *
 * Sums run over a fixed number of lanes, so that they vectorise and are the same on every instruction set. */
#include "attention/network/softmax.h"
#include "attention/network/exponential.h"
#include "base/floats.h"
#include "base/vectorised.h"

#include <math.h>

enum { LANES = 16 };

#ifdef IRENEO_NETWORK_DOUBLE
#define EXPONENTIAL exp
#define LOGARITHM   log
#define LARGEST     largest
static double largest(const double *row, size_t count) {
    double most = -INFINITY;
    for (size_t i = 0; i < count; i++) most = fmax(most, row[i]);
    return most;
}
#else
#define EXPONENTIAL ireneo_exponential
#define LOGARITHM   logf
#define LARGEST     ireneo_largest_float
#endif

/* Weights below e^-46 = 1e-20 of the largest count as zero. They are far below the rounding of the others,
 * and their products with gradients would be denormal numbers, on which processors are slow. */
static inline __attribute__((always_inline)) ireneo_scalar weight(ireneo_scalar x) {
    ireneo_scalar e = EXPONENTIAL(x);
    return x > -46 ? e : 0;
}

/* Halves the lanes until one is left. */
static inline __attribute__((always_inline)) ireneo_scalar sum_lanes(ireneo_scalar *lanes) {
    for (int k = 0; k < 8; k++) lanes[k] += lanes[k + 8];
    for (int k = 0; k < 4; k++) lanes[k] += lanes[k + 4];
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

IRENEO_VECTORISED
ireneo_row_report ireneo_softmax_row(ireneo_scalar *row, size_t count) {
    ireneo_scalar most = LARGEST(row, count);
    ireneo_scalar sums[LANES] = {0}, squares[LANES] = {0}, moments[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
#pragma omp simd
        for (int k = 0; k < LANES; k++) {
            ireneo_scalar x = row[i + (size_t)k] - most, e = weight(x);
            row[i + (size_t)k] = e;
            sums[k] += e;
            squares[k] += e * e;
            moments[k] += e * x;
        }
    for (int k = 0; i < count; i++, k++) {
        ireneo_scalar x = row[i] - most, e = weight(x);
        row[i] = e;
        sums[k] += e;
        squares[k] += e * e;
        moments[k] += e * x;
    }
    ireneo_scalar sum = sum_lanes(sums), share = 1 / sum, log_sum = LOGARITHM(sum);
    for (i = 0; i < count; i++) row[i] *= share;
    return (ireneo_row_report){.log_sum = most + log_sum,
                               .participation = sum_lanes(squares) * share * share,
                               .entropy = log_sum - sum_lanes(moments) * share};
}

IRENEO_VECTORISED
void ireneo_softmax_again(ireneo_scalar *row, size_t count, ireneo_scalar log_sum) {
    for (size_t i = 0; i < count; i++) row[i] = weight(row[i] - log_sum);
}

IRENEO_VECTORISED
void ireneo_softmax_backward(const ireneo_scalar *weights, ireneo_scalar *gradient, size_t count) {
    ireneo_scalar lanes[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int k = 0; k < LANES; k++) lanes[k] += weights[i + (size_t)k] * gradient[i + (size_t)k];
    for (int k = 0; i < count; i++, k++) lanes[k] += weights[i] * gradient[i];
    ireneo_scalar mean = sum_lanes(lanes);
    for (i = 0; i < count; i++) gradient[i] = weights[i] * (gradient[i] - mean);
}
