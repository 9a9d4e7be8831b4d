/* Memory that the ranks of a node share: a file in RAM that all of them map. Its name lives until the last has
 * opened it, so that nothing is left behind whatever ends the job; and every rank lets go of it by itself. The pages are
 * asked for at once: a file system without room says no here, and not where the memory is touched. */
#include "base/clock.h"
#include "base/ram.h"
#include "base/ranks.h"
#include "base/ranks_link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct segment {
    char name[64]; /* empty: the first rank of the node could not make it */
    int reason;    /* errno of that */
} segment;

/* The first rank of the node makes the file. Returns its descriptor, or -1. */
static int make_segment(size_t size, segment *s) {
    static unsigned number;
    snprintf(s->name, sizeof s->name, "/dev/shm/ireneo-%ld-%u", (long)getpid(), number++);
    int file = open(s->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int failed = file < 0 ? errno : posix_fallocate(file, 0, (off_t)size);
    if (failed == 0) return file;
    if (file >= 0) {
        close(file);
        unlink(s->name);
    }
    s->name[0] = '\0';
    s->reason = failed;
    return -1;
}

/* Maps the file that the first rank of the node made. Every rank of the node comes here. */
static ireneo_error map_segment(const ireneo_ranks *r, ireneo_shared *shared, const char *what) {
    segment s = {.reason = 0};
    size_t size = shared->size > 0 ? shared->size : 1;
    int file = r->rank_in_node == 0 ? make_segment(size, &s) : -1;
    ireneo_link_broadcast_in_node(&s, sizeof s);
    if (s.name[0] != '\0' && file < 0) {
        file = open(s.name, O_RDWR | O_CLOEXEC);
        if (file < 0) s.reason = errno;
    }
    void *bytes = file >= 0 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (file >= 0 && bytes == MAP_FAILED) s.reason = errno;
    if (file >= 0) close(file);
    ireneo_link_wait_in_node();
    if (r->rank_in_node == 0 && s.name[0] != '\0') unlink(s.name);
    if (bytes != MAP_FAILED) {
        shared->bytes = bytes;
        shared->mapped = true;
        return IRENEO_OK;
    }
    return ireneo_fail(
        IRENEO_ERROR_MEMORY,
        "%s: the ranks of a node share %.3g GB in /dev/shm, which refuses them (%s); make it larger, "
        "or start one rank a node with more threads",
        what, (double)shared->size / 1e9, strerror(s.reason)); /* NOLINT(concurrency-mt-unsafe) */
}

ireneo_error ireneo_shared_allocate(ireneo_ranks *r, size_t count, size_t size, const char *what,
                                    ireneo_shared *shared) {
    *shared = (ireneo_shared){0};
    IRENEO_TRY(ireneo_multiply_sizes(count, size, &shared->size, what));
    ireneo_error failed = r == NULL || r->ranks_in_node == 1
                              ? ireneo_allocate_zeroed(&shared->bytes, count, size, what)
                              : map_segment(r, shared, what);
    failed = ireneo_ranks_agree(r, failed);
    if (failed != IRENEO_OK) ireneo_shared_free(shared);
    return failed;
}

void ireneo_shared_free(ireneo_shared *shared) {
    if (shared->mapped)
        munmap(shared->bytes, shared->size > 0 ? shared->size : 1);
    else
        free(shared->bytes);
    *shared = (ireneo_shared){0};
}

void ireneo_shared_settle(ireneo_ranks *r, const ireneo_shared *shared) {
    if (!shared->mapped) return;
    double t0 = ireneo_seconds();
    __sync_synchronize();
    ireneo_link_wait_in_node();
    __sync_synchronize();
    r->seconds_waiting += ireneo_seconds() - t0;
}

void ireneo_shared_slice(const ireneo_ranks *r, size_t count, size_t *first, size_t *last) {
    size_t parts = r != NULL ? r->ranks_in_node : 1, mine = r != NULL ? r->rank_in_node : 0;
    *first = count / parts * mine + count % parts * mine / parts;
    *last = count / parts * (mine + 1) + count % parts * (mine + 1) / parts;
}
