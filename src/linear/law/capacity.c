/* The capacity law put together: how many facts fit, how likely n facts are to fit, and what the asymptotic
 * formulas say. */
#include "linear/law/capacity.h"
#include "base/normal.h"
#include "base/roots.h"
#include "linear/law/cone.h"
#include "linear/law/hebbian_law.h"
#include "linear/law/p_log_p.h"
#include "linear/law/rank_spectrum.h"

#include <math.h>

/* Of d_in d_out E: beyond it the number of candidates leaves the law's range. */
static const double MOST_DIMENSIONS = 1e14;

static ireneo_error check_shape(const ireneo_shape *shape) {
    IRENEO_REQUIRE(shape != NULL, "the law needs the shape of a memory");
    IRENEO_TRY(ireneo_check_reserved(shape->reserved, "the shape"));
    if (shape->dim_in < 1 || shape->dim_out < 1)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "dimensions must be at least 1");
    size_t smaller = shape->dim_in < shape->dim_out ? shape->dim_in : shape->dim_out;
    if (shape->rank > smaller)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "rank %zu is more than the smaller dimension, %zu",
                           shape->rank, smaller);
    if ((double)shape->dim_in * (double)shape->dim_out > MOST_DIMENSIONS)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "a %zu x %zu memory is beyond the law's range (1e14 entries)", shape->dim_out,
                           shape->dim_in);
    if (shape->candidates != 0.0 && !(shape->candidates >= 2.0 && shape->candidates <= 1e12))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "candidates must lie between 2 and 1e12, not %g",
                           shape->candidates);
    if (shape->facts != 0.0 && !(shape->facts >= 1.0 && shape->facts <= 1e12))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "facts must lie between 1 and 1e12, not %g", shape->facts);
    if (shape->facts == 1.0 && shape->candidates == 0.0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "one fact with one candidate is always recalled; give the number of candidates");
    if (!(shape->margin >= 0.0 && shape->margin <= 1e3))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the margin must lie between 0 and 1000, not %g",
                           shape->margin);
    return IRENEO_OK;
}

double ireneo_effective_dimension(const ireneo_shape *shape) {
    if (shape == NULL) return NAN;
    double a = (double)shape->dim_in, b = (double)shape->dim_out, smaller = fmin(a, b);
    double kappa = shape->rank == 0 ? 1.0 : (double)shape->rank / smaller;
    return a * b * ireneo_rank_spectrum_energy(kappa, smaller / fmax(a, b));
}

/* How delta(P) is found: finely with a margin, or roughly without. */
typedef ireneo_error (*cone_distance)(double candidates, double margin, double *distance);

static ireneo_error rough_distance(double candidates, double margin, double *distance) {
    (void)margin; /* stores ask for none */
    return ireneo_cone_delta_rough(candidates, distance);
}

/* n = P with n delta(P) = D: secant steps in log P for log(P delta(P)) = log D. The left side rises with slope
 * between one and two and is nearly straight, so a step gains digits at once. Starts at *facts and ends after
 * `most` steps, or when they no longer move it. */
static ireneo_error solve_own_values(cone_distance find, double dimension, double margin, int most,
                                     double *facts) {
    static const double STILL = 1e-12; /* of log P: what quadrature leaves */
    double distance, l0 = log(*facts);
    IRENEO_TRY(find(*facts, margin, &distance));
    double f0 = l0 + log(distance) - log(dimension), p = dimension / distance;
    for (int step = 0; step < most && p >= 2.0; step++) {
        double l1 = log(p);
        IRENEO_TRY(find(p, margin, &distance));
        double f1 = l1 + log(distance) - log(dimension);
        if (!(fabs(f1 - f0) > STILL)) break;
        double move = f1 * (l1 - l0) / (f1 - f0);
        p = exp(l1 - move);
        l0 = l1, f0 = f1;
        if (fabs(move) < STILL) break;
    }
    *facts = p;
    return IRENEO_OK;
}

