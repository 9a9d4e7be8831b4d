/* Moments on disk: what people want (second_moment, mean, count), and the exact sums, in canonical form, so that equal
 * moments are equal files. */
#include "linear/moments/moments_file.h"
#include "base/ram.h"
#include "base/seal.h"
#include "linear/moments/moments.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FORMAT "ireneo-moments-1"

/* ---- Writing ---- */

/* sums (*layers, entries) of all entries; a layer more is made when one of them needs it. */
static ireneo_error canonical_sums(const ireneo_moments *m, double **sums, size_t *layers) {
    size_t most = 1;
    double parts[IRENEO_EXPANSION_MOST];
    for (size_t k = 0; k < m->entries; k++) {
        size_t length = ireneo_moments_entry(m, k, parts);
        if (length > most) most = length;
    }
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(sums, most * m->entries, "exact sums"));
    for (size_t k = 0; k < m->entries; k++) {
        size_t length = ireneo_moments_entry(m, k, parts);
        for (size_t layer = 0; layer < length; layer++) (*sums)[layer * m->entries + k] = parts[layer];
    }
    *layers = most;
    return IRENEO_OK;
}

static ireneo_error write_file(const ireneo_moments *m, const char *path, const double *second,
                               const double *mean, const double *sums, size_t layers) {
    int64_t count = (int64_t)m->count;
    const ireneo_tensor tensors[] = {
        {"second_moment", IRENEO_DTYPE_FLOAT64, 2, {m->dim, m->dim}, second},
        {"mean", IRENEO_DTYPE_FLOAT64, 1, {m->dim}, mean},
        {"count", IRENEO_DTYPE_INT64, 1, {1}, &count},
        {"sums", IRENEO_DTYPE_FLOAT64, 2, {layers, m->entries}, sums},
    };
    const char *const metadata[] = {"format", FORMAT};
    return ireneo_save_sealed(path, tensors, sizeof tensors / sizeof tensors[0], metadata, 1);
}

ireneo_error ireneo_moments_save(const ireneo_moments *moments, const char *path) {
    IRENEO_REQUIRE(moments != NULL, "saving moments needs the moments");
    IRENEO_REQUIRE(path != NULL, "saving moments needs a path");
    double *second = NULL, *mean = NULL, *sums = NULL;
    size_t dim = moments->dim, layers = 0;
    ireneo_error failed = IRENEO_ALLOCATE(&second, dim * dim, "second moment");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&mean, dim, "mean");
    if (failed == IRENEO_OK) failed = ireneo_moments_read(moments, second, mean);
    if (failed == IRENEO_OK) failed = canonical_sums(moments, &sums, &layers);
    if (failed == IRENEO_OK) failed = write_file(moments, path, second, mean, sums, layers);
    free(second);
    free(mean);
    free(sums);
    return failed;
}

/* ---- Reading ---- */

ireneo_error ireneo_is_moments_file(const char *path, bool *is) {
    char *format = NULL;
    *is = false;
    IRENEO_TRY(ireneo_safetensors_metadata(path, "format", &format));
    *is = format != NULL && strcmp(format, FORMAT) == 0;
    ireneo_free(format);
    return IRENEO_OK;
}

static ireneo_error open_tensor(const char *path, const char *name, ireneo_array *array) {
    char *location = NULL;
    if (asprintf(&location, "%s:%s", path, name) < 0)
        return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for a path");
    ireneo_error failed = ireneo_array_open(location, array);
    free(location);
    return failed;
}

/* The dim of a triangle of (dim + 1) (dim + 2) / 2 entries; 0 when there is none. */
static size_t dim_of_entries(size_t entries) {
    size_t side = (size_t)((sqrt(8.0 * (double)entries + 1.0) - 1.0) / 2.0);
    while (side > 0 && ireneo_triangle_row(side) > entries) side--;
    while (side < 1 << 25 && ireneo_triangle_row(side) < entries) side++;
    return ireneo_triangle_row(side) == entries && side > 1 ? side - 1 : 0;
}

