/* Allocation of memories, for the files that make them. */
#ifndef IRENEO_LINEAR_MEMORY_MEMORY_H
#define IRENEO_LINEAR_MEMORY_MEMORY_H

#include "base/error.h"

/* A memory of zeros; factored when rank > 0. */
ireneo_error ireneo_memory_allocate(size_t dim_in, size_t dim_out, size_t rank, ireneo_memory **memory);

#endif
