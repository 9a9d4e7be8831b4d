/* The law at one shape and number of candidates: what there is, and what n facts use of it. */
#ifndef IRENEO_LINEAR_LAW_SETTING_H
#define IRENEO_LINEAR_LAW_SETTING_H

#include "linear/law/capacity.h"
#include "linear/law/lowered.h"
#include "linear/law/shared.h"
#include "linear/law/targets.h"

typedef struct ireneo_law_setting {
    const ireneo_shape *shape;
    ireneo_demand demand;
    ireneo_narrowness narrow;
    ireneo_target_law targets;
    ireneo_sharing sharing;
    double dimension; /* D */
    double a_fact;    /* dimensions that a fact uses by itself */
} ireneo_law_setting;

/* Fails with a sentence when the shape cannot be. */
ireneo_error ireneo_shape_check(const ireneo_shape *shape);

/* D of a shape with so many candidates. */
double ireneo_dimension_among(const ireneo_shape *shape, double candidates);

/* Of a shape that was checked. */
ireneo_error ireneo_law_setting_make(const ireneo_shape *shape, const ireneo_demand *demand,
                                     ireneo_law_setting *setting);

/* eps of n facts; 0 when candidates are not shared, and for memories of limited rank, for which it is not known. */
double ireneo_law_correction(const ireneo_law_setting *setting, double facts);

/* The share of its dimensions that a fact still uses: 1 - eps to first order, and never below 0. */
double ireneo_law_use(double correction);

/* How much of -eps is due to answers that are asked for more often than others. */
double ireneo_law_skew(const ireneo_law_setting *setting, double facts);

/* Chance that n facts fit, but for targets in the hull of the others; and the chance that there is none of those. */
double ireneo_law_room_chance(const ireneo_law_setting *setting, double facts);
double ireneo_law_hull_chance(const ireneo_law_setting *setting, double facts);

/* The n with n a_fact (1 - eps) = D, or as ireneo_law_use has it. */
double ireneo_law_root(const ireneo_law_setting *setting);

#endif
