/* The capacity law put together: how many facts fit, how likely n facts are to fit, and what the asymptotic
 * formulas say. */
#include "linear/law/capacity.h"
#include "base/normal.h"
#include "base/quadrature.h"
#include "base/ram.h"
#include "base/roots.h"
#include "linear/law/cone.h"
#include "linear/law/hebbian_law.h"
#include "linear/law/p_log_p.h"
#include "linear/law/setting.h"

#include <math.h>

/* ---- facts that fit ---- */

/* How delta(P) is found: finely with a margin, or roughly without. */
typedef ireneo_error (*cone_distance)(double candidates, double margin, double *distance);

static ireneo_error rough_distance(double candidates, double margin, double *distance) {
    (void)margin; /* stores ask for none */
    return ireneo_cone_delta_rough(candidates, distance);
}

/* A search for n = P. */
typedef struct own_search {
    const ireneo_shape *shape;
    cone_distance find;
    double correction; /* eps, kept while n is found */
    double
        unused; /* dimensions that a fact would use if values were not so narrow: delta - E min(N, d_out) */
} own_search;

/* log of what n = P facts use over what there is. */
static ireneo_error log_use(const own_search *s, double facts, double *use, double *a_fact) {
    double distance;
    IRENEO_TRY(s->find(facts, s->shape->margin, &distance));
    *a_fact = (distance - s->unused) * ireneo_law_use(s->correction);
    *use = log(facts * *a_fact / ireneo_dimension_among(s->shape, facts));
    return IRENEO_OK;
}

/* n = P with n delta(P) (1 - eps) = D: secant steps in log P. The left side rises with slope between one and two and is
 * nearly straight, so a step gains digits at once. Starts at *facts and ends after `most` steps, or when they no longer
 * move it. */
static ireneo_error solve_own_values(const own_search *s, int most, double *facts) {
    static const double STILL = 1e-12; /* of log P: what quadrature leaves */
    double a_fact, f0, f1, l0 = log(*facts);
    IRENEO_TRY(log_use(s, *facts, &f0, &a_fact));
    double p = fmax(2.0, *facts * exp(-f0 / 1.2));
    for (int step = 0; step < most && fabs(f0) > STILL; step++) {
        double l1 = log(p);
        IRENEO_TRY(log_use(s, p, &f1, &a_fact));
        if (!(fabs(f1 - f0) > STILL)) break;
        double move = f1 * (l1 - l0) / (f1 - f0);
        p = fmax(2.0, exp(l1 - fmin(2.0, fmax(-2.0, move))));
        l0 = l1, f0 = f1;
        if (fabs(move) < STILL) break;
    }
    *facts = p;
    return IRENEO_OK;
}

/* Demand with little effort: v enters the correction only, and there hardly. */
static ireneo_error rough_demand(double candidates, ireneo_demand *demand) {
    IRENEO_TRY(ireneo_cone_delta_rough(candidates, &demand->delta));
    demand->candidates = candidates;
    demand->distance = demand->delta;
    demand->variance = demand->spread = demand->delta * fmin(1.7, 0.5 + 0.115 * log(candidates));
    return IRENEO_OK;
}

/* What sharing and narrowness change at n = P facts of this demand. */
static ireneo_error look_at(own_search *s, const ireneo_demand *demand, double facts,
                            ireneo_law_setting *setting) {
    IRENEO_TRY(ireneo_law_setting_make(s->shape, demand, setting));
    s->correction = ireneo_law_correction(setting, facts);
    s->unused = demand->distance - setting->a_fact;
    return IRENEO_OK;
}

/* The root for n = P to about three digits, from *facts on, and the setting near it. */
static ireneo_error rough_own_root(own_search *s, double *facts, ireneo_law_setting *setting) {
    enum { ROUNDS = 2, STEPS = 2 };
    ireneo_demand demand;
    s->find = rough_distance;
    for (int round = 0; round < ROUNDS; round++) {
        IRENEO_TRY(solve_own_values(s, STEPS, facts));
        IRENEO_TRY(rough_demand(fmax(2.0, *facts), &demand));
        IRENEO_TRY(look_at(s, &demand, *facts, setting));
    }
    return solve_own_values(s, STEPS, facts);
}

