/* One iteration of the minimiser on the working set: direction scores, exact line search, gradient. */
#ifndef IRENEO_LINEAR_SOLVER_MINIMISE_H
#define IRENEO_LINEAR_SOLVER_MINIMISE_H

#include "linear/solver/minimiser.h"

/* Loss, gradient and violations at the scores that the working set holds. */
void ireneo_minimiser_evaluate(ireneo_minimiser *minimiser);

/* The same on a working set that was made anew, with the margin that belongs to its violations. */
void ireneo_minimiser_evaluate_anew(ireneo_minimiser *minimiser);

/* After w was replaced, in a full memory: the scores of the working set there, loss and gradient, and no history.
 */
ireneo_error ireneo_minimiser_restart(ireneo_minimiser *minimiser);

/* One L-BFGS iteration. Returns false when no step lowers the loss any more. */
bool ireneo_minimiser_iterate(ireneo_minimiser *minimiser);

#endif
