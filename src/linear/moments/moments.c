/* Sums of products of slices, panel against panel. Every product is exact and so is every sum: the order of the work,
 * the threads and the processor leave no trace. */
#include "linear/moments/moments.h"
#include "base/parallel.h"
#include "base/ram.h"
#include "base/threads.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

enum { FIRST_LAYERS = 3, ROUND = 64 }; /* entries that go through all layers together */

/* ---- Exact sums ---- */

static pthread_mutex_t layer_lock = PTHREAD_MUTEX_INITIALIZER;

static ireneo_error add_layer(ireneo_moments *m, size_t seen) {
    ireneo_error failed = IRENEO_OK;
    pthread_mutex_lock(&layer_lock);
    size_t layers = atomic_load(&m->layers);
    if (layers == seen && layers < IRENEO_EXPANSION_MOST) { /* nobody was faster */
        failed = IRENEO_ALLOCATE_ZEROED(&m->layer[layers], m->entries, "exact sums");
        if (failed == IRENEO_OK) atomic_store(&m->layers, layers + 1);
    }
    pthread_mutex_unlock(&layer_lock);
    return failed;
}

/* numbers become what does not fit into the layer. */
static void add_to_layer(double *layer, size_t count, double *numbers) {
    for (size_t k = 0; k < count; k++) ireneo_two_sum(layer[k], numbers[k], &layer[k], &numbers[k]);
}

static bool all_zero(const double *numbers, size_t count) {
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) sum += fabs(numbers[k]);
    return sum == 0.0;
}

ireneo_error ireneo_moments_take(ireneo_moments *m, size_t first, size_t count, double *numbers) {
    for (size_t k = 0; k < count; k += ROUND) {
        size_t many = count - k < ROUND ? count - k : ROUND;
        for (size_t layer = 0; !all_zero(numbers + k, many); layer++) {
            if (layer == IRENEO_EXPANSION_MOST)
                return ireneo_fail(IRENEO_ERROR_NUMERIC, "exact sums became too long");
            if (layer == atomic_load(&m->layers)) IRENEO_TRY(add_layer(m, layer));
            add_to_layer(m->layer[layer] + first + k, many, numbers + k);
        }
    }
    return IRENEO_OK;
}

size_t ireneo_moments_entry(const ireneo_moments *m, size_t entry, double *parts) {
    double numbers[IRENEO_EXPANSION_MOST];
    size_t layers = atomic_load(&m->layers);
    for (size_t k = 0; k < layers; k++) numbers[k] = m->layer[k][entry];
    return ireneo_expansion_canonical(numbers, layers, parts);
}

/* ---- Tiles ---- */

/* A pair of panels, the second not above the first: task k of the triangle of pairs. */
static void find_pair(size_t k, size_t *high, size_t *low) {
    *high = (size_t)((sqrt(8.0 * (double)k + 1.0) - 1.0) / 2.0);
    while (ireneo_triangle_row(*high) > k) (*high)--;
    while (ireneo_triangle_row(*high + 1) <= k) (*high)++;
    *low = k - ireneo_triangle_row(*high);
}

typedef struct block {
    size_t row, rows, column, columns; /* entries of the square matrix */
} block;

static block block_of(const ireneo_slices *s, size_t high, size_t low) {
    size_t row = high * IRENEO_SLICE_PANEL, column = low * IRENEO_SLICE_PANEL;
    size_t rows = s->side - row, columns = s->side - column;
    return (block){row, rows < IRENEO_SLICE_PANEL ? rows : IRENEO_SLICE_PANEL, column,
                   columns < IRENEO_SLICE_PANEL ? columns : IRENEO_SLICE_PANEL};
}

/* One product of two slices, whose part below the diagonal goes into the sums. */
static ireneo_error add_product(ireneo_moments *m, block b, const double *left, const double *right) {
    const ireneo_slices *s = &m->slices;
    double product[IRENEO_SLICE_PANEL * IRENEO_SLICE_PANEL];
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)b.rows, (int)b.columns, (int)s->rows, 1.0,
                left + b.row, (int)s->side, right + b.column, (int)s->side, 0.0, product, (int)b.columns);
    for (size_t i = 0; i < b.rows; i++) {
        size_t upto = b.row + i + 1 - b.column, many = upto < b.columns ? upto : b.columns;
        IRENEO_TRY(
            ireneo_moments_take(m, ireneo_triangle_row(b.row + i) + b.column, many, product + i * b.columns));
    }
    return IRENEO_OK;
}

static ireneo_error add_pair(void *context, size_t index, int thread) {
    (void)thread;
    ireneo_moments *m = context;
    const ireneo_slices *s = &m->slices;
    size_t high, low;
    find_pair(index, &high, &low);
    block b = block_of(s, high, low);
    for (size_t k = 0; k < s->count; k++)
        for (size_t l = 0; l < s->count; l++)
            if (s->used[k][high] && s->used[l][low]) IRENEO_TRY(add_product(m, b, s->slice[k], s->slice[l]));
    return IRENEO_OK;
}

ireneo_error ireneo_moments_tile(ireneo_moments *m, const float *rows, size_t count, int threads) {
    if (m->slices.rest == NULL) IRENEO_TRY(ireneo_slices_make(m->dim, &m->slices));
    IRENEO_TRY(ireneo_slices_cut(&m->slices, rows, count, threads));
    IRENEO_TRY(ireneo_parallel(ireneo_triangle_row(m->slices.panels), threads, NULL, "moments", add_pair, m));
    m->count += count;
    return IRENEO_OK;
}

