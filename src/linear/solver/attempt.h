/* A store that is under way: its state, and the steps that the plain solver and the overload mode share. */
#ifndef IRENEO_LINEAR_SOLVER_ATTEMPT_H
#define IRENEO_LINEAR_SOLVER_ATTEMPT_H

#include "base/progress.h"
#include "linear/facts/scaled_facts.h"
#include "linear/solver/minimise.h"

enum { IRENEO_HARD_KEEP = 64 }; /* competitors that a scan keeps a row near capacity and beyond */

typedef struct ireneo_attempt {
    const ireneo_facts *facts;  /* the caller's */
    ireneo_scaled_facts scaled; /* as the solver sees them */
    ireneo_store_settings settings;
    ireneo_store_info *info;
    ireneo_problem problem;
    ireneo_working_set set;
    ireneo_minimiser minimiser;
    ireneo_memory *memory;
    /* Facts that would fit with candidates of their own, and the facts over the smaller of that and the law: the schedule
     * of the solver was measured in these. */
    double law, fraction;
    double first_gradient;
    unsigned char *given_up; /* (facts) rows that no longer count, or NULL: none */
    unsigned char *kept;     /* (facts) what overload mode keeps, or NULL: not wanted */
    unsigned char *recalled; /* (facts) outcome of the last check, or NULL: not wanted */
} ireneo_attempt;

/* RAM that a store for so many best answers takes on top of the facts' own arrays. */
double ireneo_attempt_bytes(const ireneo_facts *facts, size_t top, int threads);

/* White coordinates, the law, the working set, the starting point. */
ireneo_error ireneo_attempt_prepare(ireneo_attempt *attempt);
void ireneo_attempt_free(ireneo_attempt *attempt);

/* Competitors that a scan should keep a row: more among many candidates. Too few let a check fail, which costs
 * another scan; more only slow every iteration down. */
size_t ireneo_attempt_keep(const ireneo_attempt *attempt);

/* Which rows a scan leaves in the working set. */
typedef enum ireneo_scan_rows { IRENEO_SCAN_KEPT_ROWS, IRENEO_SCAN_ALL_ROWS } ireneo_scan_rows;

/* A scan for competitors at the current point, then loss and gradient on the new working set. */
ireneo_error ireneo_attempt_scan(ireneo_attempt *attempt, size_t keep, ireneo_scan_rows rows);

/* Takes the competitors of rows given up from the working set, so that they have no part in the loss. */
void ireneo_attempt_mask(ireneo_attempt *attempt);

/* From here on the search line and products use float32: iterations have become many, or a check has failed. False when
 * they did so already. */
bool ireneo_attempt_leave_int16(ireneo_attempt *attempt);

/* The memory of the current point in the caller's coordinates; scores are multiplied by 2^-*exponent. */
ireneo_error ireneo_attempt_export(ireneo_attempt *attempt, int *exponent);

/* Exports the memory, rounded to float32 as it will be saved, and checks it against all candidates. When facts
 * that were not given up fail, what comes close to them joins the working set. *standing tells whether all of
 * those are recalled. */
ireneo_error ireneo_attempt_check(ireneo_attempt *attempt, bool *standing);

/* Exports the memory and counts what it recalls, without touching the working set. */
ireneo_error ireneo_attempt_count(ireneo_attempt *attempt);

/* Reports progress; true when the work should stop. */
bool ireneo_attempt_stop_asked(const ireneo_attempt *attempt);

#endif
