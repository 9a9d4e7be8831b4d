/* Arrays from files: element types, locations, and the loaders of matrices, indices and vectors. Elements are
 * read with memcpy because files align them as they like. */
#include "base/array.h"

#include "base/file_view.h"
#include "base/npy.h"
#include "base/ram.h"
#include "base/safetensors.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "both file formats are read in place, as little-endian");

/* ---- Element types and shapes ---- */

const char *ireneo_dtype_name(ireneo_dtype dtype) {
    switch (dtype) {
    case IRENEO_DTYPE_FLOAT16:
        return "float16";
    case IRENEO_DTYPE_FLOAT32:
        return "float32";
    case IRENEO_DTYPE_FLOAT64:
        return "float64";
    case IRENEO_DTYPE_INT32:
        return "int32";
    case IRENEO_DTYPE_INT64:
        return "int64";
    }
    return "unknown";
}

size_t ireneo_dtype_size(ireneo_dtype dtype) {
    switch (dtype) {
    case IRENEO_DTYPE_FLOAT16:
        return 2;
    case IRENEO_DTYPE_FLOAT32:
    case IRENEO_DTYPE_INT32:
        return 4;
    case IRENEO_DTYPE_FLOAT64:
    case IRENEO_DTYPE_INT64:
        return 8;
    }
    return 0;
}

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

/* ---- Locations ---- */

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* Splits "file:name" in place; *name is NULL when the whole is a file. File names and tensor names may both
 * hold colons: the longest prefix that is a file wins, and when there is none the last colon splits. */
static void split_location(char *location, const char **name) {
    *name = NULL;
    if (is_file(location)) return;
    char *last = strrchr(location, ':');
    for (char *colon = last; colon != NULL; colon = memrchr(location, ':', (size_t)(colon - location))) {
        *colon = '\0';
        bool found = is_file(location);
        if (found) {
            *name = colon + 1;
            return;
        }
        *colon = ':';
    }
    if (last == NULL) return;
    *last = '\0';
    *name = last + 1;
}

static bool ends_with(const char *text, const char *ending) {
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static ireneo_error parse_any(const char *path, const char *name, const ireneo_file_view *view,
                              ireneo_array *array) {
    bool by_name = ends_with(path, ".npy") || ends_with(path, ".safetensors");
    bool npy = by_name ? ends_with(path, ".npy") : ireneo_npy_recognise(view->bytes, view->count);
    if (npy && name != NULL)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "%s is a .npy file, which holds one array without a name; remove ':%s'", path,
                           name);
    if (npy) return ireneo_npy_parse(path, view->bytes, view->count, array);
    if (!by_name && !ireneo_safetensors_recognise(view->bytes, view->count))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s is neither .npy nor .safetensors", path);
    return ireneo_safetensors_parse(path, view->bytes, view->count, name, array);
}

static ireneo_error open_split(const char *path, const char *name, ireneo_array *array) {
    ireneo_file_view view;
    IRENEO_TRY(ireneo_file_view_open(path, &view));
    ireneo_error error = parse_any(path, name, &view, array);
    if (error != IRENEO_OK) {
        *array = (ireneo_array){0};
        ireneo_file_view_close(&view);
        return error;
    }
    array->mapping = view.mapping;
    array->mapping_bytes = view.mapping_bytes;
    return IRENEO_OK;
}

ireneo_error ireneo_array_open(const char *location, ireneo_array *array) {
    IRENEO_REQUIRE(array != NULL, "opening an array needs a place for it");
    *array = (ireneo_array){0};
    if (location == NULL) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "no file to read was given");
    char *path = strdup(location);
    if (path == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory to open %s", location);
    const char *name = NULL;
    split_location(path, &name);
    ireneo_error error = open_split(path, name, array);
    free(path);
    return error;
}

void ireneo_array_close(ireneo_array *array) {
    if (array == NULL) return;
    ireneo_file_view view = {.mapping = array->mapping, .mapping_bytes = array->mapping_bytes};
    ireneo_file_view_close(&view);
    *array = (ireneo_array){0};
}

/* ---- Conversion ---- */

