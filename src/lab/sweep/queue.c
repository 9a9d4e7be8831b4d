/* The work queue behind sweeps and figures. */
#include "lab/sweep/queue.h"
#include "base/pool.h"
#include "base/processor.h"
#include "base/progress.h"
#include "base/ram.h"
#include "base/ranks.h"
#include "base/threads.h"
#include "lab/sweep/results_draws.h"
#include "lab/sweep/results_series.h"
#include "lab/sweep/results_share.h"
#include "lab/sweep/results_trials.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct queue {
    results *store;
    pthread_mutex_t store_lock;
    const queue_settings *settings;
    size_t count;
    size_t *order; /* jobs of this shard, longest first */
    const double *costs;
    double total_cost;
    /* Changed under the progress lock. */
    pthread_mutex_t progress_lock;
    double done_cost;
    ireneo_error failed;
    char sentence[512];
    atomic_size_t next;
    atomic_bool stop, store_failed;
    bool only_known; /* what the store does not know has failed, and is not tried again */
    pthread_t caller;
    queue_job job;
    void *context;
};

static double cost_of(const queue *q, size_t job) {
    return q->costs != NULL ? q->costs[job] : 1.0;
}

static void keep_failure(queue_failures *list, size_t job, ireneo_error failed) {
    list->count++;
    if (list->count > 1 && job > list->first) return;
    list->first = job;
    list->error = failed;
    snprintf(list->sentence, sizeof list->sentence, "%s", ireneo_last_error()); /* kept per thread */
}

/* Keeps why a job failed. Returns whether the others go on: they do not when the store is broken or the user has had
 * enough. */
static bool note_failure(queue *q, size_t job, ireneo_error failed) {
    queue_failures *list = q->settings->failures;
    bool alone = list != NULL && failed != IRENEO_ERROR_CANCELLED && !atomic_load(&q->store_failed);
    pthread_mutex_lock(&q->progress_lock);
    if (alone && !q->only_known) keep_failure(list, job, failed);
    if (!alone && q->failed == IRENEO_OK) {
        q->failed = failed;
        snprintf(q->sentence, sizeof q->sentence, "%s", ireneo_last_error());
    }
    pthread_mutex_unlock(&q->progress_lock);
    if (!alone) atomic_store(&q->stop, true);
    return alone;
}

/* Tells the caller how far the sweep is; only in the thread that called it. */
static void tell_progress(queue *q) {
    if (!pthread_equal(pthread_self(), q->caller)) return;
    pthread_mutex_lock(&q->progress_lock);
    double share = q->total_cost > 0.0 ? q->done_cost / q->total_cost : 1.0;
    pthread_mutex_unlock(&q->progress_lock);
    double count = (double)q->count;
    if (ireneo_report(q->settings->progress, q->settings->stage, share * count, count) != 0)
        atomic_store(&q->stop, true);
}

/* The callback that jobs hand to long work: passes the sweep's progress on, not the job's own. */
static int report_from_job(void *context, const char *stage, double done, double total) {
    (void)stage, (void)done, (void)total;
    queue *q = context;
    tell_progress(q);
    return atomic_load(&q->stop);
}

/* A worker takes jobs until none is left. */
static void work(void *context, size_t index, int thread) {
    (void)index, (void)thread;
    queue *q = context;
    queue_worker worker = {q, {report_from_job, q}};
    while (!atomic_load(&q->stop)) {
        size_t turn = atomic_fetch_add(&q->next, 1);
        if (turn >= q->count) break;
        ireneo_error failed = q->job(&worker, q->order[turn], q->context);
        if (failed != IRENEO_OK && !note_failure(q, q->order[turn], failed)) break;
        pthread_mutex_lock(&q->progress_lock);
        q->done_cost += cost_of(q, q->order[turn]);
        pthread_mutex_unlock(&q->progress_lock);
        tell_progress(q);
    }
}

