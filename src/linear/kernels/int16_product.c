/* No sum of whole numbers can leave 32 bits: by Cauchy and Schwarz every partial sum of products is at most the product of the two
 * norms, and factors are rounded to multiples that keep it below LARGEST. Rounding to nearest adds half a unit to an entry,
 * sqrt(length) / 2 to a norm. */
#include "linear/kernels/int16_product.h"
#include "base/pool.h"
#include "base/ram.h"
#include "base/vectorised.h"

#include <math.h>
#include <string.h>

enum {
    ENTRY = 32766,    /* largest entry, after rounding at most one more */
    ROW_NORM = 46000, /* largest norm of a row: about the root of LARGEST, so that both factors round alike */
    VECTOR = 32,      /* entries of a row come in whole vectors */
    PANEL = IRENEO_PRODUCT_PANEL,
    WIDTH = IRENEO_PRODUCT_PANEL * IRENEO_PRODUCT_PANELS,
    ROWS = IRENEO_PRODUCT_ROWS
};
static const double LARGEST = 2.14e9; /* below 2^31 by more than what float32 loses of a norm */

static size_t round_up(size_t number, size_t to) {
    return (number + to - 1) / to * to;
}

static inline int32_t nearest(float x) {
    return (int32_t)(x + (x < 0.0f ? -0.5f : 0.5f));
}

/* Two entries side by side, the first one lower. */
static inline uint32_t pair_of(int32_t first, int32_t second) {
    return ((uint32_t)first & 0xffffu) | (uint32_t)second << 16;
}

/* ---- rows ---- */

void ireneo_int16_rows_free(ireneo_int16_rows *s) {
    free(s->entries);
    free(s->scale);
    memset(s, 0, sizeof *s);
}

/* Sum of squares, and the largest entry. */
IRENEO_VECTORISED
static double measure(const float *v, size_t count, float *largest) {
    float most = 0.0f;
    double squares = 0.0;
#pragma omp simd reduction(max : most)
    for (size_t k = 0; k < count; k++) most = fabsf(v[k]) > most ? fabsf(v[k]) : most;
#pragma omp simd reduction(+ : squares)
    for (size_t k = 0; k < count; k++) squares += (double)v[k] * (double)v[k];
    *largest = most;
    return squares;
}

/* Whole numbers to a unit of entries of at most `largest` and vectors of at most `norm`, such that their norm stays below `allowed`. 0
 * where there is none. */
static float units(double largest, double norm, size_t length, double allowed) {
    double most = fmin((double)ENTRY / largest, (allowed - 0.5 * sqrt((double)length)) / norm);
    return largest > 0.0 && most < 1e30 ? (float)most : 0.0f;
}

IRENEO_VECTORISED
static void round_row(const float *restrict row, size_t dim, float factor, int16_t *restrict entries) {
    for (size_t k = 0; k < dim; k++) entries[k] = (int16_t)nearest(row[k] * factor);
}

typedef struct rounding {
    const float *values;
    ireneo_int16_rows *out;
} rounding;

static void round_rows(void *context, size_t first, size_t last) {
    const rounding *r = context;
    ireneo_int16_rows *s = r->out;
    for (size_t i = first; i < last; i++) {
        const float *row = r->values + i * s->dim;
        float largest, factor;
        double norm = sqrt(measure(row, s->dim, &largest));
        factor = units((double)largest, norm, s->dim, ROW_NORM);
        s->scale[i] = factor > 0.0f ? 1.0f / factor : 0.0f;
        round_row(row, s->dim, factor, s->entries + i * s->stride);
        memset(s->entries + i * s->stride + s->dim, 0, (s->stride - s->dim) * sizeof *s->entries);
    }
}

ireneo_error ireneo_int16_rows_make(const float *values, size_t rows, size_t dim, int threads,
                                    ireneo_int16_rows *s) {
    enum { GRAIN = 256 };
    *s = (ireneo_int16_rows){.rows = rows,
                             .dim = dim,
                             .stride = round_up(dim, VECTOR),
                             .kernel = ireneo_int16_kernel_of(ireneo_processor())};
    ireneo_error failed = IRENEO_ALLOCATE(&s->entries, (rows + ROWS - 1) * s->stride, "keys in sixteen bits");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s->scale, rows, "scales of keys");
    if (failed != IRENEO_OK) {
        ireneo_int16_rows_free(s);
        return failed;
    }
    rounding r = {values, s};
    ireneo_share_rows(rows, GRAIN, threads, round_rows, &r);
    memset(s->entries + rows * s->stride, 0, (ROWS - 1) * s->stride * sizeof *s->entries);
    return IRENEO_OK;
}

/* ---- rows times a matrix ---- */

void ireneo_int16_panels_free(ireneo_int16_panels *p) {
    free(p->entries);
    memset(p, 0, sizeof *p);
}

ireneo_error ireneo_int16_panels_allocate(const ireneo_int16_rows *rows, size_t columns,
                                          ireneo_int16_panels *p) {
    *p = (ireneo_int16_panels){
        .columns = columns, .panels = (columns + PANEL - 1) / PANEL, .pairs = (rows->dim + 1) / 2};
    return IRENEO_ALLOCATE(&p->entries, p->panels * p->pairs * 2 * PANEL, "direction in sixteen bits");
}

