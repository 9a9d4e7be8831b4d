/* Where the solver starts. */
#ifndef IRENEO_LINEAR_SOLVER_START_H
#define IRENEO_LINEAR_SOLVER_START_H

#include "linear/solver/minimise.h"

/* Sets the point of the minimiser to the Hebbian memory, or to `initial` when it is not NULL, scaled so that
 * scores have spread one. With a rank: the best approximation of that rank. */
ireneo_error ireneo_start(const ireneo_problem *problem, const ireneo_memory *initial, size_t rank,
                          ireneo_minimiser *minimiser);

#endif
