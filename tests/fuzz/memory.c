/* Memories from arbitrary bytes: what is accepted is finite and has a shape, names are text, and what can be asked
 * of it ends. */
#include "base/utf8.h"
#include "ireneo.h"
#include "sealed.h"

#include <math.h>

static void check_entries(const float *entries, size_t count) {
    for (size_t k = 0; entries != NULL && k < count; k++)
        if (!isfinite(entries[k])) abort();
}

static void check_labels(char *const *labels, size_t count) {
    for (size_t k = 0; labels != NULL && k < count; k++) {
        if (!ireneo_is_utf8(labels[k])) abort();
        for (const char *c = labels[k]; *c != '\0'; c++)
            if ((unsigned char)*c < ' ' || *c == 0x7f) abort();
    }
}

static void check_extras(const char *path, const ireneo_memory *m) {
    ireneo_memory_extras extras;
    if (ireneo_memory_load_extras(path, m, &extras) == IRENEO_OK) {
        check_entries(extras.values, extras.candidates * m->dim_out);
        check_entries(extras.keys, extras.facts * m->dim_in);
        if ((extras.key_labels != NULL && extras.keys == NULL) ||
            (extras.value_labels != NULL && extras.values == NULL))
            abort();
        check_labels(extras.key_labels, extras.facts);
        check_labels(extras.value_labels, extras.candidates);
    } else if (extras.values != NULL || extras.keys != NULL) {
        abort();
    }
    ireneo_memory_extras_free(&extras);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    ireneo_memory *m = NULL;
    const char *path = fuzz_sealed_file(0, bytes, count);
    if (ireneo_memory_load(path, &m) != IRENEO_OK) {
        if (m != NULL) abort();
        return 0;
    }
    if (m->dim_in == 0 || m->dim_out == 0 || (m->matrix == NULL) == (m->left == NULL)) abort();
    check_entries(m->matrix, m->dim_in * m->dim_out);
    check_entries(m->left, m->dim_out * m->rank);
    check_entries(m->right, m->dim_in * m->rank);
    check_extras(path, m);
    ireneo_memory_free(m);
    return 0;
}
