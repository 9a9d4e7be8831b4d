/* Facts whose target need only be among the K best (docs/linear.md, "Among the K best"). */
#ifndef IRENEO_LINEAR_LAW_TOP_H
#define IRENEO_LINEAR_LAW_TOP_H

#include "base/error.h"

/* delta_K(P) = E dist^2(g, C_K), C_K = { u in R^P : u_1 is among the K largest }; delta(P) for K = 1. K < P. */
ireneo_error ireneo_top_distance(double candidates, double top, double *distance);

/* Like ireneo_capacity_of_facts, with the spans in *info, for facts whose target must be among the `top` best. */
ireneo_error ireneo_top_capacity_of_facts(const ireneo_facts *facts, size_t top, size_t rank,
                                          ireneo_store_info *info, double *decoupled);

#endif
