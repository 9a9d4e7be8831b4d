/* The distance of a Gaussian vector from "the target is among the K best".
 *
 * The nearest such vector leaves the K - 1 best competitors where they are, and is the projection on the recall cone of the
 * others. With b the lowest of those excused, the other P - K are normal numbers below b, and
 *     E dist^2 = E N - (P - K) phi(b) / Phi(b) E (b - t) ,
 * N the competitors lowered, t the level when one of them lies at b itself: |r|^2 = <g, r> summed by parts, whose divergence
 * is N and whose boundary is at b. Both are integrals over t of Pr[Z(t) <= 0], as in cone.c, with
 *     E[ e^{iw(g - t)} ; t < g < b ] = h_t(w) - e^{iw(b - t)} h_b(w)
 * for one competitor. Then b is averaged over, the (K - 1)-th best of P - 1 normal numbers. */
#include "linear/law/top.h"
#include "base/faddeeva.h"
#include "base/normal.h"
#include "base/quadrature.h"
#include "base/roots.h"
#include "linear/law/cone.h"
#include "linear/law/setting.h"

#include <math.h>

enum { EXCUSED_NODES = 32, LEVEL_NODES = 48 };

/* How finely, as in cone.c: standard deviations of Z, log of what is left out of the inversion. */
static const double DEVIATIONS = 9.0, NEGLIGIBLE = -26.0;

/* P - K competitors below b. */
typedef struct capped {
    double others;         /* P - K - 1: those beside the one that is looked at */
    double b, below, tail; /* Phi(b), Q(b) */
} capped;

/* Mean and deviation of Z(t) = g_1 - t + shift + sum of the others' excesses over t. */
static void sum_moments(const capped *c, double t, double shift, double *mean, double *deviation) {
    double density = ireneo_normal_density(t), at_b = ireneo_normal_density(c->b),
           mass = ireneo_normal_tail(t) - c->tail;
    double first = (density - at_b - t * mass) / c->below;
    double second = ((1.0 + t * t) * mass - t * density - (c->b - 2.0 * t) * at_b) / c->below;
    *mean = shift - t + c->others * first;
    *deviation = sqrt(1.0 + c->others * fmax(0.0, second - first * first));
}

/* Pr[Z(t) <= 0] by Gil-Pelaez's inversion and the midpoint rule. */
static double chance_below(const capped *c, double t, double shift) {
    double mean, deviation, sum = 0.0, mass = ireneo_normal_tail(t) - c->tail;
    sum_moments(c, t, shift, &mean, &deviation);
    if (c->others <= 0.0) return ireneo_normal_cdf(t - shift);
    if (mean > DEVIATIONS * deviation) return 0.0;
    if (mean < -DEVIATIONS * deviation) return 1.0;
    double step = 2.0 * M_PI / (fabs(mean) + DEVIATIONS * (deviation + 1.0));
    for (int k = 0; k < 100000; k++) {
        double w = ((double)k + 0.5) * step, turn = w * (c->b - t);
        double complex one =
            (ireneo_partial_transform(t, w) -
             ireneo_complex(cos(turn), sin(turn)) * ireneo_partial_transform(c->b, w) - mass) /
            c->below;
        double re = creal(one), im = cimag(one);
        double size = c->others * 0.5 * log1p(2.0 * re + re * re + im * im) - 0.5 * w * w;
        double angle = c->others * atan2(im, 1.0 + re) - w * (t - shift);
        if (size < NEGLIGIBLE) break;
        sum += exp(size) * sin(angle) / w;
    }
    return fmin(1.0, fmax(0.0, 0.5 - sum * step / M_PI));
}

/* E dist^2 given b. */
static double distance_below(double b, double others) {
    capped c = {others, b, ireneo_normal_cdf(b), ireneo_normal_tail(b)};
    double nodes[LEVEL_NODES], weights[LEVEL_NODES], low = -9.0, high = b, lowered = 0.0, edge = 0.0;
    for (int i = 0; i < 40; i++) { /* below `low` no level lies */
        double t = 0.5 * (low + high), mean, deviation;
        sum_moments(&c, t, 0.0, &mean, &deviation);
        if (mean > DEVIATIONS * deviation)
            low = t;
        else
            high = t;
    }
    ireneo_gauss_legendre(LEVEL_NODES, low, b, nodes, weights);
    for (int i = 0; i < LEVEL_NODES; i++) {
        lowered += weights[i] * ireneo_normal_density(nodes[i]) * chance_below(&c, nodes[i], 0.0);
        edge += weights[i] * chance_below(&c, nodes[i], b - nodes[i]);
    }
    return (others + 1.0) / c.below * (lowered - ireneo_normal_density(b) * edge);
}

