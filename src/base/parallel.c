/* A shared loop that can be left early: tasks that have not begun when something went wrong are skipped one by one. */
#include "base/parallel.h"
#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

/* What the threads share. */
typedef struct shared_state {
    ireneo_task task;
    void *context;
    size_t count;
    const ireneo_progress *progress;
    const char *stage;
    atomic_bool stop;
    atomic_size_t done;
    pthread_mutex_t lock; /* of the next two */
    ireneo_error failed;  /* of the first task that did, and its sentence, which is kept per thread */
    char sentence[1024];
} shared_state;

static void stop_with(shared_state *state, ireneo_error failed) {
    pthread_mutex_lock(&state->lock);
    if (state->failed == IRENEO_OK) {
        state->failed = failed;
        snprintf(state->sentence, sizeof state->sentence, "%s", ireneo_last_error());
    }
    pthread_mutex_unlock(&state->lock);
    atomic_store(&state->stop, true);
}

static ireneo_error cancelled(const char *stage) {
    return ireneo_fail(IRENEO_ERROR_CANCELLED, "the work was stopped before it was done (%s)", stage);
}

static void run_task(void *context, size_t index, int thread) {
    shared_state *state = context;
    if (atomic_load(&state->stop)) return;
    ireneo_error failed = state->task(state->context, index, thread);
    double done = 1.0 + (double)atomic_fetch_add(&state->done, 1);
    /* Thread 0 is the calling thread, the only one that may report. */
    if (failed == IRENEO_OK && thread == 0 &&
        ireneo_report(state->progress, state->stage, done, (double)state->count))
        failed = cancelled(state->stage);
    if (failed != IRENEO_OK) stop_with(state, failed);
}

ireneo_error ireneo_parallel(size_t count, int threads, const ireneo_progress *progress, const char *stage,
                             ireneo_task task, void *context) {
    shared_state state = {.task = task,
                          .context = context,
                          .count = count,
                          .progress = progress,
                          .stage = stage,
                          .lock = PTHREAD_MUTEX_INITIALIZER,
                          .failed = IRENEO_OK};
    if (ireneo_report(progress, stage, 0.0, (double)count) != 0) return cancelled(stage);
    ireneo_share(count, threads, run_task, &state);
    return state.failed == IRENEO_OK ? IRENEO_OK : ireneo_fail(state.failed, "%s", state.sentence);
}
