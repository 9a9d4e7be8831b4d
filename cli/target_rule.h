/* How the answers of random facts are chosen: the option --targets of commands that draw facts. */
#ifndef IRENEO_CLI_TARGET_RULE_H
#define IRENEO_CLI_TARGET_RULE_H

#include "report.h"

/* The row of the option. */
#define TARGET_RULE(value_)                                                                                  \
    TEXT("targets", value_, "RULE",                                                                          \
         "answers: each (every value in turn; the default), random, or zipf:S, the t-th value with chance "  \
         "~ 1 / t^S")

/* Reads such a rule; NULL is each. Answers that are drawn need --candidates, and facts that share their candidates.
 * Returns 0 or an exit code. */
int parse_target_rule(const command *self, const char *text, bool decoupled, size_t candidates,
                      ireneo_targets *rule, double *zipf);

#endif
