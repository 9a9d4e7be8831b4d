/* Streams of elements, and their way from the order of the file to rows. */
#include "base/source.h"

#include "base/array.h"
#include "base/dtype.h"
#include "base/npz.h"
#include "base/ram.h"

#include <string.h>

enum {
    BLOCK_BYTES = 1 << 20,          /* stays in the second cache */
    FORTRAN_BLOCK_BYTES = 16 << 20, /* several columns at once: what is written lies together */
};

ireneo_error ireneo_source_read(ireneo_source *source, void *buffer, size_t bytes) {
    size_t at = source->done;
    source->done += bytes;
    if (source->member != NULL) return ireneo_npz_read(source, buffer, bytes);
    if (source->block == NULL)
        return ireneo_input_file_read(&source->file, source->layout.offset + at, buffer, bytes);
    memcpy(buffer, source->block + at, bytes);
    return IRENEO_OK;
}

bool ireneo_source_cut(ireneo_source *source, size_t first, size_t rows) {
    ireneo_layout *layout = &source->layout;
    if (source->member != NULL || layout->fortran_order || layout->axes < 1 || layout->count == 0)
        return false;
    source->done = layout->bytes / layout->shape[0] * first;
    source->first_row = first;
    layout->shape[0] = rows;
    return ireneo_layout_measure(layout);
}

void ireneo_source_close(ireneo_source *source) {
    ireneo_npz_close(source);
    ireneo_input_file_close(&source->file);
    free(source->path);
    free(source->block);
    *source = (ireneo_source){.file.descriptor = -1};
}

/* ---- Layouts ---- */

bool ireneo_layout_measure(ireneo_layout *layout) {
    return ireneo_shape_bytes(layout->dtype, layout->axes, layout->shape, &layout->count, &layout->bytes);
}

/* Column c of a Fortran array is what shares all indices but the first: their row-major place. */
static size_t column_place(const ireneo_layout *layout, size_t column) {
    size_t place = 0, stride = layout->count / layout->shape[0];
    for (int axis = 1; axis < layout->axes; axis++) {
        stride /= layout->shape[axis];
        place += column % layout->shape[axis] * stride;
        column /= layout->shape[axis];
    }
    return place;
}

size_t ireneo_layout_place(const ireneo_layout *layout, size_t index) {
    if (!layout->fortran_order) return index;
    size_t rows = layout->shape[0];
    return index % rows * (layout->count / rows) + column_place(layout, index / rows);
}

/* ---- Blocks ---- */

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t ireneo_block_elements(const ireneo_layout *layout) {
    size_t size = ireneo_dtype_size(layout->dtype), rows = layout->shape[0];
    if (!layout->fortran_order) return smaller(layout->count, BLOCK_BYTES / size);
    size_t columns = FORTRAN_BLOCK_BYTES / size / rows;
    if (columns == 0) return FORTRAN_BLOCK_BYTES / size;
    return smaller(layout->count, rows * smaller(columns, IRENEO_BLOCK_COLUMNS));
}

static ireneo_error visit_blocks(ireneo_source *source, size_t most, unsigned char *block,
                                 ireneo_block_visitor visit, void *context) {
    const ireneo_layout *layout = &source->layout;
    size_t size = ireneo_dtype_size(layout->dtype), count = 0;
    for (size_t first = 0; first < layout->count; first += count) {
        count = smaller(layout->count - first, most);
        if (layout->fortran_order && most < layout->shape[0]) /* part of a column ends with the column */
            count = smaller(count, layout->shape[0] - first % layout->shape[0]);
        IRENEO_TRY(ireneo_source_read(source, block, count * size));
        if (layout->big_endian) ireneo_swap_bytes(block, count, size);
        IRENEO_TRY(visit(context, layout, block, first, count));
    }
    return source->member == NULL ? IRENEO_OK : ireneo_npz_finish(source);
}

ireneo_error ireneo_source_visit(ireneo_source *source, ireneo_block_visitor visit, void *context) {
    if (source->layout.count == 0) return IRENEO_OK;
    unsigned char *block = NULL;
    size_t most = ireneo_block_elements(&source->layout);
    IRENEO_TRY(IRENEO_ALLOCATE(&block, most * ireneo_dtype_size(source->layout.dtype), source->location));
    ireneo_error error = visit_blocks(source, most, block, visit, context);
    free(block);
    return error;
}

/* Rows of a block of columns, each element to its place; `size` is a constant wherever this is called. */
static inline void place_columns(const size_t *places, size_t columns, size_t rows, size_t stride,
                                 const unsigned char *elements, size_t size, unsigned char *all) {
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < columns; k++)
            memcpy(all + (i * stride + places[k]) * size, elements + (k * rows + i) * size, size);
}

void ireneo_place_block(const ireneo_layout *layout, const void *elements, size_t size, size_t first,
                        size_t count, void *all) {
    unsigned char *bytes = all;
    if (!layout->fortran_order) {
        memcpy(bytes + first * size, elements, count * size);
        return;
    }
    size_t height = layout->shape[0], rows = smaller(count, height), columns = count / rows;
    size_t places[IRENEO_BLOCK_COLUMNS], stride = layout->count / height;
    for (size_t k = 0; k < columns; k++) places[k] = column_place(layout, first / height + k);
    bytes += first % height * stride * size;
    if (size == 4)
        place_columns(places, columns, rows, stride, elements, 4, bytes);
    else if (size == 8)
        place_columns(places, columns, rows, stride, elements, 8, bytes);
    else
        place_columns(places, columns, rows, stride, elements, size, bytes);
}
