/* Longer keys and wider memories. */
#include "linear/memory/extended.h"
#include "base/ram.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Powers of two between which float32 holds all digits, with a reserve for the sum of many. */
enum { HIGHEST = 100, LOWEST = -125, DIGITS = 24 };

/* Exponents of the largest entry, and of the smallest that is not zero; false when all are zero. */
static bool find_range(const float *entries, size_t count, int *largest, int *smallest) {
    *largest = INT_MIN, *smallest = INT_MAX;
    for (size_t k = 0; k < count; k++) {
        if (entries[k] == 0.0f) continue;
        int exponent = ilogbf(entries[k]);
        if (exponent > *largest) *largest = exponent;
        if (exponent < *smallest) *smallest = exponent;
    }
    return *largest != INT_MIN;
}

/* The e of s = 2^e: that of the memory's largest entry, moved where r / s would leave float32. */
static int choose_scale(const ireneo_memory *m, const float *residuals, size_t count) {
    int high, low, wanted, ignored;
    if (!find_range(residuals, count * m->dim_out, &high, &low)) return 0;
    if (m->rank == 0 ? !find_range(m->matrix, m->dim_out * m->dim_in, &wanted, &ignored)
                     : !find_range(m->left, m->dim_out * m->rank, &wanted, &ignored))
        return 0;
    int least = high - HIGHEST, most = low - LOWEST - DIGITS;
    if (least > most) return 0; /* offsets that span all of float32 */
    return wanted < least ? least : wanted > most ? most : wanted;
}

/* target (rows, width) += entries (rows, columns) from a column on. */
static void put(float *target, size_t width, size_t column, const float *entries, size_t rows,
                size_t columns) {
    for (size_t i = 0; i < rows; i++)
        memcpy(target + i * width + column, entries + i * columns, columns * sizeof *target);
}

static void put_diagonal(float *target, size_t width, size_t column, size_t dim, float entry) {
    for (size_t a = 0; a < dim; a++) target[a * width + column + a] = entry;
}

static ireneo_error widen(const ireneo_memory *m, float scale, ireneo_extended *e) {
    size_t in = m->dim_in, out = m->dim_out, width = in + out;
    e->memory = *m;
    e->memory.dim_in = width;
    if (m->rank == 0) {
        IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&e->numbers, out * width, "a memory with offsets"));
        e->memory.matrix = e->numbers;
        put(e->numbers, width, 0, m->matrix, out, in);
        put_diagonal(e->numbers, width, in, out, scale);
        return IRENEO_OK;
    }
    size_t rank = m->rank + out; /* [U, s I] [V, 0; 0, I]^T */
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&e->numbers, (out + width) * rank, "a memory with offsets"));
    e->memory.rank = rank;
    e->memory.left = e->numbers;
    e->memory.right = e->numbers + out * rank;
    put(e->memory.left, rank, 0, m->left, out, m->rank);
    put_diagonal(e->memory.left, rank, m->rank, out, scale);
    put(e->memory.right, rank, 0, m->right, in, m->rank);
    put_diagonal(e->memory.right + in * rank, rank, m->rank, out, 1.0f);
    return IRENEO_OK;
}

static ireneo_error lengthen(const ireneo_memory *m, const float *keys, const float *residuals, size_t count,
                             int exponent, ireneo_extended *e) {
    size_t width = m->dim_in + m->dim_out;
    double factor = ldexp(1.0, -exponent);
    IRENEO_TRY(IRENEO_ALLOCATE(&e->keys, count * width, "keys with offsets"));
    put(e->keys, width, 0, keys, count, m->dim_in);
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < m->dim_out; a++)
            e->keys[i * width + m->dim_in + a] = (float)((double)residuals[i * m->dim_out + a] * factor);
    return IRENEO_OK;
}

ireneo_error ireneo_extended_make(const ireneo_memory *memory, const float *keys, const float *residuals,
                                  size_t count, ireneo_extended *e) {
    *e = (ireneo_extended){0};
    int exponent = choose_scale(memory, residuals, count);
    ireneo_error failed = widen(memory, (float)ldexp(1.0, exponent), e);
    if (failed == IRENEO_OK) failed = lengthen(memory, keys, residuals, count, exponent, e);
    if (failed != IRENEO_OK) ireneo_extended_free(e);
    return failed;
}

void ireneo_extended_free(ireneo_extended *e) {
    free(e->numbers), free(e->keys);
    *e = (ireneo_extended){0};
}