static int compare_cost(const void *a, const void *b, void *context) {
    const queue *q = context;
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    double first = cost_of(q, left), second = cost_of(q, right);
    if (first != second) return first < second ? 1 : -1;
    return left < right ? -1 : 1;
}

/* The jobs of this shard, dearest first. Shards take every k-th job, so that each gets its share of long ones; so do
 * ranks of the shard's jobs in this order. */
static void choose_jobs(queue *q, size_t count, size_t rank, size_t ranks) {
    size_t shards = q->settings->shards > 0 ? q->settings->shards : 1, listed = 0;
    for (size_t i = 0; i < count; i++)
        if (i % shards == q->settings->shard % shards) q->order[listed++] = i;
    qsort_r(q->order, listed, sizeof *q->order, compare_cost, q);
    for (size_t k = rank; k < listed; k += ranks) {
        q->order[q->count++] = q->order[k];
        q->total_cost += cost_of(q, q->order[q->count - 1]);
    }
}

/* As many as asked for, but no more than there are jobs. */
static int worker_count(const queue *q) {
    int threads = ireneo_thread_count(q->settings->threads);
    if (q->count == 0) return 1;
    return q->count < (size_t)threads ? (int)q->count : threads;
}

/* The jobs of one rank of so many. */
static ireneo_error run_share(queue *q, size_t count, size_t rank, size_t ranks) {
    IRENEO_TRY(ireneo_processor_check());
    IRENEO_TRY(IRENEO_ALLOCATE(&q->order, count, "the list of jobs"));
    choose_jobs(q, count, rank, ranks);
    ireneo_enter(0, NULL); /* trials call BLAS themselves, too */
    int workers = worker_count(q);
    ireneo_share((size_t)workers, workers, work, q);
    ireneo_leave(IRENEO_OK);
    free(q->order);
    if (q->failed != IRENEO_OK) return ireneo_fail(q->failed, "%s", q->sentence);
    if (atomic_load(&q->stop)) return ireneo_fail(IRENEO_ERROR_CANCELLED, "interrupted");
    return IRENEO_OK;
}

/* All ranks' failures, on all ranks. */
static ireneo_error agree_on_failures(ireneo_ranks *world, queue_failures *mine) {
    void *gathered = NULL;
    size_t ranks = 0;
    IRENEO_TRY(ireneo_ranks_gather(world, IRENEO_ALL_RANKS, mine, 1, sizeof *mine, &gathered, &ranks));
    const queue_failures *all = gathered;
    size_t count = 0;
    for (size_t k = 0; k < ranks; k++) {
        if (all[k].count > 0 && (count == 0 || all[k].first < mine->first)) *mine = all[k];
        count += all[k].count;
    }
    mine->count = count;
    free(gathered);
    return IRENEO_OK;
}

/* Every rank does its share of the jobs and the stores are brought together, also after a failure; then every rank goes
 * through all jobs and finds what it needs in its store. */
static ireneo_error run_over_ranks(ireneo_ranks *world, const queue *begun, size_t count) {
    queue mine = *begun, all = *begun;
    queue_settings quiet = *begun->settings;
    char sentence[512];
    ireneo_error failed = ireneo_ranks_agree(world, run_share(&mine, count, world->rank, world->count));
    snprintf(sentence, sizeof sentence, "%s", ireneo_last_error());
    ireneo_error shared = ireneo_results_share(begun->store);
    if (failed != IRENEO_OK) return ireneo_fail(failed, "%s", sentence);
    IRENEO_TRY(shared);
    if (quiet.failures != NULL) IRENEO_TRY(agree_on_failures(world, quiet.failures));
    quiet.progress = NULL;
    all.settings = &quiet;
    all.only_known = quiet.failures != NULL;
    return ireneo_ranks_agree(world, run_share(&all, count, 0, 1));
}

