/* The ranks of an MPI job: processes that run the same program, each on its own rows of the data.
 *
 * Without the MPI build, and with it when nobody launched more than one process, there is one rank, number 0, and every
 * function here does what it would do alone: nothing, or a copy. No caller asks which build it is.
 *
 * The rules of a job:
 * - Every rank runs the same calls in the same order. A function of this file waits for all ranks, so a branch around it
 *   must be decided by something that all ranks know: a number from a file's header, an agreed error, a sum.
 * - Only the thread that began the job calls these functions.
 * - An error that one rank alone may have (a NaN in its rows, a full disk) goes through ireneo_ranks_agree() before any
 *   rank acts on it. One that slipped by ends the job: the program calls ireneo_ranks_abort() for it (see `agreed`).
 * - Rank 0 alone prints and writes files.
 * - Sums that must not depend on the number of ranks go through base/tree_sum.h; rows are dealt out by base/holding.h. */
#ifndef IRENEO_BASE_RANKS_H
#define IRENEO_BASE_RANKS_H

#include "base/error.h"

#include <stdbool.h>

typedef struct ireneo_ranks {
    size_t rank, count;                 /* this process, and how many there are */
    size_t node, nodes;                 /* the machine it runs on; nodes are numbered by their lowest rank */
    size_t rank_in_node, ranks_in_node; /* among the processes that share this machine's memory */
    uint64_t bytes_sent;                /* by this rank to others, without MPI's own envelopes */
    double seconds_waiting;             /* spent in functions of this file and in the sums' exchanges */
    bool agreed;                        /* the last error of ireneo_ranks_agree() is known to all ranks */
} ireneo_ranks;

/* ---- the job ---- */

/* How many processes a launcher (mpirun, srun) says it started together, and which of them this is. One when nobody did,
 * and with IRENEO_ALONE in the environment, for processes that have nothing to do with each other. */
size_t ireneo_ranks_launched(size_t *rank);

/* Begins the job: joins MPI when a launcher (mpirun, srun) started more than one process. A build without MPI fails
 * there, with a sentence that says how to build. Once a process; begin first, before threads. */
ireneo_error ireneo_ranks_begin(void);

/* Ends it; all ranks must come. Does nothing when there is none. */
void ireneo_ranks_end(void);

/* Ends every rank of the job now, for a fault that this rank cannot tell the others in any other way. Print the sentence
 * first. Alone: exits. */
_Noreturn void ireneo_ranks_abort(int exit_code);

/* The job of this process; one rank before begin, after end and without a launcher. Never NULL. */
ireneo_ranks *ireneo_ranks_world(void);

/* count * size bytes of zeros for a list with a place for each rank. Without them nothing can be told to anybody, so the
 * job ends. Release with free(). */
void *ireneo_ranks_room(size_t count, size_t size);

/* ---- agreeing ---- */

/* The worst error of all ranks (the largest code; of equal ones the lowest rank's), the same with the same sentence in
 * ireneo_last_error() on all of them. */
ireneo_error ireneo_ranks_worst(ireneo_ranks *ranks, ireneo_error mine);
static inline ireneo_error ireneo_ranks_agree(ireneo_ranks *ranks, ireneo_error mine) {
    ireneo_error worst = ireneo_ranks_worst(ranks, mine);
    return worst != IRENEO_OK ? worst : mine; /* which is then none: said for analysers, who cannot know */
}

/* Is it so on any rank? For stopping at the same place everywhere:
 *     if (ireneo_ranks_any(ranks, ireneo_report(progress, ...) != 0)) ... */
bool ireneo_ranks_any(ireneo_ranks *ranks, bool mine);

/* Sums, largest and smallest over the ranks; exact, so in any order. */
uint64_t ireneo_ranks_sum(ireneo_ranks *ranks, uint64_t mine);
double ireneo_ranks_largest(ireneo_ranks *ranks, double mine);
double ireneo_ranks_smallest(ireneo_ranks *ranks, double mine);

void ireneo_ranks_wait(ireneo_ranks *ranks);

/* The last call of a job but for its end: whether all ranks have come here within so many seconds; 0: waits for ever. A
 * rank that failed alone comes while the others are still waiting in some other function. */
bool ireneo_ranks_meet(ireneo_ranks *ranks, double seconds);

/* ---- moving bytes ---- */

/* What `root` has at bytes (size) is on all ranks afterwards. */
void ireneo_ranks_broadcast(ireneo_ranks *ranks, size_t root, void *bytes, size_t size);

/* Items of all ranks in the order of ranks, wherever they are wanted: on `root`, or on every rank with IRENEO_ALL_RANKS.
 * mine (count, size) may be of another count on each. *all is a block to be freed, with *total items; NULL and 0 on ranks
 * that did not ask. Fails alike on all ranks when one has no memory for it. */
enum { IRENEO_ALL_RANKS = -1 };
ireneo_error ireneo_ranks_gather(ireneo_ranks *ranks, int root, const void *mine, size_t count, size_t size,
                                 void **all, size_t *total);

/* The same of sizes in bytes (ranks) that all know, into `all`, on every rank. mine may lie in its place in `all`. */
void ireneo_ranks_gather_into(ireneo_ranks *ranks, const void *mine, const size_t *sizes, void *all);

/* Every rank sends to every other: to rank r the bytes out[r] (out_sizes[r]), from it into in[r] (in_sizes[r]), which
 * must be what r sends. What a rank sends to itself is copied. */
void ireneo_ranks_exchange(ireneo_ranks *ranks, const void *const *out, const size_t *out_sizes,
                           void *const *in, const size_t *in_sizes);

/* ---- memory that the ranks of a node share (ranks_memory.c) ---- */

typedef struct ireneo_shared {
    void *bytes; /* the same memory on every rank of the node, aligned to a cache line, zero at first */
    size_t size;
    bool mapped; /* it is; else there is no other rank on the node, and it is a block of its own */
} ireneo_shared;

/* All ranks of the job allocate at the same time, with the same size, and fail alike. */
ireneo_error ireneo_shared_allocate(ireneo_ranks *ranks, size_t count, size_t size, const char *what,
                                    ireneo_shared *shared);
void ireneo_shared_free(ireneo_shared *shared); /* waits for nobody */

/* What ranks of the node wrote before is seen by all of them afterwards. */
void ireneo_shared_settle(ireneo_ranks *ranks, const ireneo_shared *shared);

/* Items first .. last - 1 of `count` that this rank makes for its node. */
void ireneo_shared_slice(const ireneo_ranks *ranks, size_t count, size_t *first, size_t *last);

#endif
