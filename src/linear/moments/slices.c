/* Cutting: the power of two from the largest number of the column, rounding to it by a large number that is added and
 * taken away. What is left is exact, and goes into the next slice. */
#include "linear/moments/slices.h"
#include "base/pool.h"
#include "base/ram.h"

#include <math.h>
#include <string.h>

ireneo_error ireneo_slices_make(size_t dim, ireneo_slices *slices) {
    *slices = (ireneo_slices){.side = dim + 1,
                              .panels = (dim + IRENEO_SLICE_PANEL) / IRENEO_SLICE_PANEL}; /* of dim + 1 */
    return IRENEO_ALLOCATE(&slices->rest, IRENEO_SLICE_ROWS * slices->side, "a tile of rows");
}

void ireneo_slices_free(ireneo_slices *slices) {
    for (size_t k = 0; k < IRENEO_MOST_SLICES; k++) {
        free(slices->slice[k]);
        free(slices->used[k]);
    }
    free(slices->rest);
    memset(slices, 0, sizeof *slices);
}

/* The columns of one panel, from first to last. */
typedef struct panel {
    size_t first, columns;
} panel;

static panel panel_at(const ireneo_slices *s, size_t index) {
    size_t first = index * IRENEO_SLICE_PANEL, left = s->side - first;
    return (panel){first, left < IRENEO_SLICE_PANEL ? left : IRENEO_SLICE_PANEL};
}

/* shift (columns): 1.5 2^(52 + g), where 2^g is the unit of the column's slice; adding it rounds to that unit. */
static bool find_units(const ireneo_slices *s, panel p, double *shift) {
    double largest[IRENEO_SLICE_PANEL] = {0};
    for (size_t i = 0; i < s->rows; i++) {
        const double *row = s->rest + i * s->side + p.first;
        for (size_t j = 0; j < p.columns; j++) {
            double size = fabs(row[j]);
            largest[j] = size > largest[j] ? size : largest[j];
        }
    }
    bool any = false;
    for (size_t j = 0; j < p.columns; j++) {
        int exponent = 0;
        frexp(largest[j], &exponent); /* largest < 2^exponent */
        shift[j] = ldexp(1.5, 52 + exponent - IRENEO_SLICE_BITS);
        any = any || largest[j] > 0.0;
    }
    return any;
}

/* A panel of slice number `count`, the next one. */
static void cut_panel(void *context, size_t index, int thread) {
    (void)thread;
    ireneo_slices *s = context;
    double *slice = s->slice[s->count];
    bool *used = s->used[s->count];
    double shift[IRENEO_SLICE_PANEL];
    panel p = panel_at(s, index);
    used[index] = find_units(s, p, shift);
    for (size_t i = 0; used[index] && i < s->rows; i++) {
        double *rest = s->rest + i * s->side + p.first, *out = slice + i * s->side + p.first;
        for (size_t j = 0; j < p.columns; j++) {
            out[j] = (rest[j] + shift[j]) - shift[j];
            rest[j] -= out[j];
        }
    }
}

static ireneo_error cut_next(ireneo_slices *s, int threads, bool *done) {
    size_t k = s->count;
    if (k == IRENEO_MOST_SLICES)
        return ireneo_fail(IRENEO_ERROR_NUMERIC, "rows could not be cut into exact pieces");
    if (s->slice[k] == NULL)
        IRENEO_TRY(IRENEO_ALLOCATE(&s->slice[k], IRENEO_SLICE_ROWS * s->side, "a tile of rows"));
    if (s->used[k] == NULL) IRENEO_TRY(IRENEO_ALLOCATE(&s->used[k], s->panels, "a tile of rows"));
    ireneo_share(s->panels, threads, cut_panel, s);
    *done = true;
    for (size_t index = 0; index < s->panels; index++) *done = *done && !s->used[k][index];
    if (!*done) s->count++;
    return IRENEO_OK;
}

ireneo_error ireneo_slices_cut(ireneo_slices *s, const float *rows, size_t count, int threads) {
    size_t dim = s->side - 1;
    s->rows = count;
    s->count = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < dim; j++) s->rest[i * s->side + j] = (double)rows[i * dim + j];
        s->rest[i * s->side + dim] = 1.0;
    }
    bool done = false;
    while (!done) IRENEO_TRY(cut_next(s, threads, &done));
    return IRENEO_OK;
}
