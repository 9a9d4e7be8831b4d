/* Facts as the solver sees them: without scales that would drown float32.
 *
 * A verdict does not change when a key is multiplied by a positive number, or all values by one. Keys whose length is
 * far from the typical one are brought to it, and keys and values together near one, all by powers of two. Ordinary
 * data stay where they are, without a copy. What the solver finds for these facts holds for the caller's; the check and
 * the judge of certificates look at the caller's numbers alone. */
#ifndef IRENEO_LINEAR_FACTS_SCALED_FACTS_H
#define IRENEO_LINEAR_FACTS_SCALED_FACTS_H

#include "base/ranks.h"

typedef struct ireneo_scaled_facts {
    ireneo_facts facts;   /* views of the caller's arrays, or of those below */
    float *keys;          /* scaled copy, or NULL */
    ireneo_shared values; /* likewise, once a node */
    int *key_exponent;    /* (facts) key i was multiplied by 2^-key_exponent[i]; NULL: none was */
    int value_exponent;   /* all values by 2^-value_exponent */
    const ireneo_facts *original;
} ireneo_scaled_facts;

/* The caller's facts must outlive the result, and the result must not be moved. */
ireneo_error ireneo_scaled_facts_make(const ireneo_facts *facts, ireneo_scaled_facts *scaled);

/* The same with one power of two for all keys, which brings the longest near one: for the Hebbian rule, which does
 * depend on the lengths of keys. */
ireneo_error ireneo_scaled_facts_make_alike(const ireneo_facts *facts, ireneo_scaled_facts *scaled);
void ireneo_scaled_facts_free(ireneo_scaled_facts *scaled);

/* Weights of a certificate for the scaled facts become those for the caller's. */
void ireneo_scaled_facts_certificate(const ireneo_scaled_facts *scaled, ireneo_certificate *certificate);

#endif
