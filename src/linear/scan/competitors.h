/* The scan for competitors: for every fact its target's score and its best competitors, into the working set. */
#ifndef IRENEO_LINEAR_SCAN_COMPETITORS_H
#define IRENEO_LINEAR_SCAN_COMPETITORS_H

#include "base/progress.h"
#include "linear/problem/working_set.h"

/* Scans all candidates at w (dim_out, dim_in). Each row keeps about `keep` competitors, the best ones, in
 * place of those it had. `reach`: competitors within this distance below the target are wanted even when they
 * are not among the best. */
ireneo_error ireneo_find_competitors(const ireneo_problem *problem, const float *w, size_t keep, float reach,
                                     const ireneo_progress *progress, ireneo_working_set *set);

#endif
