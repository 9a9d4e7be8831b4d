/* n facts use n delta (1 - eps) dimensions of D, with a spread of sqrt(n v); and none of their targets may lie in the hull of
 * the other candidates. */
#include "linear/law/setting.h"
#include "base/normal.h"
#include "linear/law/cone.h"
#include "linear/law/rank_spectrum.h"

#include <math.h>

/* Of d_in d_out E: beyond it the number of candidates leaves the law's range. */
static const double MOST_DIMENSIONS = 1e14;

static ireneo_error check_targets(const ireneo_shape *shape) {
    if (shape->problem != IRENEO_PROBLEM_ORIGINAL && shape->problem != IRENEO_PROBLEM_DECOUPLED)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "there is no problem number %d", (int)shape->problem);
    if (shape->targets != IRENEO_TARGETS_EACH && shape->targets != IRENEO_TARGETS_ZIPF)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "there is no rule number %d for targets",
                           (int)shape->targets);
    if (!(shape->zipf >= 0.0 && shape->zipf <= 10.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "Zipf's exponent must lie between 0 and 10, not %g",
                           shape->zipf);
    bool skewed = shape->frequencies != NULL || shape->targets == IRENEO_TARGETS_ZIPF;
    if (skewed && shape->candidates == 0.0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "frequencies of targets need the number of candidates");
    if (skewed && shape->problem == IRENEO_PROBLEM_DECOUPLED)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "frequencies of targets do not matter when every fact has candidates of its own");
    if (shape->frequencies != NULL && shape->candidates > 1e9)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "frequencies of more than 1e9 candidates");
    return IRENEO_OK;
}

ireneo_error ireneo_shape_check(const ireneo_shape *shape) {
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
    return check_targets(shape);
}

/* The dimensions that values can differ in. Candidates that all facts share span one less than they are. */
static double value_dimensions(const ireneo_shape *shape, double candidates) {
    double b = (double)shape->dim_out;
    return shape->problem == IRENEO_PROBLEM_ORIGINAL && candidates > 0.0 ? fmin(b, candidates - 1.0) : b;
}

double ireneo_dimension_among(const ireneo_shape *shape, double candidates) {
    double a = (double)shape->dim_in, b = value_dimensions(shape, candidates), smaller = fmin(a, b);
    double kappa = shape->rank == 0 ? 1.0 : fmin(1.0, (double)shape->rank / smaller);
    return a * b * ireneo_rank_spectrum_energy(kappa, smaller / fmax(a, b));
}

double ireneo_effective_dimension(const ireneo_shape *shape) {
    return shape == NULL ? NAN : ireneo_dimension_among(shape, shape->candidates);
}

const char *ireneo_problem_kind_name(ireneo_problem_kind problem) {
    switch (problem) {
    case IRENEO_PROBLEM_ORIGINAL:
        return "original";
    case IRENEO_PROBLEM_DECOUPLED:
        return "decoupled";
    }
    return "unknown";
}

const char *ireneo_targets_name(ireneo_targets targets) {
    switch (targets) {
    case IRENEO_TARGETS_EACH:
        return "each";
    case IRENEO_TARGETS_ZIPF:
        return "zipf";
    }
    return "unknown";
}

ireneo_error ireneo_demand_make(double candidates, double margin, ireneo_demand *demand) {
    demand->candidates = candidates;
    IRENEO_TRY(ireneo_cone_moments(candidates, &demand->delta, &demand->variance));
    demand->distance = demand->delta;
    demand->spread = demand->variance;
    if (margin == 0.0) return IRENEO_OK;
    IRENEO_TRY(ireneo_cone_margin_distance(candidates, margin, &demand->distance));
    return ireneo_lowered_variance(candidates, margin, &demand->spread);
}

ireneo_error ireneo_law_setting_make(const ireneo_shape *shape, const ireneo_demand *demand,
                                     ireneo_law_setting *setting) {
    double candidates = demand->candidates, dim_out = value_dimensions(shape, candidates);
    setting->shape = shape;
    setting->demand = *demand;
    setting->dimension = ireneo_dimension_among(shape, candidates);
    setting->narrow =
        ireneo_narrow_values(fmin((double)shape->dim_out, ceil(candidates - 1.0)), candidates, demand->delta);
    setting->a_fact = demand->distance - demand->delta + setting->narrow.delta;
    setting->sharing = (ireneo_sharing){(double)shape->dim_in, dim_out,          candidates,
                                        setting->narrow.delta, demand->variance, 0.0};
    IRENEO_TRY(ireneo_target_law_make(shape, candidates, &setting->targets));
    if (setting->targets.heavy > 0 && setting->targets.share[0] > 2.0 / candidates)
        setting->sharing.leading = ireneo_lowered_lean(candidates, demand->delta);
    return IRENEO_OK;
}

/* What the answers asked for most cost beyond the second order, over all that n facts use. */
static double heavy_answers(const ireneo_law_setting *s, double facts) {
    double sum = 0.0;
    if (s->sharing.leading == 0.0) return 0.0;
    for (size_t k = 0; k < s->targets.heavy; k++)
        sum += ireneo_shared_answer(&s->sharing, facts * (s->targets.share[k] - 1.0 / s->demand.candidates));
    return sum / (facts * s->sharing.delta);
}

double ireneo_law_correction(const ireneo_law_setting *s, double facts) {
    static const double MOST = 0.4; /* of a theory of small corrections */
    if (s->shape->problem != IRENEO_PROBLEM_ORIGINAL || s->shape->rank > 0 || s->demand.candidates < 3.0)
        return 0.0;
    double coincidence = ireneo_target_coincidence(&s->targets, facts);
    return fmin(MOST, ireneo_shared_correction(&s->sharing, facts, coincidence) - heavy_answers(s, facts));
}

double ireneo_law_use(double correction) {
    return correction > 0.0 ? 1.0 / (1.0 + correction)
                            : 1.0 - correction; /* as thresholds have it on either side */
}

double ireneo_law_skew(const ireneo_law_setting *s, double facts) {
    if (s->shape->problem != IRENEO_PROBLEM_ORIGINAL || s->targets.heavy == 0) return 0.0;
    return ireneo_shared_correction(&s->sharing, facts, 1.0 / s->demand.candidates) -
           ireneo_law_correction(s, facts);
}

/* What n facts use over what there is, as a difference. */
static double excess(double facts, const ireneo_law_setting *s) {
    return facts * s->a_fact * ireneo_law_use(ireneo_law_correction(s, facts)) - s->dimension;
}

double ireneo_law_room_chance(const ireneo_law_setting *s, double facts) {
    return ireneo_normal_cdf(-excess(facts, s) / sqrt(facts * s->demand.spread));
}

double ireneo_law_hull_chance(const ireneo_law_setting *s, double facts) {
    double hull = s->narrow.hull_probability;
    if (hull == 0.0) return 1.0;
    bool shared = s->shape->problem == IRENEO_PROBLEM_ORIGINAL;
    return exp(-hull * (shared ? ireneo_target_distinct(&s->targets, facts) : facts));
}

double ireneo_law_root(const ireneo_law_setting *s) {
    double low = 0.0, high = 2.0 * s->dimension / s->a_fact; /* eps stays below 0.4 */
    for (int i = 0; i < 100 && high - low > 1e-14 * high; i++) {
        double middle = 0.5 * (low + high);
        if (excess(middle, s) < 0.0)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}
