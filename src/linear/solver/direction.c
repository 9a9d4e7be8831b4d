/* Scores along the search line: H = X D^T and one inner product per listed competitor. */
#include "linear/solver/direction.h"
#include "base/pool.h"
#include "linear/kernels/dot8.h"
#include "linear/solver/factors.h"

#include <cblas.h>

enum { SMALL_TILE = 96, FEW_ROWS = 3000 };

/* Few rows are cut finely, so that threads finish together. */
static size_t tile_rows(size_t rows) {
    return rows < FEW_ROWS ? SMALL_TILE : IRENEO_ROW_TILE;
}

/* Scores of a row's listed competitors and target for the vector h, into out (slots) and *target. `rounded`
 * is space for h in sixteen bits. */
static void score_row(const ireneo_minimiser *minimiser, size_t row, const float *h, int16_t *rounded,
                      float *out, float *target) {
    const ireneo_working_set *l = minimiser->set;
    const ireneo_problem *p = minimiser->problem;
    size_t count = l->count[row];
    const uint32_t *list = l->index + row * l->capacity;
    if (l->own) {
        for (size_t k = 0; k < count; k += 8) {
            const float *y[8];
            float eight[8];
            for (size_t q = 0; q < 8; q++)
                y[q] = ireneo_working_set_value(l, p, row, k + q < count ? k + q : k);
            ireneo_dot8(h, y, l->dim, eight);
            for (size_t q = 0; q < 8 && k + q < count; q++) out[k + q] = eight[q];
        }
    } else if (minimiser->int16.entries != NULL) {
        float scale = ireneo_int16_round(&minimiser->int16, h, rounded);
        ireneo_int16_dots(&minimiser->int16, rounded, scale, list, count, out);
    } else {
        ireneo_dot8_listed(h, p->y, p->stride, p->stride, list, count, out);
    }
    *target = cblas_sdot((int)l->dim, h, 1, ireneo_working_set_target(l, p, row), 1);
}

/* out (columns, rows) = in^T. */
static void transpose(const float *in, size_t rows, size_t columns, float *out) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) out[j * rows + i] = in[i * columns + j];
}

/* Scores that are being made along a matrix. */
typedef struct scoring {
    ireneo_minimiser *minimiser;
    const float *along; /* (dim_out, dim_in), or transposed */
    bool turned;        /* it is */
    bool panels;        /* in sixteen bits instead */
    float *slots, *targets;
} scoring;

static void score_tile(void *context, size_t k, int thread) {
    const scoring *s = context;
    ireneo_minimiser *minimiser = s->minimiser;
    const ireneo_problem *p = minimiser->problem;
    float *h = minimiser->tiles + (size_t)thread * minimiser->tile_space;
    size_t first, last;
    ireneo_tile_rows(&p->holding, tile_rows(p->holding.total), k, &first, &last);
    size_t count = last - first;
    if (count == 0) return;
    if (s->panels)
        ireneo_int16_multiply(&minimiser->keys, first, count, &minimiser->panels, h, p->stride);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, s->turned ? CblasNoTrans : CblasTrans, (int)count,
                    (int)p->dim_out, (int)p->dim_in, 1.0f, p->x + first * p->dim_in, (int)p->dim_in, s->along,
                    (int)(s->turned ? p->dim_out : p->dim_in), 0.0f, h, (int)p->stride);
    for (size_t i = 0; i < count; i++)
        score_row(minimiser, first + i, h + i * p->stride,
                  (int16_t *)(void *)(h + IRENEO_ROW_TILE * p->stride),
                  s->slots + (first + i) * minimiser->set->capacity, &s->targets[first + i]);
}

/* Derivatives of all kept scores along the matrix `along` (dim_out, dim_in). */
static void score_direction(ireneo_minimiser *minimiser, const float *along, float *slots, float *targets) {
    const ireneo_problem *p = minimiser->problem;
    size_t tiles = ireneo_holding_tiles(&p->holding, tile_rows(p->holding.total));
    scoring s = {.minimiser = minimiser, .along = along, .slots = slots, .targets = targets};
    s.panels = minimiser->keys.entries != NULL &&
               ireneo_int16_panels_set(&minimiser->keys, along, p->threads, &minimiser->panels);
    s.turned = !s.panels && minimiser->turned != NULL;
    if (s.turned) {
        transpose(along, p->dim_out, p->dim_in, minimiser->turned);
        s.along = minimiser->turned;
    }
    ireneo_share(tiles, p->threads, score_tile, &s);
}

void ireneo_direction_score(ireneo_minimiser *minimiser) {
    ireneo_working_set *l = minimiser->set;
    ireneo_factors_line(minimiser);
    if (minimiser->rank > 0) score_direction(minimiser, minimiser->curve, l->bend, l->target_bend);
    score_direction(minimiser, minimiser->line, l->slope, l->target_slope);
}
