/* The point that is moved, and everything that moves with it. */
#ifndef IRENEO_LINEAR_SOLVER_MINIMISER_H
#define IRENEO_LINEAR_SOLVER_MINIMISER_H

#include "base/tree_sum.h"
#include "linear/kernels/int16.h"
#include "linear/kernels/int16_product.h"
#include "linear/problem/working_set.h"
#include "linear/solver/lbfgs.h"

/* Rows of X that are multiplied at a time. */
enum { IRENEO_ROW_TILE = 256 };

/* A full memory has one part, W (dim_out, dim_in); a factored
 * one holds U (dim_out, rank) and V (dim_in, rank) one after the other, and W = U V^T beside them. */
typedef struct ireneo_minimiser {
    const ireneo_problem *problem;
    ireneo_working_set *set;
    size_t rank, length; /* 0 or the rank; entries of the point */
    size_t excused;      /* best competitors of a row that may stay above the target; set by the owner */
    float margin;        /* of the loss at present */
    float least_margin;  /* that it ends with */
    bool adapts;  /* to the share of rows violated: wide at first, which takes a third fewer iterations */
    float *point; /* (length) */
    float *w;     /* (dim_out, dim_in): the point itself when full */
    float *gradient, *old_gradient, *direction; /* (length) */
    float *matrix_gradient;                     /* (dim_out, dim_in): the gradient itself when full */
    float *line, *curve;  /* (dim_out, dim_in): dW/da and half its second derivative along the direction; line
                            is the direction when full */
    float *turned;        /* (dim_in, dim_out): line or curve transposed; NULL where that is not faster */
    ireneo_tree_sum sums; /* of gradients */
    float *tiles;         /* per-thread space */
    size_t tile_space;
    ireneo_int16 int16;         /* white values in sixteen bits for the search line; empty: not used */
    ireneo_int16_rows keys;     /* white keys in sixteen bits for products; empty: not used */
    ireneo_int16_panels panels; /* what they are multiplied with */
    ireneo_lbfgs lbfgs;

    double loss, gradient_norm, residual_sum; /* at the point: loss, |gradient|, sum of the weights r_j */
    size_t violations; /* rows of which a competitor comes within `required` of the target, or above it */
    float required;    /* gap that counts as recalled; set by the owner (attempt.c) */
    double seconds_direction, seconds_line, seconds_gradient, seconds_history;
} ireneo_minimiser;

ireneo_error ireneo_minimiser_allocate(const ireneo_problem *problem, ireneo_working_set *set, size_t rank,
                                       size_t history, ireneo_minimiser *minimiser);
void ireneo_minimiser_free(ireneo_minimiser *minimiser);

/* Lets the search line use sixteen-bit values, which does nothing where candidates are each fact's own, and products
 * sixteen-bit keys: scores then drift by about 1e-3 spreads between scans. */
ireneo_error ireneo_minimiser_use_int16(ireneo_minimiser *minimiser, bool values, bool keys);
bool ireneo_minimiser_uses_int16(const ireneo_minimiser *minimiser);
void ireneo_minimiser_leave_int16(ireneo_minimiser *minimiser);

#endif
