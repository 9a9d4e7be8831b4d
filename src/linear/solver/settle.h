/* The last word on small instances: exact, whatever the scales of their data. */
#ifndef IRENEO_LINEAR_SOLVER_SETTLE_H
#define IRENEO_LINEAR_SOLVER_SETTLE_H

#include "linear/solver/attempt.h"

/* Decides the working set in rational arithmetic and, when a matrix exists, looks for a float32 rounding of it that
 * recalls all facts: competitors that were not listed join and the question is asked again. *standing: attempt->memory
 * recalls everything. Otherwise *certificate holds weights, not yet judged, or is NULL: too large, or no rounding
 * was found. */
ireneo_error ireneo_settle(ireneo_attempt *attempt, bool *standing, ireneo_certificate **certificate);

#endif
