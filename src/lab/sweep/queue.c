/* The work queue behind sweeps and figures. */
#include "lab/sweep/queue.h"
#include "base/progress.h"
#include "base/ram.h"
#include "base/threads.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct queue {
    results *store;
    omp_lock_t store_lock;
    const queue_settings *settings;
    size_t count;
    size_t *order; /* jobs of this shard, longest first */
    const double *costs;
    double total_cost;
    /* Changed under the progress lock. */
    omp_lock_t progress_lock;
    double done_cost;
    ireneo_error failed;
    char sentence[512];
    atomic_size_t next;
    atomic_bool stop;
};

static double cost_of(const queue *it, size_t job) {
    return it->costs != NULL ? it->costs[job] : 1.0;
}

static void note_failure(queue *it, ireneo_error failed) {
    omp_set_lock(&it->progress_lock);
    if (it->failed == IRENEO_OK) {
        it->failed = failed;
        snprintf(it->sentence, sizeof it->sentence, "%s",
                 ireneo_last_error()); /* errors are kept per thread */
    }
    omp_unset_lock(&it->progress_lock);
    atomic_store(&it->stop, true);
}

/* Tells the caller how far the sweep is; only in the thread that called it. */
static void tell_progress(queue *it) {
    if (omp_get_thread_num() != 0) return;
    omp_set_lock(&it->progress_lock);
    double share = it->total_cost > 0.0 ? it->done_cost / it->total_cost : 1.0;
    omp_unset_lock(&it->progress_lock);
    double count = (double)it->count;
    if (ireneo_report(it->settings->progress, it->settings->stage, share * count, count) != 0)
        atomic_store(&it->stop, true);
}

/* The callback that jobs hand to long work: passes the sweep's progress on, not the job's own. */
static int report_from_job(void *context, const char *stage, double done, double total) {
    (void)stage, (void)done, (void)total;
    queue *it = context;
    tell_progress(it);
    return atomic_load(&it->stop);
}

static void work(queue *it, queue_job job, void *context) {
    queue_worker worker = {it, {report_from_job, it}};
    while (!atomic_load(&it->stop)) {
        size_t turn = atomic_fetch_add(&it->next, 1);
        if (turn >= it->count) break;
        ireneo_error failed = job(&worker, it->order[turn], context);
        if (failed != IRENEO_OK) {
            note_failure(it, failed);
            break;
        }
        omp_set_lock(&it->progress_lock);
        it->done_cost += cost_of(it, it->order[turn]);
        omp_unset_lock(&it->progress_lock);
        tell_progress(it);
    }
}

static int compare_cost(const void *a, const void *b, void *context) {
    const queue *it = context;
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    double first = cost_of(it, left), second = cost_of(it, right);
    if (first != second) return first < second ? 1 : -1;
    return left < right ? -1 : 1;
}

/* The jobs of this shard. Shards take every k-th job, so that each gets its share of long ones. */
static void choose_jobs(queue *it, size_t count) {
    size_t shards = it->settings->shards > 0 ? it->settings->shards : 1;
    for (size_t i = 0; i < count; i++) {
        if (i % shards != it->settings->shard % shards) continue;
        it->order[it->count++] = i;
        it->total_cost += cost_of(it, i);
    }
    qsort_r(it->order, it->count, sizeof *it->order, compare_cost, it);
}

/* As many as asked for, but no more than there are jobs. */
static int worker_count(const queue *it) {
    int threads = ireneo_thread_count(it->settings->threads);
    if (it->count == 0) return 1;
    return it->count < (size_t)threads ? (int)it->count : threads;
}

ireneo_error ireneo_queue_run(results *store, const queue_settings *settings, size_t count,
                              const double *costs, queue_job job, void *context) {
    queue it = {.store = store, .settings = settings, .costs = costs};
    IRENEO_TRY(IRENEO_ALLOCATE(&it.order, count, "the list of jobs"));
    choose_jobs(&it, count);
    omp_init_lock(&it.store_lock);
    omp_init_lock(&it.progress_lock);
    int before = ireneo_blas_threads(1);
#pragma omp parallel num_threads(worker_count(&it))
    work(&it, job, context);
    ireneo_blas_threads(before);
    omp_destroy_lock(&it.store_lock);
    omp_destroy_lock(&it.progress_lock);
    free(it.order);
    if (it.failed != IRENEO_OK) return ireneo_fail(it.failed, "%s", it.sentence);
    if (atomic_load(&it.stop)) return ireneo_fail(IRENEO_ERROR_CANCELLED, "interrupted");
    return IRENEO_OK;
}

ireneo_error ireneo_queue_trial(queue_worker *worker, const trial *it, trial_result *result) {
    queue *owner = worker->owner;
    bool found = false;
    omp_set_lock(&owner->store_lock);
    ireneo_error failed = ireneo_results_find(owner->store, it, &found, result);
    omp_unset_lock(&owner->store_lock);
    if (failed != IRENEO_OK || found) return failed;
    IRENEO_TRY(ireneo_trial_run(it, 1, &worker->progress, result));
    omp_set_lock(&owner->store_lock);
    failed = ireneo_results_add(owner->store, it, result);
    omp_unset_lock(&owner->store_lock);
    return failed;
}

ireneo_error ireneo_queue_draw(queue_worker *worker, const ireneo_dense_experiment *e, uint64_t index,
                               ireneo_dense_draw *draw) {
    queue *owner = worker->owner;
    bool found = false;
    omp_set_lock(&owner->store_lock);
    ireneo_error failed = ireneo_results_find_draw(owner->store, e, index, &found, draw);
    omp_unset_lock(&owner->store_lock);
    if (failed != IRENEO_OK || found) return failed;
    double start = ireneo_seconds();
    IRENEO_TRY(ireneo_dense_draw_one(e, index, draw));
    double seconds = ireneo_seconds() - start;
    omp_set_lock(&owner->store_lock);
    failed = ireneo_results_add_draw(owner->store, e, index, draw, seconds);
    omp_unset_lock(&owner->store_lock);
    return failed;
}

ireneo_error ireneo_queue_array(queue_worker *worker, const char *name, queue_series make,
                                const void *context, double *values, size_t count) {
    queue *owner = worker->owner;
    double *known = NULL;
    size_t known_count = 0;
    omp_set_lock(&owner->store_lock);
    ireneo_error failed = ireneo_results_find_series(owner->store, name, &known, &known_count);
    omp_unset_lock(&owner->store_lock);
    if (failed == IRENEO_OK && known != NULL && known_count == count) {
        memcpy(values, known, count * sizeof *values);
        free(known);
        return IRENEO_OK;
    }
    free(known);
    if (failed == IRENEO_OK) failed = make(worker, context, values, count);
    if (failed != IRENEO_OK) return failed;
    omp_set_lock(&owner->store_lock);
    failed = ireneo_results_add_series(owner->store, name, values, count);
    omp_unset_lock(&owner->store_lock);
    return failed;
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
