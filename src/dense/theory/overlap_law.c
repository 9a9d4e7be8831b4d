/* Density, tails, tail samples and tilted moments of one overlap. */
#include "dense/theory/overlap_law.h"
#include "base/normal.h"
#include "base/quadrature.h"
#include "base/roots.h"
#include "dense/theory/finite_size.h"

#include <math.h>
#include <stdbool.h>

ireneo_overlap_law ireneo_overlap_law_of(ireneo_dense_ensemble ensemble, size_t neurons) {
    double n = (double)neurons;
    double log_norm = ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN
                          ? -0.5 * log(2.0 * M_PI)
                          : lgamma(0.5 * n) - lgamma(0.5 * (n - 1.0)) - 0.5 * log(M_PI);
    return (ireneo_overlap_law){ensemble, n, log_norm};
}

double ireneo_overlap_log_density(const ireneo_overlap_law *law, double v) {
    if (law->ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN) return law->log_norm - 0.5 * v * v;
    if (fabs(v) >= 1.0) return -INFINITY;
    return law->log_norm + 0.5 * (law->neurons - 3.0) * log1p(-v * v);
}

static double slope(const ireneo_overlap_law *law, double v) {
    return law->ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN ? -v : -(law->neurons - 3.0) * v / (1.0 - v * v);
}

/* ---- tails ---- */

/* The continued fraction of I_x(a, b) by Lentz's method; fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
    d = 1.0 / (fabs(d) < tiny ? tiny : d);
    double h = d;
    for (int m = 1; m < 100000; m++) {
        double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        const double steps[2] = {even, odd};
        double factor = 1.0;
        for (int k = 0; k < 2; k++) {
            d = 1.0 + steps[k] * d;
            c = 1.0 + steps[k] / c;
            d = 1.0 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            factor = c * d;
            h *= factor;
        }
        if (fabs(factor - 1.0) < 1e-15) break;
    }
    return h;
}

double ireneo_log_incomplete_beta(double a, double b, double x) {
    if (x > (a + 1.0) / (a + b + 2.0)) return log1p(-exp(ireneo_log_incomplete_beta(b, a, 1.0 - x)));
    double log_beta = lgamma(a) + lgamma(b) - lgamma(a + b);
    return a * log(x) + b * log1p(-x) - log_beta - log(a) + log(beta_fraction(a, b, x));
}

double ireneo_overlap_log_tail(const ireneo_overlap_law *law, double t) {
    if (law->ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN) return ireneo_normal_log_tail(t);
    if (t >= 1.0) return -INFINITY;
    return ireneo_log_incomplete_beta(0.5 * (law->neurons - 1.0), 0.5, (1.0 - t) * (1.0 + t)) - log(2.0);
}

typedef struct tail_question {
    const ireneo_overlap_law *law;
    double log_tail;
} tail_question;

/* In z = log(1 - t^2), where the log of the tail is nearly a straight line. */
static double tail_excess(double z, void *context) {
    const tail_question *q = context;
    return ireneo_overlap_log_tail(q->law, sqrt(-expm1(z))) - q->log_tail;
}

double ireneo_overlap_tail_point(const ireneo_overlap_law *law, double log_tail) {
    if (law->ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN) return ireneo_normal_tail_quantile(log_tail);
    tail_question q = {law, log_tail};
    double lower = 2.0 * log_tail / (law->neurons - 1.0) - 1.0, upper = -1e-12, z = lower;
    while (tail_excess(lower, &q) > 0.0) lower *= 1.5;
    if (ireneo_find_root(tail_excess, &q, lower, upper, 1e-14, &z) != IRENEO_OK) return 0.0;
    return sqrt(-expm1(z));
}

double ireneo_overlap_draw_tail(const ireneo_overlap_law *law, double t, ireneo_generator *generator) {
    double at = ireneo_overlap_log_density(law, t), rate = -slope(law, t);
    for (;;) {
        double beyond = ireneo_draw_exponential(generator) / rate, v = t + beyond;
        double log_accept = ireneo_overlap_log_density(law, v) - at + rate * beyond;
        if (log(ireneo_draw_uniform(generator)) < log_accept) return v;
    }
}

