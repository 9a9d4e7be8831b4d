/* What a file keeps of a store that is under way: enough to go on from there to the very same memory, with any number of
 * ranks and threads. The number of rows and what belongs to single rows are gathered by rank 0, which alone writes. */
#ifndef IRENEO_LINEAR_SOLVER_STATE_H
#define IRENEO_LINEAR_SOLVER_STATE_H

#include "linear/solver/verdict.h"

/* Writes the file, where one is wanted and the work has taken long enough to be worth it; info->state_kept tells. All
 * ranks call it. */
ireneo_error ireneo_state_save(ireneo_storing *s, ireneo_station station);

/* The same whatever the time: for a store that is asked to stop. */
ireneo_error ireneo_state_save_now(ireneo_storing *s, ireneo_station station);

/* Reads it into a store that has been prepared. All ranks call it, and fail alike. */
ireneo_error ireneo_state_load(ireneo_storing *s, ireneo_station *station);

#endif
