/* Memories from arbitrary bytes: what is accepted is finite and has a shape, and what can be asked of it ends. */
#include "fuzz.h"
#include "ireneo.h"

#include <math.h>

static void check_entries(const float *entries, size_t count) {
    for (size_t k = 0; entries != NULL && k < count; k++)
        if (!isfinite(entries[k])) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    ireneo_memory *m = NULL;
    const char *path = fuzz_file(0, bytes, count);
    if (ireneo_memory_load(path, &m) != IRENEO_OK) {
        if (m != NULL) abort();
        return 0;
    }
    if (m->dim_in == 0 || m->dim_out == 0 || (m->matrix == NULL) == (m->left == NULL)) abort();
    check_entries(m->matrix, m->dim_in * m->dim_out);
    check_entries(m->left, m->dim_out * m->rank);
    check_entries(m->right, m->dim_in * m->rank);
    ireneo_memory_free(m);
    return 0;
}
