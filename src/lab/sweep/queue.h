/* Many jobs spread over the cores of all ranks, each single-threaded, with results in a store.
 *
 * A job looks up what is known and computes the rest with ireneo_queue_trial, so a sweep that was stopped
 * does only what is missing. The longest jobs are begun first; the order changes no result. */
#ifndef IRENEO_LAB_SWEEP_QUEUE_H
#define IRENEO_LAB_SWEEP_QUEUE_H

#include "lab/sweep/results.h"
#include "lab/sweep/trial.h"

typedef struct queue queue;

/* What one worker hands to its jobs. */
typedef struct queue_worker {
    queue *owner;
    ireneo_progress progress; /* for long work inside a job: tells when to stop */
} queue_worker;

/* Job `index`. Called from many threads at once. */
typedef ireneo_error (*queue_job)(queue_worker *worker, size_t index, void *context);

/* Jobs that failed while the others went on. */
typedef struct queue_failures {
    size_t count, first; /* how many, and the first in the order of the list */
    ireneo_error error;  /* of that one */
    char sentence[512];
} queue_failures;

typedef struct queue_settings {
    int threads;          /* 0: all cores */
    size_t shard, shards; /* only the jobs with index % shards == shard; shards 0: all */
    const char *stage;    /* name of the work in progress reports */
    const ireneo_progress *progress;
    queue_failures *failures; /* NULL: the first job that fails ends the queue */
} queue_settings;

/* Runs the jobs 0 .. count - 1. costs (count) orders them and weighs the progress; NULL: all alike. After a
 * failure, or when the progress callback asks to stop, no new job is begun; what is finished is in the
 * store. Over the ranks of a job (base/ranks.h) the store is one of results_share.h, each rank does a part, and afterwards
 * the outcome of every job is on every rank: a job that asks the store for nothing is run on all of them. */
ireneo_error ireneo_queue_run(results *store, const queue_settings *settings, size_t count,
                              const double *costs, queue_job job, void *context);

/* The result of a trial, from the store or made now and kept. For jobs. */
ireneo_error ireneo_queue_trial(queue_worker *worker, const trial *t, trial_result *result);

/* The same for draw `index` of an experiment with dense memories. */
ireneo_error ireneo_queue_draw(queue_worker *worker, const ireneo_dense_experiment *e, uint64_t index,
                               ireneo_dense_draw *draw);

/* Makes the numbers of a series (count) for a trial; called without a lock. */
typedef ireneo_error (*queue_series)(queue_worker *worker, const void *context, double *values, size_t count);

/* A series of `count` numbers, from the store or made now and kept. For jobs. */
ireneo_error ireneo_queue_array(queue_worker *worker, const char *name, queue_series make,
                                const void *context, double *values, size_t count);

/* All trials (count); their results go to results (count), those of other shards excepted, which are marked
 * by a NaN accuracy. */
ireneo_error ireneo_queue_trials(results *store, const queue_settings *settings, const trial *trials,
                                 size_t count, trial_result *outcomes);

#endif
