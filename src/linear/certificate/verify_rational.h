/* Exact certificates by rational arithmetic, for small sizes. */
#ifndef IRENEO_LINEAR_CERTIFICATE_VERIFY_RATIONAL_H
#define IRENEO_LINEAR_CERTIFICATE_VERIFY_RATIONAL_H

#include "linear/certificate/scaled_pairs.h"

/* Is the certificate small enough? */
bool ireneo_verify_rational_fits(const ireneo_scaled_pairs *pairs);

/* *exact: there are weights, all positive, on these very pairs whose sum vanishes exactly. */
ireneo_error ireneo_verify_rational(const ireneo_scaled_pairs *pairs, bool *exact);

#endif
