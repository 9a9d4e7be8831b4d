/* A random walk through the memories that recall facts, on the sphere |W|_F = 1. */
#ifndef IRENEO_LINEAR_SAMPLING_CHAIN_H
#define IRENEO_LINEAR_SAMPLING_CHAIN_H

#include "base/random.h"
#include "linear/sampling/cone.h"

#include <stdbool.h>

typedef struct solution_chain {
    const solution_cone *cone;
    size_t rank;          /* of W; min(dim_in, dim_out): full */
    size_t whole;         /* facts that are asked for; the next is in work */
    double slack;         /* by which each of its gaps may be missed; INFINITY: it is not asked for */
    double reach;         /* longest path of a step, an angle; PI at first */
    double *w;            /* (dim_out, dim_in), norm 1 */
    double *direction;    /* (dim_out, dim_in) */
    double *gaps, *moves; /* (facts, competitors) of W and of the direction, up to the fact in work */
    double *normal;       /* (dim_out + dim_in) room */
    bool on_keys;         /* which side's space stays fixed: the keys', or the values' */
    double *basis;        /* (its dimension, rank) orthonormal columns */
    double *factor;       /* (the other dimension, rank) room */
    size_t reflections;   /* so far */
    ireneo_generator random;
} solution_chain;

/* A walk that begins at a random matrix, with nothing asked for yet. */
ireneo_error ireneo_solution_chain_make(const solution_cone *cone, size_t rank, uint64_t seed,
                                        uint64_t stream, solution_chain *chain);
void ireneo_solution_chain_free(solution_chain *chain);

/* Puts the walk at W (dim_out, dim_in), of the chain's rank, and asks for facts 0 .. whole - 1 and, up to a slack, for the
 * next. IRENEO_ERROR_ARGUMENT when W is not a solution of that. */
ireneo_error ireneo_solution_chain_place(solution_chain *chain, const double *w, size_t whole, double slack);

/* One step: a path of random length with reflections at the walls. */
void ireneo_solution_chain_step(solution_chain *chain);

/* By how much W misses the fact in work: minus its smallest gap. -INFINITY when all facts are asked for. */
double ireneo_solution_chain_missed(const solution_chain *chain);

#endif
