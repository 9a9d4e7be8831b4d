/* Ranks: what does not depend on how they are connected. */
#include "base/ranks.h"
#include "base/clock.h"
#include "base/ram.h"
#include "base/ranks_link.h"

#include <stdio.h>
#include <string.h>

static const ireneo_ranks ALONE = {.count = 1, .nodes = 1, .ranks_in_node = 1};
static ireneo_ranks world = {.count = 1, .nodes = 1, .ranks_in_node = 1};
static bool joined;

ireneo_ranks *ireneo_ranks_world(void) {
    return &world;
}

/* ---- the job ---- */

/* Open MPI's mpirun, MPICH's and Intel's (PMI), and a step of Slurm. A batch script of Slurm runs once, whatever
 * SLURM_NTASKS says; only srun sets SLURM_STEP_NUM_TASKS above one. */
static const struct {
    const char *count, *rank;
} LAUNCHERS[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                 {"PMI_SIZE", "PMI_RANK"},
                 {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

/* NOLINTBEGIN(concurrency-mt-unsafe): before there are threads */
size_t ireneo_ranks_launched(size_t *rank) {
    size_t most = 1;
    const char *alone = getenv("IRENEO_ALONE");
    *rank = 0;
    if (alone != NULL && alone[0] != '\0') return 1;
    for (size_t k = 0; k < sizeof LAUNCHERS / sizeof LAUNCHERS[0]; k++) {
        const char *text = getenv(LAUNCHERS[k].count), *which = getenv(LAUNCHERS[k].rank);
        size_t count = text != NULL ? strtoul(text, NULL, 10) : 1;
        if (count <= most) continue;
        most = count;
        *rank = which != NULL ? strtoul(which, NULL, 10) : 0;
    }
    return most;
}
/* NOLINTEND(concurrency-mt-unsafe) */

ireneo_error ireneo_ranks_begin(void) {
    size_t rank, processes = ireneo_ranks_launched(&rank);
    if (joined || processes <= 1) return IRENEO_OK;
    if (!ireneo_link_built())
        return ireneo_fail(
            IRENEO_ERROR_ARGUMENT,
            "%zu processes were started together, but this program is built for one; build it with "
            "'make mpi', start it once, or set IRENEO_ALONE=1 if each has work of its own",
            processes);
    ireneo_link_join(&world);
    joined = true;
    return IRENEO_OK;
}

void ireneo_ranks_end(void) {
    if (joined) ireneo_link_leave();
    joined = false;
    world = ALONE;
}

_Noreturn void ireneo_ranks_abort(int exit_code) {
    if (joined) ireneo_link_abort(exit_code);
    exit(exit_code);
}

/* ---- agreeing ---- */

/* size bytes of each rank, in all (count, size); few. */
static void gather_few(ireneo_ranks *r, const void *mine, size_t size, void *all) {
    double t0 = ireneo_seconds();
    if (r->count == 1)
        memcpy(all, mine, size);
    else
        ireneo_link_gather(mine, size, all);
    r->bytes_sent += (r->count - 1) * size;
    r->seconds_waiting += ireneo_seconds() - t0;
}

void *ireneo_ranks_room(size_t count, size_t size) {
    void *all = calloc(count > 0 ? count : 1, size);
    if (all != NULL) return all;
    fputs("ireneo: not enough memory for a few words of each rank\n", stderr);
    ireneo_ranks_abort(4);
}

ireneo_error ireneo_ranks_worst(ireneo_ranks *r, ireneo_error mine) {
    if (r == NULL || r->count == 1) return mine;
    int own = (int)mine, *all = ireneo_ranks_room(r->count, sizeof *all);
    char sentence[1024];
    size_t worst = 0;
    gather_few(r, &own, sizeof own, all);
    for (size_t k = 1; k < r->count; k++)
        if (all[k] > all[worst]) worst = k;
    ireneo_error error = (ireneo_error)all[worst];
    free(all);
    r->agreed = error != IRENEO_OK;
    if (error == IRENEO_OK) return IRENEO_OK;
    snprintf(sentence, sizeof sentence, "%s", ireneo_last_error());
    ireneo_ranks_broadcast(r, worst, sentence, sizeof sentence);
    return ireneo_fail(error, "%s", sentence);
}

bool ireneo_ranks_any(ireneo_ranks *r, bool mine) {
    return ireneo_ranks_sum(r, mine) > 0;
}

uint64_t ireneo_ranks_sum(ireneo_ranks *r, uint64_t mine) {
    if (r == NULL || r->count == 1) return mine;
    uint64_t sum = 0, *all = ireneo_ranks_room(r->count, sizeof *all);
    gather_few(r, &mine, sizeof mine, all);
    for (size_t k = 0; k < r->count; k++) sum += all[k];
    free(all);
    return sum;
}

double ireneo_ranks_largest(ireneo_ranks *r, double mine) {
    if (r == NULL || r->count == 1) return mine;
    double *all = ireneo_ranks_room(r->count, sizeof *all);
    gather_few(r, &mine, sizeof mine, all);
    double largest = all[0];
    for (size_t k = 1; k < r->count; k++)
        if (all[k] > largest) largest = all[k];
    free(all);
    return largest;
}

double ireneo_ranks_smallest(ireneo_ranks *r, double mine) {
    return -ireneo_ranks_largest(r, -mine);
}

void ireneo_ranks_wait(ireneo_ranks *r) {
    double t0 = ireneo_seconds();
    if (r->count > 1) ireneo_link_wait();
    r->seconds_waiting += ireneo_seconds() - t0;
}

bool ireneo_ranks_meet(ireneo_ranks *r, double seconds) {
    return r->count == 1 || ireneo_link_meet(seconds);
}

/* ---- moving bytes ---- */

void ireneo_ranks_broadcast(ireneo_ranks *r, size_t root, void *bytes, size_t size) {
    if (r == NULL || r->count == 1) return;
    double t0 = ireneo_seconds();
    ireneo_link_broadcast(root, bytes, size);
    if (r->rank != root)
        r->bytes_sent += size; /* along a tree everybody but one leaf for each passes it on */
    r->seconds_waiting += ireneo_seconds() - t0;
}

void ireneo_ranks_exchange(ireneo_ranks *r, const void *const *out, const size_t *out_sizes, void *const *in,
                           const size_t *in_sizes) {
    double t0 = ireneo_seconds();
    if (in_sizes[r->rank] > 0 && in[r->rank] != out[r->rank])
        memmove(in[r->rank], out[r->rank], in_sizes[r->rank]);
    if (r->count > 1) ireneo_link_exchange(r, out, out_sizes, in, in_sizes);
    for (size_t k = 0; k < r->count; k++)
        if (k != r->rank) r->bytes_sent += out_sizes[k];
    r->seconds_waiting += ireneo_seconds() - t0;
}

/* mine (sizes[rank]) of every rank into `all`, in the order of ranks, on root or everywhere. */
static void collect(ireneo_ranks *r, int root, const void *mine, const size_t *sizes, void *all) {
    const void **out = ireneo_ranks_room(r->count, sizeof *out);
    void **in = ireneo_ranks_room(r->count, sizeof *in);
    size_t *out_sizes = ireneo_ranks_room(r->count, sizeof *out_sizes),
           *in_sizes = ireneo_ranks_room(r->count, sizeof *in_sizes), at = 0;
    bool wanted = root == IRENEO_ALL_RANKS || (size_t)root == r->rank;
    for (size_t k = 0; k < r->count; k++) {
        out[k] = mine;
        out_sizes[k] = root == IRENEO_ALL_RANKS || (size_t)root == k ? sizes[r->rank] : 0;
        if (wanted) in[k] = (char *)all + at, in_sizes[k] = sizes[k];
        at += sizes[k];
    }
    ireneo_ranks_exchange(r, out, out_sizes, in, in_sizes);
    free((void *)out), free((void *)in), free(out_sizes), free(in_sizes);
}

/* Few bytes a rank go faster padded to one size: MPI passes them on in a tree. */
static void collect_few(ireneo_ranks *r, const void *mine, const size_t *sizes, size_t largest, void *all) {
    char *padded = ireneo_ranks_room(r->count + 1, largest), *own = padded + r->count * largest, *to = all;
    memcpy(own, mine, sizes[r->rank]);
    gather_few(r, own, largest, padded);
    for (size_t k = 0; k < r->count; to += sizes[k++]) memcpy(to, padded + k * largest, sizes[k]);
    free(padded);
}

void ireneo_ranks_gather_into(ireneo_ranks *r, const void *mine, const size_t *sizes, void *all) {
    enum { FEW = 2048 };
    size_t largest = 1;
    for (size_t k = 0; k < r->count; k++) largest = sizes[k] > largest ? sizes[k] : largest;
    if (largest <= FEW)
        collect_few(r, mine, sizes, largest, all);
    else
        collect(r, IRENEO_ALL_RANKS, mine, sizes, all);
}

ireneo_error ireneo_ranks_gather(ireneo_ranks *r, int root, const void *mine, size_t count, size_t size,
                                 void **all, size_t *total) {
    *all = NULL;
    *total = 0;
    uint64_t own = count, *counts = ireneo_ranks_room(r->count, sizeof *counts);
    size_t *sizes = ireneo_ranks_room(r->count, sizeof *sizes), items = 0;
    gather_few(r, &own, sizeof own, counts);
    for (size_t k = 0; k < r->count; k++) items += counts[k], sizes[k] = counts[k] * size;
    bool wanted = root == IRENEO_ALL_RANKS || (size_t)root == r->rank;
    ireneo_error failed = wanted ? ireneo_allocate(all, items, size, "what the ranks send") : IRENEO_OK;
    failed = ireneo_ranks_agree(r, failed);
    if (failed == IRENEO_OK) {
        collect(r, root, mine, sizes, *all);
        if (wanted) *total = items;
    } else {
        free(*all);
        *all = NULL;
    }
    free(sizes);
    free(counts);
    return failed;
}
