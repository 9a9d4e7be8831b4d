/* Stores made by several processes or on several machines, brought together. */
#ifndef IRENEO_LAB_SWEEP_RESULTS_MERGE_H
#define IRENEO_LAB_SWEEP_RESULTS_MERGE_H

#include "lab/sweep/results.h"

/* Copies everything that `source` has and the store has not. *added counts trials and draws; *different those
 * that both have with different outcomes (the store's are kept). */
ireneo_error ireneo_results_merge(results *store, const char *source, size_t *added, size_t *different);

/* The same of what another rank sent (results_share.h). */
ireneo_error ireneo_results_merge_bytes(results *store, const void *bytes, size_t size);

#endif
