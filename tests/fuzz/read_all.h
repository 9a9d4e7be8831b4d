/* What all walks do with an array that a reader accepted: it must lie inside the bytes, and every way to read
 * it must end, with numbers or a sentence. */
#ifndef IRENEO_TESTS_FUZZ_READ_ALL_H
#define IRENEO_TESTS_FUZZ_READ_ALL_H

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* A source over a copy of the elements in a block of their exact size. */
static inline ireneo_source source_over(const ireneo_layout *layout, const uint8_t *elements) {
    ireneo_source source = {.location = "fuzz", .layout = *layout, .file.descriptor = -1};
    source.block = malloc(layout->bytes > 0 ? layout->bytes : 1);
    if (source.block == NULL) abort();
    if (layout->bytes > 0) memcpy(source.block, elements, layout->bytes);
    return source;
}

static inline void read_as_matrix(const ireneo_layout *layout, const uint8_t *elements,
                                  ireneo_matrix_reading reading) {
    ireneo_source source = source_over(layout, elements);
    ireneo_load_notes notes;
    float *matrix = NULL;
    size_t n = 0, d = 0;
    if (ireneo_source_to_matrix(&source, reading, &matrix, &n, &d, &notes) == IRENEO_OK &&
        (n * d != layout->count || notes.rounded > layout->count))
        abort();
    ireneo_free(matrix);
    ireneo_source_close(&source);
}

static inline void read_all(const ireneo_layout *layout, const uint8_t *bytes, size_t count) {
    ireneo_layout again = *layout;
    double *vector = NULL;
    int64_t *indices = NULL;
    ireneo_array array;
    size_t n = 0;
    if (!ireneo_layout_measure(&again) || again.count != layout->count || again.bytes != layout->bytes)
        abort();
    if (layout->offset > count || layout->bytes > count - layout->offset) abort();
    read_as_matrix(layout, bytes + layout->offset, IRENEO_READ_ROWS);
    read_as_matrix(layout, bytes + layout->offset, IRENEO_READ_QUERIES);
    read_as_matrix(layout, bytes + layout->offset, IRENEO_READ_STACK);
    ireneo_source source = source_over(layout, bytes + layout->offset);
    if (ireneo_source_to_array(&source, &array) != IRENEO_OK) abort();
    ireneo_source_close(&source);
    if (ireneo_array_to_vector("fuzz", &array, &vector, &n) == IRENEO_OK && n != array.count) abort();
    if (ireneo_array_to_indices("fuzz", &array, &indices, &n) == IRENEO_OK && n != array.count) abort();
    ireneo_free(vector);
    ireneo_free(indices);
    ireneo_array_close(&array);
}

#endif
