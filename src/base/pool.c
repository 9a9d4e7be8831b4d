/* Jobs are offered in a list; a helper that is free takes a seat at one, and pieces until none is left. */
#include "base/pool.h"
#include "base/clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

/* How long a thread looks before it sleeps, and how often it asks the clock. Falling asleep and being woken takes some
 * hundredths of a millisecond, as does the work between two loops of a small store. */
static const double PATIENCE = 60e-6;
enum { LOOKS = 32 };

typedef struct job {
    ireneo_piece piece;
    void *context;
    size_t count;
    atomic_size_t next; /* piece that nobody has taken */
    atomic_int inside;  /* helpers at work */
    int seats, taken;   /* helpers that may still come, and that came; under the lock */
    struct job *older;
} job;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t offered = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
static job *jobs;               /* with free seats; under the lock, as are the next two */
static int helpers, sleepers;   /* threads of the pool, and those of them that sleep */
static atomic_int free_seats;   /* of all jobs: what a helper looks at */
static atomic_int callers_wait; /* callers that sleep until their helpers are done */
static _Thread_local bool in_a_piece;

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Looks at a number until it is (or is not) zero, for a short while; false when it was in vain. */
static bool look(atomic_int *number, bool wanted_zero) {
    double until = 0.0;
    for (;;) {
        for (int k = 0; k < LOOKS; k++) {
            if ((atomic_load_explicit(number, memory_order_acquire) == 0) == wanted_zero) return true;
            pause_briefly();
        }
        double now = ireneo_seconds();
        if (until == 0.0) until = now + PATIENCE;
        if (now > until) return false;
    }
}

static void take_pieces(job *j, int thread) {
    in_a_piece = true;
    for (size_t k; (k = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed)) < j->count;)
        j->piece(j->context, k, thread);
    in_a_piece = false;
}

/* A seat at the newest job that has one, under the lock; NULL when there is none. */
static job *take_seat(int *thread) {
    job *j = jobs;
    if (j == NULL) return NULL;
    *thread = ++j->taken;
    atomic_fetch_add(&j->inside, 1);
    atomic_fetch_sub(&free_seats, 1);
    if (--j->seats == 0) jobs = j->older;
    return j;
}

static void *help(void *unused) {
    (void)unused;
    for (;;) {
        int thread = 0;
        bool seen = look(&free_seats, false);
        pthread_mutex_lock(&lock);
        while (!seen && jobs == NULL) {
            sleepers++;
            pthread_cond_wait(&offered, &lock);
            sleepers--;
        }
        job *j = take_seat(&thread);
        pthread_mutex_unlock(&lock);
        if (j == NULL) continue;
        take_pieces(j, thread);
        /* After this line the job may be gone. */
        if (atomic_fetch_sub(&j->inside, 1) == 1 && atomic_load(&callers_wait) > 0) {
            pthread_mutex_lock(&lock);
            pthread_cond_broadcast(&finished);
            pthread_mutex_unlock(&lock);
        }
    }
    return NULL;
}

/* Under the lock. Signals are for the threads of the caller; a thread that cannot be had is done without. */
static void start_helpers(int wanted) {
    sigset_t all, before;
    pthread_attr_t detached;
    if (helpers >= wanted || pthread_attr_init(&detached) != 0) return;
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    while (helpers < wanted && pthread_create(&thread, &detached, help, NULL) == 0) helpers++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&detached);
}

static void offer(job *j, int seats) {
    pthread_mutex_lock(&lock);
    start_helpers(seats);
    j->seats = seats;
    j->older = jobs;
    jobs = j;
    atomic_fetch_add(&free_seats, seats);
    int asleep = sleepers < seats ? sleepers : seats;
    pthread_mutex_unlock(&lock);
    for (int k = 0; k < asleep; k++) pthread_cond_signal(&offered);
}

/* Nobody comes any more; those who came finish what they have begun. */
static void withdraw(job *j) {
    pthread_mutex_lock(&lock);
    if (j->seats > 0) {
        job **at = &jobs;
        while (*at != NULL && *at != j) at = &(*at)->older;
        if (*at != NULL) *at = j->older;
        atomic_fetch_sub(&free_seats, j->seats);
    }
    pthread_mutex_unlock(&lock);
    if (look(&j->inside, true)) return;
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&callers_wait, 1);
    while (atomic_load(&j->inside) > 0) pthread_cond_wait(&finished, &lock);
    atomic_fetch_sub(&callers_wait, 1);
    pthread_mutex_unlock(&lock);
}

void ireneo_share(size_t count, int threads, ireneo_piece piece, void *context) {
    size_t most = threads > 1 ? (size_t)threads : 1, seats = (count < most ? count : most);
    if (seats <= 1 || in_a_piece) {
        for (size_t k = 0; k < count; k++) piece(context, k, 0);
        return;
    }
    job j = {.piece = piece, .context = context, .count = count};
    offer(&j, (int)seats - 1);
    take_pieces(&j, 0);
    withdraw(&j); /* NOLINT(clang-analyzer-core.StackAddressEscape): it is off the list now */
}

typedef struct rows_job {
    ireneo_rows_piece piece;
    void *context;
    size_t rows, grain;
} rows_job;

static void rows_piece(void *context, size_t index, int thread) {
    (void)thread;
    const rows_job *j = context;
    size_t first = index * j->grain;
    j->piece(j->context, first, j->rows - first < j->grain ? j->rows : first + j->grain);
}

void ireneo_share_rows(size_t rows, size_t grain, int threads, ireneo_rows_piece piece, void *context) {
    rows_job j = {piece, context, rows, grain};
    ireneo_share(rows / grain + (rows % grain != 0), threads, rows_piece, &j);
}

void ireneo_pool_forget(void) {
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&offered, NULL);
    pthread_cond_init(&finished, NULL);
    jobs = NULL;
    helpers = sleepers = 0;
    atomic_store(&free_seats, 0);
    atomic_store(&callers_wait, 0);
}
