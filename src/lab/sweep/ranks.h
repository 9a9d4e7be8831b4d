/* Sweeps over the ranks of an MPI job. Without the MPI build there is one rank, number 0. */
#ifndef IRENEO_LAB_SWEEP_RANKS_H
#define IRENEO_LAB_SWEEP_RANKS_H

#include "base/error.h"

/* Begins and ends the use of MPI; between them the two numbers hold. */
void ireneo_ranks_begin(size_t *rank, size_t *count);
void ireneo_ranks_end(void);

/* The worst error of all ranks: 0 when all went well. Waits for all of them. */
ireneo_error ireneo_ranks_agree(ireneo_error mine);

#endif
