/* What ireneo edit was asked and what came of it, for the work (edit.c), its files (edit_files.c) and its report
 * (edit_report.c). */
#ifndef IRENEO_CLI_EDIT_H
#define IRENEO_CLI_EDIT_H

#include "facts_files.h"

typedef struct edit_request {
    const char *files[3]; /* W0, KEYS, VALUES */
    const char *output, *into, *targets, *residual, *ordinary, *covariance, *certificate, *rule;
    const char *protect, *protect_residual, *protect_targets;
    double margin, ridge, share, lambda;
    size_t dimensions, max_rounds, threads;
    bool nats, adopt, give_way, overload, difference, resume, json, ridge_given;
    char *state;  /* OUT.state, where an interrupted edit waits */
    char *before; /* W0.edits, the facts of earlier edits of this layer; NULL: none are wanted */
    char *after;  /* OUT.edits, where they go with the new ones */
    char *proved; /* CERTIFICATE.facts: what the proof is about, when facts were protected */
} edit_request;

/* Everything that comes out of files. New facts come first, those of earlier edits after them. */
typedef struct edit_data {
    ireneo_memory w0;
    float *matrix;         /* of w0 */
    facts_files files;     /* KEYS, VALUES */
    ireneo_facts facts;    /* new and earlier */
    size_t fresh, earlier; /* how many of each */
    float *keys, *residuals;
    int64_t *targets;
    double *margins; /* (facts) 0: as asked; NULL: all as asked */
    double *covariance;
    float *protect_keys, *protect_residuals;
    int64_t *protect_targets;
    size_t protect_count;
} edit_data;

typedef struct edit_outcome {
    ireneo_memory *edited, *difference;
    ireneo_edit_result result;
    ireneo_edit_info info;
    size_t recalled, earlier_kept; /* of the new facts, and of the earlier ones */
    bool rounded;                  /* --into: what is left after rounding to the type of the file */
    ireneo_dtype dtype;
    size_t rounded_recalled, rounded_kept; /* of new and earlier facts; of protected positions */
    size_t rounded_lost;                   /* facts that W recalls and the rounded matrix does not */
    double gap,
        rounded_gap; /* smallest of the facts that W recalls, before and after; those given up do not count */
} edit_outcome;

/* Loads everything. Returns 0 or an exit code after one sentence; release whatever comes. */
int load_edit(const command *self, const edit_request *q, edit_data *d);
void free_edit(edit_data *d);

/* Writes the facts of this and earlier edits beside the layer, and what a proof is about beside the proof. */
int save_edits(const command *self, const edit_request *q, const edit_data *d, const edit_outcome *o);
int save_proved_facts(const command *self, const edit_request *q, const edit_outcome *o);

/* Prints the report, as a table or as JSON, and gives the exit code. */
int report_edit(const command *self, const edit_request *q, const edit_data *d, const edit_outcome *o);

#endif
