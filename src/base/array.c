/* Arrays from files: shapes, and the loaders of arrays, matrices, indices and vectors. */
#include "base/array.h"

#include "base/dtype.h"
#include "base/ram.h"
#include "base/rounding.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Shapes ---- */

bool ireneo_shape_bytes(ireneo_dtype dtype, int axes, const size_t *shape, size_t *count, size_t *bytes) {
    size_t product = 1, total = 0;
    bool empty = false;
    for (int axis = 0; axis < axes; axis++) {
        if (shape[axis] == 0)
            empty = true;
        else if (__builtin_mul_overflow(product, shape[axis], &product))
            return false;
    }
    if (__builtin_mul_overflow(product, ireneo_dtype_size(dtype), &total)) return false;
    *count = empty ? 0 : product;
    *bytes = empty ? 0 : total;
    return true;
}

ireneo_error ireneo_check_writable(const char *what, ireneo_dtype dtype, int axes, const size_t *shape,
                                   const void *data, size_t *bytes) {
    size_t count = 0;
    if (ireneo_dtype_size(dtype) == 0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s has an unknown element type %d", what, (int)dtype);
    if (axes < 0 || axes > IRENEO_MAX_AXES)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s has %d axes; 0 to %d are possible", what, axes,
                           IRENEO_MAX_AXES);
    if (axes > 0 && shape == NULL) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s has no shape", what);
    if (!ireneo_shape_bytes(dtype, axes, shape, &count, bytes))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s has a shape larger than any memory", what);
    if (count > 0 && data == NULL) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s has no data", what);
    return IRENEO_OK;
}

/* ---- Arrays ---- */

static ireneo_error place_raw(void *context, const ireneo_layout *layout, const unsigned char *elements,
                              size_t first, size_t count) {
    ireneo_place_block(layout, elements, ireneo_dtype_size(layout->dtype), first, count, context);
    return IRENEO_OK;
}

static ireneo_array described(const ireneo_layout *layout) {
    ireneo_array array = {.dtype = layout->dtype, .axes = layout->axes, .count = layout->count};
    memcpy(array.shape, layout->shape, sizeof array.shape);
    return array;
}

ireneo_error ireneo_source_to_array(ireneo_source *source, ireneo_array *array) {
    unsigned char *block = NULL;
    *array = (ireneo_array){0};
    IRENEO_TRY(ireneo_ram_require((double)source->layout.bytes, source->location));
    IRENEO_TRY(IRENEO_ALLOCATE(&block, source->layout.bytes, source->location));
    ireneo_error error = ireneo_source_visit(source, place_raw, block);
    if (error != IRENEO_OK) {
        free(block);
        return error;
    }
    *array = described(&source->layout);
    array->data = array->block = block;
    return IRENEO_OK;
}

ireneo_error ireneo_array_open(const char *location, ireneo_array *array) {
    IRENEO_REQUIRE(array != NULL, "opening an array needs a place for it");
    *array = (ireneo_array){0};
    ireneo_source source;
    ireneo_error error = ireneo_source_open(location, &source);
    if (error == IRENEO_OK) error = ireneo_source_to_array(&source, array);
    ireneo_source_close(&source);
    return error;
}

ireneo_error ireneo_array_describe(const char *location, ireneo_array *array) {
    IRENEO_REQUIRE(array != NULL, "describing an array needs a place for it");
    *array = (ireneo_array){0};
    ireneo_source source;
    ireneo_error error = ireneo_source_open(location, &source);
    if (error == IRENEO_OK) *array = described(&source.layout);
    ireneo_source_close(&source);
    return error;
}

void ireneo_array_close(ireneo_array *array) {
    if (array == NULL) return;
    free(array->block);
    *array = (ireneo_array){0};
}

/* ---- Matrices ---- */

typedef struct matrix_reader {
    const char *location;
    size_t rows, columns, group; /* rows that must stay distinct come in groups of so many */
    size_t before;               /* elements of the file before those that are read */
    float *matrix;               /* (rows, columns) */
    float *block;                /* one block in float32 */
    uint64_t *marks;             /* (rows), of the file's float64; NULL: not wanted */
    ireneo_load_notes *notes;
} matrix_reader;

/* Neighbours in the file are neighbours in a row, or with Fortran order in a column. */
static void mark_rows(const matrix_reader *r, const ireneo_layout *layout, const unsigned char *elements,
                      size_t first, size_t count) {
    size_t row = first / r->columns, column = first % r->columns;
    for (size_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, elements + i * sizeof value, sizeof value);
        if (layout->fortran_order) {
            size_t place = ireneo_layout_place(layout, first + i);
            row = place / r->columns, column = place % r->columns;
        }
        r->marks[row] += ireneo_rounding_mark(value, column);
        if (++column == r->columns) row++, column = 0;
    }
}

