/* The inner minimiser. Scores of the working set are kept and moved along the search line, so that an
 * iteration is H = X D^T and one inner product per listed competitor        (direction) a few passes over the
 * kept scores                            (line search) M = sum_j r_j y_j for rows with r != 0, G = M^T X
 * (gradient) with no other evaluation of the loss. */
#include "linear/inner.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/vectorised.h"
#include "linear/dots.h"
#include "linear/projection.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <string.h>

enum { TILE = 256, SMALL_TILE = 96 };

/* Few rows are cut finely, so that threads finish together. */
static size_t tile_rows(size_t rows) {
    return rows < 3000 ? SMALL_TILE : TILE;
}

void ireneo_inner_free(ireneo_inner *inner) {
    if (inner->rank > 0) {
        free(inner->w);
        free(inner->matrix_gradient);
        free(inner->line);
        free(inner->curve);
    }
    free(inner->point);
    free(inner->gradient);
    free(inner->old_gradient);
    free(inner->direction);
    free(inner->partial);
    ireneo_sixteen_free(&inner->sixteen);
    free(inner->tiles);
    ireneo_lbfgs_free(&inner->lbfgs);
    memset(inner, 0, sizeof *inner);
}

static ireneo_error allocate_parts(ireneo_inner *inner) {
    const ireneo_problem *p = inner->problem;
    size_t area = p->dim_out * p->dim_in;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&inner->point, inner->length, "memory"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&inner->gradient, inner->length, "gradient"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&inner->old_gradient, inner->length, "gradient"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&inner->direction, inner->length, "direction"));
    IRENEO_TRY(IRENEO_ALLOCATE(&inner->partial, IRENEO_GROUPS * area, "gradient sums"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&inner->tiles, (size_t)p->threads * inner->tile_space, "row tiles"));
    if (inner->rank == 0) {
        inner->w = inner->point;
        inner->matrix_gradient = inner->gradient;
        inner->line = inner->direction;
        return IRENEO_OK;
    }
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&inner->w, area, "memory"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&inner->matrix_gradient, area, "gradient"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&inner->line, area, "direction"));
    return IRENEO_ALLOCATE_ZEROED(&inner->curve, area, "direction");
}

ireneo_error ireneo_inner_allocate(const ireneo_problem *problem, ireneo_lists *lists, size_t rank,
                                   size_t history, ireneo_inner *inner) {
    memset(inner, 0, sizeof *inner);
    inner->problem = problem;
    inner->lists = lists;
    inner->rank = rank;
    inner->length =
        rank == 0 ? problem->dim_out * problem->dim_in : rank * (problem->dim_out + problem->dim_in);
    inner->tile_space =
        TILE * (problem->stride + problem->dim_in) + 64; /* more than one row in sixteen bits */
    ireneo_error failed = allocate_parts(inner);
    if (failed == IRENEO_OK)
        failed = ireneo_lbfgs_allocate(inner->length, history, problem->threads, &inner->lbfgs);
    if (failed != IRENEO_OK) ireneo_inner_free(inner);
    return failed;
}

/* out (dim_out, dim_in) = beta out + left right^T for factors (dim_out, rank) and (dim_in, rank). */
static void multiply_factors(const ireneo_inner *inner, const float *left, const float *right, float beta,
                             float *out) {
    const ireneo_problem *p = inner->problem;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)p->dim_out, (int)p->dim_in, (int)inner->rank,
                1.0f, left, (int)inner->rank, right, (int)inner->rank, beta, out, (int)p->dim_in);
}

ireneo_error ireneo_inner_use_sixteen(ireneo_inner *inner) {
    const ireneo_problem *p = inner->problem;
    if (p->y == NULL) return IRENEO_OK;
    return ireneo_sixteen_make(p->y, p->columns, p->dim_out, p->stride, p->threads, &inner->sixteen);
}

void ireneo_inner_stop_sixteen(ireneo_inner *inner) {
    ireneo_sixteen_free(&inner->sixteen);
}

void ireneo_inner_compose(ireneo_inner *inner) {
    if (inner->rank > 0)
        multiply_factors(inner, inner->point, inner->point + inner->problem->dim_out * inner->rank, 0.0f,
                         inner->w);
}

/* ---- direction ---- */

/* Scores of a row's listed competitors and target for the vector h, into out (slots) and *target. `rounded`
 * is space for h in sixteen bits. */
