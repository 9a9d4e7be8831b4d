/* Facts with offsets as facts without: y^T (W x + r) = y^T [W, s I] [x; r / s].
 *
 * Scans, checks and recall take the longer keys and the wider memory, and need not know of offsets: their bounds and
 * verdicts hold as they stand. s is a power of two near the entries of W, so that neither part drowns in the rounding
 * bound of the other, and r / s is exact. */
#ifndef IRENEO_LINEAR_MEMORY_EXTENDED_H
#define IRENEO_LINEAR_MEMORY_EXTENDED_H

#include "base/error.h"

typedef struct ireneo_extended {
    ireneo_memory memory; /* (dim_out, dim_in + dim_out), or its factors */
    float *keys;          /* (count, dim_in + dim_out) */
    float *numbers;       /* of the memory */
} ireneo_extended;

/* Makes both; keys is (count, dim_in), residuals (count, dim_out). */
ireneo_error ireneo_extended_make(const ireneo_memory *memory, const float *keys, const float *residuals,
                                  size_t count, ireneo_extended *extended);
void ireneo_extended_free(ireneo_extended *extended);

#endif
