/* The law turned round: which memory holds so many facts, and what an overloaded one keeps. The kept share has no theory;
 * it is what `store --overload` reached in trials, over the law for a random subset (docs/linear.md, "Overload"). */
#include "linear/law/capacity.h"

#include <math.h>
#include <stdbool.h>

static ireneo_error check_plan(const ireneo_shape *shape, double chance, const void *result) {
    IRENEO_REQUIRE(shape != NULL && result != NULL, "planning needs a shape and a place for the result");
    IRENEO_REQUIRE(shape->facts > 0.0, "planning needs the number of facts");
    IRENEO_REQUIRE(chance > 0.0 && chance < 1.0, "the chance must lie between 0 and 1");
    return IRENEO_OK;
}

/* The smallest size in (low, high] that holds the facts; the chance grows with it. */
static ireneo_error bisect(ireneo_shape shape, const ireneo_demand *demand, double chance, bool of_rank,
                           size_t low, size_t high, size_t *size) {
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        double found;
        if (of_rank)
            shape.rank = middle;
        else
            shape.dim_in = shape.dim_out = middle;
        IRENEO_TRY(ireneo_capacity_chance(&shape, demand, &found));
        if (found >= chance)
            high = middle;
        else
            low = middle;
    }
    *size = high;
    return IRENEO_OK;
}

ireneo_error ireneo_capacity_dim(const ireneo_shape *shape, double chance, size_t *dim) {
    static const size_t MOST = 10000000;
    IRENEO_TRY(check_plan(shape, chance, dim));
    ireneo_shape trial = *shape;
    size_t low = shape->rank > 1 ? shape->rank - 1 : 0, high = low + 1;
    trial.dim_in = trial.dim_out = high;
    ireneo_demand demand = {0};
    IRENEO_TRY(ireneo_capacity_demand(&trial, &demand));
    for (double found = 0.0;; low = high, high *= 2) {
        trial.dim_in = trial.dim_out = high;
        IRENEO_TRY(ireneo_capacity_chance(&trial, &demand, &found));
        if (found >= chance) break;
        if (high > MOST)
            return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                               "no memory of less than %zu dimensions holds %.0f facts", MOST, shape->facts);
    }
    return bisect(*shape, &demand, chance, false, low, high, dim);
}

ireneo_error ireneo_capacity_rank(const ireneo_shape *shape, double chance, size_t *rank) {
    IRENEO_TRY(check_plan(shape, chance, rank));
    ireneo_shape full = *shape;
    double found;
    ireneo_demand demand = {0};
    full.rank = 0;
    *rank = 0;
    IRENEO_TRY(ireneo_capacity_demand(&full, &demand));
    IRENEO_TRY(ireneo_capacity_chance(&full, &demand, &found));
    if (found < chance) return IRENEO_OK;
    size_t smaller = shape->dim_in < shape->dim_out ? shape->dim_in : shape->dim_out;
    return bisect(*shape, &demand, chance, true, 0, smaller, rank);
}

ireneo_error ireneo_capacity_overload(const ireneo_shape *shape, double *kept) {
    /* Facts offered and kept over D / delta(P): d = 50, medians of five seeds, and d = 100 with 1240 facts. */
    static const double offered[] = {1.0, 1.0455, 1.123, 1.254, 1.636, 2.309, 3.745, 6.84},
                        share[] = {1.0, 1.0397, 1.08, 1.14, 1.314, 1.48, 1.677, 1.852};
    enum { POINTS = sizeof offered / sizeof offered[0] };
    IRENEO_TRY(check_plan(shape, 0.5, kept));
    ireneo_shape fixed = *shape;
    ireneo_capacity_report report;
    if (fixed.candidates == 0.0) fixed.candidates = fmax(2.0, fixed.facts);
    IRENEO_TRY(ireneo_capacity(&fixed, &report));
    double law = fmin(report.facts_capacity, report.facts_capacity_decoupled), ratio = fixed.facts / law;
    size_t k = 1;
    while (k + 1 < POINTS && ratio > offered[k]) k++;
    double way = fmin(1.0, (ratio - offered[k - 1]) / (offered[k] - offered[k - 1]));
    *kept = ratio <= 1.0 ? fixed.facts : floor(law * (share[k - 1] + way * (share[k] - share[k - 1])));
    return IRENEO_OK;
}