/* The root for n = P and the setting there. eps hardly changes with n, so it is found in rounds, from the root that it
 * moves; the first of them are rough, which the margin's integrals cannot be. Fewer than two candidates leave nothing to
 * recall, so two facts always count as fitting. */
static ireneo_error own_values_root(const ireneo_shape *shape, double *facts, ireneo_law_setting *setting) {
    enum { MOST_STEPS = 40, ROUNDS = 4 };
    own_search search = {shape, ireneo_cone_margin_distance, 0.0, 0.0};
    double use, a_fact;
    IRENEO_TRY(log_use(&search, 2.0, &use, &a_fact));
    bool tiny = use >= 0.0;
    *facts = tiny ? 2.0 : fmax(2.0, ireneo_solve_p_log_p(0.7 * ireneo_dimension_among(shape, 0.0)));
    if (!tiny && shape->margin == 0.0) IRENEO_TRY(rough_own_root(&search, facts, setting));
    search.find = ireneo_cone_margin_distance;
    for (int round = 0; round < ROUNDS; round++) {
        double before = *facts, correction = search.correction;
        if (!tiny) IRENEO_TRY(solve_own_values(&search, MOST_STEPS, facts));
        ireneo_demand demand;
        IRENEO_TRY(ireneo_demand_make(*facts, shape->margin, &demand));
        IRENEO_TRY(look_at(&search, &demand, *facts, setting));
        bool still = round > 0 && fabs(*facts - before) < 1e-9 * before;
        if (tiny || still || fabs(search.correction - correction) < 1e-10) break;
    }
    return IRENEO_OK;
}

/* The part of the mean threshold that targets inside the hull take: the mean over n of the chance that n facts would have
 * room but one of them is inside. */
static ireneo_error hull_loss(const ireneo_law_setting *at, bool own, double root, double *loss) {
    enum { NODES = 24 };
    double nodes[NODES], weights[NODES];
    double width = sqrt(root * at->demand.spread) / at->a_fact;
    *loss = 0.0;
    if (ireneo_law_hull_chance(at, root) > 1.0 - 1e-12) return IRENEO_OK;
    ireneo_gauss_legendre(NODES, 0.0, root + 5.0 * width, nodes, weights);
    for (int i = 0; i < NODES; i++) {
        ireneo_law_setting other = *at;
        double n = nodes[i];
        if (own && n < 2.0) continue;
        if (own) {
            ireneo_demand demand = at->demand;
            demand.candidates = n;
            IRENEO_TRY(ireneo_cone_delta_rough(n, &demand.delta));
            demand.distance = at->demand.distance - at->demand.delta + demand.delta;
            IRENEO_TRY(ireneo_law_setting_make(at->shape, &demand, &other));
        }
        *loss += weights[i] * ireneo_law_room_chance(&other, n) * (1.0 - ireneo_law_hull_chance(&other, n));
    }
    return IRENEO_OK;
}

/* Facts that fit, and the setting at the root of the law. */
static ireneo_error find_facts(const ireneo_shape *shape, double *facts, ireneo_law_setting *setting) {
    bool own = shape->candidates == 0.0;
    double loss;
    if (own) {
        IRENEO_TRY(own_values_root(shape, facts, setting));
    } else {
        ireneo_demand demand;
        IRENEO_TRY(ireneo_demand_make(shape->candidates, shape->margin, &demand));
        IRENEO_TRY(ireneo_law_setting_make(shape, &demand, setting));
        *facts = ireneo_law_root(setting);
    }
    IRENEO_TRY(hull_loss(setting, own, *facts, &loss));
    *facts = own ? fmax(2.0, *facts - loss) : fmax(0.0, *facts - loss);
    return IRENEO_OK;
}

