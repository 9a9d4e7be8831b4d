/* How many threads the work uses, and the door through which every public call that uses them goes. */
#ifndef IRENEO_BASE_THREADS_H
#define IRENEO_BASE_THREADS_H

#include "base/error.h"

enum { IRENEO_MOST_THREADS = 4096 }; /* that a caller may ask for */

/* The number to use for a request that was checked: 0 means all cores this process may run on, or the default below. */
int ireneo_thread_count(int requested);

/* What 0 means from here on; for a program that shares its cores with others of a job. Before there are threads. */
void ireneo_thread_default(int threads);

/* The first line of a public call: checks the caller's `threads`, and sees to it that BLAS, whose thread count
 * belongs to the whole process, runs one thread in each of ours. The first call inside remembers the count,
 * the last one out puts it back; calls may nest and run at the same time. `threads` may be NULL.
 *     IRENEO_TRY(ireneo_enter(settings.threads, &threads));
 *     return ireneo_leave(work(threads)); */
ireneo_error ireneo_enter(int requested, int *threads);

/* The same for calls whose settings are ireneo_run_settings, or NULL. `progress` may be NULL. */
ireneo_error ireneo_enter_run(const ireneo_run_settings *settings, int *threads,
                              const ireneo_progress **progress);

/* The last line; hands the outcome through. */
ireneo_error ireneo_leave(ireneo_error outcome);

#endif
