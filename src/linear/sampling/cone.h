/* The memories that recall facts, as a cone of matrices: one inequality a pair of fact and competitor. */
#ifndef IRENEO_LINEAR_SAMPLING_CONE_H
#define IRENEO_LINEAR_SAMPLING_CONE_H

#include "base/error.h"

/* (y_target - y_j)^T W x_i > 0 for all facts i and competitors j. */
typedef struct solution_cone {
    size_t facts, competitors, dim_in, dim_out;
    double *keys;        /* (facts, dim_in) */
    size_t stride;       /* facts * competitors, rounded up to whole blocks */
    double *differences; /* (dim_out, stride): target minus competitor, pairs fact by fact */
} solution_cone;

/* For small problems: all differences are held. */
ireneo_error ireneo_solution_cone_make(const ireneo_facts *facts, solution_cone *cone);
void ireneo_solution_cone_free(solution_cone *cone);

/* Gaps of W (dim_out, dim_in) of the first `facts` facts, into gaps (facts, competitors). */
void ireneo_solution_cone_gaps(const solution_cone *cone, const double *w, size_t facts, double *gaps);

/* Takes away from gaps (facts, competitors) those of factor y x^T, y (dim_out), x (dim_in). */
void ireneo_solution_cone_lose(const solution_cone *cone, double factor, const double *y, const double *x,
                               size_t facts, double *gaps);

#endif
