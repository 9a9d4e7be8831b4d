/* The judge of certificates, as the rest of the room calls it. */
#ifndef IRENEO_LINEAR_CERTIFICATE_VERIFY_H
#define IRENEO_LINEAR_CERTIFICATE_VERIFY_H

#include "base/progress.h"

/* Memories of at most this many entries get an exact proof without being asked: it takes seconds. */
enum { IRENEO_EXACT_ENTRIES = 2500 };

typedef struct ireneo_verify_plan {
    int threads;
    size_t exact_entries; /* exact proofs are tried for memories of at most this many entries */
    const ireneo_progress *progress;
    const unsigned char *hash; /* of the facts, when it is known; NULL: it is made */
} ireneo_verify_plan;

/* ireneo_verify on facts that are known to be usable; they may be spread over ranks, which all call it and get the same
 * report. */
ireneo_error ireneo_verify_planned(const ireneo_certificate *certificate, const ireneo_facts *facts,
                                   const ireneo_verify_plan *plan, ireneo_verify_report *report);

#endif
