/* Memories by a rule that looks at every fact once and searches for nothing: Hebb's, the delta rule, least squares. */
#ifndef IRENEO_LINEAR_SOLVER_ONE_PASS_H
#define IRENEO_LINEAR_SOLVER_ONE_PASS_H

#include "base/error.h"

/* The memory by the rule settings->solver; with a rank its best approximation. Fills in what the rule knows of *info, and
 * counts what the memory recalls. */
ireneo_error ireneo_one_pass_store(const ireneo_facts *facts, const ireneo_store_settings *settings,
                                   ireneo_memory **memory, ireneo_store_info *info);

/* Refuses settings that a rule cannot follow, and those of rules that the solver would not look at. */
ireneo_error ireneo_one_pass_check(const ireneo_facts *facts, const ireneo_store_settings *settings);

#endif
