/* Memories and facts whose scores tie exactly although no term of them does, in products of 73 bits; and, beside
 * them, gaps 2^-60 times smaller than the scores. float64 sees neither. */
#ifndef IRENEO_TESTS_ATTACK_TIES_H
#define IRENEO_TESTS_ATTACK_TIES_H

#include "kinds.h"

typedef struct ties {
    ireneo_facts facts;
    ireneo_memory memory;
    float matrix[8], keys[KIND_MOST * 2], values[KIND_MOST * 4];
    int64_t targets[KIND_MOST];
} ties;

/* Filled in place. */
void ties_make(ties *t, ireneo_generator *g);

#endif