/* ---- the split at a level ---- */

ireneo_error ireneo_tail_check(double log_patterns, double kept, double *log_kept) {
    *log_kept = fmin(log(kept), ireneo_log_crowd(log_patterns) - log(20.0));
    if (*log_kept < log(5.0))
        return ireneo_fail(
            IRENEO_ERROR_ARGUMENT,
            "P = e^%.4g patterns are too few to be split in a tail and a bulk; at least 101 are "
            "needed, or another method",
            log_patterns);
    return IRENEO_OK;
}

ireneo_error ireneo_tail_choose(const ireneo_overlap_law *law, double log_patterns, double kept,
                                ireneo_tail *tail) {
    double log_kept;
    IRENEO_TRY(ireneo_tail_check(log_patterns, kept, &log_kept));
    tail->log_crowd = ireneo_log_crowd(log_patterns);
    tail->level = ireneo_overlap_tail_point(law, log_kept - tail->log_crowd);
    tail->log_q = ireneo_overlap_log_tail(law, tail->level);
    return IRENEO_OK;
}

size_t ireneo_tail_draw_number(const ireneo_tail *tail, ireneo_generator *g) {
    const double largest_binomial = 1e15;
    double crowd = exp(tail->log_crowd), expected = exp(tail->log_crowd + tail->log_q), position = 0.0;
    bool poisson = !(crowd <= largest_binomial);
    double end = poisson ? expected : crowd, log_failure = log1p(-exp(tail->log_q));
    for (size_t number = 0;; number++) { /* the gaps between patterns above the level */
        position +=
            poisson ? ireneo_draw_exponential(g) : floor(log(ireneo_draw_uniform(g)) / log_failure) + 1.0;
        if (position > end) return number;
    }
}

/* ---- tilted moments ---- */

void ireneo_bulk_rule_fill(ireneo_bulk_rule *rule) {
    ireneo_gauss_legendre(IRENEO_BULK_NODES, 0.0, 1.0, rule->nodes, rule->weights);
}

/* Where the integrand is e^-45 of its peak, on the side of `direction`, not beyond `limit`. */
static double range_end(const ireneo_overlap_law *law, double s, double peak, double direction,
                        double limit) {
    double top = ireneo_overlap_log_density(law, peak) + s * peak, width = 1e-9, inner = peak;
    for (;;) {
        double v = peak + direction * width;
        if (direction * (v - limit) >= 0.0) return limit;
        if (ireneo_overlap_log_density(law, v) + s * v < top - 45.0) break;
        inner = v;
        width *= 2.0;
    }
    double outer = peak + direction * width;
    for (int i = 0; i < 6; i++) { /* a few halvings are enough: the rule is fine enough for a wide range */
        double middle = 0.5 * (inner + outer);
        if (ireneo_overlap_log_density(law, middle) + s * middle < top - 45.0)
            outer = middle;
        else
            inner = middle;
    }
    return outer;
}

ireneo_tilted ireneo_overlap_tilt(const ireneo_overlap_law *law, const ireneo_bulk_rule *rule, double s,
                                  double t) {
    double k = law->neurons - 3.0;
    double peak = law->ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN ? s : 2.0 * s / (k + hypot(k, 2.0 * s));
    if (peak > t) peak = t;
    double lowest = law->ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN ? -INFINITY : -1.0;
    double from = range_end(law, s, peak, -1.0, lowest), to = range_end(law, s, peak, 1.0, t);
    double top = ireneo_overlap_log_density(law, peak) + s * peak, mass = 0.0, first = 0.0, second = 0.0;
    for (int i = 0; i < IRENEO_BULK_NODES; i++) {
        double v = from + (to - from) * rule->nodes[i], off = v - peak;
        double w = rule->weights[i] * exp(ireneo_overlap_log_density(law, v) + s * v - top);
        mass += w;
        first += w * off;
        second += w * off * off;
    }
    double shift = first / mass;
    return (ireneo_tilted){top + log(mass * (to - from)), peak + shift,
                           fmax(0.0, second / mass - shift * shift)};
}
