/* Loss and gradient of the projection loss at the kept scores. */
#ifndef IRENEO_LINEAR_SOLVER_GRADIENT_H
#define IRENEO_LINEAR_SOLVER_GRADIENT_H

#include "linear/solver/minimiser.h"

/* Moves the kept scores by the step; then loss, gradient and violations there. */
void ireneo_gradient_after(ireneo_minimiser *minimiser, float step);

#endif