ireneo_error ireneo_capacities_among(const ireneo_shape *shape, const ireneo_demand *demand,
                                     ireneo_capacities *found) {
    ireneo_law_setting setting;
    double loss, root;
    IRENEO_TRY(ireneo_law_setting_make(shape, demand, &setting));
    root = ireneo_law_root(&setting);
    IRENEO_TRY(hull_loss(&setting, false, root, &loss));
    found->law = fmax(0.0, root - loss);
    found->limit = 0.5 * setting.dimension / log(demand->candidates);
    found->hebbian =
        shape->rank > 0
            ? NAN
            : ireneo_hebbian_law_capacity((double)shape->dim_in, (double)shape->dim_out, demand->candidates);
    return IRENEO_OK;
}

/* ---- for stores ---- */

ireneo_error ireneo_capacity_rough(const ireneo_shape *shape, bool own_values, double *facts) {
    ireneo_shape own = *shape;
    ireneo_law_setting setting;
    double loss;
    *facts = shape->candidates;
    if (own_values) {
        own.candidates = 0.0;
        own_search search = {&own, rough_distance, 0.0, 0.0};
        IRENEO_TRY(rough_own_root(&search, facts, &setting));
    } else {
        ireneo_demand demand;
        IRENEO_TRY(rough_demand(fmax(2.0, *facts), &demand));
        IRENEO_TRY(ireneo_law_setting_make(shape, &demand, &setting));
        *facts = ireneo_law_root(&setting);
    }
    IRENEO_TRY(hull_loss(&setting, own_values, *facts, &loss));
    *facts = fmax(1e-9, *facts - loss);
    return IRENEO_OK;
}

/* How many facts ask for each candidate. */
static ireneo_error count_targets(const ireneo_facts *f, double **frequencies) {
    IRENEO_TRY(IRENEO_ALLOCATE(frequencies, f->candidates, "frequencies of the targets"));
    for (size_t j = 0; j < f->candidates; j++) (*frequencies)[j] = 0.0;
    for (size_t i = 0; i < f->facts; i++)
        (*frequencies)[f->targets == NULL ? i : (size_t)f->targets[i]] += 1.0;
    return IRENEO_OK;
}

ireneo_error ireneo_capacity_of_facts(const ireneo_facts *f, size_t span_in, size_t span_out, size_t rank,
                                      ireneo_store_info *info, double *decoupled) {
    size_t smaller = span_in < span_out ? span_in : span_out;
    ireneo_shape shape = {.dim_in = span_in,
                          .dim_out = span_out,
                          .rank = rank < smaller ? rank : 0,
                          .candidates = (double)f->candidates,
                          .problem = IRENEO_PROBLEM_DECOUPLED};
    if (decoupled != NULL) *decoupled = NAN;
    if (smaller == 0) return IRENEO_OK; /* nothing varies: no capacity at all */
    bool own_values = f->targets == NULL && f->facts == f->candidates;
    double *frequencies = NULL;
    if (decoupled != NULL) IRENEO_TRY(ireneo_capacity_rough(&shape, own_values, decoupled));
    ireneo_error failed = IRENEO_OK;
    if (f->own_candidates == NULL) {
        shape.problem = IRENEO_PROBLEM_ORIGINAL;
        if (!own_values) failed = count_targets(f, &frequencies);
        shape.frequencies = frequencies;
    }
    if (failed == IRENEO_OK) failed = ireneo_capacity_rough(&shape, own_values, &info->facts_capacity);
    free(frequencies);
    if (failed == IRENEO_OK) info->fraction_of_capacity = (double)f->facts / info->facts_capacity;
    return failed;
}

/* ---- the report ---- */

/* Where the law is known to be off, or not known to hold; NULL where it is. */
static const char *find_caveat(const ireneo_law_setting *s, double facts) {
    static const double SKEWED = 0.06, FEW = 0.6; /* of eps; of the dimensions that a fact uses */
    if (ireneo_law_skew(s, facts) > SKEWED)
        return "many facts share few answers, which costs much; this was tried by Zipf's law in 15 to 100 "
               "dimensions only: off by up to 6 %, and in 100 at exponent 1.2 too low, by 3 to 22 %";
    if (s->shape->margin > 0.0)
        return "with a margin the law is asymptotic: far from capacity fewer facts fit, by a tenth at d = 60";
    if (s->sharing.delta > FEW * fmin(s->sharing.dim_in, s->sharing.dim_out))
        return "the memory has hardly more dimensions than a fact uses: the law is a rough guide";
    return NULL;
}

