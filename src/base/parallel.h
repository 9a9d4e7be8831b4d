/* Independent tasks spread over threads, with progress, cancelling and errors: the one loop of that kind. */
#ifndef IRENEO_BASE_PARALLEL_H
#define IRENEO_BASE_PARALLEL_H

#include "base/progress.h"

/* Task number `index`, run by thread 0 .. threads - 1. What it leaves behind must not depend on the thread.
 * */
typedef ireneo_error (*ireneo_task)(void *context, size_t index, int thread);

/* Runs tasks 0 .. count - 1. The calling thread reports `stage` with the number of finished tasks, before the
 * first and after each of its own. The first task that fails ends the rest, and its error is returned with
 * its sentence; when progress asks to stop, it is IRENEO_ERROR_CANCELLED. */
ireneo_error ireneo_parallel(size_t count, int threads, const ireneo_progress *progress, const char *stage,
                             ireneo_task task, void *context);

#endif
