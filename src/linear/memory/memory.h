/* Allocation of memories, for the files that make them. */
#ifndef IRENEO_LINEAR_MEMORY_MEMORY_H
#define IRENEO_LINEAR_MEMORY_MEMORY_H

#include "base/error.h"

/* A memory of zeros; factored when rank > 0. */
ireneo_error ireneo_memory_allocate(size_t dim_in, size_t dim_out, size_t rank, ireneo_memory **memory);

/* Refuses NULL and a memory without numbers or with numbers that are not finite; the second also facts that are unusable or of another shape. */
ireneo_error ireneo_memory_check(const ireneo_memory *memory);
ireneo_error ireneo_memory_check_facts(const ireneo_memory *memory, const ireneo_facts *facts);
/* The second for facts that may be spread over ranks. */
ireneo_error ireneo_memory_check_held(const ireneo_memory *memory, const ireneo_facts *facts);

/* Multiplies the matrix, or each factor, by a power of two that brings its largest entry to 1 .. 2. Returns the e of
 * 2^-e by which scores are multiplied. A memory that is not finite becomes zero: it recalls nothing. */
int ireneo_memory_normalise(ireneo_memory *memory);

/* "path:name", the location of one tensor; release with free(). And the matrix that is there. */
ireneo_error ireneo_memory_tensor_location(const char *path, const char *name, char **location);
ireneo_error ireneo_memory_load_tensor(const char *path, const char *name, float **values, size_t *rows,
                                       size_t *columns);

#endif