static void add_caveat(const ireneo_law_setting *s, double facts, ireneo_capacity_report *report) {
    const char *sentence = find_caveat(s, facts);
    for (size_t k = 0; sentence != NULL && sentence[k] != '\0' && k + 1 < sizeof report->caveat; k++)
        report->caveat[k] = sentence[k];
}

/* What the law says at capacity. */
static ireneo_error fill_capacity(const ireneo_shape *shape, ireneo_law_setting *setting,
                                  ireneo_capacity_report *report) {
    double a = (double)shape->dim_in, b = (double)shape->dim_out;
    ireneo_shape decoupled = *shape;
    ireneo_law_setting apart;
    decoupled.problem = IRENEO_PROBLEM_DECOUPLED;
    decoupled.targets = IRENEO_TARGETS_EACH;
    decoupled.frequencies = NULL;
    IRENEO_TRY(find_facts(shape, &report->facts_capacity, setting));
    report->facts_capacity_decoupled = report->facts_capacity;
    if (shape->problem == IRENEO_PROBLEM_ORIGINAL)
        IRENEO_TRY(find_facts(&decoupled, &report->facts_capacity_decoupled, &apart));
    report->candidates = shape->candidates == 0.0 ? report->facts_capacity : shape->candidates;
    report->delta = setting->demand.delta;
    report->variance = setting->demand.variance;
    report->effective_dimension = setting->dimension;
    report->hull_probability = setting->narrow.hull_probability;
    report->parameters = shape->rank == 0 ? a * b : (double)shape->rank * (a + b);
    report->facts_capacity_asymptotic = shape->candidates == 0.0
                                            ? ireneo_solve_p_log_p(0.5 * setting->dimension)
                                            : 0.5 * setting->dimension / log(shape->candidates);
    report->bits_per_parameter = report->facts_capacity * log2(report->candidates) / report->parameters;
    return IRENEO_OK;
}

static void fill_hebbian(const ireneo_shape *shape, double asked, double candidates,
                         ireneo_capacity_report *report) {
    double a = (double)shape->dim_in, b = (double)shape->dim_out;
    report->facts_capacity_hebbian = report->facts_hebbian_half = report->hebbian_accuracy = NAN;
    if (shape->rank > 0) return;
    report->facts_capacity_hebbian = ireneo_hebbian_law_capacity(a, b, shape->candidates);
    report->facts_hebbian_half = ireneo_hebbian_law_half(a, b, shape->candidates);
    report->hebbian_accuracy = ireneo_hebbian_law_accuracy(a, b, asked, candidates);
}

ireneo_error ireneo_capacity(const ireneo_shape *shape, ireneo_capacity_report *report) {
    IRENEO_REQUIRE(report != NULL, "the capacity needs a report to be written to");
    *report = (ireneo_capacity_report){0};
    IRENEO_TRY(ireneo_shape_check(shape));
    ireneo_law_setting setting;
    IRENEO_TRY(fill_capacity(shape, &setting, report));
    double asked = shape->facts > 0.0 ? shape->facts : report->facts_capacity;
    double candidates = shape->candidates == 0.0 ? fmax(2.0, asked) : shape->candidates;
    fill_hebbian(shape, asked, candidates, report);
    report->load = asked * log(candidates) / ((double)shape->dim_in * (double)shape->dim_out);
    report->fraction_of_capacity = asked / report->facts_capacity;
    report->probability_all_fit = NAN;
    if (shape->facts > 0.0) {
        ireneo_demand demand = setting.demand;
        if (shape->candidates == 0.0) IRENEO_TRY(ireneo_demand_make(candidates, shape->margin, &demand));
        IRENEO_TRY(ireneo_law_setting_make(shape, &demand, &setting));
        IRENEO_TRY(ireneo_capacity_chance(shape, &demand, &report->probability_all_fit));
    }
    report->correction = ireneo_law_correction(&setting, asked);
    add_caveat(&setting, asked, report);
    return IRENEO_OK;
}

