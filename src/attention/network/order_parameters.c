/* Order parameters of tokens and of attention rows.
 *
 * Both overlaps come from sums over all tokens: with unit vectors u_s, sum_{s != t} u_s . u_t =
 * |sum_s u_s|^2 - T, and with the rows of A, sum_{s != t} sum_k A_sk A_tk = sum_k (sum_s A_sk)^2 -
 * sum_sk A_sk^2. */
#include "attention/network/order_parameters.h"
#include "base/floats.h"

#include <math.h>
#include <string.h>

void ireneo_measure_tokens(const float *x, size_t rows, size_t width, double *scratch, double *rho,
                           double *q) {
    double total = 0.0, seen = 0.0;
    memset(scratch, 0, width * sizeof *scratch);
    for (size_t row = 0; row < rows; row++) {
        double square = ireneo_square_sum(x + row * width, width);
        double shrink = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
        for (size_t i = 0; i < width; i++) scratch[i] += shrink * (double)x[row * width + i];
        total += square;
        seen += square > 0.0 ? 1.0 : 0.0;
    }
    double square = 0.0;
    for (size_t i = 0; i < width; i++) square += scratch[i] * scratch[i];
    *rho = (square - seen) / ((double)rows * ((double)rows - 1.0));
    *q = total / ((double)rows * (double)width);
}

void ireneo_measure_rows(const ireneo_network_shape *shape, const ireneo_network_trace *trace,
                         double *participation, double *entropy, double *overlap) {
    size_t count = trace->rows * shape->heads;
    double T = (double)shape->context, squares = 0.0, entropies = 0.0, columns = 0.0;
    for (size_t i = 0; i < count; i++) {
        squares += (double)trace->participation[i];
        entropies += (double)trace->entropy[i];
        columns += (double)trace->column_sum[i] * (double)trace->column_sum[i];
    }
    *participation = squares / (double)count;
    *entropy = entropies / (double)count;
    *overlap = (columns - squares) / ((double)count * (T - 1.0));
}

void ireneo_measure_last_rows(const ireneo_network_shape *shape, const ireneo_network_trace *trace,
                              size_t last, double *participation, double *entropy) {
    size_t T = shape->context, pairs = trace->sequences * shape->heads, first = last < T ? T - last : 0;
    double squares = 0.0, entropies = 0.0, count = (double)(pairs * (T - first));
    for (size_t pair = 0; pair < pairs; pair++)
        for (size_t row = first; row < T; row++) {
            squares += (double)trace->participation[pair * T + row];
            entropies += (double)trace->entropy[pair * T + row];
        }
    *participation = squares / count;
    *entropy = entropies / count;
}
