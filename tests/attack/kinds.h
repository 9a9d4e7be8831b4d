/* Small instances of the kinds that break linear programs in floating point: ties, copies, zeros, extreme and mixed
 * scales, keys that are nearly dependent, targets inside the hull of others. Each is a function of (seed, number). */
#ifndef IRENEO_TESTS_ATTACK_KINDS_H
#define IRENEO_TESTS_ATTACK_KINDS_H

#include "base/random.h"
#include "ireneo.h"

enum { KIND_COUNT = 17, KIND_MOST_DIM = 6, KIND_MOST = 12 };

extern const char *const kind_names[KIND_COUNT];

typedef struct kind_instance {
    ireneo_facts facts;
    ireneo_sample sample; /* own candidates of the decoupled kind */
    int kind;
    float keys[KIND_MOST * KIND_MOST_DIM], values[KIND_MOST * KIND_MOST_DIM];
    int64_t targets[KIND_MOST];
} kind_instance;

/* Kind number % KIND_COUNT. Filled in place: the facts point into the instance. */
void kind_make(kind_instance *instance, uint64_t seed, uint64_t number);

/* A whole number in [least, most]. */
size_t kind_between(ireneo_generator *g, size_t least, size_t most);

#endif