static void score_row(const ireneo_inner *inner, size_t row, const float *h, int16_t *rounded, float *out,
                      float *target) {
    const ireneo_lists *l = inner->lists;
    const ireneo_problem *p = inner->problem;
    size_t count = l->count[row];
    const uint32_t *list = l->index + row * l->capacity;
    if (l->own) {
        for (size_t k = 0; k < count; k += 8) {
            const float *y[8];
            float eight[8];
            for (size_t q = 0; q < 8; q++) y[q] = ireneo_list_value(l, p, row, k + q < count ? k + q : k);
            ireneo_eight_dots(h, y, l->dim, eight);
            for (size_t q = 0; q < 8 && k + q < count; q++) out[k + q] = eight[q];
        }
    } else if (inner->sixteen.entries != NULL) {
        float scale = ireneo_sixteen_round(&inner->sixteen, h, rounded);
        ireneo_sixteen_dots(&inner->sixteen, rounded, scale, list, count, out);
    } else {
        ireneo_listed_dots(h, p->y, p->stride, p->stride, list, count, out);
    }
    *target = cblas_sdot((int)l->dim, h, 1, ireneo_list_target(l, p, row), 1);
}

/* out (columns, rows) = in^T. */
static void transpose(const float *in, size_t rows, size_t columns, float *out) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) out[j * rows + i] = in[i * columns + j];
}

/* Derivatives of all kept scores along the matrix `along` (dim_out, dim_in). Small products of tiles run a
 * third faster with the transposed matrix; large ones do not care. */
static void score_direction(ireneo_inner *inner, const float *along, float *slots, float *targets) {
    const ireneo_problem *p = inner->problem;
    size_t tile = tile_rows(p->rows), tiles = (p->rows + tile - 1) / tile;
    bool turned = p->dim_in * p->dim_out <= 128 * 128;
    if (turned) transpose(along, p->dim_out, p->dim_in, inner->partial); /* free until the next gradient */
#pragma omp parallel for num_threads(p->threads) schedule(dynamic)
    for (size_t k = 0; k < tiles; k++) {
        float *h = inner->tiles + (size_t)omp_get_thread_num() * inner->tile_space;
        size_t first = k * tile, count = p->rows - first < tile ? p->rows - first : tile;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, turned ? CblasNoTrans : CblasTrans, (int)count,
                    (int)p->dim_out, (int)p->dim_in, 1.0f, p->x + first * p->dim_in, (int)p->dim_in,
                    turned ? inner->partial : along, (int)(turned ? p->dim_out : p->dim_in), 0.0f, h,
                    (int)p->stride);
        for (size_t i = 0; i < count; i++)
            score_row(inner, first + i, h + i * p->stride, (int16_t *)(void *)(h + TILE * p->stride),
                      slots + (first + i) * inner->lists->capacity, &targets[first + i]);
    }
}

static void set_direction(ireneo_inner *inner) {
    ireneo_lists *l = inner->lists;
    if (inner->rank > 0) {
        size_t cut = inner->problem->dim_out * inner->rank;
        const float *u = inner->point, *v = u + cut, *du = inner->direction, *dv = du + cut;
        multiply_factors(inner, du, v, 0.0f, inner->line);
        multiply_factors(inner, u, dv, 1.0f, inner->line);
        multiply_factors(inner, du, dv, 0.0f, inner->curve);
        score_direction(inner, inner->curve, l->bend, l->target_bend);
    }
    score_direction(inner, inner->line, l->slope, l->target_slope);
}

/* ---- line search ---- */

static ireneo_row row_view(const ireneo_lists *l, size_t row) {
    size_t at = row * l->capacity;
    return (ireneo_row){.score = l->score + at,
                        .slope = l->slope + at,
                        .bend = l->factored ? l->bend + at : NULL,
                        .slots = ireneo_list_slots(l, row),
                        .target = l->target_score[row],
                        .target_slope = l->target_slope[row],
                        .target_bend = l->target_bend[row]};
}

/* Loss, slope and curvature of the loss at step a. */
static ireneo_row_sums sums_at(const ireneo_inner *inner, double step) {
    ireneo_row_sums groups[IRENEO_GROUPS] = {0}, total = {0};
    const ireneo_problem *p = inner->problem;
#pragma omp parallel for num_threads(p->threads) schedule(dynamic)
    for (size_t group = 0; group < IRENEO_GROUPS; group++) {
        size_t first, last;
        ireneo_group_range(group, p->rows, &first, &last);
        ireneo_row_sums mine = {0};
        for (size_t i = first; i < last; i++) {
            ireneo_row row = row_view(inner->lists, i);
            ireneo_project_row(&row, (float)step, inner->margin, &inner->lists->level[i], &mine);
        }
        groups[group] = mine;
    }
    for (size_t group = 0; group < IRENEO_GROUPS; group++) {
        total.loss += groups[group].loss;
        total.slope += groups[group].slope;
        total.curvature += groups[group].curvature;
    }
    return total;
}

