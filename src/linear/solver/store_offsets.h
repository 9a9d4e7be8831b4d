/* Storing facts with offsets. */
#ifndef IRENEO_LINEAR_SOLVER_STORE_OFFSETS_H
#define IRENEO_LINEAR_SOLVER_STORE_OFFSETS_H

#include "base/error.h"

/* ireneo_store for facts that have residuals and were checked. */
ireneo_error ireneo_store_offsets(const ireneo_facts *facts, const ireneo_store_settings *settings,
                                  ireneo_memory **memory, ireneo_store_result *result,
                                  ireneo_store_info *info);

#endif
