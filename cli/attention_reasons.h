/* What stands in the way of training, in one word each: the same words in every report and on the page. */
#ifndef IRENEO_CLI_ATTENTION_REASONS_H
#define IRENEO_CLI_ATTENTION_REASONS_H

#include "attention.h"

typedef struct reasons {
    const char *words[5];
    size_t count;
} reasons;

/* "rank", "entropy", "gradients", "rate" (too large) and "slow" (too small), as they fail. */
reasons reasons_of_cell(const ireneo_attention_trainability_cell *cell);
reasons reasons_of_assessment(const ireneo_attention_assessment *assessment);

/* The list "fails" of a report. */
void write_reasons(ireneo_json *json, const reasons *reasons);

#endif