/* The step at which the slope is below 2 % of its start: Newton on the slope, kept inside the bracket. 0 when
 * nothing is gained. */
static double search_line(const ireneo_inner *inner, bool newton_start) {
    double low = 0.0, high = INFINITY, step = 1.0;
    double slope = ireneo_dot(inner->gradient, inner->direction, inner->length, inner->problem->threads);
    if (!(slope < 0.0)) return 0.0;
    if (newton_start) {
        double curvature = sums_at(inner, 0.0).curvature;
        if (curvature > 0.0) step = -slope / curvature;
    }
    for (int trial = 0; trial < 30; trial++) {
        ireneo_row_sums here = sums_at(inner, step);
        if (fabs(here.slope) <= 0.1 * fabs(slope) && here.loss <= inner->loss) return step;
        if (here.slope < 0.0 && here.loss <= inner->loss)
            low = step;
        else
            high = step;
        double next = here.curvature > 0.0 ? step - here.slope / here.curvature : INFINITY;
        if (!(next > low && next < high)) next = isinf(high) ? 2.0 * step : 0.5 * (low + high);
        if (fabs(next - step) <= 1e-6 * step) break;
        step = next;
    }
    return low;
}

/* ---- gradient ---- */

IRENEO_VECTORISED
static void set_scaled(float alpha, const float *restrict x, float *restrict y, size_t count) {
    for (size_t k = 0; k < count; k++) y[k] = alpha * x[k];
}

typedef struct group_sums {
    double loss, weights;
    size_t violations;
} group_sums;

/* Moves a row's scores along the search line. */
static void advance_row(ireneo_lists *l, size_t i, float step) {
    size_t at = i * l->capacity;
    ireneo_row_advance(l->score + at, l->slope + at, l->factored ? l->bend + at : NULL,
                       ireneo_list_slots(l, i), step);
    l->target_score[i] += step * (l->target_slope[i] + step * l->target_bend[i]);
}

/* m (dim_out) = sum_j r_j y_j of one row; false when the row satisfies its margin. */
static bool row_residual(const ireneo_inner *inner, size_t i, float *m, group_sums *sums) {
    ireneo_lists *l = inner->lists;
    const float *score = l->score + i * l->capacity;
    size_t slots = ireneo_list_slots(l, i), count = l->count[i];
    float target = l->target_score[i], best = ireneo_row_best(score, slots);
    if (!(best + inner->required < target)) sums->violations++;
    if (best + inner->margin <= target) return false;
    float t = ireneo_row_level(score, slots, target, inner->margin, l->level[i]), total = 0.0f,
          squares = 0.0f;
    l->level[i] = t;
    float bar = t - inner->margin;
    uint32_t active[IRENEO_MOST_SLOTS + 1], taking_part = 0;
    for (size_t k = 0; k < count; k++) { /* without branches: who takes part cannot be foreseen */
        active[taking_part] = (uint32_t)k;
        taking_part += score[k] > bar;
    }
    for (uint32_t q = 0; q < taking_part; q++) {
        uint32_t slot = active[q]; /* NOLINT(clang-analyzer-core*): all below taking_part were set */
        const float *value = ireneo_list_value(l, inner->problem, i, slot); /* NOLINT(clang-analyzer-core*) */
        float r = score[slot] - bar;
        if (q == 0)
            set_scaled(r, value, m, l->dim);
        else
            ireneo_add_scaled(r, value, m, l->dim);
        total += r;
        squares += r * r;
    }
    if (total == 0.0f) return false;
    ireneo_add_scaled(-total, ireneo_list_target(l, inner->problem, i), m,
                      l->dim); /* r_a = -sum r_j, exactly */
    sums->weights += (double)total;
    sums->loss += 0.5 * ((double)squares + (double)total * (double)total);
    return true;
}

