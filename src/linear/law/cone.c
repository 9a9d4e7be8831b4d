/* Statistical dimension of the recall cone by deterministic quadrature.
 *
 * The projection of g on C lowers every competitor above a level t to t, where
 *     Z_n(t) = g_1 - t + sum_{j <= n} (g_j - t)_+ = 0 ,
 * and Z_n falls with t. So Pr[level <= t] = Pr[Z_n(t) <= 0], which Gil-Pelaez inversion gives from the
 * characteristic function of Z_n(t): a product of a Gaussian factor and n equal factors 1 + h_t(w) - Q(t),
 * with h_t(w) = E[ e^{iw(g - t)} ; g > t ] = 1/2 exp(-t^2/2) w_Faddeeva((w + it) / sqrt 2). One competitor
 * counts when it lies above the level of the others, which turns means over the projection into integrals of
 * level probabilities against the normal density. */
#include "linear/law/cone.h"
#include "base/faddeeva.h"
#include "base/normal.h"
#include "base/quadrature.h"
#include "linear/law/cone_table.h"

#include <math.h>

enum { OUTER_NODES = 120 };

/* How finely integrals are taken. */
typedef struct fineness {
    size_t nodes;      /* of the outer integral */
    double deviations; /* beyond which Z_n is taken not to lie, in the inversion */
    double negligible; /* log of terms that are left out of the inversion */
    double log_least;  /* log of the chance, times P, beyond which the outer integral ends */
} fineness;

/* Twice the nodes change delta by less than 1e-12; the rough one is for ireneo_cone_delta_rough, below the table. */
static const fineness FINE = {OUTER_NODES, 14.0, -42.0, -36.0}, ROUGH = {40, 6.0, -14.0, -14.0};
static const double FAR = 9.0; /* standard deviations beyond which a probability is 0 or 1 here */

/* Below t = 0 what lies above the level is all but what lies below it, and nothing overflows. */
double complex ireneo_partial_transform(double t, double w) {
    double complex half =
        0.5 * exp(-0.5 * t * t) * ireneo_faddeeva(ireneo_complex(w * M_SQRT1_2, fabs(t) * M_SQRT1_2));
    if (t >= 0.0) return half;
    double all = exp(-0.5 * w * w);
    return ireneo_complex(all * cos(w * t), -all * sin(w * t)) - conj(half);
}

/* Mean and standard deviation of Z_n(t), target mean -K. */
static void level_moments(double n, double margin, double t, double *mean, double *deviation) {
    double q = ireneo_normal_tail(t), density = ireneo_normal_density(t);
    double first = density - t * q, second = (1.0 + t * t) * q - t * density;
    *mean = -margin - t + n * first;
    *deviation = sqrt(1.0 + n * fmax(0.0, second - first * first));
}

/* Log of the characteristic function of Z_n(t) at w, given h_t(w); *phase is that of one factor at the last w, from which it
 * goes on without a jump: n need not be whole. */
static double complex log_characteristic(double n, double margin, double t, double tail, double w,
                                         double complex h, double *phase) {
    /* log1p of a complex number: the argument is far below 1 for large n, so the real part needs care. */
    double complex x = h - tail;
    double re = creal(x), im = cimag(x), turned = atan2(im, 1.0 + re);
    double log_modulus = 0.5 * log1p(2.0 * re + re * re + im * im);
    *phase = turned + 2.0 * M_PI * round((*phase - turned) / (2.0 * M_PI));
    return n * (log_modulus + I * *phase) - 0.5 * w * w - I * w * (t + margin);
}

/* 1/pi Int_0^inf Im[ c(w) f(w) ] / w dw, where f is 1 or h_t(w). The integrand is even and analytic, so the
 * midpoint rule converges exponentially; its error is the chance that |Z_n| exceeds 2 pi / step. */
static double inversion_integral(double n, double margin, double t, int with_h, const fineness *how) {
    double mean, deviation, tail = ireneo_normal_tail(t), sum = 0.0, phase = 0.0;
    level_moments(n, margin, t, &mean, &deviation);
    double reach = fabs(mean) + how->deviations * (deviation + 1.0), step = 2.0 * M_PI / reach;
    for (int k = 0; k < 100000; k++) {
        double w = ((double)k + 0.5) * step;
        double complex h = ireneo_partial_transform(t, w),
                       log_c = log_characteristic(n, margin, t, tail, w, h, &phase);
        if (creal(log_c) < how->negligible) break;
        double complex c = cexp(log_c);
        sum += cimag(with_h ? c * h : c) / w;
    }
    return sum * step / M_PI;
}

static double level_cdf(double competitors, double margin, double t, const fineness *how) {
    double mean, deviation;
    level_moments(competitors, margin, t, &mean, &deviation);
    if (mean > FAR * deviation) return 0.0;
    if (competitors <= 0.0) return ireneo_normal_cdf(t + margin);
    return fmin(1.0, fmax(0.0, 0.5 - inversion_integral(competitors, margin, t, 0, how)));
}

double ireneo_cone_level_cdf(double competitors, double margin, double t) {
    return level_cdf(competitors, margin, t, &FINE);
}

/* Where the level can lie: below `lower` its probability is nil; above `upper` no competitor of P is left. */
static void level_range(double candidates, double margin, double log_least, double *lower, double *upper) {
    *upper = fmax(ireneo_normal_tail_quantile(fmin(-1.0, log_least - log(candidates))), 2.0);
    double low = -9.0 - margin, high = *upper;
    for (int i = 0; i < 60; i++) { /* mean - FAR * deviation falls with t */
        double t = 0.5 * (low + high), mean, deviation;
        level_moments(candidates, margin, t, &mean, &deviation);
        if (mean > FAR * deviation)
            low = t;
        else
            high = t;
    }
    *lower = low;
}

