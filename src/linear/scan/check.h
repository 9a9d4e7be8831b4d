/* The check: which facts does this very memory recall? It sees only the memory and the caller's facts, never the
 * solver. A fact counts as recalled when every one of its gaps has been shown to be positive; among the K best, when all but
 * at most K - 1 have. */
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
    int broken; /* RAM ran out: the list is incomplete */
} ireneo_pairs;

/* Which close competitors a check should collect, and where they go. */
typedef struct ireneo_near {
    double reach;        /* competitors whose score comes within this of the target's, or above it */
    const int *exponent; /* (facts) for fact i within reach 2^exponent[i]; NULL: all 0 */
    size_t most;         /* a fact */
    const unsigned char *unwanted; /* (facts) none of these facts; NULL: of all */
    ireneo_pairs pairs;            /* sorted by fact and candidate; release the items with free() */
} ireneo_near;

/* Like ireneo_check_top; near may be NULL. */
ireneo_error ireneo_check_near(const ireneo_memory *memory, const ireneo_facts *facts, size_t top,
                               int threads, const ireneo_progress *progress, ireneo_near *near,
                               unsigned char *recalled, ireneo_check_report *report);

#endif
