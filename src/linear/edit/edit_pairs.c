/* Lists of pairs and products with their matrix. */
#include "linear/edit/edit_pairs.h"
#include "base/pool.h"
#include "base/ram.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { TILE = 96, GRAIN = 16 };

ireneo_error ireneo_edit_pairs_make(const ireneo_edit_problem *p, ireneo_edit_pairs *s) {
    *s = (ireneo_edit_pairs){.problem = p};
    ireneo_error failed = IRENEO_ALLOCATE(&s->head, p->rows, "pairs");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&s->mixed, p->rows * p->dim_out, "pairs");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&s->moved, p->rows * p->dim_out, "pairs");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&s->change, p->dim_in * p->dim_out, "pairs");
    if (failed != IRENEO_OK) {
        ireneo_edit_pairs_free(s);
        return failed;
    }
    for (size_t i = 0; i < p->rows; i++) s->head[i] = IRENEO_NO_PAIR;
    return IRENEO_OK;
}

void ireneo_edit_pairs_free(ireneo_edit_pairs *s) {
    free(s->row), free(s->candidate), free(s->next), free(s->head), free(s->needed), free(s->weight),
        free(s->a), free(s->gap), free(s->mixed), free(s->change), free(s->moved);
    memset(s, 0, sizeof *s);
}

static bool grow_array(void **array, size_t room, size_t size) {
    void *larger = realloc(*array, room * size);
    if (larger != NULL) *array = larger;
    return larger != NULL;
}

static ireneo_error grow(ireneo_edit_pairs *s) {
    size_t room = s->room > 0 ? 2 * s->room : 1024;
    if (!grow_array((void **)&s->row, room, sizeof *s->row) ||
        !grow_array((void **)&s->candidate, room, sizeof *s->candidate) ||
        !grow_array((void **)&s->next, room, sizeof *s->next) ||
        !grow_array((void **)&s->needed, room, sizeof *s->needed) ||
        !grow_array((void **)&s->weight, room, sizeof *s->weight) ||
        !grow_array((void **)&s->a, room, sizeof *s->a) ||
        !grow_array((void **)&s->gap, room, sizeof *s->gap))
        return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for %zu pairs", room);
    s->room = room;
    return IRENEO_OK;
}

void ireneo_edit_pairs_difference(const ireneo_edit_pairs *s, size_t pair, double *u) {
    const ireneo_edit_problem *p = s->problem;
    const double *target = p->values + p->target[s->row[pair]] * p->dim_out,
                 *other = p->values + (size_t)s->candidate[pair] * p->dim_out;
    for (size_t a = 0; a < p->dim_out; a++) u[a] = target[a] - other[a];
}

ireneo_error ireneo_edit_pairs_add(ireneo_edit_pairs *s, size_t row, size_t candidate) {
    const ireneo_edit_problem *p = s->problem;
    if (ireneo_edit_pairs_listed(s, row, candidate)) return IRENEO_OK;
    if (s->count == s->room) IRENEO_TRY(grow(s));
    size_t k = s->count++;
    const double *target = p->values + p->target[row] * p->dim_out,
                 *other = p->values + candidate * p->dim_out, *o = p->outputs + row * p->dim_out,
                 *h = s->moved + row * p->dim_out, *x = p->keys + row * p->dim_in;
    double have = 0.0, gap = 0.0, square = 0.0;
    for (size_t a = 0; a < p->dim_out; a++) {
        double u = target[a] - other[a];
        have += u * o[a], gap += u * h[a], square += u * u;
    }
    s->row[k] = (uint32_t)row, s->candidate[k] = (uint32_t)candidate;
    s->next[k] = s->head[row], s->head[row] = (int64_t)k;
    s->needed[k] = p->margins[row] - have;
    s->weight[k] = s->a[k] = 0.0;
    s->gap[k] = gap;
    double size = square * cblas_ddot((int)p->dim_in, x, 1, x, 1);
    s->diagonal += (size - s->diagonal) / (double)s->count;
    return IRENEO_OK;
}

typedef struct row_work {
    ireneo_edit_pairs *pairs;
    const double *a;
    double *gap;
} row_work;

/* mixed_i = sum_j a_ij u_ij. */
static void mix_rows(void *context, size_t first, size_t last) {
    const row_work *w = context;
    ireneo_edit_pairs *s = w->pairs;
    const ireneo_edit_problem *p = s->problem;
    for (size_t i = first; i < last; i++) {
        double *m = s->mixed + i * p->dim_out;
        const double *target = p->values + p->target[i] * p->dim_out;
        memset(m, 0, p->dim_out * sizeof *m);
        for (int64_t k = s->head[i]; k != IRENEO_NO_PAIR; k = s->next[k]) {
            if (w->a[k] == 0.0) continue;
            const double *other = p->values + (size_t)s->candidate[k] * p->dim_out;
            for (size_t b = 0; b < p->dim_out; b++) m[b] += w->a[k] * (target[b] - other[b]);
        }
    }
}

