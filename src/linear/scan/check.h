/* The proof scan: which facts does this very memory recall? It sees only the memory and the caller's facts,
 * never the solver. */
#ifndef IRENEO_LINEAR_SCAN_CHECK_H
#define IRENEO_LINEAR_SCAN_CHECK_H

#include "base/progress.h"

typedef struct ireneo_pair {
    uint32_t fact, candidate;
} ireneo_pair;

/* Pairs (fact, competitor) that come close; a growing array. */
typedef struct ireneo_pairs {
    ireneo_pair *items;
    size_t count, capacity;
    int broken; /* memory ran out: the list is incomplete */
} ireneo_pairs;

/* Like ireneo_check. When `near` is not NULL it receives the competitors whose score comes within `reach` of
 * the target's, or above it, at most `most` a fact. */
ireneo_error ireneo_check_near(const ireneo_memory *memory, const ireneo_facts *facts, int threads,
                               const ireneo_progress *progress, double reach, size_t most, ireneo_pairs *near,
                               unsigned char *recalled, ireneo_check_report *report);

/* h (count, dim_out) = W x for keys (count, dim_in), in float64. `scratch` holds count * (dim_in + rank)
 * doubles. */
typedef struct ireneo_memory_f64 {
    size_t dim_in, dim_out, rank;
    double *matrix, *left, *right; /* float64 copies of the memory's arrays */
} ireneo_memory_f64;

ireneo_error ireneo_memory_f64_make(const ireneo_memory *memory, ireneo_memory_f64 *f64);
void ireneo_memory_f64_free(ireneo_memory_f64 *f64);
void ireneo_memory_f64_apply(const ireneo_memory_f64 *f64, const float *keys, size_t count, double *scratch,
                             double *h);

#endif
