/* A store while it is decided: the solver's loop (store.c), what ends it (verdict.c), and what a file keeps of it
 * (state.c). */
#ifndef IRENEO_LINEAR_SOLVER_VERDICT_H
#define IRENEO_LINEAR_SOLVER_VERDICT_H

#include "linear/solver/attempt.h"

typedef enum ireneo_verdict {
    IRENEO_VERDICT_OPEN,
    IRENEO_VERDICT_STORED,
    IRENEO_VERDICT_IMPOSSIBLE,
    IRENEO_VERDICT_UNDECIDED,
    IRENEO_VERDICT_INTERRUPTED
} ireneo_verdict;

/* Where a store stands when it is kept: before the scan that it begins with, in the few iterations after it, before the
 * next scan, or in its loop. */
typedef enum ireneo_station {
    IRENEO_STATION_START,
    IRENEO_STATION_FIRST,
    IRENEO_STATION_REGION,
    IRENEO_STATION_LOOP
} ireneo_station;

typedef struct ireneo_storing {
    ireneo_attempt attempt;
    ireneo_station station;  /* where it was last worth keeping */
    size_t first_iterations; /* of the few on the first working set */
    size_t max_scans, max_iterations, settle;
    size_t since_scan, patience; /* iterations since the working set was made, and how many it is good for */
    size_t restarts;             /* of a factored memory that was stuck */
    bool settled, settling;      /* the exact methods had, or have, their turn */
    double suspicious;
    double begun;                    /* seconds of the clock */
    ireneo_certificate *certificate; /* that the judge has accepted, or NULL */
    ireneo_verify_report report;     /* of the judge */
    bool hashed;                     /* the fingerprint is known */
    unsigned char hash[IRENEO_HASH_BYTES];
} ireneo_storing;

/* Does the memory recall everything? If not, the working set knows more afterwards. */
ireneo_error ireneo_storing_check(ireneo_storing *s, ireneo_verdict *v);

/* Contradictions that can be read off the data end the work before it begins, with the Hebbian memory as the
 * best known. */
ireneo_error ireneo_storing_contradiction(ireneo_storing *s, ireneo_verdict *v);

/* Tries to turn the residuals into a certificate. Only of full memories: with a rank the loss is not convex. */
ireneo_error ireneo_storing_certify(ireneo_storing *s, ireneo_verdict *v);

/* When iterations lead nowhere: full memories get a verdict by exact methods where they are small enough, factored ones
 * start again from where they stand. What is still open afterwards is undecided, unless a better point to go on from was
 * found. */
ireneo_error ireneo_storing_settle(ireneo_storing *s, ireneo_verdict *v);

/* The fingerprint of the facts, made when first asked for. */
ireneo_error ireneo_storing_fingerprint(ireneo_storing *s);

#endif