/* gap = u^T D k for the pairs of some rows. */
static void gap_rows(void *context, size_t first, size_t last) {
    const row_work *w = context;
    const ireneo_edit_pairs *s = w->pairs;
    const ireneo_edit_problem *p = s->problem;
    for (size_t i = first; i < last; i++) {
        const double *h = s->moved + i * p->dim_out, *target = p->values + p->target[i] * p->dim_out;
        for (int64_t k = s->head[i]; k != IRENEO_NO_PAIR; k = s->next[k]) {
            const double *other = p->values + (size_t)s->candidate[k] * p->dim_out;
            double sum = 0.0;
            for (size_t b = 0; b < p->dim_out; b++) sum += h[b] * (target[b] - other[b]);
            w->gap[k] = sum;
        }
    }
}

void ireneo_edit_pairs_product(ireneo_edit_pairs *s, const double *a, double *gap) {
    const ireneo_edit_problem *p = s->problem;
    row_work w = {s, a, gap};
    ireneo_share_rows(p->rows, GRAIN, p->threads, mix_rows, &w);
    ireneo_edit_outer(s->mixed, p->keys, p->rows, p->dim_out, p->dim_in, 0.0, p->threads, s->change);
    ireneo_edit_multiply(p->keys, s->change, 1, p->rows, p->dim_out, p->dim_in, p->threads, s->moved);
    ireneo_share_rows(p->rows, GRAIN, p->threads, gap_rows, &w);
}

/* ---- the matrix among active pairs ---- */

typedef struct active_pairs {
    double *u, *keys; /* (count, dim_out), (facts in use, dim_in) */
    double *gram;     /* (facts in use, facts in use) of the keys */
    size_t *place;    /* (count) of the pair's fact among those in use */
    size_t facts;
} active_pairs;

static ireneo_error collect(const ireneo_edit_pairs *s, const size_t *list, size_t count, active_pairs *v) {
    const ireneo_edit_problem *p = s->problem;
    size_t *place = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&v->u, count * p->dim_out, "active pairs"));
    IRENEO_TRY(IRENEO_ALLOCATE(&v->place, count, "active pairs"));
    IRENEO_TRY(IRENEO_ALLOCATE(&place, p->rows, "active pairs"));
    for (size_t i = 0; i < p->rows; i++) place[i] = SIZE_MAX;
    for (size_t k = 0; k < count; k++) {
        size_t row = s->row[list[k]];
        if (place[row] == SIZE_MAX) place[row] = v->facts++;
        v->place[k] = place[row];
        ireneo_edit_pairs_difference(s, list[k], v->u + k * p->dim_out);
    }
    ireneo_error failed = IRENEO_ALLOCATE(&v->keys, v->facts * p->dim_in, "active pairs");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&v->gram, v->facts * v->facts, "active pairs");
    for (size_t i = 0; failed == IRENEO_OK && i < p->rows; i++)
        if (place[i] != SIZE_MAX)
            memcpy(v->keys + place[i] * p->dim_in, p->keys + i * p->dim_in, p->dim_in * sizeof *v->keys);
    free(place);
    if (failed == IRENEO_OK)
        ireneo_edit_multiply(v->keys, v->keys, 1, v->facts, v->facts, p->dim_in, p->threads, v->gram);
    return failed;
}

typedef struct matrix_work {
    const active_pairs *v;
    size_t count, tiles, dim_out;
    double ridge, *matrix;
} matrix_work;

/* A band of rows of the lower triangle, the longest first. */
static void fill_band(void *context, size_t back, int thread) {
    (void)thread;
    const matrix_work *w = context;
    const active_pairs *v = w->v;
    size_t first = (w->tiles - 1 - back) * TILE, rows = w->count - first < TILE ? w->count - first : TILE;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)(first + rows), (int)w->dim_out, 1.0,
                v->u + first * w->dim_out, (int)w->dim_out, v->u, (int)w->dim_out, 0.0,
                w->matrix + first * w->count, (int)w->count);
    for (size_t k = first; k < first + rows; k++) {
        const double *gram = v->gram + v->place[k] * v->facts;
        for (size_t q = 0; q < first + rows; q++) w->matrix[k * w->count + q] *= gram[v->place[q]];
        w->matrix[k * w->count + k] += w->ridge;
    }
}

ireneo_error ireneo_edit_pairs_matrix(const ireneo_edit_pairs *s, const size_t *list, size_t count,
                                      double ridge, double *matrix) {
    active_pairs v = {.u = NULL};
    matrix_work w = {&v, count, (count + TILE - 1) / TILE, s->problem->dim_out, ridge, matrix};
    ireneo_error failed = collect(s, list, count, &v);
    if (failed == IRENEO_OK) ireneo_share(w.tiles, s->problem->threads, fill_band, &w);
    free(v.u), free(v.keys), free(v.gram), free(v.place);
    return failed;
}
