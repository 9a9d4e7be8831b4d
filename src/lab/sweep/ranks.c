/* MPI, when it is built in. */
#include "lab/sweep/ranks.h"

#ifdef IRENEO_MPI
#include <mpi.h>

void ireneo_ranks_begin(size_t *rank, size_t *count) {
    int provided, mine, all;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &mine);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    *rank = (size_t)mine;
    *count = (size_t)all;
}

void ireneo_ranks_end(void) {
    MPI_Finalize();
}

ireneo_error ireneo_ranks_agree(ireneo_error mine) {
    int worst = 0, own = (int)mine;
    MPI_Allreduce(&own, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return (ireneo_error)worst;
}
#else
void ireneo_ranks_begin(size_t *rank, size_t *count) {
    *rank = 0;
    *count = 1;
}

void ireneo_ranks_end(void) {}

ireneo_error ireneo_ranks_agree(ireneo_error mine) {
    return mine;
}
#endif