typedef struct packing {
    const float *matrix;
    size_t dim;
    float factor;
    const ireneo_int16_panels *out;
} packing;

static void pack_panel(void *context, size_t panel, int thread) {
    (void)thread;
    const packing *p = context;
    const ireneo_int16_panels *out = p->out;
    int16_t *entries = out->entries + panel * out->pairs * 2 * PANEL;
    for (size_t c = 0; c < PANEL; c++) {
        size_t column = panel * PANEL + c;
        const float *row = p->matrix + column * p->dim;
        for (size_t k = 0; k < out->pairs; k++) {
            bool there = column < out->columns, both = there && 2 * k + 1 < p->dim;
            int16_t *pair = entries + k * 2 * PANEL + 2 * c;
            pair[0] = there ? (int16_t)nearest(row[2 * k] * p->factor) : 0;
            pair[1] = both ? (int16_t)nearest(row[2 * k + 1] * p->factor) : 0;
        }
    }
}

bool ireneo_int16_panels_set(const ireneo_int16_rows *rows, const float *matrix, int threads,
                             ireneo_int16_panels *panels) {
    double largest = 0.0, squares = 0.0;
    for (size_t j = 0; j < panels->columns; j++) {
        float most;
        double own = measure(matrix + j * rows->dim, rows->dim, &most);
        if (!(own < 1e60)) return false;
        largest = fmax(largest, (double)most);
        squares = fmax(squares, own);
    }
    packing p = {matrix, rows->dim, units(largest, sqrt(squares), rows->dim, LARGEST / ROW_NORM), panels};
    panels->scale = p.factor > 0.0f ? 1.0f / p.factor : 0.0f;
    ireneo_share(panels->panels, threads, pack_panel, &p);
    return true;
}

IRENEO_VECTORISED
static void to_floats(const int32_t *restrict sums, size_t count, float scale, float *restrict out) {
    for (size_t k = 0; k < count; k++) out[k] = scale * (float)sums[k];
}

void ireneo_int16_multiply(const ireneo_int16_rows *rows, size_t first, size_t count,
                           const ireneo_int16_panels *panels, float *out, size_t stride) {
    int32_t sums[ROWS * WIDTH];
    ireneo_int16_block block = {
        .pairs = panels->pairs, .row_step = rows->stride / 2, .pair_step = 1, .out = sums};
    for (size_t panel = 0; panel < panels->panels; panel += IRENEO_PRODUCT_PANELS) {
        size_t left = panels->panels - panel;
        block.panels = left < IRENEO_PRODUCT_PANELS ? left : IRENEO_PRODUCT_PANELS;
        block.right = panels->entries + panel * panels->pairs * 2 * PANEL;
        for (size_t i = 0; i < count; i += ROWS) {
            block.left = rows->entries + (first + i) * rows->stride;
            rows->kernel(&block);
            for (size_t r = 0; r < ROWS && i + r < count; r++)
                to_floats(sums + r * WIDTH, block.panels * PANEL, panels->scale * rows->scale[first + i + r],
                          out + (i + r) * stride + panel * PANEL);
        }
    }
}

/* ---- sums of products of rows ---- */

/* What a sum is made from: m by pairs of rows (pairs, columns up to eights, 2), and the rows held in panels. */
typedef struct sum_factors {
    size_t pairs, columns, panels;
    int16_t *left, *right;
    float *squares; /* (larger of the two widths) */
} sum_factors;

static sum_factors lay_out(const ireneo_int16_rows *rows, size_t count, size_t columns, float *space) {
    sum_factors f = {.pairs = (count + 1) / 2,
                     .columns = round_up(columns, ROWS),
                     .panels = (rows->dim + PANEL - 1) / PANEL};
    f.left = (int16_t *)(void *)space;
    f.right = f.left + IRENEO_PRODUCT_MOST_HELD * f.columns;
    f.squares = (float *)(void *)(f.right + IRENEO_PRODUCT_MOST_HELD * f.panels * PANEL);
    return f;
}

size_t ireneo_int16_sum_space(size_t dim, size_t columns) {
    size_t a = round_up(columns, ROWS), b = round_up(dim, PANEL);
    return (IRENEO_PRODUCT_MOST_HELD * (a + b)) / 2 + (a > b ? a : b);
}

/* squares += (scale v)^2. */
IRENEO_VECTORISED
static void square_floats(const float *restrict v, size_t count, float scale, float *restrict squares) {
    for (size_t k = 0; k < count; k++) squares[k] += (scale * v[k]) * (scale * v[k]);
}

IRENEO_VECTORISED
static void square_entries(const int16_t *restrict v, size_t count, float *restrict squares) {
    for (size_t k = 0; k < count; k++) squares[k] += (float)v[k] * (float)v[k];
}

/* Infinite when one of them is no number. */
static double largest_root(const float *squares, size_t count) {
    float largest = 0.0f;
    for (size_t k = 0; k < count; k++) {
        if (!(squares[k] < INFINITY)) return INFINITY;
        largest = squares[k] > largest ? squares[k] : largest;
    }
    return sqrt((double)largest);
}

