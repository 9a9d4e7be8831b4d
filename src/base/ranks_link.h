/* The calls of MPI that base/ranks.c is made of. Only ranks.c and ranks_memory.c include this. */
#ifndef IRENEO_BASE_RANKS_LINK_H
#define IRENEO_BASE_RANKS_LINK_H

#include "base/ranks.h"

/* Is MPI built in? */
bool ireneo_link_built(void);

/* Joins and leaves; joining fills rank, count and the numbers about nodes. */
void ireneo_link_join(ireneo_ranks *ranks);
void ireneo_link_leave(void);
_Noreturn void ireneo_link_abort(int exit_code);

/* Blocks of any size between all pairs of ranks, without one to itself. */
void ireneo_link_exchange(const ireneo_ranks *ranks, const void *const *out, const size_t *out_sizes,
                          void *const *in, const size_t *in_sizes);

void ireneo_link_broadcast(size_t root, void *bytes, size_t size);
void ireneo_link_wait(void);

/* Whether all ranks came within so many seconds (0: for ever), whatever else they are waiting for. Once a job. */
bool ireneo_link_meet(double seconds);

/* size bytes of each rank, into all (count, size). For few bytes. */
void ireneo_link_gather(const void *mine, size_t size, void *all);

/* Among the ranks of a node: size bytes of its first rank; waiting for all. */
void ireneo_link_broadcast_in_node(void *bytes, size_t size);
void ireneo_link_wait_in_node(void);

#endif
