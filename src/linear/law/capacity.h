/* The capacity law without the whole report. */
#ifndef IRENEO_LINEAR_LAW_CAPACITY_H
#define IRENEO_LINEAR_LAW_CAPACITY_H

#include "base/error.h"

#include <stdbool.h>

/* What one fact asks of a memory, whatever the memory: delta(P) and v(P); and the mean and the variance of the dimensions
 * that it uses when it must win by a margin. It depends on the candidates and the margin alone, so one serves memories
 * of every size and any number of facts. */
typedef struct ireneo_demand {
    double candidates;
    double delta, variance;
    double distance, spread;
} ireneo_demand;

ireneo_error ireneo_demand_make(double candidates, double margin, ireneo_demand *demand);

/* Of the facts of a shape, which is checked. */
ireneo_error ireneo_capacity_demand(const ireneo_shape *shape, ireneo_demand *demand);

/* Chance that a memory of this shape, which is checked, meets the demand of shape->facts facts. */
ireneo_error ireneo_capacity_chance(const ireneo_shape *shape, const ireneo_demand *demand, double *chance);

/* The chance that all of facts[i] facts fit, for each of count numbers; those of the shape do not matter. */
ireneo_error ireneo_capacity_chances(const ireneo_shape *shape, const double *facts, size_t count,
                                     double *chances);

/* Facts that fit among so many candidates: the law, the limit formula, the Hebbian rule (NaN with a rank). */
typedef struct ireneo_capacities {
    double law, limit, hebbian;
} ireneo_capacities;
ireneo_error ireneo_capacities_among(const ireneo_shape *shape, const ireneo_demand *demand,
                                     ireneo_capacities *found);

/* Facts that fit, to about three digits and in a fraction of the time of ireneo_capacity. With own_values every
 * fact brings a candidate, and shape->candidates is only where the search for n = P begins. */
ireneo_error ireneo_capacity_rough(const ireneo_shape *shape, bool own_values, double *facts);

/* Sets facts_capacity and fraction_of_capacity of *info, for facts whose keys and values span so many dimensions, from
 * how often they ask for each candidate; leaves them alone when nothing varies. *decoupled, unless NULL, is the capacity
 * if every fact had candidates of its own. */
ireneo_error ireneo_capacity_of_facts(const ireneo_facts *facts, size_t span_in, size_t span_out, size_t rank,
                                      ireneo_store_info *info, double *decoupled);

#endif
