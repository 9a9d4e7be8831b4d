/* A certificate from the minimum of the loss, by Newton's method. */
#ifndef IRENEO_LINEAR_CERTIFICATE_CERTIFY_NEWTON_H
#define IRENEO_LINEAR_CERTIFICATE_CERTIFY_NEWTON_H

#include "base/progress.h"
#include "linear/problem/working_set.h"

/* Weights at the minimum of the loss with this margin on the pairs of the working set, found in float64 on the
 * caller's data from w (dim_out, dim_in). A patient search goes on for about a minute where the minimum lies in a flat
 * valley, as with facts of which many share an answer. *certificate is NULL when the minimum could not be reached: then the
 * loss may still go to zero. */
ireneo_error ireneo_certify_newton(const ireneo_problem *problem, const ireneo_working_set *set,
                                   const float *w, double margin, bool patient,
                                   const ireneo_progress *progress, ireneo_certificate **certificate);

#endif
