/* The verdict of the interior point method on a working set. */
#ifndef IRENEO_LINEAR_CERTIFICATE_CERTIFY_EXACT_H
#define IRENEO_LINEAR_CERTIFICATE_CERTIFY_EXACT_H

#include "base/progress.h"
#include "linear/problem/working_set.h"

/* Decides the pairs of the working set, for memories small enough for a dense matrix of (dim_in dim_out)^2
 * entries. Either *solved, and w (dim_out, dim_in) recalls everything on the working set with scores of spread
 * one, or *certificate is set and w is left alone. */
ireneo_error ireneo_certify_exact(const ireneo_problem *problem, const ireneo_working_set *set,
                                  const ireneo_progress *progress, float *w, bool *solved,
                                  ireneo_certificate **certificate);

#endif
