/* Moments of keys in files, a tile of rows at a time. */
#include "base/array.h"
#include "base/dtype.h"
#include "base/foreign.h"
#include "base/progress.h"
#include "base/ram.h"
#include "base/rounding.h"
#include "base/threads.h"
#include "linear/moments/moments.h"
#include "linear/moments/moments_file.h"

#include <string.h>

typedef struct reader {
    const char *location;
    ireneo_moments *moments;
    size_t rows, done; /* of the file at hand: how many there are, and were summed */
    float *tile;       /* (IRENEO_SLICE_ROWS, dim) */
    size_t filled;     /* numbers in it */
    ireneo_load_notes notes;
    int threads;
    const ireneo_progress *progress;
} reader;

static ireneo_error flush(reader *r) {
    size_t rows = r->filled / r->moments->dim;
    if (rows == 0) return IRENEO_OK;
    if (ireneo_report(r->progress, "summing rows", (double)r->done, (double)r->rows) != 0)
        return ireneo_fail(IRENEO_ERROR_CANCELLED, "the sum over rows was stopped");
    r->filled = 0;
    r->done += rows;
    return ireneo_moments_tile(r->moments, r->tile, rows, r->threads);
}

/* Elements first .. first + count - 1 in row-major order, however blocks and rows fall together. */
static ireneo_error take_block(void *context, const ireneo_layout *layout, const unsigned char *elements,
                               size_t first, size_t count) {
    reader *r = context;
    size_t size = ireneo_dtype_size(layout->dtype), room = IRENEO_SLICE_ROWS * r->moments->dim, many;
    for (size_t k = 0; k < count; k += many) {
        many = count - k < room - r->filled ? count - k : room - r->filled;
        float *values = r->tile + r->filled;
        const unsigned char *from = elements + k * size;
        ireneo_elements_to_float(layout->dtype, from, many, values);
        size_t lost = ireneo_rounding_first_lost(layout->dtype, from, many, values, &r->notes);
        if (lost < many)
            return ireneo_rounding_fail(r->location, layout->dtype, from + lost * size,
                                        (first + k + lost) / r->moments->dim,
                                        (first + k + lost) % r->moments->dim);
        r->filled += many;
        if (r->filled == room) IRENEO_TRY(flush(r));
    }
    return IRENEO_OK;
}

/* An array in Fortran order comes by columns: it is read whole, and taken by rows. */
static ireneo_error take_whole(ireneo_source *source, reader *r) {
    ireneo_array array;
    IRENEO_TRY(ireneo_source_to_array(source, &array));
    ireneo_error failed = take_block(r, &source->layout, array.data, 0, array.count);
    ireneo_array_close(&array);
    return failed;
}

static ireneo_error add_source(ireneo_source *source, reader *r) {
    const ireneo_layout *layout = &source->layout;
    if (layout->axes < 2)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: the array has %d axes; keys are a matrix, a row each",
                           source->location, layout->axes);
    if (layout->count == 0) return ireneo_fail(IRENEO_ERROR_DATA, "%s: the array is empty", source->location);
    size_t dim = layout->shape[layout->axes - 1];
    if (r->moments == NULL) IRENEO_TRY(ireneo_moments_new(dim, &r->moments));
    if (dim != r->moments->dim)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: keys have %zu entries, but those before it have %zu",
                           source->location, dim, r->moments->dim);
    if (r->tile == NULL) IRENEO_TRY(IRENEO_ALLOCATE(&r->tile, IRENEO_SLICE_ROWS * dim, "a tile of rows"));
    r->rows = layout->count / dim, r->done = 0, r->filled = 0;
    IRENEO_TRY(layout->fortran_order ? take_whole(source, r) : ireneo_source_visit(source, take_block, r));
    return flush(r);
}

static ireneo_error add_moments(const char *path, reader *r) {
    ireneo_moments *part = NULL;
    IRENEO_TRY(ireneo_moments_load(path, &part));
    if (r->moments == NULL) {
        r->moments = part;
        return IRENEO_OK;
    }
    ireneo_error failed =
        part->dim == r->moments->dim
            ? ireneo_moments_merge(r->moments, part)
            : ireneo_fail(IRENEO_ERROR_DATA,
                          "%s: moments of keys of %zu entries, but those before it have %zu", path, part->dim,
                          r->moments->dim);
    ireneo_moments_free(part);
    return failed;
}

static ireneo_error add_location(const char *location, reader *r) {
    bool is = false;
    IRENEO_REQUIRE(location != NULL, "no file to read was given");
    r->location = location;
    if (ireneo_ends_with(location, ".safetensors")) IRENEO_TRY(ireneo_is_moments_file(location, &is));
    if (is) return add_moments(location, r);
    ireneo_source source;
    ireneo_error failed = ireneo_source_open(location, &source);
    if (failed == IRENEO_OK) failed = add_source(&source, r);
    ireneo_source_close(&source);
    return failed;
}

static ireneo_error add_all(const char *const *locations, size_t count, reader *r) {
    ireneo_error failed = IRENEO_OK;
    for (size_t k = 0; failed == IRENEO_OK && k < count; k++) failed = add_location(locations[k], r);
    free(r->tile);
    return failed;
}

ireneo_error ireneo_moments_of_files(const char *const *locations, size_t count,
                                     const ireneo_run_settings *settings, ireneo_moments **moments) {
    IRENEO_REQUIRE(moments != NULL, "moments need a place for them");
    *moments = NULL;
    IRENEO_REQUIRE(locations != NULL && count > 0, "moments need at least one file of keys");
    reader r = {0};
    IRENEO_TRY(ireneo_enter_run(settings, &r.threads, &r.progress));
    ireneo_error failed = add_all(locations, count, &r);
    if (failed == IRENEO_OK)
        *moments = r.moments;
    else
        ireneo_moments_free(r.moments);
    return ireneo_leave(failed);
}