/* ---- The public calls ---- */

ireneo_error ireneo_moments_new(size_t dim, ireneo_moments **moments) {
    IRENEO_REQUIRE(moments != NULL, "moments need a place for them");
    *moments = NULL;
    IRENEO_REQUIRE(dim > 0 && dim <= 1 << 24, "keys of moments have 1 to 2^24 entries");
    size_t entries = ireneo_triangle_row(dim + 1);
    double tiles = 4.0 * IRENEO_SLICE_ROWS * (double)(dim + 1);
    IRENEO_TRY(ireneo_ram_require(8.0 * (FIRST_LAYERS * (double)entries + tiles), "exact moments"));
    ireneo_moments *m = calloc(1, sizeof *m);
    if (m == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for moments");
    m->dim = dim, m->entries = entries;
    ireneo_error failed = IRENEO_OK;
    for (size_t k = 0; failed == IRENEO_OK && k < FIRST_LAYERS; k++) failed = add_layer(m, k);
    if (failed == IRENEO_OK)
        *moments = m;
    else
        ireneo_moments_free(m);
    return failed;
}

void ireneo_moments_free(ireneo_moments *moments) {
    if (moments == NULL) return;
    for (size_t k = 0; k < IRENEO_EXPANSION_MOST; k++) free(moments->layer[k]);
    ireneo_slices_free(&moments->slices);
    free(moments);
}

size_t ireneo_moments_dim(const ireneo_moments *moments) {
    return moments == NULL ? 0 : moments->dim;
}

uint64_t ireneo_moments_count(const ireneo_moments *moments) {
    return moments == NULL ? 0 : moments->count;
}

static ireneo_error check_rows(const float *rows, size_t count, size_t dim) {
    for (size_t k = 0; k < count * dim; k++)
        if (!(fabsf(rows[k]) <= FLT_MAX))
            return ireneo_fail(IRENEO_ERROR_DATA, "row %zu, column %zu of the keys is not finite", k / dim,
                               k % dim);
    return IRENEO_OK;
}

static ireneo_error add_rows(ireneo_moments *m, const float *rows, size_t count, int threads,
                             const ireneo_progress *progress) {
    for (size_t first = 0; first < count; first += IRENEO_SLICE_ROWS) {
        size_t many = count - first < IRENEO_SLICE_ROWS ? count - first : IRENEO_SLICE_ROWS;
        if (ireneo_report(progress, "summing rows", (double)first, (double)count) != 0)
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "the sum over rows was stopped");
        IRENEO_TRY(check_rows(rows + first * m->dim, many, m->dim));
        IRENEO_TRY(ireneo_moments_tile(m, rows + first * m->dim, many, threads));
    }
    return IRENEO_OK;
}

ireneo_error ireneo_moments_add(ireneo_moments *moments, const float *rows, size_t count,
                                const ireneo_run_settings *settings) {
    IRENEO_REQUIRE(moments != NULL, "adding rows needs moments to add them to");
    IRENEO_REQUIRE(rows != NULL || count == 0, "adding rows to moments needs the rows");
    int threads;
    const ireneo_progress *progress;
    IRENEO_TRY(ireneo_enter_run(settings, &threads, &progress));
    return ireneo_leave(add_rows(moments, rows, count, threads, progress));
}

ireneo_error ireneo_moments_merge(ireneo_moments *moments, const ireneo_moments *other) {
    IRENEO_REQUIRE(moments != NULL && other != NULL, "merging needs two sets of moments");
    IRENEO_REQUIRE(moments != other, "moments cannot be merged with themselves");
    if (moments->dim != other->dim)
        return ireneo_fail(IRENEO_ERROR_DATA, "moments of keys of %zu and of %zu entries cannot be merged",
                           moments->dim, other->dim);
    double numbers[ROUND];
    for (size_t layer = 0; layer < atomic_load(&other->layers); layer++)
        for (size_t k = 0; k < other->entries; k += ROUND) {
            size_t many = other->entries - k < ROUND ? other->entries - k : ROUND;
            memcpy(numbers, other->layer[layer] + k, many * sizeof *numbers);
            IRENEO_TRY(ireneo_moments_take(moments, k, many, numbers));
        }
    moments->count += other->count;
    return IRENEO_OK;
}

/* S / count, S rounded to nearest. */
static double average(const ireneo_moments *m, size_t row, size_t column) {
    double parts[IRENEO_EXPANSION_MOST] = {0};
    ireneo_moments_entry(m, ireneo_triangle_row(row) + column, parts);
    return parts[0] / (double)m->count;
}

ireneo_error ireneo_moments_read(const ireneo_moments *moments, double *second, double *mean) {
    IRENEO_REQUIRE(moments != NULL, "reading moments needs the moments");
    if (moments->count == 0) return ireneo_fail(IRENEO_ERROR_DATA, "moments of no rows have no values");
    size_t dim = moments->dim;
    for (size_t i = 0; second != NULL && i < dim; i++)
        for (size_t j = 0; j <= i; j++) second[i * dim + j] = second[j * dim + i] = average(moments, i, j);
    for (size_t j = 0; mean != NULL && j < dim; j++) mean[j] = average(moments, dim, j);
    return IRENEO_OK;
}
