/* Q(a, x) = Gamma(a, x) / Gamma(a) with a = n/2, x = n u / 2: the series below the mean, Lentz's continued
 * fraction above it. Either needs of the order of sqrt(a) terms near x = a. */
#include "dense/theory/chi_squared.h"

#include <math.h>

/* log of x^a e^-x / Gamma(a + 1), with the large terms cancelled by hand. */
static double log_front(double a, double u) {
    if (a < 20.0) return a * log(a * u) - a * u - lgamma(a + 1.0);
    double q = 1.0 / (a * a), rest = (1.0 / 12.0 - q * (1.0 / 360.0 - q / 1260.0)) / a;
    return a * (log1p(u - 1.0) - (u - 1.0)) - 0.5 * log(2.0 * M_PI * a) - rest;
}

static double lower_series(double a, double x, double front) {
    double term = 1.0, sum = 1.0;
    for (double k = 1.0; term > 1e-17 * sum; k += 1.0) {
        term *= x / (a + k);
        sum += term;
    }
    return front * sum;
}

static double upper_fraction(double a, double x, double front) {
    double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, h = d;
    for (double k = 1.0; k < 1e7; k += 1.0) {
        double numerator = -k * (k - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        h *= c * d;
        if (fabs(c * d - 1.0) < 1e-15) break;
    }
    return front * a * h;
}

double ireneo_chi_squared_tail(double degrees, double u) {
    double a = 0.5 * degrees, x = a * u;
    if (u <= 0.0) return 1.0;
    double front = exp(log_front(a, u));
    if (x < a + 1.0) return 1.0 - lower_series(a, x, front);
    return upper_fraction(a, x, front);
}
