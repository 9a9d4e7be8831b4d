/* The verdict on a list of pairs in rational arithmetic: exact, for memories of a few dozen entries whatever the scales
 * of the data. */
#ifndef IRENEO_LINEAR_CERTIFICATE_RATIONAL_LP_H
#define IRENEO_LINEAR_CERTIFICATE_RATIONAL_LP_H

#include "base/error.h"

#include <stdbool.h>

typedef enum ireneo_rational_verdict {
    IRENEO_RATIONAL_OPEN,      /* too large, or it took too long */
    IRENEO_RATIONAL_POSSIBLE,  /* w satisfies every pair, before it is rounded */
    IRENEO_RATIONAL_IMPOSSIBLE /* weights cancel exactly, before they are rounded */
} ireneo_rational_verdict;

/* Pairs (fact[k], candidate[k]), k < count. Either w (dim_out, dim_in) receives the matrix whose smallest gap is
 * largest (over all with entries at most one, in coordinates of equal size), scaled to a largest entry of one, or
 * weights (count) receives those of a certificate, zero for most pairs. */
ireneo_error ireneo_rational_lp(const ireneo_facts *facts, const uint32_t *fact, const uint32_t *candidate,
                                size_t count, double *w, double *weights, ireneo_rational_verdict *verdict);

#endif