/* The lowest excused competitor that is exceeded by about `count` of P - 1: a quantile. */
static double exceeded_by(double count, double candidates) {
    double share = count / (candidates - 1.0);
    return share < 1.0 ? ireneo_normal_tail_quantile(log(share)) : -9.0;
}

ireneo_error ireneo_top_distance(double candidates, double top, double *distance) {
    if (top == 1.0) return ireneo_cone_delta(candidates, distance);
    if (!(top > 1.0 && top < candidates && candidates <= 1e13))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "among %g candidates a target is always among the %g best; ask for fewer",
                           candidates, top);
    double k = top - 1.0, few = 0.02 * k * exp(-28.0 / k), many = k + 7.0 * sqrt(k) + 30.0;
    double nodes[EXCUSED_NODES], weights[EXCUSED_NODES], logs[EXCUSED_NODES], highest = -INFINITY, sum = 0.0,
                                                                              all = 0.0;
    ireneo_gauss_legendre(EXCUSED_NODES, exceeded_by(many, candidates), exceeded_by(few, candidates), nodes,
                          weights);
    for (int i = 0; i < EXCUSED_NODES; i++) { /* the density of b, but for a constant */
        logs[i] = -0.5 * nodes[i] * nodes[i] + (k - 1.0) * log(ireneo_normal_tail(nodes[i])) +
                  (candidates - 1.0 - k) * ireneo_normal_log_cdf(nodes[i]);
        highest = fmax(highest, logs[i]);
    }
    for (int i = 0; i < EXCUSED_NODES; i++) {
        double weight = weights[i] * exp(logs[i] - highest);
        if (weight < 1e-13) continue;
        all += weight;
        sum += weight * distance_below(nodes[i], candidates - 1.0 - top);
    }
    *distance = sum / all;
    return IRENEO_OK;
}

/* A search for n = P. */
typedef struct own_search {
    const ireneo_shape *shape;
    double top;
    ireneo_error failed;
} own_search;

static double log_use(double log_facts, void *context) {
    own_search *s = context;
    double facts = exp(log_facts), distance = NAN;
    ireneo_error failed = ireneo_top_distance(facts, s->top, &distance);
    if (failed != IRENEO_OK) s->failed = failed;
    return log(facts * distance / ireneo_dimension_among(s->shape, facts));
}

ireneo_error ireneo_capacity_top(const ireneo_shape *shape, size_t top, double *facts) {
    IRENEO_REQUIRE(facts != NULL, "the capacity needs a place to be written to");
    *facts = 0.0;
    IRENEO_TRY(ireneo_shape_check(shape));
    if (top < 1) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the number of best answers is at least 1");
    if (shape->margin > 0.0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the law of the %zu best knows no margin", top);
    if (shape->candidates > 0.0) {
        double distance = NAN;
        IRENEO_TRY(ireneo_top_distance(shape->candidates, (double)top, &distance));
        *facts = ireneo_effective_dimension(shape) / distance;
        return IRENEO_OK;
    }
    own_search search = {shape, (double)top, IRENEO_OK};
    double low = log((double)top + 1.0),
           high = log(2.0 * (double)top + 2.0 * ireneo_dimension_among(shape, 0.0)), root;
    if (log_use(low, &search) >=
        0.0) { /* so few facts that all but one of the candidates are among the best */
        *facts = (double)top + 1.0;
        return search.failed;
    }
    while (high < log(1e13) && log_use(high, &search) < 0.0) high += 1.0;
    IRENEO_TRY(ireneo_find_root(log_use, &search, low, fmin(high, log(1e13)), 1e-7, &root));
    *facts = exp(root);
    return search.failed;
}

ireneo_error ireneo_top_capacity_of_facts(const ireneo_facts *facts, size_t top, size_t rank,
                                          ireneo_store_info *info, double *decoupled) {
    size_t in = info->span_in, out = info->span_out, smaller = in < out ? in : out;
    IRENEO_TRY(ireneo_capacity_of_facts(facts, in, out, rank, info, decoupled));
    if (top < 2 || smaller == 0) return IRENEO_OK;
    ireneo_shape shape = {.dim_in = in,
                          .dim_out = out,
                          .rank = rank < smaller ? rank : 0,
                          .candidates = (double)facts->candidates,
                          .problem =
                              facts->values != NULL ? IRENEO_PROBLEM_ORIGINAL : IRENEO_PROBLEM_DECOUPLED};
    IRENEO_TRY(ireneo_capacity_top(&shape, top, &info->facts_capacity));
    info->fraction_of_capacity = (double)facts->facts / info->facts_capacity;
    if (decoupled != NULL) *decoupled = info->facts_capacity;
    return IRENEO_OK;
}
