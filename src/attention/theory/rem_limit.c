/* The limit of many keys. With b = sigma / sqrt(log T) and m = sqrt 2 / b, the weights of a row become a
 * Poisson-Dirichlet(m) sequence when m < 1 and spread over T^{1 - b^2/2} keys when m >= 1. */
#include "attention/theory/rem.h"

#include <math.h>

double ireneo_digamma(double x) {
    double value = 0.0;
    for (; x < 8.0; x += 1.0) value -= 1.0 / x;
    double y = 1.0 / (x * x); /* Bernoulli numbers over 2k */
    double series = y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132)))));
    return value + log(x) - 0.5 / x - series;
}

void ireneo_rem_limit(double b, double log_keys, ireneo_rem_row *row) {
    double m = M_SQRT2 / b, a = b > M_SQRT2 ? 1.0 - m : 0.0;
    row->y[0] = INFINITY;
    row->y[1] = 1.0;
    row->y[2] = a;
    row->y[3] = a * (1.0 + a) / 2.0;
    row->y[4] = a * (1.0 + a) * (2.0 + a) / 6.0;
    row->y2_squared = a / 3.0 + 2.0 * a * a / 3.0;
    ireneo_rem_uncapped(row);
    row->log_partition = (b > M_SQRT2 ? M_SQRT2 * b : 1.0 + 0.5 * b * b) * log_keys;
    /* Just above the transition the condensed entropy exceeds what any row of this length can have. */
    row->entropy = b > M_SQRT2 ? fmin(log_keys, ireneo_digamma(1.0) - ireneo_digamma(a))
                               : (1.0 - 0.5 * b * b) * log_keys;
}

double ireneo_rem_participation_exponent(double b) {
    double square = b * b;
    if (square < 2.0 / 3.0) return square - 1.0;
    if (square >= 2.0) return 0.0;
    double half = 1.0 - 0.5 * square;
    return -half * half / (2.0 * square);
}

double ireneo_rem_overlap_exponent(double b, double rho) {
    double zeta = b < M_SQRT2 ? 1.0 + 0.5 * b * b : M_SQRT2 * b, tilt = b * b * (1.0 + rho);
    return tilt < zeta ? 1.0 + tilt - 2.0 * zeta : 1.0 - zeta * zeta / tilt;
}
