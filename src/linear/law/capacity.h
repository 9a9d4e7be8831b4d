/* The capacity law without the whole report. */
#ifndef IRENEO_LINEAR_LAW_CAPACITY_H
#define IRENEO_LINEAR_LAW_CAPACITY_H

#include "base/error.h"

#include <stdbool.h>

/* Facts that fit, to about three digits and in a fraction of the time of ireneo_capacity. With own_values every
 * fact brings a candidate, and shape->candidates is only where the search for n = P begins. */
ireneo_error ireneo_capacity_rough(const ireneo_shape *shape, bool own_values, double *facts);

/* Sets facts_capacity and fraction_of_capacity of *info, for facts whose keys and values span so many dimensions;
 * leaves them alone when nothing varies. */
ireneo_error ireneo_capacity_of_facts(const ireneo_facts *facts, size_t span_in, size_t span_out, size_t rank,
                                      ireneo_store_info *info);

#endif