ireneo_error ireneo_queue_run(results *store, const queue_settings *settings, size_t count,
                              const double *costs, queue_job job, void *context) {
    ireneo_ranks *world = ireneo_ranks_world();
    queue q = {.store = store,
               .settings = settings,
               .costs = costs,
               .store_lock = PTHREAD_MUTEX_INITIALIZER,
               .progress_lock = PTHREAD_MUTEX_INITIALIZER,
               .caller = pthread_self(),
               .job = job,
               .context = context};
    if (settings->failures != NULL) *settings->failures = (queue_failures){0};
    return world->count > 1 ? run_over_ranks(world, &q, count) : run_share(&q, count, 0, 1);
}

/* What became of a question to the store, asked under its lock. */
static ireneo_error of_store(queue *q, ireneo_error failed) {
    if (failed != IRENEO_OK) atomic_store(&q->store_failed, true);
    pthread_mutex_unlock(&q->store_lock);
    return failed;
}

ireneo_error ireneo_queue_trial(queue_worker *worker, const trial *t, trial_result *result) {
    queue *owner = worker->owner;
    bool found = false;
    pthread_mutex_lock(&owner->store_lock);
    ireneo_error failed = of_store(owner, ireneo_results_find(owner->store, t, &found, result));
    if (failed != IRENEO_OK || found) return failed;
    if (owner->only_known) return ireneo_fail(IRENEO_ERROR_DATA, "the trial failed");
    IRENEO_TRY(ireneo_trial_run(t, 1, &worker->progress, result));
    pthread_mutex_lock(&owner->store_lock);
    return of_store(owner, ireneo_results_add(owner->store, t, result));
}

ireneo_error ireneo_queue_draw(queue_worker *worker, const ireneo_dense_experiment *e, uint64_t index,
                               ireneo_dense_draw *draw) {
    queue *owner = worker->owner;
    bool found = false;
    pthread_mutex_lock(&owner->store_lock);
    ireneo_error failed = of_store(owner, ireneo_results_find_draw(owner->store, e, index, &found, draw));
    if (failed != IRENEO_OK || found) return failed;
    double start = ireneo_seconds();
    IRENEO_TRY(ireneo_dense_draw_one(e, index, draw));
    double seconds = ireneo_seconds() - start;
    pthread_mutex_lock(&owner->store_lock);
    return of_store(owner, ireneo_results_add_draw(owner->store, e, index, draw, seconds));
}

ireneo_error ireneo_queue_array(queue_worker *worker, const char *name, queue_series make,
                                const void *context, double *values, size_t count) {
    queue *owner = worker->owner;
    double *known = NULL;
    size_t known_count = 0;
    pthread_mutex_lock(&owner->store_lock);
    ireneo_error failed =
        of_store(owner, ireneo_results_find_series(owner->store, name, &known, &known_count));
    if (failed == IRENEO_OK && known != NULL && known_count == count) {
        memcpy(values, known, count * sizeof *values);
        free(known);
        return IRENEO_OK;
    }
    free(known);
    if (failed == IRENEO_OK) failed = make(worker, context, values, count);
    if (failed != IRENEO_OK) return failed;
    pthread_mutex_lock(&owner->store_lock);
    return of_store(owner, ireneo_results_add_series(owner->store, name, values, count));
}

typedef struct trial_list {
    const trial *trials;
    trial_result *outcomes;
} trial_list;

static ireneo_error run_listed(queue_worker *worker, size_t index, void *context) {
    const trial_list *list = context;
    return ireneo_queue_trial(worker, &list->trials[index], &list->outcomes[index]);
}

ireneo_error ireneo_queue_trials(results *store, const queue_settings *settings, const trial *trials,
                                 size_t count, trial_result *outcomes) {
    double *costs = NULL;
    trial_list list = {trials, outcomes};
    IRENEO_TRY(IRENEO_ALLOCATE(&costs, count, "costs of the trials"));
    for (size_t i = 0; i < count; i++) {
        costs[i] = ireneo_trial_cost(&trials[i]);
        outcomes[i] = (trial_result){.accuracy = NAN};
    }
    ireneo_error failed = ireneo_queue_run(store, settings, count, costs, run_listed, &list);
    free(costs);
    return failed;
}
