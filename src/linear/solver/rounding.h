/* How far rounding to float32 can move a score. */
#ifndef IRENEO_LINEAR_SOLVER_ROUNDING_H
#define IRENEO_LINEAR_SOLVER_ROUNDING_H

#include "linear/problem/problem.h"

/* Gap between scores of w (dim_out, dim_in) that survives the rounding of the exported memory to float32, in
 * white score units; at most a quarter of the margin. */
double ireneo_rounding_gap(const ireneo_problem *problem, const float *w, double margin);

#endif
