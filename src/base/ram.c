/* Checked allocation. */
#include "base/ram.h"

#include <stdint.h>
#include <string.h>

enum { CACHE_LINE = 64 };

ireneo_error ireneo_multiply_sizes(size_t a, size_t b, size_t *product, const char *what) {
    if (__builtin_mul_overflow(a, b, product))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s: %zu x %zu is more than this machine can address", what,
                           a, b);
    return IRENEO_OK;
}

ireneo_error ireneo_allocate(void **block, size_t count, size_t size, const char *what) {
    *block = NULL;
    size_t bytes = 0;
    IRENEO_TRY(ireneo_multiply_sizes(count, size, &bytes, what));
    if (bytes > SIZE_MAX / 2)
        return ireneo_fail(IRENEO_ERROR_MEMORY, "%s needs %zu bytes, more than any machine has", what, bytes);
    size_t rounded =
        (bytes / CACHE_LINE + 1) * CACHE_LINE; /* never zero, and a vector load may touch the rest */
    *block = aligned_alloc(CACHE_LINE, rounded);
    if (*block == NULL)
        return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory: %s needs %.3g GB", what,
                           (double)bytes / 1e9);
    return IRENEO_OK;
}

ireneo_error ireneo_allocate_zeroed(void **block, size_t count, size_t size, const char *what) {
    IRENEO_TRY(ireneo_allocate(block, count, size, what));
    if (*block != NULL) memset(*block, 0, count * size);
    return IRENEO_OK;
}

void ireneo_free(void *block) {
    free(block);
}
