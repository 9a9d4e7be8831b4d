/* What `dense audit` and `dense recall` share: the preparation of patterns, and the report about them. */
#ifndef IRENEO_CLI_DENSE_AUDIT_H
#define IRENEO_CLI_DENSE_AUDIT_H

#include "labels.h"
#include "report.h"

typedef struct preparation_flags {
    bool normalise, whiten, raw;
} preparation_flags;

#define PREPARATIONS(value_)                                                                                 \
    FLAG("normalise", &(value_)->normalise, "patterns and queries to length sqrt(N): the default"),          \
        FLAG("whiten", &(value_)->whiten, "patterns and queries in white coordinates, then to one length"),  \
        FLAG("raw", &(value_)->raw, "patterns and queries as they are")

/* Returns 0, or an exit code after one sentence when more than one was given. */
int choose_preparation(const command *self, const preparation_flags *flags,
                       ireneo_dense_preparation *preparation);

/* Labels may be empty. */
void print_audit(ireneo_dense_preparation preparation, const ireneo_dense_audit_report *report,
                 const label_file *labels);

/* The fields of a report, into an object that is open. */
void write_audit(ireneo_json *json, const ireneo_dense_audit_report *report);

#endif