/* Largest norm of a column of m, whose rows take over the scales of the rows held. */
static double left_norm(const ireneo_int16_rows *rows, const uint32_t *held, size_t count, const float *m,
                        size_t stride, size_t columns, float *squares) {
    memset(squares, 0, columns * sizeof *squares);
    for (size_t k = 0; k < count; k++) square_floats(m + k * stride, columns, rows->scale[held[k]], squares);
    return largest_root(squares, columns);
}

/* Largest norm of a column of the rows held. */
static double right_norm(const ireneo_int16_rows *rows, const uint32_t *held, size_t count, float *squares) {
    memset(squares, 0, rows->dim * sizeof *squares);
    for (size_t k = 0; k < count; k++)
        square_entries(rows->entries + held[k] * rows->stride, rows->dim, squares);
    return largest_root(squares, rows->dim);
}

/* Two rows of m side by side, in whole numbers. */
IRENEO_VECTORISED
static void pair_floats(const float *restrict a, float of_a, const float *restrict b, float of_b,
                        size_t count, uint32_t *restrict out) {
    for (size_t k = 0; k < count; k++) out[k] = pair_of(nearest(a[k] * of_a), nearest(b[k] * of_b));
}

IRENEO_VECTORISED
static void pair_entries(const int16_t *restrict a, const int16_t *restrict b, uint32_t *restrict out) {
    for (size_t k = 0; k < PANEL; k++) out[k] = pair_of(a[k], b[k]);
}

/* A last row without a neighbour is its own, times zero. */
static void fill_left(const sum_factors *f, const ireneo_int16_rows *rows, const uint32_t *held, size_t count,
                      const float *m, size_t stride, size_t columns, float factor) {
    for (size_t k = 0; k < count; k += 2) {
        uint32_t *pairs = (uint32_t *)(void *)f->left + k / 2 * f->columns;
        size_t other = k + 1 < count ? k + 1 : k;
        pair_floats(m + k * stride, factor * rows->scale[held[k]], m + other * stride,
                    other > k ? factor * rows->scale[held[other]] : 0.0f, columns, pairs);
        memset(pairs + columns, 0, (f->columns - columns) * sizeof *pairs);
    }
}

static void fill_right(const sum_factors *f, const ireneo_int16_rows *rows, const uint32_t *held,
                       size_t count) {
    for (size_t k = 0; k < count; k += 2) {
        const int16_t *a = rows->entries + held[k] * rows->stride,
                      *b = rows->entries + held[k + 1 < count ? k + 1 : k] * rows->stride;
        uint32_t *pairs = (uint32_t *)(void *)f->right + k / 2 * PANEL;
        for (size_t panel = 0; panel < f->panels; panel++)
            pair_entries(a + panel * PANEL, b + panel * PANEL, pairs + panel * f->pairs * PANEL);
    }
}

IRENEO_VECTORISED
static void add_floats(const int32_t *restrict sums, size_t count, float scale, float *restrict out) {
    for (size_t k = 0; k < count; k++) out[k] += scale * (float)sums[k];
}

static void multiply_factors(const sum_factors *f, const ireneo_int16_rows *rows, size_t columns, float scale,
                             bool add, float *out) {
    int32_t sums[ROWS * WIDTH];
    ireneo_int16_block block = {.pairs = f->pairs, .row_step = 1, .pair_step = f->columns, .out = sums};
    for (size_t panel = 0; panel < f->panels; panel += IRENEO_PRODUCT_PANELS) {
        size_t left = f->panels - panel, first = panel * PANEL;
        block.panels = left < IRENEO_PRODUCT_PANELS ? left : IRENEO_PRODUCT_PANELS;
        block.right = f->right + panel * f->pairs * 2 * PANEL;
        size_t width = rows->dim - first < block.panels * PANEL ? rows->dim - first : block.panels * PANEL;
        for (size_t o = 0; o < columns; o += ROWS) {
            block.left = f->left + 2 * o;
            rows->kernel(&block);
            for (size_t r = 0; r < ROWS && o + r < columns; r++)
                (add ? add_floats : to_floats)(sums + r * WIDTH, width, scale,
                                               out + (o + r) * rows->dim + first);
        }
    }
}

bool ireneo_int16_sum(const ireneo_int16_rows *rows, const uint32_t *held, size_t count, const float *m,
                      size_t stride, size_t columns, bool add, float *space, float *out) {
    sum_factors f = lay_out(rows, count, columns, space);
    double norm = left_norm(rows, held, count, m, stride, columns, f.squares),
           other = fmax(right_norm(rows, held, count, f.squares), 1.0);
    if (!(norm < INFINITY)) return false;
    float factor = units(norm, norm, count, fmin(LARGEST / other, ENTRY));
    fill_left(&f, rows, held, count, m, stride, columns, factor);
    fill_right(&f, rows, held, count);
    multiply_factors(&f, rows, columns, factor > 0.0f ? 1.0f / factor : 0.0f, add, out);
    return true;
}