/* ---- chances ---- */

ireneo_error ireneo_capacity_demand(const ireneo_shape *shape, ireneo_demand *demand) {
    IRENEO_TRY(ireneo_shape_check(shape));
    if (shape->facts == 0.0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the chance that facts fit needs their number");
    return ireneo_demand_make(shape->candidates == 0.0 ? shape->facts : shape->candidates, shape->margin,
                              demand);
}

ireneo_error ireneo_capacity_chance(const ireneo_shape *shape, const ireneo_demand *demand, double *chance) {
    ireneo_law_setting setting;
    IRENEO_TRY(ireneo_shape_check(shape));
    IRENEO_TRY(ireneo_law_setting_make(shape, demand, &setting));
    *chance = ireneo_law_room_chance(&setting, shape->facts) * ireneo_law_hull_chance(&setting, shape->facts);
    return IRENEO_OK;
}

ireneo_error ireneo_capacity_chances(const ireneo_shape *shape, const double *facts, size_t count,
                                     double *chances) {
    ireneo_shape asked = *shape;
    ireneo_demand demand;
    asked.facts = 1.0;
    if (shape->candidates != 0.0) IRENEO_TRY(ireneo_capacity_demand(&asked, &demand));
    for (size_t i = 0; i < count; i++) {
        asked.facts = facts[i];
        if (shape->candidates == 0.0) IRENEO_TRY(ireneo_capacity_demand(&asked, &demand));
        IRENEO_TRY(ireneo_capacity_chance(&asked, &demand, &chances[i]));
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

/* ---- the largest margin ---- */

/* K with E dist^2(K) = room: Newton's steps on the root of the distance, which is convex in K and nearly straight, so that
 * they come from the right after the first and gain digits fast. 0 when there is no room, infinite beyond the law's range. */
static ireneo_error solve_margin(double candidates, double room, double *margin) {
    enum { MOST_STEPS = 60 };
    double distance, slope, at = 0.0;
    *margin = 0.0;
    for (int step = 0; step < MOST_STEPS; step++) {
        IRENEO_TRY(ireneo_cone_margin(candidates, at, &distance, &slope));
        if (distance >= room && at == 0.0) return IRENEO_OK;
        if (distance < room && at == IRENEO_CONE_MOST_MARGIN) return *margin = INFINITY, IRENEO_OK;
        double move = 2.0 * (sqrt(room * distance) - distance) / slope;
        at = fmin(IRENEO_CONE_MOST_MARGIN, fmax(0.0, at + move));
        if (fabs(move) < 1e-6 * (1.0 + at)) break; /* the next would move it by about the square */
    }
    *margin = at;
    return IRENEO_OK;
}

ireneo_error ireneo_capacity_margin(const ireneo_shape *shape, double *margin) {
    IRENEO_REQUIRE(margin != NULL, "the margin needs a place to be written to");
    *margin = 0.0;
    IRENEO_TRY(ireneo_shape_check(shape));
    if (shape->facts == 0.0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the best margin needs the number of facts");
    ireneo_demand demand;
    ireneo_law_setting setting;
    IRENEO_TRY(ireneo_demand_make(shape->candidates == 0.0 ? shape->facts : shape->candidates, 0.0, &demand));
    IRENEO_TRY(ireneo_law_setting_make(shape, &demand, &setting));
    /* Without the correction for shared candidates: it is derived for margin zero, and the law of the margin is above
     * what is reached as it stands (docs/margin.md). */
    return solve_margin(demand.candidates, setting.dimension / shape->facts, margin);
}

double ireneo_listwise_capacity(double tail_fraction) {
    if (!(tail_fraction > 0.0 && tail_fraction <= 1.0)) return NAN;
    double k = tail_fraction == 1.0
                   ? 0.0
                   : ireneo_normal_density(ireneo_normal_quantile(1.0 - tail_fraction)) / tail_fraction;
    return 1.0 / ((1.0 + k * k) * ireneo_normal_cdf(k) + k * ireneo_normal_density(k));
}
