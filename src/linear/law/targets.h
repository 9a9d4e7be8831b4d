/* Who is asked for: how often two facts share a target, and how many different targets facts have. That is all the law
 * needs to know about the frequencies of answers (docs/linear.md, "Skewed answers"). */
#ifndef IRENEO_LINEAR_LAW_TARGETS_H
#define IRENEO_LINEAR_LAW_TARGETS_H

#include "base/error.h"

enum { IRENEO_HEAVY = 64 };

/* The frequencies of a shape, in short. */
typedef struct ireneo_target_law {
    const ireneo_shape *shape;
    double candidates;
    double
        coincidence; /* chance that two facts have one target; of facts drawn at random, whatever their number */
    double counted;  /* facts that the frequencies count; 0: no frequencies */
    double harmonic; /* sum of t^-zipf */
    size_t heavy; /* the targets that are asked for most, at most IRENEO_HEAVY, and their shares, falling */
    double share[IRENEO_HEAVY];
} ireneo_target_law;

/* Frequencies are checked: none negative, and at least one fact. */
ireneo_error ireneo_target_law_make(const ireneo_shape *shape, double candidates, ireneo_target_law *law);

/* Chance that two of so many facts have one target. */
double ireneo_target_coincidence(const ireneo_target_law *law, double facts);

/* Expected number of different targets of so many facts. */
double ireneo_target_distinct(const ireneo_target_law *law, double facts);

#endif
