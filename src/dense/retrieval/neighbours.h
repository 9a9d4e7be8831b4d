/* Neighbours of chosen patterns: how near, and at which angles a query from a pattern ties with another one. */
#ifndef IRENEO_DENSE_RETRIEVAL_NEIGHBOURS_H
#define IRENEO_DENSE_RETRIEVAL_NEIGHBOURS_H

#include "dense/retrieval/prepare.h"

/* Patterns that are looked at, among all that are streamed past them. */
typedef struct ireneo_audited {
    const ireneo_prepared *memory;
    size_t patterns;     /* in all */
    size_t count;        /* of those looked at */
    const size_t *index; /* (count) */
    uint64_t seed;
    int threads;
    const ireneo_progress *progress;
} ireneo_audited;

/* What is found about one of them; angles in radian. */
typedef struct ireneo_neighbour {
    size_t nearest;      /* the pattern at the smallest angle; SIZE_MAX when there is no other */
    double angle;        /* to it; pi when there is no other */
    double worst_angle;  /* smallest angle, in any direction, at which another pattern has as large a score */
    double random_angle; /* the same in the direction ireneo_random_direction; pi / 2 at most */
} ireneo_neighbour;

/* A unit vector (neurons) at a right angle to pattern number `index`, a function of (seed, index). */
void ireneo_random_direction(const ireneo_prepared *memory, uint64_t seed, size_t index, float *direction);

/* One pass over all patterns, in tiles. `found` (count). */
ireneo_error ireneo_find_neighbours(const ireneo_audited *audited, ireneo_neighbour *found);

#endif
