/* Making certificates: the simple contradictions, and the general one from the minimum of the loss. */
#ifndef IRENEO_LINEAR_CERTIFICATE_CERTIFICATE_H
#define IRENEO_LINEAR_CERTIFICATE_CERTIFICATE_H

#include "linear/solver/minimise.h"

ireneo_error ireneo_certificate_allocate(size_t count, ireneo_certificate **certificate);

/* Contradictions that can be read off the data: a zero key, a target with an equal twin among the candidates,
 * two equal keys with different values. *certificate is NULL when there is none. Facts with own candidates
 * are only searched for zero keys. */
ireneo_error ireneo_find_contradiction(const ireneo_facts *facts, ireneo_certificate **certificate);

/* Weights at the minimum of the loss, found in float64 on the caller's data from where the inner minimiser
 * stands. *certificate is NULL when the minimum could not be reached: then the loss may still go to zero. */
ireneo_error ireneo_certify_newton(const ireneo_minimiser *minimiser, const ireneo_progress *progress,
                                   ireneo_certificate **certificate);

/* For memories of at most `most` entries where neither the minimiser nor the polish came to an end: decides
 * the lists by an interior point method. Either *solved, and the point of `inner` recalls everything on the
 * lists, or *certificate is set. Neither for larger or factored memories. */
ireneo_error ireneo_certify_exact(ireneo_minimiser *minimiser, size_t most, const ireneo_progress *progress,
                                  ireneo_certificate **certificate, bool *solved);

#endif
