/* Zeros of Legendre polynomials by Newton's method; the polynomials by their recursion. */
#include "base/quadrature.h"

#include <math.h>

void ireneo_gauss_legendre(size_t count, double lower, double upper, double *nodes, double *weights) {
    double middle = 0.5 * (lower + upper), half = 0.5 * (upper - lower), n = (double)count;
    for (size_t i = 0; i < (count + 1) / 2; i++) {
        double x = cos(M_PI * ((double)i + 0.75) / (n + 0.5)), slope = 1.0;
        for (int step = 0; step < 100; step++) {
            double p = 1.0, previous = 0.0;
            for (size_t k = 0; k < count; k++) {
                double kk = (double)k, older = previous;
                previous = p;
                p = ((2.0 * kk + 1.0) * x * previous - kk * older) / (kk + 1.0);
            }
            slope = n * (x * p - previous) / (x * x - 1.0);
            double move = p / slope;
            x -= move;
            if (fabs(move) < 1e-15) break;
        }
        double weight = 2.0 / ((1.0 - x * x) * slope * slope);
        nodes[i] = middle - half * x;
        nodes[count - 1 - i] = middle + half * x;
        weights[i] = weights[count - 1 - i] = half * weight;
    }
}
