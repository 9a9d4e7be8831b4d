/* The check runs before the constructors of shared libraries, one of which is OpenBLAS's: from .preinit_array, with
 * nothing but system calls. */
#include "address_space.h"

#include "base/pool.h"
#include "base/threads.h"
#include "options.h"

#include <cblas.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* For the libraries and the first buffers, and for every core: a stack, an arena of malloc and a buffer of OpenBLAS.
 * Measured: two cores need 430 MB. */
enum { BASE = 300, PER_CORE = 128, MEGABYTE = 1 << 20 };

/* The sanitizers are libraries, too, and have not started. */
#define EARLY __attribute__((no_sanitize("address", "undefined", "thread")))

EARLY static size_t megabytes_needed(void) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    int count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
    return BASE + PER_CORE * (size_t)count;
}

/* The smaller of the limits of all mappings and of private ones (ulimit -d). */
EARLY static bool is_limited(size_t *megabytes) {
    static const __rlimit_resource_t kinds[] = {RLIMIT_AS, RLIMIT_DATA};
    struct rlimit limit;
    rlim_t least = RLIM_INFINITY;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (getrlimit(kinds[k], &limit) == 0 && limit.rlim_cur < least) least = limit.rlim_cur;
    *megabytes = (size_t)(least / MEGABYTE);
    return least != RLIM_INFINITY;
}

EARLY static void refuse_too_little(void) {
    char sentence[160];
    size_t left, needed = megabytes_needed();
    if (!is_limited(&left) || left >= needed) return;
    int length =
        snprintf(sentence, sizeof sentence,
                 "ireneo: not enough memory: ulimit leaves %zu MB, and %zu MB are needed on this machine\n",
                 left, needed);
    if (write(STDERR_FILENO, sentence, (size_t)length) < 0) _exit(EXIT_MACHINE);
    _exit(EXIT_MACHINE);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const before_libraries)(void) = refuse_too_little;

/* Threads that multiply at the same time, each with buffers of its own. */
typedef struct together {
    int all;
    atomic_int begun;
} together;

static void multiply(void *context, size_t index, int thread) {
    (void)index, (void)thread;
    enum { SIZE = 64, LOOKS = 1000, MICROSECONDS = 100 };
    static const float ones[SIZE * SIZE];
    float product[SIZE * SIZE];
    together *t = context;
    atomic_fetch_add(&t->begun, 1);
    for (int k = 0; k < LOOKS && atomic_load(&t->begun) < t->all; k++) usleep(MICROSECONDS);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIZE, SIZE, SIZE, 1.0f, ones, SIZE, ones, SIZE,
                0.0f, product, SIZE);
}

void take_address_space(void) {
    size_t left;
    if (!is_limited(&left)) return;
    together t = {.all = ireneo_thread_count(0)};
    ireneo_share((size_t)t.all, t.all, multiply, &t);
}
