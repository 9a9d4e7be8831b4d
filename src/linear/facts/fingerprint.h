/* The fingerprint of facts: a BLAKE2b digest of keys, candidates and targets, own candidates included. Two different
 * sets of facts with one fingerprint are not known for anybody to find. */
#ifndef IRENEO_LINEAR_FACTS_FINGERPRINT_H
#define IRENEO_LINEAR_FACTS_FINGERPRINT_H

#include "base/digest.h"
#include "base/error.h"

/* ireneo_facts_hash on facts that are known to be usable. The result does not depend on the threads. */
ireneo_error ireneo_fingerprint(const ireneo_facts *facts, int threads, unsigned char *hash);

#endif