/* Fewer than two candidates leave nothing to recall, so two facts always count as fitting. */
static ireneo_error own_values_capacity(double dimension, double margin, double *facts) {
    enum { MOST_STEPS = 40 };
    double distance;
    *facts = 2.0;
    IRENEO_TRY(ireneo_cone_margin_distance(2.0, margin, &distance));
    if (2.0 * distance >= dimension) return IRENEO_OK;
    *facts = fmax(2.0, ireneo_solve_p_log_p(0.7 * dimension)); /* the load of a large square memory */
    IRENEO_TRY(solve_own_values(ireneo_cone_margin_distance, dimension, margin, MOST_STEPS, facts));
    *facts = fmax(2.0, *facts);
    return IRENEO_OK;
}

ireneo_error ireneo_capacity_rough(const ireneo_shape *shape, bool own_values, double *facts) {
    double dimension = ireneo_effective_dimension(shape), delta;
    if (own_values) {
        *facts = shape->candidates;
        return solve_own_values(rough_distance, dimension, 0.0, 1, facts);
    }
    IRENEO_TRY(ireneo_cone_delta_rough(shape->candidates, &delta));
    *facts = dimension / delta;
    return IRENEO_OK;
}

ireneo_error ireneo_capacity_of_facts(const ireneo_facts *f, size_t span_in, size_t span_out, size_t rank,
                                      ireneo_store_info *info) {
    size_t smaller = span_in < span_out ? span_in : span_out;
    ireneo_shape shape = {.dim_in = span_in,
                          .dim_out = span_out,
                          .rank = rank < smaller ? rank : 0,
                          .candidates = (double)f->candidates};
    if (smaller == 0) return IRENEO_OK; /* nothing varies: no capacity at all */
    bool own_values = f->targets == NULL && f->facts == f->candidates;
    IRENEO_TRY(ireneo_capacity_rough(&shape, own_values, &info->facts_capacity));
    info->fraction_of_capacity = (double)f->facts / info->facts_capacity;
    return IRENEO_OK;
}

ireneo_capacities ireneo_capacities_among(const ireneo_shape *shape, double candidates, double distance) {
    double dimension = ireneo_effective_dimension(shape);
    return (ireneo_capacities){
        dimension / distance, 0.5 * dimension / log(candidates),
        ireneo_hebbian_law_capacity((double)shape->dim_in, (double)shape->dim_out, candidates)};
}

ireneo_error ireneo_capacity(const ireneo_shape *shape, ireneo_capacity_report *report) {
    IRENEO_REQUIRE(report != NULL, "the capacity needs a report to be written to");
    *report = (ireneo_capacity_report){0};
    IRENEO_TRY(check_shape(shape));
    double a = (double)shape->dim_in, b = (double)shape->dim_out;
    double dimension = ireneo_effective_dimension(shape), distance = NAN;
    bool own = shape->candidates == 0.0;
    ireneo_capacities found = {0};
    if (own) {
        IRENEO_TRY(own_values_capacity(dimension, shape->margin, &found.law));
        found.limit = ireneo_solve_p_log_p(0.5 * dimension);
        found.hebbian = ireneo_hebbian_law_capacity(a, b, 0.0);
    } else {
        IRENEO_TRY(ireneo_cone_margin_distance(shape->candidates, shape->margin, &distance));
        found = ireneo_capacities_among(shape, shape->candidates, distance);
    }
    double facts = found.law;
    double candidates = own ? facts : shape->candidates, asked = shape->facts > 0.0 ? shape->facts : facts;
    double asked_candidates = own ? fmax(2.0, asked) : candidates;
    report->facts_capacity = facts;
    report->candidates = candidates;
    report->effective_dimension = dimension;
    report->parameters = shape->rank == 0 ? a * b : (double)shape->rank * (a + b);
    IRENEO_TRY(ireneo_cone_moments(candidates, &report->delta, &report->variance));
    report->facts_capacity_asymptotic = found.limit;
    report->facts_capacity_hebbian = found.hebbian;
    report->load = asked * log(asked_candidates) / (a * b);
    report->bits_per_parameter = facts * log2(candidates) / report->parameters;
    report->hebbian_accuracy = ireneo_hebbian_law_accuracy(a, b, asked, asked_candidates);
    report->fraction_of_capacity = asked / facts;
    report->probability_all_fit = NAN;
    if (shape->facts > 0.0) IRENEO_TRY(ireneo_capacity_probability(shape, &report->probability_all_fit));
    return IRENEO_OK;
}

