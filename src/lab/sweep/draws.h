/* Draws of dense memories through the store of results: what is known is read, the rest is made and kept. */
#ifndef IRENEO_LAB_SWEEP_DRAWS_H
#define IRENEO_LAB_SWEEP_DRAWS_H

#include "lab/sweep/queue.h"

/* ireneo_dense_simulate with a store: draws 0 .. draws - 1 of the experiment, or those of one shard, and the
 * same summary to the last bit. *made counts the draws that were not known before; it may be NULL. After a
 * failure, or when the progress callback asks to stop, finished draws are in the store. */
ireneo_error ireneo_draws_run(results *store, const queue_settings *settings,
                              const ireneo_dense_experiment *e, size_t draws, size_t *made,
                              ireneo_dense_summary *summary);

/* The same with the store at `path`, over all ranks, which is not made when the experiment is not possible. */
ireneo_error ireneo_draws_run_in(const char *path, double wait_seconds, const queue_settings *settings,
                                 const ireneo_dense_experiment *e, size_t draws, size_t *made,
                                 ireneo_dense_summary *summary);

/* ireneo_dense_simulate over the ranks of a job, without a store: the same summary to the last bit, on all of them. */
ireneo_error ireneo_draws_simulate(const ireneo_dense_experiment *e, size_t draws,
                                   const ireneo_run_settings *settings, ireneo_dense_summary *summary);

#endif