static ireneo_error check_candidates(double candidates) {
    if (!(candidates >= 2.0 && candidates <= IRENEO_CONE_MOST))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the number of candidates must lie between 2 and 1e13, not %g", candidates);
    return IRENEO_OK;
}

/* E N: the mean number of competitors above the level. */
static double mean_lowered(double candidates, double margin, const fineness *how) {
    double nodes[OUTER_NODES], weights[OUTER_NODES], cdf[OUTER_NODES], lower, upper, sum = 0.0;
    level_range(candidates, margin, how->log_least, &lower, &upper);
    ireneo_gauss_legendre(how->nodes, lower, upper, nodes, weights);
    for (size_t i = 0; i < how->nodes; i++) cdf[i] = level_cdf(candidates - 2.0, margin, nodes[i], how);
    for (size_t i = 0; i < how->nodes; i++) sum += weights[i] * ireneo_normal_density(nodes[i]) * cdf[i];
    return (candidates - 1.0) * sum;
}

/* E t: the mean level over all P - 1 competitors. */
static double mean_level(double candidates, double margin) {
    double nodes[OUTER_NODES], weights[OUTER_NODES], lower, upper, sum = 0.0;
    level_range(candidates, margin, FINE.log_least, &lower, &upper);
    ireneo_gauss_legendre(OUTER_NODES, lower, upper, nodes, weights);
    for (int i = 0; i < OUTER_NODES; i++)
        sum += weights[i] * (1.0 - ireneo_cone_level_cdf(candidates - 1.0, margin, nodes[i]));
    return lower + sum;
}

/* The mean of N (N - 1), from pairs of competitors that both lie above the level of the others. */
static double mean_pairs(double candidates) {
    double nodes[OUTER_NODES], weights[OUTER_NODES], lower, upper, pairs = 0.0,
                                                                   others = fmax(0.0, candidates - 3.0);
    level_range(candidates, 0.0, FINE.log_least, &lower, &upper);
    ireneo_gauss_legendre(OUTER_NODES, lower, upper, nodes, weights);
    for (int i = 0; i < OUTER_NODES; i++) {
        double b = nodes[i], mean, deviation;
        level_moments(others, 0.0, b, &mean, &deviation);
        if (mean > FAR * deviation) continue;
        pairs += weights[i] * ireneo_normal_density(b) *
                 (0.5 * ireneo_normal_tail(b) - inversion_integral(others, 0.0, b, 1, &FINE));
    }
    return 2.0 * (candidates - 1.0) * (candidates - 2.0) * pairs;
}

ireneo_error ireneo_cone_quadrature(double candidates, double *delta, double *variance) {
    IRENEO_TRY(check_candidates(candidates));
    double pairs = candidates > 2.0 ? mean_pairs(candidates) : 0.0;
    *delta = mean_lowered(candidates, 0.0, &FINE);
    *variance = pairs + *delta - *delta * *delta;
    return IRENEO_OK;
}

/* Clenshaw's sum of a series of cone_table.h. */
static double sum_series(const double *series, double candidates) {
    double x = 2.0 * log(candidates / IRENEO_CONE_FROM) / log(IRENEO_CONE_MOST / IRENEO_CONE_FROM) - 1.0,
           next = 0.0, after = 0.0;
    for (int j = IRENEO_CONE_TERMS - 1; j > 0; j--) {
        double sum = series[j] + 2.0 * x * next - after;
        after = next, next = sum;
    }
    return series[0] + x * next - after;
}

static double delta_by(double candidates, const fineness *how) {
    if (candidates >= IRENEO_CONE_FROM) return sum_series(ireneo_cone_delta_series, candidates);
    return candidates == 2.0 ? 0.5 : mean_lowered(candidates, 0.0, how);
}

ireneo_error ireneo_cone_delta(double candidates, double *delta) {
    IRENEO_TRY(check_candidates(candidates));
    *delta = delta_by(candidates, &FINE);
    return IRENEO_OK;
}

ireneo_error ireneo_cone_delta_rough(double candidates, double *delta) {
    IRENEO_TRY(check_candidates(candidates));
    *delta = delta_by(candidates, &ROUGH);
    return IRENEO_OK;
}

/* The slope is twice the mean lift of the target, E t + K. */
ireneo_error ireneo_cone_margin(double candidates, double margin, double *distance, double *slope) {
    IRENEO_TRY(check_candidates(candidates));
    if (!(margin >= 0.0 && margin <= IRENEO_CONE_MOST_MARGIN))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the margin must lie between 0 and 1000 score spreads, not %g", margin);
    double lift = mean_level(candidates, margin) + margin,
           lowered = margin > 0.0 ? mean_lowered(candidates, margin, &FINE) : delta_by(candidates, &FINE);
    *distance = lowered + margin * lift;
    *slope = 2.0 * lift;
    return IRENEO_OK;
}

ireneo_error ireneo_cone_margin_distance(double candidates, double margin, double *distance) {
    double slope;
    if (margin == 0.0) return ireneo_cone_delta(candidates, distance);
    return ireneo_cone_margin(candidates, margin, distance, &slope);
}

ireneo_error ireneo_cone_moments(double candidates, double *delta, double *variance) {
    if (!(candidates >= IRENEO_CONE_FROM)) return ireneo_cone_quadrature(candidates, delta, variance);
    IRENEO_TRY(ireneo_cone_delta(candidates, delta));
    *variance = sum_series(ireneo_cone_variance_series, candidates);
    return IRENEO_OK;
}

ireneo_error ireneo_cone_variance(double candidates, double *variance) {
    double delta;
    return ireneo_cone_moments(candidates, &delta, variance);
}
