/* All rows in one process, for the methods that look at all of them at once: proofs of impossibility and the exact ones.
 *
 * A store over ranks brings its keys and its working set to rank 0 for them; there they run as in one process, and so does
 * their result not depend on the ranks. Rank 0 needs the RAM for it. */
#ifndef IRENEO_LINEAR_SOLVER_WHOLE_H
#define IRENEO_LINEAR_SOLVER_WHOLE_H

#include "linear/facts/whole_facts.h"
#include "linear/solver/attempt.h"

typedef struct ireneo_whole {
    ireneo_attempt *view;    /* the attempt with all rows, on rank 0; NULL on the others */
    ireneo_attempt gathered; /* it, unless one process holds all rows anyway */
    ireneo_whole_facts facts;
} ireneo_whole;

/* All ranks call it; *whole must stay where it is. The view shares memory, info and minimiser with the attempt; it has no list of recalled facts. */
ireneo_error ireneo_whole_gather(ireneo_attempt *attempt, ireneo_whole *whole);
void ireneo_whole_free(ireneo_whole *whole);

#endif
