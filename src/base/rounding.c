/* Rounding to float32: counted, and refused where it loses what matters. */
#include "base/rounding.h"

#include "base/dtype.h"
#include "base/hash.h"
#include "base/ram.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Whether float32, with its 24 bits, holds this whole number. */
static bool float_holds(uint64_t magnitude) {
    return magnitude == 0 || magnitude >> __builtin_ctzll(magnitude) < (1u << FLT_MANT_DIG);
}

static bool whole_is_kept(ireneo_dtype dtype, const unsigned char *element) {
    uint64_t natural = 0;
    int64_t whole = 0;
    if (dtype == IRENEO_DTYPE_UINT64) {
        memcpy(&natural, element, sizeof natural);
        return float_holds(natural);
    }
    ireneo_whole_element(dtype, element, &whole);
    return float_holds(whole < 0 ? -(uint64_t)whole : (uint64_t)whole);
}

/* For a number that was changed. Whole ones below 2^24 never are; beyond 2^53 every float64 is whole, and that
 * says nothing about what was meant. */
static bool is_lost(double exact, float rounded) {
    double size = fabs(exact);
    return fabsf(rounded) < FLT_MIN || (size > 0x1p24 && size <= 0x1p53 && exact == floor(exact));
}

static size_t first_lost_f64(const unsigned char *elements, size_t count, const float *values,
                             ireneo_load_notes *notes) {
    for (size_t i = 0; i < count; i++) {
        double exact;
        memcpy(&exact, elements + i * sizeof exact, sizeof exact);
        double error = fabs((double)values[i] - exact);
        if (error == 0) continue;
        if (!(fabsf(values[i]) <= FLT_MAX) || is_lost(exact, values[i])) return i;
        notes->rounded++;
        if (error > notes->largest_rounding * fabs(exact)) notes->largest_rounding = error / fabs(exact);
    }
    return count;
}

static size_t first_lost_whole(ireneo_dtype dtype, const unsigned char *elements, size_t count) {
    size_t size = ireneo_dtype_size(dtype);
    if (size < sizeof(float)) return count;
    for (size_t i = 0; i < count; i++)
        if (!whole_is_kept(dtype, elements + i * size)) return i;
    return count;
}

static size_t first_infinite(const float *values, size_t count) {
    bool finite = true;
    for (size_t i = 0; i < count; i++) finite &= fabsf(values[i]) <= FLT_MAX;
    for (size_t i = 0; !finite && i < count; i++)
        if (!(fabsf(values[i]) <= FLT_MAX)) return i;
    return count;
}

size_t ireneo_rounding_first_lost(ireneo_dtype dtype, const unsigned char *elements, size_t count,
                                  const float *values, ireneo_load_notes *notes) {
    if (dtype == IRENEO_DTYPE_FLOAT64) return first_lost_f64(elements, count, values, notes);
    if (ireneo_dtype_whole(dtype)) return first_lost_whole(dtype, elements, count);
    return first_infinite(values, count);
}

ireneo_error ireneo_rounding_fail(const char *location, ireneo_dtype dtype, const unsigned char *element,
                                  size_t row, size_t column) {
    double value = ireneo_element(dtype, element);
    const char *counted = "(counting from 0)";
    if (isnan(value))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: row %zu, column %zu is NaN %s", location, row, column,
                           counted);
    if (isinf(value))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: row %zu, column %zu is infinite %s", location, row, column,
                           counted);
    if (fabs(value) > (double)FLT_MAX)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: row %zu, column %zu is %g, too large for float32 %s",
                           location, row, column, value, counted);
    if (fabs(value) < 1)
        return ireneo_fail(
            IRENEO_ERROR_DATA,
            "%s: row %zu, column %zu is %g, too small for float32 %s; multiply all by a number "
            "that brings them near 1",
            location, row, column, value, counted);
    int64_t whole = 0;
    if (!ireneo_whole_element(dtype, element, &whole)) whole = (int64_t)fmin(value, 0x1p62);
    return ireneo_fail(
        IRENEO_ERROR_DATA,
        "%s: row %zu, column %zu is %lld, a whole number that float32 cannot hold %s; are these "
        "indices rather than vectors? Otherwise subtract what they have in common",
        location, row, column, (long long)whole, counted);
}

/* ---- Rows that no longer differ ---- */

uint64_t ireneo_rounding_mark(double value, size_t column) {
    uint64_t bits;
    value += 0.0; /* the two zeros are equal */
    memcpy(&bits, &value, sizeof bits);
    return ireneo_hash_number(bits + (column + 1) * IRENEO_GOLDEN_RATIO);
}

typedef struct marked_row {
    uint64_t kept, before; /* marks of the row in float32 and in the file */
    size_t row;
} marked_row;

static int compare_marks(const void *a, const void *b) {
    const marked_row *x = a, *y = b;
    if (x->kept != y->kept) return x->kept < y->kept ? -1 : 1;
    if (x->before != y->before) return x->before < y->before ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

ireneo_error ireneo_rounding_distinct(const char *location, const float *matrix, size_t rows, size_t columns,
                                      size_t group, const uint64_t *marks) {
    marked_row *list = NULL; /* (rows) */
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&list, rows, location));
    for (size_t i = 0; i < rows; i++) {
        list[i].row = i;
        list[i].before = marks[i];
        list[i].kept = ireneo_hash_number(i / group);
        for (size_t j = 0; j < columns; j++)
            list[i].kept += ireneo_rounding_mark((double)matrix[i * columns + j], j);
    }
    qsort(list, rows, sizeof *list, compare_marks);
    size_t i = 1;
    while (i < rows && (list[i].kept != list[i - 1].kept || list[i].before == list[i - 1].before)) i++;
    size_t one = i < rows ? list[i - 1].row : 0, other = i < rows ? list[i].row : 0;
    free(list);
    if (one == other) return IRENEO_OK;
    return ireneo_fail(IRENEO_ERROR_DATA,
                       "%s: rows %zu and %zu differ in float64 but are equal in float32 (counting from 0); "
                       "subtract what the rows have in common, or drop one of the two",
                       location, one < other ? one : other, one < other ? other : one);
}
