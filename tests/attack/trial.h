/* One instance put to the library, and every answer held against exact arithmetic. */
#ifndef IRENEO_TESTS_ATTACK_TRIAL_H
#define IRENEO_TESTS_ATTACK_TRIAL_H

#include "kinds.h"

#include <stdbool.h>

enum { TRIAL_DEADLINE = 20 }; /* seconds after which a call counts as one that does not end */

typedef struct trial {
    uint64_t number;
    int kind;
    ireneo_status status;
    bool false_stored;     /* "stored", but the memory does not recall all facts, or is not finite */
    bool false_impossible; /* "impossible", but some matrix recalls all facts */
    bool unproved;         /* "impossible" with a certificate that verify rejects, or with none */
    bool false_kept;       /* overload: a fact said to be recalled is not */
    bool false_count;      /* check counts otherwise than exact arithmetic */
    bool ties, false_ties; /* ties were tried; check counts them otherwise than exact arithmetic */
    bool refused;          /* an error code for facts that can be used */
    bool endless;          /* beyond the deadline, or the process died */
    char sentence[200];    /* what was wrong, "" for nothing */
} trial;

void trial_run(trial *t, uint64_t seed, uint64_t number);

bool trial_false(const trial *t);

#endif
