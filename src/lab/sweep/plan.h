/* What a sweep is to do: grids of parameters, turned into a list of trials. */
#ifndef IRENEO_LAB_SWEEP_PLAN_H
#define IRENEO_LAB_SWEEP_PLAN_H

#include "lab/sweep/grid.h"
#include "lab/sweep/trial.h"

typedef struct plan {
    bool original, decoupled; /* problems; at least one */
    grid dims;                /* square memories; empty: dim_in x dim_out */
    size_t dim_in, dim_out;
    grid ranks,
        rank_shares;   /* whole numbers, and shares of the dimension in (0, 1]; neither: full matrices */
    grid loads, facts; /* one of the two, or neither when thresholds are sought */
    size_t candidates; /* 0: as many as facts */
    size_t trials;     /* draws per point, with seeds seed, seed + 1, ... */
    trial like;        /* solver, seed and solver settings */
} plan;

/* The trials of the plan (count): problem by problem, shape by shape, point by point, the draws of a point
 * side by side. Points that round to the same number of facts appear once. With neither loads nor facts every
 * shape is one point, for thresholds. Release with free. */
ireneo_error ireneo_plan_trials(const plan *p, trial **trials, size_t *count);

#endif
