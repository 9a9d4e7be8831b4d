/* A dynamic OpenMP loop that can be left early. OpenMP has no way to break out: tasks that have not begun
 * when something went wrong are skipped one by one. */
#include "base/parallel.h"

#include <omp.h>
#include <stdio.h>

/* What the threads share. */
typedef struct shared_state {
    int stop;
    size_t done;
    ireneo_error failed; /* of the first task that did, and its sentence, which is kept per thread */
    char sentence[1024];
} shared_state;

static int is_stopped(shared_state *state) {
    int stop;
#pragma omp atomic read
    stop = state->stop;
    return stop;
}

static void stop_with(shared_state *state, ireneo_error failed) {
#pragma omp critical(ireneo_parallel_failure)
    {
        if (state->failed == IRENEO_OK) {
            state->failed = failed;
            snprintf(state->sentence, sizeof state->sentence, "%s", ireneo_last_error());
        }
    }
#pragma omp atomic write
    state->stop = 1;
}

static ireneo_error cancelled(const char *stage) {
    return ireneo_fail(IRENEO_ERROR_CANCELLED, "the work was stopped before it was done (%s)", stage);
}

ireneo_error ireneo_parallel(size_t count, int threads, const ireneo_progress *progress, const char *stage,
                             ireneo_task task, void *context) {
    shared_state state = {.failed = IRENEO_OK};
    if (ireneo_report(progress, stage, 0.0, (double)count) != 0) return cancelled(stage);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (size_t index = 0; index < count; index++) {
        if (is_stopped(&state)) continue;
        int thread = omp_get_thread_num();
        ireneo_error failed = task(context, index, thread);
        size_t done;
#pragma omp atomic capture
        done = ++state.done;
        /* Thread 0 is the calling thread, the only one that may report. */
        if (failed == IRENEO_OK && thread == 0 && ireneo_report(progress, stage, (double)done, (double)count))
            failed = cancelled(stage);
        if (failed != IRENEO_OK) stop_with(&state, failed);
    }
    return state.failed == IRENEO_OK ? IRENEO_OK : ireneo_fail(state.failed, "%s", state.sentence);
}
