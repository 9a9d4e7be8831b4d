/* Small questions about facts that every file of this room asks. */
#ifndef IRENEO_LINEAR_FACTS_FACTS_H
#define IRENEO_LINEAR_FACTS_FACTS_H

#include "base/error.h"

static inline size_t ireneo_target_of(const ireneo_facts *facts, size_t fact) {
    return facts->targets == NULL ? fact : (size_t)facts->targets[fact];
}

#endif