ireneo_error ireneo_capacity_demand(const ireneo_shape *shape, ireneo_demand *demand) {
    IRENEO_TRY(check_shape(shape));
    if (shape->facts == 0.0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the chance that facts fit needs their number");
    double candidates = shape->candidates == 0.0 ? shape->facts : shape->candidates, distance, variance;
    IRENEO_TRY(ireneo_cone_moments(candidates, &distance, &variance));
    if (shape->margin > 0.0) IRENEO_TRY(ireneo_cone_margin_distance(candidates, shape->margin, &distance));
    *demand = (ireneo_demand){shape->facts * distance, shape->facts * variance};
    return IRENEO_OK;
}

ireneo_error ireneo_capacity_chance(const ireneo_shape *shape, const ireneo_demand *demand, double *chance) {
    IRENEO_TRY(check_shape(shape));
    *chance = ireneo_normal_cdf((ireneo_effective_dimension(shape) - demand->mean) / sqrt(demand->variance));
    return IRENEO_OK;
}

ireneo_error ireneo_capacity_chances(const ireneo_shape *shape, const double *facts, size_t count,
                                     double *chances) {
    ireneo_shape asked = *shape;
    ireneo_demand one = {0}, all;
    asked.facts = 1.0;
    if (shape->candidates != 0.0) IRENEO_TRY(ireneo_capacity_demand(&asked, &one));
    for (size_t i = 0; i < count; i++) {
        asked.facts = facts[i];
        all = (ireneo_demand){facts[i] * one.mean, facts[i] * one.variance};
        if (shape->candidates == 0.0) IRENEO_TRY(ireneo_capacity_demand(&asked, &all));
        IRENEO_TRY(ireneo_capacity_chance(&asked, &all, &chances[i]));
    }
    return IRENEO_OK;
}

ireneo_error ireneo_capacity_probability(const ireneo_shape *shape, double *probability) {
    IRENEO_REQUIRE(probability != NULL, "the chance needs a place to be written to");
    *probability = 0.0;
    ireneo_demand demand = {0};
    IRENEO_TRY(ireneo_capacity_demand(shape, &demand));
    return ireneo_capacity_chance(shape, &demand, probability);
}

typedef struct margin_problem {
    double dimension, facts, candidates;
    ireneo_error failed;
} margin_problem;

static double margin_excess(double margin, void *context) {
    margin_problem *problem = context;
    double distance = NAN;
    ireneo_error failed = ireneo_cone_margin_distance(problem->candidates, margin, &distance);
    if (failed != IRENEO_OK) problem->failed = failed;
    return problem->facts * distance - problem->dimension;
}

ireneo_error ireneo_capacity_margin(const ireneo_shape *shape, double *margin) {
    IRENEO_REQUIRE(margin != NULL, "the margin needs a place to be written to");
    *margin = 0.0;
    IRENEO_TRY(check_shape(shape));
    if (shape->facts == 0.0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the best margin needs the number of facts");
    double candidates = shape->candidates == 0.0 ? shape->facts : shape->candidates;
    margin_problem problem = {ireneo_effective_dimension(shape), shape->facts, candidates, IRENEO_OK};
    *margin = 0.0;
    if (margin_excess(0.0, &problem) >= 0.0) return problem.failed;
    double upper = 1.0;
    while (upper < 1e3 && margin_excess(upper, &problem) < 0.0) upper *= 2.0;
    if (upper >= 1e3) {
        *margin = INFINITY;
        return problem.failed;
    }
    IRENEO_TRY(
        ireneo_find_root(margin_excess, &problem, upper > 1.0 ? 0.5 * upper : 0.0, upper, 1e-10, margin));
    return problem.failed;
}

double ireneo_listwise_capacity(double tail_fraction) {
    if (!(tail_fraction > 0.0 && tail_fraction <= 1.0)) return NAN;
    double k = tail_fraction == 1.0
                   ? 0.0
                   : ireneo_normal_density(ireneo_normal_quantile(1.0 - tail_fraction)) / tail_fraction;
    return 1.0 / ((1.0 + k * k) * ireneo_normal_cdf(k) + k * ireneo_normal_density(k));
}