static ireneo_error convert_block(void *context, const ireneo_layout *layout, const unsigned char *elements,
                                  size_t first, size_t count) {
    matrix_reader *r = context;
    float *values = layout->fortran_order ? r->block : r->matrix + first;
    ireneo_elements_to_float(layout->dtype, elements, count, values);
    size_t lost = ireneo_rounding_first_lost(layout->dtype, elements, count, values, r->notes);
    if (lost < count) {
        size_t place = r->before + ireneo_layout_place(layout, first + lost);
        return ireneo_rounding_fail(r->location, layout->dtype,
                                    elements + lost * ireneo_dtype_size(layout->dtype), place / r->columns,
                                    place % r->columns);
    }
    if (layout->fortran_order) ireneo_place_block(layout, values, sizeof *values, first, count, r->matrix);
    if (r->marks != NULL) mark_rows(r, layout, elements, first, count);
    return IRENEO_OK;
}

static ireneo_error check_shape(const char *location, const ireneo_layout *layout,
                                ireneo_matrix_reading reading) {
    if (layout->axes < 1 || layout->axes > (reading == IRENEO_READ_STACK ? 3 : 2))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: the array has %d axes; a matrix has 2", location,
                           layout->axes);
    if (layout->count == 0) return ireneo_fail(IRENEO_ERROR_DATA, "%s: the array is empty", location);
    return ireneo_ram_require((double)layout->count * sizeof(float), location);
}

/* The shape is checked: nothing here is zero. */
static void choose_rows(const ireneo_layout *layout, ireneo_matrix_reading reading, matrix_reader *reader) {
    size_t last = layout->shape[layout->axes - 1];
    reader->columns = layout->axes > 1 || reading == IRENEO_READ_QUERIES ? last : 1;
    reader->rows = layout->count / reader->columns;
    reader->group = layout->axes == 3 ? layout->shape[1] : reader->rows;
}

static ireneo_error read_matrix(ireneo_source *source, ireneo_matrix_reading reading, matrix_reader *r) {
    const ireneo_layout *layout = &source->layout;
    IRENEO_TRY(IRENEO_ALLOCATE(&r->matrix, layout->count, source->location));
    if (layout->fortran_order) {
        size_t most = ireneo_block_elements(layout);
        IRENEO_TRY(IRENEO_ALLOCATE(&r->block, most, source->location));
    }
    if (layout->dtype == IRENEO_DTYPE_FLOAT64 && reading != IRENEO_READ_QUERIES)
        IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&r->marks, r->rows, source->location));
    IRENEO_TRY(ireneo_source_visit(source, convert_block, r));
    if (r->marks == NULL || r->notes->rounded == 0) return IRENEO_OK;
    return ireneo_rounding_distinct(source->location, r->matrix, r->rows, r->columns, r->group, r->marks);
}

ireneo_error ireneo_source_to_matrix(ireneo_source *source, ireneo_matrix_reading reading, float **values,
                                     size_t *rows, size_t *columns, ireneo_load_notes *notes) {
    matrix_reader reader = {.location = source->location, .notes = notes};
    IRENEO_TRY(check_shape(source->location, &source->layout, reading));
    choose_rows(&source->layout, reading, &reader);
    reader.before = source->first_row * (source->layout.count / source->layout.shape[0]);
    *notes = (ireneo_load_notes){.dtype = source->layout.dtype};
    ireneo_error error = read_matrix(source, reading, &reader);
    free(reader.block);
    free(reader.marks);
    if (error != IRENEO_OK) {
        free(reader.matrix);
        return error;
    }
    *values = reader.matrix;
    *rows = reader.rows;
    *columns = reader.columns;
    return IRENEO_OK;
}

static ireneo_error load(const char *location, ireneo_matrix_reading reading, float **values, size_t *rows,
                         size_t *columns, size_t *group, ireneo_load_notes *notes) {
    IRENEO_REQUIRE(values != NULL && rows != NULL && columns != NULL && group != NULL,
                   "loading an array needs a place for it and its shape");
    ireneo_load_notes unused;
    ireneo_source source;
    *values = NULL;
    *rows = *columns = *group = 0;
    if (notes == NULL) notes = &unused;
    memset(notes, 0, sizeof *notes);
    ireneo_error error = ireneo_source_open(location, &source);
    if (error == IRENEO_OK) error = ireneo_source_to_matrix(&source, reading, values, rows, columns, notes);
    if (error == IRENEO_OK && source.layout.axes == 3) *group = source.layout.shape[1];
    ireneo_source_close(&source);
    return error;
}

