/* Small questions about facts that every file of this room asks. */
#ifndef IRENEO_LINEAR_FACTS_FACTS_H
#define IRENEO_LINEAR_FACTS_FACTS_H

#include "base/holding.h"

/* Facts may be spread over the ranks of an MPI job: then `facts` of them are here, and keys, targets, own candidates and
 * offsets are theirs, counted from 0; the values are all of them on every rank. */

/* Which are here: all, in one process. */
ireneo_holding ireneo_facts_holding(const ireneo_facts *facts);

static inline ireneo_ranks *ireneo_facts_ranks(const ireneo_facts *facts) {
    return facts->holding != NULL ? facts->holding->ranks : NULL;
}

/* How many there are on all ranks. */
static inline size_t ireneo_facts_total(const ireneo_facts *facts) {
    return facts->holding != NULL ? facts->holding->total : facts->facts;
}

/* The number of a fact among all of them. */
static inline size_t ireneo_fact_number(const ireneo_facts *facts, size_t fact) {
    return facts->holding != NULL ? facts->holding->first + fact : fact;
}

static inline size_t ireneo_target_of(const ireneo_facts *facts, size_t fact) {
    return facts->targets == NULL ? ireneo_fact_number(facts, fact) : (size_t)facts->targets[fact];
}

/* ireneo_facts_check for calls that know of ranks; that one refuses facts that are spread. All ranks find the same. */
ireneo_error ireneo_facts_check_held(const ireneo_facts *facts);

/* A fact may be asked to have its target among at most so many best. */
enum { IRENEO_MOST_TOP = 256 };

/* Fails with a sentence unless 1 <= top <= IRENEO_MOST_TOP and, when it is more than 1, less than the candidates. */
ireneo_error ireneo_facts_check_top(const ireneo_facts *facts, size_t top);

#endif
