/* Thread counts: ours, and BLAS's one thread in each of them. */
#include "base/threads.h"

#include "base/blas.h"
#include "base/pool.h"
#include "base/processor.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

/* Results do not depend on the number of threads, so a request beyond the machine is met with fewer: every one
 * costs scratch space, and OpenBLAS has room for a limited number of callers at a time. */
enum { ALWAYS_STARTED = 64 };

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_watched = PTHREAD_ONCE_INIT;
static int usual;                         /* threads when nothing is asked for; 0: all cores */
static int inside;                        /* threads that are inside public calls; under the door's lock */
static ireneo_blas_counts callers_counts; /* before the first of them came; under the door's lock */
static _Thread_local int depth;           /* public calls this thread is in */

static void before_fork(void) {
    pthread_mutex_lock(&door);
}

static void after_fork_in_parent(void) {
    pthread_mutex_unlock(&door);
}

/* Of all threads only the one that forked goes on. */
static void after_fork_in_child(void) {
    if (inside > 0 && depth == 0) ireneo_blas_release(&callers_counts);
    inside = depth > 0;
    pthread_mutex_init(&door, NULL);
    ireneo_pool_forget();
}

static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* Cores that this process may run on. */
static int core_count(void) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof cores, &cores) == 0) return CPU_COUNT(&cores);
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more cores than the set has room for */
    return online > 0 ? (int)online : 1;
}

/* Under a limit of the address space every thread counts: OpenBLAS asks for its buffers for ever. */
static bool space_is_limited(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

int ireneo_thread_count(int requested) {
    pthread_once(&fork_watched, watch_forks);
    int cores = core_count();
    int most = cores > ALWAYS_STARTED || space_is_limited() ? cores : ALWAYS_STARTED;
    if (requested <= 0) requested = usual > 0 ? usual : cores;
    return requested < most ? requested : most;
}

void ireneo_thread_default(int threads) {
    usual = threads;
}

ireneo_error ireneo_enter(int requested, int *threads) {
    if (requested < 0 || requested > IRENEO_MOST_THREADS)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "threads must lie between 1 and %d, or be 0 for all cores, not %d",
                           IRENEO_MOST_THREADS, requested);
    IRENEO_TRY(ireneo_processor_check());
    int count = ireneo_thread_count(requested);
    if (threads != NULL) *threads = count;
    if (depth++ > 0) return IRENEO_OK;
    pthread_mutex_lock(&door);
    if (inside++ == 0) callers_counts = ireneo_blas_hold();
    pthread_mutex_unlock(&door);
    return IRENEO_OK;
}

ireneo_error ireneo_enter_run(const ireneo_run_settings *settings, int *threads,
                              const ireneo_progress **progress) {
    ireneo_run_settings chosen = {0};
    if (settings != NULL) chosen = *settings;
    if (progress != NULL) *progress = chosen.progress;
    IRENEO_TRY(ireneo_check_reserved(chosen.reserved, "the settings"));
    return ireneo_enter(chosen.threads, threads);
}

ireneo_error ireneo_leave(ireneo_error outcome) {
    if (--depth > 0) return outcome;
    pthread_mutex_lock(&door);
    if (--inside == 0) ireneo_blas_release(&callers_counts);
    pthread_mutex_unlock(&door);
    return outcome;
}
