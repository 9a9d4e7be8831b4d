/* The pieces of a store that is under way, shared by the plain solver and the overload mode. */
#ifndef IRENEO_LINEAR_SOLVER_ATTEMPT_H
#define IRENEO_LINEAR_SOLVER_ATTEMPT_H

#include "base/progress.h"
#include "linear/solver/minimise.h"

enum {
    IRENEO_HARD_KEEP = 64,       /* competitors that a scan keeps a row near capacity and beyond */
    IRENEO_LIST_ROOM = 128,      /* competitors a row has room for: those of a scan, and what proofs add */
    IRENEO_FIRST_ITERATIONS = 5, /* iterations on the first lists: they only have to find the region */
    IRENEO_PATIENCE = 30,        /* iterations after which lists are made anew; grows */
    IRENEO_HISTORY = 6
};

typedef struct ireneo_attempt {
    const ireneo_facts *facts;
    ireneo_store_settings settings;
    ireneo_store_info *info;
    ireneo_problem problem;
    ireneo_working_set set;
    ireneo_minimiser minimiser;
    ireneo_memory *memory;
    double first_gradient, suspicious;
    ireneo_certificate *certificate;
    ireneo_verify_report verdict;
    size_t max_scans, max_iterations, settle;
    unsigned char *given_up; /* (facts) rows that no longer count, or NULL: none */
    unsigned char *recalled; /* (facts) outcome of the last proof, or NULL: not wanted */
} ireneo_attempt;

/* Memory that a store needs, against what the machine has. */
ireneo_error ireneo_attempt_estimate(const ireneo_facts *facts, int threads);

/* White coordinates, the law, lists, the starting point. */
ireneo_error ireneo_attempt_prepare(ireneo_attempt *store);
void ireneo_attempt_free(ireneo_attempt *store);

/* Competitors that a scan should keep a row: more among many candidates. Too few let a proof fail, which
 * costs another scan; more only slow every iteration down. */
size_t ireneo_attempt_keep(const ireneo_attempt *store);

/* A search scan at the current point, then loss and gradient on the new lists. Rows given up keep no list. */
ireneo_error ireneo_attempt_scan(ireneo_attempt *store, size_t keep);

/* Empties the lists of rows given up, so that they have no part in the loss. */
void ireneo_attempt_mask(ireneo_attempt *store);

/* From here on the search line uses float32: iterations have become many, or a proof has failed. */
void ireneo_attempt_leave_int16(ireneo_attempt *store);

/* The memory in the caller's coordinates, rounded to float32 as it will be saved. */
ireneo_error ireneo_attempt_export(ireneo_attempt *store);

/* Checks the exported memory against all candidates, and counts. When facts that were not given up fail, what
 * comes close to them is added to the lists. *standing tells whether all of those are recalled. */
ireneo_error ireneo_attempt_check(ireneo_attempt *store, bool *standing);

/* Counts what the memory recalls, without touching the lists. */
ireneo_error ireneo_attempt_count(ireneo_attempt *store);

/* Makes the memory by the Hebbian rule, W = sum_i y_f(i) x_i^T (its best approximation when a rank is set),
 * and counts. */
ireneo_error ireneo_attempt_hebbian(ireneo_attempt *store);

/* Reports progress; true when the work should stop. */
bool ireneo_attempt_stop_asked(const ireneo_attempt *store);

/* Chooses which facts to keep and stores those (settings.overload). */
ireneo_error ireneo_overload(ireneo_attempt *work, ireneo_status *status);

#endif
