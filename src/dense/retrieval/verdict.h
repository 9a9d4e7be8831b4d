/* What became of a query: retrieved, a mixture, or lost. */
#ifndef IRENEO_DENSE_RETRIEVAL_VERDICT_H
#define IRENEO_DENSE_RETRIEVAL_VERDICT_H

#include "dense/retrieval/stream.h"

enum { IRENEO_VERDICT_WEIGHTS = 16 }; /* largest weights that a verdict looks at: patterns of a mixture */

/* The verdict on a state (neurons), from its falling list of largest weights (sign rule: overlaps) and their patterns,
 * at least IRENEO_VERDICT_WEIGHTS long. */
ireneo_dense_verdict ireneo_judge_state(const ireneo_pattern_source *source, ireneo_dense_rule rule,
                                        const float *state, const size_t *index, const double *weight);

#endif
