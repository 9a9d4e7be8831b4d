/* What a sweep found: a table for people, JSON, CSV. */
#ifndef IRENEO_CLI_SWEEP_REPORT_H
#define IRENEO_CLI_SWEEP_REPORT_H

#include "lab/sweep/threshold.h"
#include "report.h"

typedef struct sweep_outcome {
    const trial *trials; /* (count), as the plan lists them */
    size_t count;
    size_t draws;                /* trials of one point */
    const trial_result *results; /* (count); NULL for thresholds */
    const threshold *thresholds; /* (count); NULL otherwise */
    bool own;                    /* as many candidates as facts */
    double within;               /* how close thresholds were asked for; 0: exact */
    uint64_t seed;
    const char *database;
    size_t failed; /* trials, or searches, that came to no result */
} sweep_outcome;

void print_sweep_table(const sweep_outcome *outcome);
int print_sweep_json(const command *self, const sweep_outcome *outcome);

/* The rows as CSV: to stdout when the path is "-". */
int write_sweep_csv(const command *self, const sweep_outcome *outcome, const char *path);

#endif
