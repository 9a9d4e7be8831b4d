/* More facts than fit: which ones to keep. */
#ifndef IRENEO_LINEAR_SOLVER_OVERLOAD_H
#define IRENEO_LINEAR_SOLVER_OVERLOAD_H

#include "linear/solver/attempt.h"

/* Chooses which facts to keep and stores those (settings.overload). */
ireneo_error ireneo_overload(ireneo_attempt *work, ireneo_status *status);

#endif
