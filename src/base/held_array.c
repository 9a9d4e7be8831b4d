/* Files over ranks. */
#include "base/held_array.h"
#include "base/digest.h"
#include "base/ram.h"

#include <string.h>

/* ---- the same files everywhere ---- */

/* Whether all ranks have the same bytes (size); few. */
static ireneo_error compare(ireneo_ranks *ranks, const void *mine, size_t size, const char *location,
                            const char *what) {
    void *all = NULL;
    size_t count = 0;
    IRENEO_TRY(ireneo_ranks_gather(ranks, IRENEO_ALL_RANKS, mine, 1, size, &all, &count));
    size_t other = 0;
    for (size_t k = 1; k < count && other == 0; k++)
        if (memcmp((const char *)all + k * size, all, size) != 0) other = k;
    free(all);
    if (other == 0) return IRENEO_OK;
    return ireneo_ranks_agree(ranks, ireneo_fail(IRENEO_ERROR_DATA,
                                                 "%s: rank %zu sees another %s than rank 0; all nodes must "
                                                 "see the same file",
                                                 location, other, what));
}

ireneo_error ireneo_held_describe(ireneo_ranks *ranks, const char *location, ireneo_array *array) {
    struct {
        uint64_t dtype, axes, shape[IRENEO_MAX_AXES];
    } mine = {0};
    IRENEO_TRY(ireneo_ranks_agree(ranks, ireneo_array_describe(location, array)));
    mine.dtype = (uint64_t)array->dtype;
    mine.axes = (uint64_t)array->axes;
    for (int k = 0; k < array->axes; k++) mine.shape[k] = array->shape[k];
    return compare(ranks, &mine, sizeof mine, location, "shape");
}

/* ---- rows ---- */

/* All rows are read, and those that are held are kept. */
static ireneo_error keep_held(ireneo_source *source, ireneo_matrix_reading reading,
                              const ireneo_holding *holding, float **values, size_t *columns,
                              ireneo_load_notes *notes) {
    size_t rows = 0;
    IRENEO_TRY(ireneo_source_to_matrix(source, reading, values, &rows, columns, notes));
    size_t each = rows / holding->total * *columns; /* of a row of the holding */
    memmove(*values, *values + holding->first * each, holding->rows * each * sizeof **values);
    float *smaller = realloc(*values, (holding->rows * each + 1) * sizeof **values);
    if (smaller != NULL) *values = smaller;
    return IRENEO_OK;
}

static ireneo_error read_held(ireneo_source *source, ireneo_matrix_reading reading,
                              const ireneo_holding *holding, float **values, size_t *columns,
                              ireneo_load_notes *notes) {
    const ireneo_layout *layout = &source->layout;
    size_t rows = 0;
    bool vector = layout->axes == 1 && reading == IRENEO_READ_QUERIES; /* one row */
    if (!vector && (layout->axes < 1 || layout->shape[0] != holding->total))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: the file has changed", source->location);
    if (holding->rows == 0) { /* of very few */
        *columns = layout->axes > 1 ? layout->shape[layout->axes - 1] : 1;
        return IRENEO_ALLOCATE(values, 1, source->location);
    }
    if (vector || layout->dtype == IRENEO_DTYPE_FLOAT64 ||
        !ireneo_source_cut(source, holding->first, holding->rows))
        return keep_held(source, reading, holding, values, columns, notes);
    return ireneo_source_to_matrix(source, reading, values, &rows, columns, notes);
}

ireneo_error ireneo_held_load(const char *location, ireneo_matrix_reading reading,
                              const ireneo_holding *holding, float **values, size_t *columns,
                              ireneo_load_notes *notes) {
    ireneo_source source;
    *values = NULL;
    *columns = 0;
    *notes = (ireneo_load_notes){0};
    ireneo_error failed = ireneo_source_open(location, &source);
    if (failed == IRENEO_OK) failed = read_held(&source, reading, holding, values, columns, notes);
    ireneo_source_close(&source);
    failed = ireneo_ranks_agree(holding->ranks, failed);
    if (failed != IRENEO_OK) {
        free(*values);
        *values = NULL;
    }
    return failed;
}

