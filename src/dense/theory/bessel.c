/* log I_nu(x), log M_N(S) and A_N(S): the power series where it is short, Debye's expansion elsewhere.
 *
 * With nu = N/2 - 1 and y = S^2/4 the mean is the series M_N = sum_k y^k / (k! (nu+1)_k), all terms positive.
 * Far from the origin of the (nu, x) plane, r = sqrt(nu^2 + x^2) >= 50, Debye's expansion
 *     I_nu(x) = exp(r - nu asinh(nu/x)) / sqrt(2 pi r) sum_k U_k(p) / nu^k ,   p = nu / r ,
 * holds uniformly. U_k has the powers k, k+2, .., 3k of p, so that U_k(p) / nu^k = r^-k sum_j c_kj p^2j needs
 * no nu > 0; the error of TERMS terms is far below rounding at r = 50. The derivative's polynomials V_k
 * follow from the same coefficients, which gives the ratio A_N without a difference of logarithms. */
#include "dense/theory/bessel.h"

#include <math.h>

enum { TERMS = 16 };
static const double DEBYE_RADIUS = 50.0;

/* sum_k y^k / (k! (b)_k) - 1, where y is moderate: y < 4 b or y < 50^2 / 4. */
static double series_beyond_one(double b, double y) {
    double term = 1.0, sum = 0.0;
    for (int k = 1; k < 1000; k++) {
        term *= y / (k * (b + k - 1.0));
        sum += term;
        if (term <= 1e-18 * sum) break;
    }
    return sum;
}

/* Whether the series is the better way: near the origin, or so early that two or three terms do it. */
static int is_series_region(double order, double x) {
    return hypot(order, x) < DEBYE_RADIUS || x * x < 4.0 * (order + 1.0);
}

typedef struct debye {
    double radius, p; /* r and nu / r */
    double value;     /* sum_k U_k(p) / nu^k */
    double slope;     /* sum_k r^-(k+1) sum_j c_kj (1/2 + k + 2j) p^2j, see ratio */
} debye;

/* The coefficients come from U_(k+1)(p) = p^2 (1-p^2) U_k'(p) / 2 + 1/8 Int_0^p (1 - 5t^2) U_k(t) dt: the
 * power e = k + 2j of p goes to e + 1 and e + 3, that is to j and j + 1 of the next polynomial. */
static debye debye_sums(double order, double x) {
    debye d = {hypot(order, x), 0.0, 0.0, 0.0};
    d.p = order / d.radius;
    double c[TERMS + 1] = {1.0}, square = d.p * d.p, scale = 1.0;
    for (int k = 0; k < TERMS; k++) {
        double value = 0.0, slope = 0.0, next[TERMS + 1] = {0.0};
        for (int j = k; j >= 0; j--) {
            double e = k + 2.0 * j;
            value = value * square + c[j];
            slope = slope * square + c[j] * (0.5 + e);
            next[j] += c[j] * (0.5 * e + 0.125 / (e + 1.0));
            next[j + 1] -= c[j] * (0.5 * e + 0.625 / (e + 3.0));
        }
        d.value += scale * value;
        scale /= d.radius;
        d.slope += scale * slope;
        for (int j = 0; j <= k + 1; j++) c[j] = next[j];
    }
    return d;
}

/* lgamma(x + 1) - (x log x - x + log(2 pi x) / 2) for x >= 16. */
static double stirling_rest(double x) {
    double q = 1.0 / (x * x);
    return (1.0 / 12.0 -
            q * (1.0 / 360.0 -
                 q * (1.0 / 1260.0 - q * (1.0 / 1680.0 - q * (1.0 / 1188.0 - q * (691.0 / 360360.0)))))) /
           x;
}

double ireneo_log_bessel_i(double order, double x) {
    if (x == 0.0) return order == 0.0 ? 0.0 : (order > 0.0 ? -INFINITY : INFINITY);
    if (is_series_region(order, x))
        return log1p(series_beyond_one(order + 1.0, 0.25 * x * x)) + order * log(0.5 * x) -
               lgamma(order + 1.0);
    debye d = debye_sums(order, x);
    return d.radius - order * asinh(order / x) - 0.5 * log(2.0 * M_PI * d.radius) + log(d.value);
}

/* Where Stirling's formula inside Debye's lets the large terms cancel by hand: with w = r / nu
 *     log M_N = nu (w - 1 - log((1 + w)/2)) + small ,   small = O(log w, 1/nu) . */
typedef struct large_order {
    double radius, excess_log, small; /* r, log((1 + w)/2) */
} large_order;

static large_order large_order_parts(double order, double x) {
    debye d = debye_sums(order, x);
    double z = x / order, beyond = z * (z / (1.0 + hypot(1.0, z))); /* w - 1 */
    return (large_order){d.radius, log1p(0.5 * beyond),
                         -0.5 * log1p(beyond) + stirling_rest(order) + log(d.value)};
}

double ireneo_sphere_log_mean(double dimension, double s) {
    double order = 0.5 * dimension - 1.0, x = fabs(s);
    if (is_series_region(order, x)) return log1p(series_beyond_one(order + 1.0, 0.25 * x * x));
    if (order < 16.0) return ireneo_log_bessel_i(order, x) + lgamma(order + 1.0) - order * log(0.5 * x);
    large_order parts = large_order_parts(order, x);
    return x * (x / (parts.radius + order)) - order * parts.excess_log + parts.small;
}

double ireneo_sphere_log_gap(double dimension, double s) {
    double order = 0.5 * dimension - 1.0;
    if (is_series_region(order, s)) return s - log1p(series_beyond_one(order + 1.0, 0.25 * s * s));
    if (order < 16.0) {
        debye d = debye_sums(order, s);
        return -order * order / (d.radius + s) + order * asinh(order / s) + 0.5 * log(2.0 * M_PI * d.radius) -
               log(d.value) - lgamma(order + 1.0) + order * log(0.5 * s);
    }
    large_order parts = large_order_parts(order, s);
    return order - order * (order / (parts.radius + s)) + order * parts.excess_log - parts.small;
}

double ireneo_sphere_overlap(double dimension, double s) {
    double order = 0.5 * dimension - 1.0, x = fabs(s), overlap;
    if (is_series_region(order, x)) {
        double y = 0.25 * x * x;
        overlap = x / dimension * (1.0 + series_beyond_one(order + 2.0, y)) /
                  (1.0 + series_beyond_one(order + 1.0, y));
    } else {
        /* I'/I - nu/x with V_k - U_k = -(p (1-p^2) U_(k-1) / 2 + p^2 (1-p^2) U_(k-1)') and 1 - p^2 = (x/r)^2
         */
        debye d = debye_sums(order, x);
        overlap = x / (d.radius + order) - x / d.radius * d.slope / d.value;
    }
    return copysign(overlap, s);
}
