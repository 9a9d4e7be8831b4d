/* Values as recall scans them. What all values have in common adds the same to every score of a query: it is taken off
 * where it is large, because neither eight bits nor float32 can tell values apart that hardly differ. And values far from
 * one are brought near it by a power of two. Most often neither is needed, and the caller's values serve as they are. */
#ifndef IRENEO_LINEAR_SCAN_RECALL_VALUES_H
#define IRENEO_LINEAR_SCAN_RECALL_VALUES_H

#include "base/error.h"

typedef struct ireneo_recall_values {
    const float *entries; /* (candidates, dim) */
    float *copy;          /* the same, or NULL when they are the caller's */
    double largest;       /* largest norm of an entry */
    double longest;       /* largest norm of the caller's values, in the units of the entries */
} ireneo_recall_values;

ireneo_error ireneo_recall_values_make(const float *values, size_t candidates, size_t dim, int threads,
                                       ireneo_recall_values *v);
void ireneo_recall_values_free(ireneo_recall_values *v);

#endif
