/* One way to allocate: sizes are checked for overflow, blocks are aligned to a cache line, failures have a
 * sentence. */
#ifndef IRENEO_BASE_RAM_H
#define IRENEO_BASE_RAM_H

#include "base/error.h"

#include <stdlib.h>

/* Allocates count * size bytes, aligned to 64, uninitialised; `what` names the array in the error sentence.
 * A count of zero gives a valid block. Release with free(). */
ireneo_error ireneo_allocate(void **block, size_t count, size_t size, const char *what);

/* The same, filled with zeros. */
ireneo_error ireneo_allocate_zeroed(void **block, size_t count, size_t size, const char *what);

/* IRENEO_ALLOCATE(&floats, rows * columns, "scores"): the element size comes from the pointer. */
#define IRENEO_ALLOCATE(pointer, count, what)                                                                \
    ireneo_allocate((void **)(pointer), (count), sizeof **(pointer), (what))
#define IRENEO_ALLOCATE_ZEROED(pointer, count, what)                                                         \
    ireneo_allocate_zeroed((void **)(pointer), (count), sizeof **(pointer), (what))

/* a * b, or an error when it does not fit in size_t. */
ireneo_error ireneo_multiply_sizes(size_t a, size_t b, size_t *product, const char *what);

/* Bytes the machine can still give without swapping (MemAvailable, capped by the cgroup and by ulimit -v); SIZE_MAX if
 * unknown. */
size_t ireneo_ram_available(void);

/* Largest resident set of this process so far, in bytes. */
size_t ireneo_ram_peak(void);

/* Fails with IRENEO_ERROR_MEMORY before any work begins when `bytes` is more than the machine can give. */
ireneo_error ireneo_ram_require(double bytes, const char *what);

#endif