/* The entries of sums are finite, squares are not negative, and the last one is the count. */
static ireneo_error check_sums(const char *path, const ireneo_moments *m) {
    double parts[IRENEO_EXPANSION_MOST] = {0};
    for (size_t i = 0; i < m->dim; i++) {
        double square[IRENEO_EXPANSION_MOST] = {0};
        ireneo_moments_entry(m, ireneo_triangle_row(i) + i, square);
        if (square[0] < 0.0)
            return ireneo_fail(IRENEO_ERROR_DATA, "%s: the sum of squares of column %zu is negative", path,
                               i);
    }
    if (ireneo_moments_entry(m, m->entries - 1, parts) == 1 && parts[0] == (double)m->count) return IRENEO_OK;
    return ireneo_fail(IRENEO_ERROR_DATA, "%s: the exact sums are of another number of rows than its count",
                       path);
}

static ireneo_error take_sums(const char *path, const ireneo_array *sums, ireneo_moments *m) {
    const double *numbers = sums->data;
    double space[256];
    for (size_t k = 0; k < sums->count; k++)
        if (!(fabs(numbers[k]) <= DBL_MAX / IRENEO_EXPANSION_MOST))
            return ireneo_fail(IRENEO_ERROR_DATA, "%s: an exact sum is not finite", path);
    for (size_t layer = 0; layer < sums->shape[0]; layer++)
        for (size_t k = 0, many; k < m->entries; k += many) {
            many = m->entries - k < 256 ? m->entries - k : 256;
            memcpy(space, numbers + layer * m->entries + k, many * sizeof *space);
            IRENEO_TRY(ireneo_moments_take(m, k, many, space));
        }
    return check_sums(path, m);
}

static ireneo_error build(const char *path, const ireneo_array *sums, const ireneo_array *count,
                          ireneo_moments **moments) {
    size_t dim = sums->axes == 2 ? dim_of_entries(sums->shape[1]) : 0;
    if (dim == 0 || sums->dtype != IRENEO_DTYPE_FLOAT64 || sums->shape[0] == 0 ||
        sums->shape[0] > IRENEO_EXPANSION_MOST || count->dtype != IRENEO_DTYPE_INT64 || count->count != 1)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: its tensors are not those of moments", path);
    int64_t rows;
    memcpy(&rows, count->data, sizeof rows);
    if (rows < 1 || rows > (int64_t)1 << 53)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: the count of rows is out of range", path);
    ireneo_moments *m = NULL;
    IRENEO_TRY(ireneo_moments_new(dim, &m));
    m->count = (uint64_t)rows;
    ireneo_error failed = take_sums(path, sums, m);
    if (failed == IRENEO_OK)
        *moments = m;
    else
        ireneo_moments_free(m);
    return failed;
}

ireneo_error ireneo_moments_load(const char *path, ireneo_moments **moments) {
    IRENEO_REQUIRE(moments != NULL, "loading moments needs a place for them");
    *moments = NULL;
    IRENEO_REQUIRE(path != NULL, "loading moments needs a path");
    bool is = false, sealed = false;
    IRENEO_TRY(ireneo_is_moments_file(path, &is));
    if (!is)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "%s holds no moments; 'ireneo moments KEYS -o FILE' makes them from keys", path);
    IRENEO_TRY(ireneo_check_seal(path, &sealed));
    if (!sealed) return ireneo_fail(IRENEO_ERROR_DATA, "%s: these moments have lost their checksum", path);
    ireneo_array sums = {0}, count = {0};
    ireneo_error failed = open_tensor(path, "sums", &sums);
    if (failed == IRENEO_OK) failed = open_tensor(path, "count", &count);
    if (failed == IRENEO_OK) failed = build(path, &sums, &count, moments);
    ireneo_array_close(&sums);
    ireneo_array_close(&count);
    return failed;
}
