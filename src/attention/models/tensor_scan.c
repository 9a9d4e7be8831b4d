/* Sums over a matrix in a file, in one pass of bounded memory. */
#include "attention/models/tensor_scan.h"

#include "base/dtype.h"
#include "base/ram.h"
#include "base/source.h"

#include <math.h>
#include <stdio.h>

/* Sums over one part: of entries, of their squares, and of these times the squared gain. */
typedef struct sums {
    double plain, squares, weighted, count;
} sums;

typedef struct scan {
    const ireneo_scan_request *request;
    size_t columns;
    float *values; /* one block as float32 */
    sums parts[IRENEO_SCAN_PARTS];
} scan;

ireneo_error ireneo_tensor_location(const char *path, const char *name, char **location) {
    if (asprintf(location, "%s:%s", path, name) >= 0) return IRENEO_OK;
    *location = NULL;
    return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory to open %s", path);
}

static bool is_real(ireneo_dtype dtype) {
    return dtype == IRENEO_DTYPE_FLOAT16 || dtype == IRENEO_DTYPE_BFLOAT16 || dtype == IRENEO_DTYPE_FLOAT32 ||
           dtype == IRENEO_DTYPE_FLOAT64;
}

static ireneo_error check_matrix(const ireneo_source *source) {
    const ireneo_layout *layout = &source->layout;
    if (layout->axes != 2 || layout->count == 0)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: a weight matrix has two axes and is not empty",
                           source->location);
    if (!is_real(layout->dtype))
        return ireneo_fail(
            IRENEO_ERROR_DATA,
            "%s: weights of type %s are not read; convert them to float32, float16 or bfloat16",
            source->location, ireneo_dtype_name(layout->dtype));
    return IRENEO_OK;
}

/* Entries (count) that lie side by side; gain (count) goes along, or one `factor` is that of all. */
static void add_entries(const float *entries, size_t count, const double *gain, double factor, sums *to) {
    double plain = 0.0, squares = 0.0, weighted = 0.0;
#pragma omp simd reduction(+ : plain, squares)
    for (size_t k = 0; k < count; k++) {
        double entry = (double)entries[k];
        plain += entry;
        squares += entry * entry;
    }
    if (gain != NULL) {
#pragma omp simd reduction(+ : weighted)
        for (size_t k = 0; k < count; k++) {
            double entry = (double)entries[k] * gain[k];
            weighted += entry * entry;
        }
    }
    to->plain += plain;
    to->squares += squares;
    to->weighted += gain != NULL ? weighted : factor * factor * squares;
    to->count += (double)count;
}

/* The part that an output belongs to. */
static size_t part_of(const ireneo_scan_request *r, size_t output) {
    size_t part = 0;
    while (part + 1 < r->parts && output >= r->ends[part]) part++;
    return part;
}

/* Some entries of one row of the file. */
static void add_row(scan *s, const float *entries, size_t row, size_t column, size_t count) {
    const ireneo_scan_request *r = s->request;
    if (!r->transposed) {
        add_entries(entries, count, r->gain != NULL ? r->gain + column : NULL, 1.0,
                    &s->parts[part_of(r, row)]);
        return;
    }
    double factor = r->gain != NULL ? r->gain[row] : 1.0;
    for (size_t k = 0, many; k < count; k += many) {
        size_t part = part_of(r, column + k), left = r->ends[part] - column - k;
        many = left < count - k ? left : count - k;
        add_entries(entries + k, many, NULL, factor, &s->parts[part]);
    }
}

static ireneo_error take_block(void *context, const ireneo_layout *layout, const unsigned char *elements,
                               size_t first, size_t count) {
    scan *s = context;
    ireneo_elements_to_float(layout->dtype, elements, count, s->values);
    for (size_t k = 0, many; k < count; k += many) {
        size_t row = (first + k) / s->columns, column = (first + k) % s->columns;
        many = s->columns - column < count - k ? s->columns - column : count - k;
        add_row(s, s->values + k, row, column, many);
    }
    return IRENEO_OK;
}

static ireneo_error finish(const ireneo_source *source, const scan *s, ireneo_scan_part *parts) {
    for (size_t p = 0; p < s->request->parts; p++) {
        const sums *sum = &s->parts[p];
        double mean = sum->plain / sum->count, power = sum->squares / sum->count;
        if (!isfinite(power))
            return ireneo_fail(IRENEO_ERROR_DATA, "%s holds NaN or infinity, or numbers beyond float32",
                               source->location);
        parts[p].deviation = sqrt(fmax(power - mean * mean, 0.0));
        parts[p].power = sum->weighted / sum->count;
    }
    return IRENEO_OK;
}

static ireneo_error scan_source(ireneo_source *source, const ireneo_scan_request *request,
                                ireneo_scan_part *parts) {
    scan s = {.request = request};
    IRENEO_TRY(check_matrix(source));
    s.columns = source->layout.shape[1];
    IRENEO_TRY(IRENEO_ALLOCATE(&s.values, ireneo_block_elements(&source->layout), "a block of weights"));
    ireneo_error failed = ireneo_source_visit(source, take_block, &s);
    free(s.values);
    return failed == IRENEO_OK ? finish(source, &s, parts) : failed;
}

ireneo_error ireneo_tensor_scan(const char *path, const char *name, const ireneo_scan_request *request,
                                ireneo_scan_part parts[IRENEO_SCAN_PARTS]) {
    char *location = NULL;
    ireneo_source source;
    IRENEO_TRY(ireneo_tensor_location(path, name, &location));
    ireneo_error failed = ireneo_source_open(location, &source);
    if (failed == IRENEO_OK) failed = scan_source(&source, request, parts);
    ireneo_source_close(&source);
    free(location);
    return failed;
}

ireneo_error ireneo_tensor_shape(const char *path, const char *name, size_t *rows, size_t *columns) {
    char *location = NULL;
    ireneo_source source;
    IRENEO_TRY(ireneo_tensor_location(path, name, &location));
    ireneo_error failed = ireneo_source_open(location, &source);
    if (failed == IRENEO_OK) failed = check_matrix(&source);
    if (failed == IRENEO_OK) *rows = source.layout.shape[0], *columns = source.layout.shape[1];
    ireneo_source_close(&source);
    free(location);
    return failed;
}

ireneo_error ireneo_tensor_vector(const char *path, const char *name, double **values, size_t *count) {
    char *location = NULL;
    IRENEO_TRY(ireneo_tensor_location(path, name, &location));
    ireneo_error failed = ireneo_load_vector(location, values, count);
    free(location);
    return failed;
}
