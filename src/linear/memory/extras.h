/* What a file holds beside a memory: values, keys, and the names of both. */
#ifndef IRENEO_LINEAR_MEMORY_EXTRAS_H
#define IRENEO_LINEAR_MEMORY_EXTRAS_H

#include "linear/memory/labels.h"

enum { IRENEO_MOST_EXTRAS = 6 };

/* Extras as tensors to be written. */
typedef struct ireneo_packed_extras {
    ireneo_tensor tensors[IRENEO_MOST_EXTRAS];
    size_t count;
    ireneo_packed_labels keys, values;
} ireneo_packed_extras;

/* Views of the arrays and packed labels; extras NULL: none. Nothing is to be released after a failure. */
ireneo_error ireneo_extras_pack(const ireneo_memory *memory, const ireneo_memory_extras *extras,
                                ireneo_packed_extras *packed);
void ireneo_packed_extras_free(ireneo_packed_extras *packed);

#endif
