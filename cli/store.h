/* What ireneo store was asked and what came of it, for the work (store.c) and its report (store_report.c). */
#ifndef IRENEO_CLI_STORE_H
#define IRENEO_CLI_STORE_H

#include "facts_files.h"
#include "hardest.h"
#include "labels.h"

typedef struct store_request {
    const char *files[2];
    const char *targets, *output, *solver, *initial, *certificate, *weights, *dropped, *residual, *moments;
    ireneo_store_settings settings;
    size_t threads;
    const char *key_labels, *value_labels;
    label_file labels[2]; /* of keys, of values */
    bool json, resume, with_values, overload, max_margin, exact;
    char *state;    /* MEMORY.state: where an unfinished memory waits for --resume */
    char *again;    /* the command line that goes on from there */
    char *given_up; /* where the list of facts given up goes */
} store_request;

/* What a store leaves behind, beside its files. */
typedef struct store_outcome {
    ireneo_memory *memory, *initial;
    ireneo_moments *moments;
    ireneo_store_result result;
    double *weights;
    ireneo_max_margin_info info; /* only its store part without --max-margin */
    ireneo_status status;        /* the solver's; for rules of one pass stored or partial */
    bool written, waiting;       /* MEMORY and the state were written */
    hard_fact hardest[HARDEST];
    size_t hard_count;
} store_outcome;

/* Prints the report, as a table or as JSON, and gives the exit code. */
int report_store(const command *self, const store_request *q, const ireneo_facts *facts,
                 const store_outcome *o);

#endif
