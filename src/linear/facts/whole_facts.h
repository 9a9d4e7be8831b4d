/* Facts that are spread over ranks, brought together: what looks at all of them at once (contradictions, proofs and their
 * judge) sees them as one process would. They lie once on every node. */
#ifndef IRENEO_LINEAR_FACTS_WHOLE_FACTS_H
#define IRENEO_LINEAR_FACTS_WHOLE_FACTS_H

#include "base/ranks.h"

typedef struct ireneo_whole_facts {
    ireneo_facts facts;                          /* all of them: no longer spread */
    ireneo_shared keys, targets, residuals, own; /* what they point to */
} ireneo_whole_facts;

/* Facts that are not spread are only pointed to. All ranks of the facts make the call, and fail alike. Own candidates are
 * copied too, all of them. The facts point into *whole, which must stay where it is. */
ireneo_error ireneo_whole_facts_make(const ireneo_facts *facts, ireneo_whole_facts *whole);
void ireneo_whole_facts_free(ireneo_whole_facts *whole);

#endif