/* IEEE 754 half precision: 1 sign bit, 5 of exponent with bias 15, 10 of fraction. */
static float half_to_float(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = (half >> 10) & 31u, fraction = half & 0x3ffu;
    if (exponent == 0) {
        float magnitude = (float)fraction * 0x1p-24f;
        return sign != 0 ? -magnitude : magnitude;
    }
    uint32_t bits = sign | fraction << 13 | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double element(ireneo_dtype dtype, const unsigned char *source) {
    uint16_t half;
    float single;
    double number;
    int32_t small;
    int64_t large;
    switch (dtype) {
    case IRENEO_DTYPE_FLOAT16:
        memcpy(&half, source, sizeof half);
        return (double)half_to_float(half);
    case IRENEO_DTYPE_FLOAT32:
        memcpy(&single, source, sizeof single);
        return (double)single;
    case IRENEO_DTYPE_FLOAT64:
        memcpy(&number, source, sizeof number);
        return number;
    case IRENEO_DTYPE_INT32:
        memcpy(&small, source, sizeof small);
        return (double)small;
    case IRENEO_DTYPE_INT64:
        memcpy(&large, source, sizeof large);
        return (double)large;
    }
    return (double)NAN;
}

/* Converts one row and says whether all of it is finite in float32. */
static bool convert_row(ireneo_dtype dtype, const unsigned char *source, size_t columns, float *row) {
    size_t size = ireneo_dtype_size(dtype);
    if (dtype == IRENEO_DTYPE_FLOAT32)
        memcpy(row, source, columns * size);
    else
        for (size_t j = 0; j < columns; j++) row[j] = (float)element(dtype, source + j * size);
    bool finite = true;
    for (size_t j = 0; j < columns; j++) finite &= fabsf(row[j]) <= FLT_MAX;
    return finite;
}

/* The sentence about the first element of a row that is not finite, or not in the range of the wanted type.
 */
static ireneo_error fail_element(const char *location, const ireneo_array *array, size_t row, size_t columns,
                                 double largest) {
    const unsigned char *source = array->data;
    size_t size = ireneo_dtype_size(array->dtype), column = 0;
    double value = 0;
    for (; column < columns; column++) {
        value = element(array->dtype, source + (row * columns + column) * size);
        if (!(fabs(value) <= largest)) break;
    }
    const char *counted = "(counting from 0)";
    if (isnan(value))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: row %zu, column %zu is NaN %s", location, row, column,
                           counted);
    if (isinf(value))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: row %zu, column %zu is infinite %s", location, row, column,
                           counted);
    return ireneo_fail(IRENEO_ERROR_DATA, "%s: row %zu, column %zu is %g, too large for float32 %s", location,
                       row, column, value, counted);
}

ireneo_error ireneo_array_to_matrix(const char *location, const ireneo_array *array, float **values,
                                    size_t *rows, size_t *columns) {
    if (array->axes != 1 && array->axes != 2)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: the array has %d axes; a matrix has 2", location,
                           array->axes);
    if (array->count == 0) return ireneo_fail(IRENEO_ERROR_DATA, "%s: the array is empty", location);
    size_t n = array->shape[0], d = array->axes == 2 ? array->shape[1] : 1;
    IRENEO_TRY(ireneo_ram_require((double)array->count * sizeof(float), location));
    float *matrix = NULL; /* (n, d) */
    IRENEO_TRY(IRENEO_ALLOCATE(&matrix, array->count, location));
    const unsigned char *source = array->data;
    size_t row_bytes = d * ireneo_dtype_size(array->dtype);
    for (size_t i = 0; i < n; i++) {
        if (convert_row(array->dtype, source + i * row_bytes, d, matrix + i * d)) continue;
        free(matrix);
        return fail_element(location, array, i, d, (double)FLT_MAX);
    }
    *values = matrix;
    *rows = n;
    *columns = d;
    return IRENEO_OK;
}

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
    if (array->dtype != IRENEO_DTYPE_INT32 && array->dtype != IRENEO_DTYPE_INT64)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: the elements are %s; indices are int32 or int64", location,
                           ireneo_dtype_name(array->dtype));
    IRENEO_TRY(check_vector(location, array));
    int64_t *indices = NULL; /* (count) */
    IRENEO_TRY(IRENEO_ALLOCATE(&indices, array->count, location));
    const unsigned char *source = array->data;
    if (array->dtype == IRENEO_DTYPE_INT64)
        memcpy(indices, source, array->count * sizeof *indices);
    else
        for (size_t i = 0; i < array->count; i++) {
            int32_t index;
            memcpy(&index, source + i * sizeof index, sizeof index);
            indices[i] = index;
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
        vector[i] = element(array->dtype, source + i * size);
        if (fabs(vector[i]) <= DBL_MAX) continue;
        free(vector);
        return fail_element(location, array, i, 1, DBL_MAX);
    }
    *values = vector;
    *count = array->count;
    return IRENEO_OK;
}

/* ---- Loaders ---- */

ireneo_error ireneo_load_matrix(const char *location, float **values, size_t *rows, size_t *columns) {
    IRENEO_REQUIRE(values != NULL && rows != NULL && columns != NULL,
                   "loading a matrix needs a place for it and its shape");
    *values = NULL;
    *rows = *columns = 0;
    ireneo_array array;
    IRENEO_TRY(ireneo_array_open(location, &array));
    ireneo_error error = ireneo_array_to_matrix(location, &array, values, rows, columns);
    ireneo_array_close(&array);
    return error;
}

ireneo_error ireneo_load_stack(const char *location, float **values, size_t *matrices, size_t *rows,
                               size_t *columns) {
    IRENEO_REQUIRE(values != NULL && matrices != NULL && rows != NULL && columns != NULL,
                   "loading a stack needs a place for it and its shape");
    *values = NULL;
    *matrices = *rows = *columns = 0;
    ireneo_array array;
    IRENEO_TRY(ireneo_array_open(location, &array));
    ireneo_array flat = array;
    if (array.axes == 3)
        flat.axes = 2, flat.shape[0] = array.shape[0] * array.shape[1], flat.shape[1] = array.shape[2];
    ireneo_error error = ireneo_array_to_matrix(location, &flat, values, rows, columns);
    if (error == IRENEO_OK && array.axes == 3) *matrices = array.shape[0], *rows = array.shape[1];
    ireneo_array_close(&array);
    return error;
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