ireneo_error ireneo_load_matrix(const char *location, float **values, size_t *rows, size_t *columns) {
    return ireneo_load_matrix_noted(location, values, rows, columns, NULL);
}

ireneo_error ireneo_load_matrix_noted(const char *location, float **values, size_t *rows, size_t *columns,
                                      ireneo_load_notes *notes) {
    size_t group;
    return load(location, IRENEO_READ_ROWS, values, rows, columns, &group, notes);
}

ireneo_error ireneo_load_queries(const char *location, float **values, size_t *rows, size_t *columns,
                                 ireneo_load_notes *notes) {
    size_t group;
    return load(location, IRENEO_READ_QUERIES, values, rows, columns, &group, notes);
}

ireneo_error ireneo_load_stack(const char *location, float **values, size_t *matrices, size_t *rows,
                               size_t *columns) {
    return ireneo_load_stack_noted(location, values, matrices, rows, columns, NULL);
}

ireneo_error ireneo_load_stack_noted(const char *location, float **values, size_t *matrices, size_t *rows,
                                     size_t *columns, ireneo_load_notes *notes) {
    size_t group = 0;
    IRENEO_REQUIRE(matrices != NULL, "loading a stack needs a place for it and its shape");
    *matrices = 0;
    IRENEO_TRY(load(location, IRENEO_READ_STACK, values, rows, columns, &group, notes));
    *matrices = group == 0 ? 0 : *rows / group;
    if (group > 0) *rows = group;
    return IRENEO_OK;
}

/* ---- Indices and vectors ---- */

static ireneo_error check_vector(const char *location, const ireneo_array *array) {
    bool vector = array->axes == 1 || (array->axes == 2 && array->shape[1] == 1);
    if (!vector && array->axes == 2)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: the array is %zu x %zu; a vector has one column", location,
                           array->shape[0], array->shape[1]);
    if (!vector)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: the array has %d axes; a vector has 1", location,
                           array->axes);
    if (array->count == 0) return ireneo_fail(IRENEO_ERROR_DATA, "%s: the array is empty", location);
    return ireneo_ram_require((double)array->count * sizeof(double), location);
}

ireneo_error ireneo_array_to_indices(const char *location, const ireneo_array *array, int64_t **values,
                                     size_t *count) {
    if (!ireneo_dtype_whole(array->dtype))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: the elements are %s; indices are whole numbers, as int64",
                           location, ireneo_dtype_name(array->dtype));
    IRENEO_TRY(check_vector(location, array));
    int64_t *indices = NULL; /* (count) */
    IRENEO_TRY(IRENEO_ALLOCATE(&indices, array->count, location));
    const unsigned char *source = array->data;
    size_t size = ireneo_dtype_size(array->dtype);
    for (size_t i = 0; i < array->count; i++) {
        if (ireneo_whole_element(array->dtype, source + i * size, &indices[i])) continue;
        free(indices);
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: row %zu is too large for int64 (counting from 0)",
                           location, i);
    }
    *values = indices;
    *count = array->count;
    return IRENEO_OK;
}

ireneo_error ireneo_array_to_vector(const char *location, const ireneo_array *array, double **values,
                                    size_t *count) {
    IRENEO_TRY(check_vector(location, array));
    double *vector = NULL; /* (count) */
    IRENEO_TRY(IRENEO_ALLOCATE(&vector, array->count, location));
    const unsigned char *source = array->data;
    size_t size = ireneo_dtype_size(array->dtype);
    for (size_t i = 0; i < array->count; i++) {
        vector[i] = ireneo_element(array->dtype, source + i * size);
        if (fabs(vector[i]) <= DBL_MAX) continue;
        free(vector);
        return ireneo_rounding_fail(location, array->dtype, source + i * size, i, 0);
    }
    *values = vector;
    *count = array->count;
    return IRENEO_OK;
}

ireneo_error ireneo_load_indices(const char *location, int64_t **values, size_t *count) {
    IRENEO_REQUIRE(values != NULL && count != NULL, "loading a vector needs a place for it and its length");
    *values = NULL;
    *count = 0;
    ireneo_array array;
    IRENEO_TRY(ireneo_array_open(location, &array));
    ireneo_error error = ireneo_array_to_indices(location, &array, values, count);
    ireneo_array_close(&array);
    return error;
}

ireneo_error ireneo_load_vector(const char *location, double **values, size_t *count) {
    IRENEO_REQUIRE(values != NULL && count != NULL, "loading a vector needs a place for it and its length");
    *values = NULL;
    *count = 0;
    ireneo_array array;
    IRENEO_TRY(ireneo_array_open(location, &array));
    ireneo_error error = ireneo_array_to_vector(location, &array, values, count);
    ireneo_array_close(&array);
    return error;
}
