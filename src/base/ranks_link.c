/* MPI, when it is built in; else nothing that could be called. Messages are cut to what MPI's int counts hold. */
#include "base/ranks_link.h"

#ifdef IRENEO_MPI
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { PIECE = 1 << 28 }; /* bytes of a message */

static MPI_Comm node_comm = MPI_COMM_NULL;
static MPI_Comm end_comm = MPI_COMM_NULL; /* for the meeting at the end, apart from all other messages */

bool ireneo_link_built(void) {
    return true;
}

static size_t pieces_of(size_t size) {
    return (size + PIECE - 1) / PIECE;
}

static size_t piece_at(size_t size, size_t at) {
    return size - at < PIECE ? size - at : PIECE;
}

/* Nodes are numbered in the order of their lowest ranks. */
static void find_nodes(ireneo_ranks *r) {
    int mine = 0, all = 0, leader = 0, is_leader = 0, before = 0, nodes = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node_comm);
    MPI_Comm_rank(node_comm, &mine);
    MPI_Comm_size(node_comm, &all);
    is_leader = mine == 0;
    MPI_Exscan(&is_leader, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (r->rank == 0) before = 0; /* Exscan leaves it undefined there */
    leader = before;
    MPI_Bcast(&leader, 1, MPI_INT, 0, node_comm);
    MPI_Allreduce(&is_leader, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    r->node = (size_t)leader;
    r->nodes = (size_t)nodes;
    r->rank_in_node = (size_t)mine;
    r->ranks_in_node = (size_t)all;
}

void ireneo_link_join(ireneo_ranks *r) {
    int provided, mine, all;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &mine);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    r->rank = (size_t)mine;
    r->count = (size_t)all;
    find_nodes(r);
    MPI_Comm_dup(MPI_COMM_WORLD, &end_comm);
}

void ireneo_link_leave(void) {
    MPI_Comm_free(&node_comm);
    MPI_Comm_free(&end_comm);
    MPI_Finalize();
}

_Noreturn void ireneo_link_abort(int exit_code) {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    abort();
}

void ireneo_link_exchange(const ireneo_ranks *r, const void *const *out, const size_t *out_sizes,
                          void *const *in, const size_t *in_sizes) {
    size_t count = 0, used = 0;
    for (size_t k = 0; k < r->count; k++)
        if (k != r->rank) count += pieces_of(out_sizes[k]) + pieces_of(in_sizes[k]);
    MPI_Request *requests = malloc((count + 1) * sizeof *requests); /* NOLINT(bugprone-sizeof-expression) */
    if (requests == NULL) ireneo_link_abort(4);
    for (size_t step = 1; step < r->count; step++) { /* everybody begins with another */
        size_t from = (r->rank + r->count - step) % r->count;
        for (size_t at = 0; at < in_sizes[from]; at += PIECE)
            MPI_Irecv((char *)in[from] + at, (int)piece_at(in_sizes[from], at), MPI_BYTE, (int)from, 0,
                      MPI_COMM_WORLD, &requests[used++]);
    }
    for (size_t step = 1; step < r->count; step++) {
        size_t to = (r->rank + step) % r->count;
        for (size_t at = 0; at < out_sizes[to]; at += PIECE)
            MPI_Isend((const char *)out[to] + at, (int)piece_at(out_sizes[to], at), MPI_BYTE, (int)to, 0,
                      MPI_COMM_WORLD, &requests[used++]);
    }
    MPI_Waitall((int)used, requests, MPI_STATUSES_IGNORE);
    free(requests);
}

void ireneo_link_broadcast(size_t root, void *bytes, size_t size) {
    for (size_t at = 0; at < size; at += PIECE)
        MPI_Bcast((char *)bytes + at, (int)piece_at(size, at), MPI_BYTE, (int)root, MPI_COMM_WORLD);
}

void ireneo_link_wait(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}

bool ireneo_link_meet(double seconds) {
    const struct timespec nap = {.tv_nsec = 1000000};
    MPI_Request all;
    int came = 0;
    double began = MPI_Wtime();
    MPI_Ibarrier(end_comm, &all);
    for (;;) {
        MPI_Test(&all, &came, MPI_STATUS_IGNORE);
        if (came || (seconds > 0.0 && MPI_Wtime() - began > seconds)) return came != 0;
        nanosleep(&nap, NULL);
    }
}

void ireneo_link_gather(const void *mine, size_t size, void *all) {
    MPI_Allgather(mine, (int)size, MPI_BYTE, all, (int)size, MPI_BYTE, MPI_COMM_WORLD);
}

void ireneo_link_broadcast_in_node(void *bytes, size_t size) {
    MPI_Bcast(bytes, (int)size, MPI_BYTE, 0, node_comm);
}

void ireneo_link_wait_in_node(void) {
    MPI_Barrier(node_comm);
}

#else
#include <stdlib.h>

bool ireneo_link_built(void) {
    return false;
}

void ireneo_link_join(ireneo_ranks *r) {
    (void)r;
}

void ireneo_link_leave(void) {}

_Noreturn void ireneo_link_abort(int exit_code) {
    exit(exit_code);
}

void ireneo_link_exchange(const ireneo_ranks *r, const void *const *out, const size_t *out_sizes,
                          void *const *in, const size_t *in_sizes) {
    (void)r, (void)out, (void)out_sizes, (void)in, (void)in_sizes;
}

void ireneo_link_broadcast(size_t root, void *bytes, size_t size) {
    (void)root, (void)bytes, (void)size;
}

void ireneo_link_wait(void) {}

bool ireneo_link_meet(double seconds) {
    (void)seconds;
    return true;
}

void ireneo_link_gather(const void *mine, size_t size, void *all) {
    (void)mine, (void)size, (void)all;
}

void ireneo_link_broadcast_in_node(void *bytes, size_t size) {
    (void)bytes, (void)size;
}

void ireneo_link_wait_in_node(void) {}
#endif
