/* Contradictions that can be read off the data. */
#ifndef IRENEO_LINEAR_CERTIFICATE_CONTRADICTION_H
#define IRENEO_LINEAR_CERTIFICATE_CONTRADICTION_H

#include "base/error.h"

/* A zero key, a target with an equal twin among the candidates, or two equal keys with different values.
 * *certificate is NULL when there is none. Facts with own candidates are only looked through for zero keys. */
ireneo_error ireneo_find_contradiction(const ireneo_facts *facts, ireneo_certificate **certificate);

#endif