/* Gradient of one group of rows, whose scores are first moved by the step. */
static group_sums group_gradient(ireneo_inner *inner, size_t group, float step, float *tile, float *out) {
    const ireneo_problem *p = inner->problem;
    float *m = tile, *x = tile + TILE * p->stride;
    group_sums sums = {0};
    size_t first, last, held = 0;
    ireneo_group_range(group, p->rows, &first, &last);
    float beta = 0.0f;
    for (size_t i = first; i <= last; i++) {
        if (held == TILE || (i == last && held > 0)) {
            cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)p->dim_out, (int)p->dim_in, (int)held,
                        1.0f, m, (int)p->stride, x, (int)p->dim_in, beta, out, (int)p->dim_in);
            beta = 1.0f;
            held = 0;
        }
        if (i < last && step != 0.0f) advance_row(inner->lists, i, step);
        if (i == last || !row_residual(inner, i, m + held * p->stride, &sums)) continue;
        memcpy(x + held * p->dim_in, p->x + i * p->dim_in, p->dim_in * sizeof *x);
        held++;
    }
    if (beta == 0.0f) memset(out, 0, p->dim_out * p->dim_in * sizeof *out);
    return sums;
}

IRENEO_VECTORISED
static void add_groups(const float *partial, size_t area, size_t first, size_t last, float *out) {
    memcpy(out + first, partial + first, (last - first) * sizeof *out);
    for (size_t group = 1; group < IRENEO_GROUPS; group++)
        for (size_t k = first; k < last; k++) out[k] += partial[group * area + k];
}

/* Moves the kept scores by the step; then loss, gradient and violations there. */
static void evaluate_after(ireneo_inner *inner, float step) {
    const ireneo_problem *p = inner->problem;
    const size_t piece = 2048;
    size_t area = p->dim_out * p->dim_in, pieces = (area + piece - 1) / piece;
    group_sums groups[IRENEO_GROUPS];
#pragma omp parallel num_threads(p->threads)
    {
        float *tile = inner->tiles + (size_t)omp_get_thread_num() * inner->tile_space;
#pragma omp for schedule(dynamic)
        for (size_t group = 0; group < IRENEO_GROUPS; group++)
            groups[group] = group_gradient(inner, group, step, tile, inner->partial + group * area);
#pragma omp for schedule(static)
        for (size_t k = 0; k < pieces; k++)
            add_groups(inner->partial, area, k * piece, (k + 1) * piece < area ? (k + 1) * piece : area,
                       inner->matrix_gradient);
    }
    inner->loss = inner->residual_sum = 0.0;
    inner->violations = 0;
    for (size_t group = 0; group < IRENEO_GROUPS; group++) {
        inner->loss += groups[group].loss;
        inner->residual_sum += groups[group].weights;
        inner->violations += groups[group].violations;
    }
    if (inner->rank > 0) { /* G_U = G V, G_V = G^T U */
        size_t cut = p->dim_out * inner->rank;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)p->dim_out, (int)inner->rank,
                    (int)p->dim_in, 1.0f, inner->matrix_gradient, (int)p->dim_in, inner->point + cut,
                    (int)inner->rank, 0.0f, inner->gradient, (int)inner->rank);
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)p->dim_in, (int)inner->rank,
                    (int)p->dim_out, 1.0f, inner->matrix_gradient, (int)p->dim_in, inner->point,
                    (int)inner->rank, 0.0f, inner->gradient + cut, (int)inner->rank);
    }
    inner->gradient_norm = sqrt(ireneo_dot(inner->gradient, inner->gradient, inner->length, p->threads));
}

void ireneo_inner_evaluate(ireneo_inner *inner) {
    evaluate_after(inner, 0.0f);
}

/* ---- iteration ---- */

bool ireneo_inner_iterate(ireneo_inner *inner) {
    double t0 = ireneo_seconds();
    bool first = inner->lbfgs.used == 0;
    ireneo_lbfgs_direction(&inner->lbfgs, inner->gradient, inner->direction);
    double t1 = ireneo_seconds();
    set_direction(inner);
    double t2 = ireneo_seconds();
    double step = search_line(inner, first);
    double t3 = ireneo_seconds();
    inner->seconds_history += t1 - t0;
    inner->seconds_direction += t2 - t1;
    inner->seconds_line += t3 - t2;
    if (!(step > 0.0)) {
        if (first) return false;
        ireneo_lbfgs_forget(&inner->lbfgs); /* a stale history can point uphill; the gradient cannot */
        return true;
    }
    memcpy(inner->old_gradient, inner->gradient, inner->length * sizeof *inner->gradient);
    ireneo_axpy(step, inner->direction, inner->point, inner->length, inner->problem->threads);
    ireneo_inner_compose(inner);
    evaluate_after(inner, (float)step);
    double t4 = ireneo_seconds();
    ireneo_lbfgs_remember(&inner->lbfgs, step, inner->direction, inner->old_gradient, inner->gradient);
    inner->seconds_gradient += t4 - t3;
    inner->seconds_history += ireneo_seconds() - t4;
    return true;
}
