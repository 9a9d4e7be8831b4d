/* Walks through the solutions of random facts: volume and overlap at growing loads, a series of numbers a draw. */
#ifndef IRENEO_LAB_FIGURES_ENTROPY_WALKS_H
#define IRENEO_LAB_FIGURES_ENTROPY_WALKS_H

#include "lab/figures/figure.h"

enum { ENTROPY_MOST_LOADS = 16 };

/* Draws of one shape: square memories, facts with answer i mod candidates. */
typedef struct entropy_group {
    bool decoupled;
    size_t dim, rank; /* rank = dim: full */
    size_t candidates, draws, steps;
    double load_to; /* loads 0, 0.1, 0.2 .. up to this one, at most 1.5, as nearly as whole facts allow */
} entropy_group;

/* What the walks of a draw found at one load; all NaN: no solution of so many facts was met. */
typedef struct entropy_row {
    double entropy;    /* log(volume of solutions) / d^2, mean of two walks */
    double difference; /* of the two */
    double error;      /* standard error from within walks */
    double overlap;    /* of solutions of the two walks */
    double apart;      /* steps between independent solutions */
    double fourth;     /* mean s^4 over (mean s^2)^2 */
} entropy_row;

typedef struct entropy_draw {
    const entropy_group *group;
    uint64_t seed;
    entropy_row rows[ENTROPY_MOST_LOADS]; /* of the loads 0, 0.1, ... */
} entropy_draw;

/* Facts of the load k / 10; false: the group has no such load. */
bool ireneo_entropy_facts(const entropy_group *group, size_t k, size_t *facts);

/* Fills the rows of all draws (count), from the request's store or by walks that are kept there. */
ireneo_error ireneo_entropy_run(const figure_request *request, entropy_draw *draws, size_t count);

#endif