static ireneo_error read_indices(ireneo_source *source, const ireneo_holding *h, int64_t **values) {
    ireneo_array array;
    size_t count = 0;
    if (source->layout.axes < 1 || source->layout.shape[0] != h->total)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: the file has changed", source->location);
    bool cut = ireneo_source_cut(source, h->first, h->rows);
    IRENEO_TRY(ireneo_source_to_array(source, &array));
    ireneo_error failed = ireneo_array_to_indices(source->location, &array, values, &count);
    if (failed == IRENEO_OK && !cut) memmove(*values, *values + h->first, h->rows * sizeof **values);
    ireneo_array_close(&array);
    return failed;
}

ireneo_error ireneo_held_indices(const char *location, const ireneo_holding *holding, int64_t **values) {
    ireneo_source source;
    *values = NULL;
    ireneo_error failed = ireneo_source_open(location, &source);
    if (failed == IRENEO_OK) failed = read_indices(&source, holding, values);
    ireneo_source_close(&source);
    failed = ireneo_ranks_agree(holding->ranks, failed);
    if (failed != IRENEO_OK) {
        free(*values);
        *values = NULL;
    }
    return failed;
}

/* ---- once a node ---- */

/* The first rank of a node reads; sizes and a digest of the numbers tell whether all nodes see the same. */
typedef struct node_matrix {
    uint64_t rows, columns;
    unsigned char digest[IRENEO_DIGEST_BYTES];
    ireneo_load_notes notes;
} node_matrix;

static ireneo_error read_first(const char *location, ireneo_matrix_reading reading, float **values,
                               node_matrix *matrix) {
    ireneo_source source;
    size_t rows = 0, columns = 0;
    ireneo_digest d;
    ireneo_error failed = ireneo_source_open(location, &source);
    if (failed == IRENEO_OK)
        failed = ireneo_source_to_matrix(&source, reading, values, &rows, &columns, &matrix->notes);
    ireneo_source_close(&source);
    IRENEO_TRY(failed);
    matrix->rows = rows, matrix->columns = columns;
    ireneo_digest_begin(&d);
    ireneo_digest_bytes(&d, *values, rows * columns * sizeof **values);
    ireneo_digest_end(&d, matrix->digest);
    return IRENEO_OK;
}

/* What the first rank of rank 0's node read, unless that of another node read something else. */
static ireneo_error agree_on(ireneo_ranks *ranks, const char *location, bool first, node_matrix *matrix) {
    node_matrix expected = *matrix;
    ireneo_ranks_broadcast(ranks, 0, &expected, sizeof expected);
    bool same = !first || (expected.rows == matrix->rows && expected.columns == matrix->columns &&
                           memcmp(expected.digest, matrix->digest, sizeof expected.digest) == 0);
    *matrix = expected;
    return ireneo_ranks_agree(ranks, same ? IRENEO_OK
                                          : ireneo_fail(IRENEO_ERROR_DATA,
                                                        "%s: rank %zu sees other numbers than rank 0; all "
                                                        "nodes must see the same file",
                                                        location, ranks->rank));
}

ireneo_error ireneo_shared_load(ireneo_ranks *ranks, const char *location, ireneo_matrix_reading reading,
                                ireneo_shared *shared, size_t *rows, size_t *columns,
                                ireneo_load_notes *notes) {
    node_matrix matrix = {0};
    float *values = NULL;
    bool first = ranks->rank_in_node == 0;
    *shared = (ireneo_shared){0};
    ireneo_error failed =
        ireneo_ranks_agree(ranks, first ? read_first(location, reading, &values, &matrix) : IRENEO_OK);
    if (failed == IRENEO_OK) failed = agree_on(ranks, location, first, &matrix);
    if (failed == IRENEO_OK)
        failed = ireneo_shared_allocate(ranks, (size_t)(matrix.rows * matrix.columns), sizeof *values,
                                        location, shared);
    if (failed == IRENEO_OK) {
        if (first && values != NULL) memcpy(shared->bytes, values, shared->size);
        ireneo_shared_settle(ranks, shared);
        *rows = (size_t)matrix.rows, *columns = (size_t)matrix.columns;
        *notes = matrix.notes;
    }
    free(values);
    return failed;
}
