/* How the kept scores change along the search direction. */
#ifndef IRENEO_LINEAR_SOLVER_DIRECTION_H
#define IRENEO_LINEAR_SOLVER_DIRECTION_H

#include "linear/solver/minimiser.h"

/* Slopes of all kept scores along the direction, and of a factored memory half their second derivatives, into the
 * working set. */
void ireneo_direction_score(ireneo_minimiser *minimiser);

#endif
