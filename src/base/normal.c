/* Densities, tails and quantiles of N(0, 1). Log tails are taken from erfcx, so that they stay exact where erfc
 * underflows. */
#include "base/normal.h"
#include "base/faddeeva.h"

#include <math.h>

double ireneo_normal_density(double x) {
    return exp(-0.5 * x * x) * M_SQRT1_2 * 0.5 * M_2_SQRTPI;
}

double ireneo_normal_tail(double x) {
    return 0.5 * erfc(x * M_SQRT1_2);
}

double ireneo_normal_cdf(double x) {
    return 0.5 * erfc(-x * M_SQRT1_2);
}

double ireneo_normal_log_tail(double x) {
    if (x < 0.0) return log1p(-ireneo_normal_tail(-x));
    if (isinf(x)) return -INFINITY;
    return -0.5 * x * x + log(0.5 * ireneo_erfcx(x * M_SQRT1_2));
}

double ireneo_normal_log_cdf(double x) {
    return ireneo_normal_log_tail(-x);
}

/* x >= 0 with log Q(x) = y, y <= log(1/2). Newton on log Q, which is concave: from the left of the root it
 * never overshoots by more than the curvature allows, and a handful of steps reaches full precision. */
static double upper_quantile(double y) {
    double x = y < -1.5 ? sqrt(fmax(0.0, -2.0 * y - log(2.0 * M_PI * fmax(1.0, -2.0 * y)))) : 0.6;
    for (int step = 0; step < 60; step++) {
        double slope = -sqrt(2.0 / M_PI) / ireneo_erfcx(x * M_SQRT1_2); /* -phi(x) / Q(x) */
        double move = (ireneo_normal_log_tail(x) - y) / slope;
        double next = fmax(0.0, x - move);
        if (fabs(next - x) <= 4e-16 * fmax(1.0, x)) return next;
        x = next;
    }
    return x;
}

double ireneo_normal_tail_quantile(double log_tail) {
    if (isnan(log_tail) || log_tail > 0.0) return NAN;
    if (log_tail == 0.0) return -INFINITY;
    if (isinf(log_tail)) return INFINITY;
    if (log_tail <= -M_LN2) return upper_quantile(log_tail);
    return -upper_quantile(log(-expm1(log_tail)));
}

double ireneo_normal_quantile(double probability) {
    if (isnan(probability) || probability < 0.0 || probability > 1.0) return NAN;
    if (probability == 0.0) return -INFINITY;
    if (probability == 1.0) return INFINITY;
    if (probability <= 0.5) return -upper_quantile(log(probability));
    return upper_quantile(log1p(-probability));
}
