/* The minimiser of the projection loss on the working set. Scores are kept and moved along the search line, so
 * that an iteration is
 *     H = X D^T and one inner product per competitor           (direction)
 *     a few passes over the kept scores                        (line search)
 *     M = sum_j r_j y_j for rows with r != 0, G = M^T X        (gradient)
 * with no other evaluation of the loss. */
#include "linear/solver/minimise.h"
#include "base/floats.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/ram.h"
#include "base/vectorised.h"
#include "linear/kernels/dot8.h"
#include "linear/kernels/row_projection.h"
#include "linear/kernels/vector.h"
#include "linear/kernels/weighted_sum.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { TILE = 256, SMALL_TILE = 96, FEW_ROWS = 3000 };

/* Small products of tiles run a third faster with the transposed matrix; large ones do not care. */
enum { SMALL_MATRIX = 128 * 128 };

/* The line search: exact enough at a tenth of the first slope, hopeless when steps no longer differ. */
enum { MOST_TRIALS = 30 };
static const double FLAT = 0.1, STILL = 1e-6;

/* Few rows are cut finely, so that threads finish together. */
static size_t tile_rows(size_t rows) {
    return rows < FEW_ROWS ? SMALL_TILE : TILE;
}

void ireneo_minimiser_free(ireneo_minimiser *minimiser) {
    if (minimiser->rank > 0) {
        free(minimiser->w);
        free(minimiser->matrix_gradient);
        free(minimiser->line);
        free(minimiser->curve);
    }
    free(minimiser->point);
    free(minimiser->gradient);
    free(minimiser->old_gradient);
    free(minimiser->direction);
    free(minimiser->turned);
    ireneo_tree_sum_free(&minimiser->sums);
    ireneo_minimiser_leave_int16(minimiser);
    free(minimiser->tiles);
    ireneo_lbfgs_free(&minimiser->lbfgs);
    memset(minimiser, 0, sizeof *minimiser);
}

static ireneo_error allocate_parts(ireneo_minimiser *minimiser) {
    const ireneo_problem *p = minimiser->problem;
    size_t area = p->dim_out * p->dim_in;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&minimiser->point, minimiser->length, "memory"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&minimiser->gradient, minimiser->length, "gradient"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&minimiser->old_gradient, minimiser->length, "gradient"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&minimiser->direction, minimiser->length, "direction"));
    if (area <= SMALL_MATRIX) IRENEO_TRY(IRENEO_ALLOCATE(&minimiser->turned, area, "direction"));
    IRENEO_TRY(ireneo_tree_sum_allocate(&p->holding, IRENEO_SUM_F32, area, p->threads, &minimiser->sums));
    IRENEO_TRY(
        IRENEO_ALLOCATE_ZEROED(&minimiser->tiles, (size_t)p->threads * minimiser->tile_space, "row tiles"));
    if (minimiser->rank == 0) {
        minimiser->w = minimiser->point;
        minimiser->matrix_gradient = minimiser->gradient;
        minimiser->line = minimiser->direction;
        return IRENEO_OK;
    }
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&minimiser->w, area, "memory"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&minimiser->matrix_gradient, area, "gradient"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&minimiser->line, area, "direction"));
    return IRENEO_ALLOCATE_ZEROED(&minimiser->curve, area, "direction");
}

ireneo_error ireneo_minimiser_allocate(const ireneo_problem *problem, ireneo_working_set *set, size_t rank,
                                       size_t history, ireneo_minimiser *minimiser) {
    memset(minimiser, 0, sizeof *minimiser);
    minimiser->problem = problem;
    minimiser->set = set;
    minimiser->rank = rank;
    minimiser->length =
        rank == 0 ? problem->dim_out * problem->dim_in : rank * (problem->dim_out + problem->dim_in);
    /* H, and more than one row of it in sixteen bits; or M, and beside it rows of X or what a sum of products needs. */
    size_t sum = ireneo_int16_sum_space(problem->dim_in, problem->dim_out),
           rows = TILE * problem->dim_in + 64;
    minimiser->tile_space = TILE * problem->stride + (sum > rows ? sum : rows);
    ireneo_error failed = allocate_parts(minimiser);
    if (failed == IRENEO_OK)
        failed = ireneo_lbfgs_allocate(minimiser->length, history, problem->threads, &minimiser->lbfgs);
    if (failed != IRENEO_OK) ireneo_minimiser_free(minimiser);
    return failed;
}

/* out (dim_out, dim_in) = beta out + left right^T for factors (dim_out, rank) and (dim_in, rank). */
static void multiply_factors(const ireneo_minimiser *minimiser, const float *left, const float *right,
                             float beta, float *out) {
    const ireneo_problem *p = minimiser->problem;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)p->dim_out, (int)p->dim_in,
                (int)minimiser->rank, 1.0f, left, (int)minimiser->rank, right, (int)minimiser->rank, beta,
                out, (int)p->dim_in);
}

ireneo_error ireneo_minimiser_use_int16(ireneo_minimiser *minimiser, bool values, bool keys) {
    const ireneo_problem *p = minimiser->problem;
    if (values && p->y != NULL)
        IRENEO_TRY(ireneo_int16_make(p->y, p->columns, p->dim_out, p->stride, p->threads, p->holding.ranks,
                                     &minimiser->int16));
    if (!keys) return IRENEO_OK;
    IRENEO_TRY(ireneo_int16_rows_make(p->x, p->rows, p->dim_in, p->threads, &minimiser->keys));
    return ireneo_int16_panels_allocate(&minimiser->keys, p->dim_out, &minimiser->panels);
}

bool ireneo_minimiser_uses_int16(const ireneo_minimiser *minimiser) {
    return minimiser->int16.entries != NULL || minimiser->keys.entries != NULL;
}

void ireneo_minimiser_leave_int16(ireneo_minimiser *minimiser) {
    ireneo_int16_free(&minimiser->int16);
    ireneo_int16_rows_free(&minimiser->keys);
    ireneo_int16_panels_free(&minimiser->panels);
}

void ireneo_minimiser_compose(ireneo_minimiser *minimiser) {
    if (minimiser->rank > 0)
        multiply_factors(minimiser, minimiser->point,
                         minimiser->point + minimiser->problem->dim_out * minimiser->rank, 0.0f,
                         minimiser->w);
}

/* ---- direction ---- */

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
        score_row(minimiser, first + i, h + i * p->stride, (int16_t *)(void *)(h + TILE * p->stride),
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

static void set_direction(ireneo_minimiser *minimiser) {
    ireneo_working_set *l = minimiser->set;
    if (minimiser->rank > 0) {
        size_t cut = minimiser->problem->dim_out * minimiser->rank;
        const float *u = minimiser->point, *v = u + cut, *du = minimiser->direction, *dv = du + cut;
        multiply_factors(minimiser, du, v, 0.0f, minimiser->line);
        multiply_factors(minimiser, u, dv, 1.0f, minimiser->line);
        multiply_factors(minimiser, du, dv, 0.0f, minimiser->curve);
        score_direction(minimiser, minimiser->curve, l->bend, l->target_bend);
    }
    score_direction(minimiser, minimiser->line, l->slope, l->target_slope);
}

/* ---- line search ---- */

static ireneo_row row_view(const ireneo_minimiser *minimiser, size_t row) {
    const ireneo_working_set *l = minimiser->set;
    size_t at = row * l->capacity;
    return (ireneo_row){.score = l->score + at,
                        .slope = l->slope + at,
                        .bend = l->factored ? l->bend + at : NULL,
                        .slots = ireneo_working_set_slots(l, row),
                        .excused = minimiser->excused,
                        .target = l->target_score[row],
                        .target_slope = l->target_slope[row],
                        .target_bend = l->target_bend[row]};
}

/* A step that is being tried. */
typedef struct tried_step {
    const ireneo_minimiser *minimiser;
    float step;
    ireneo_row_sums *groups; /* (groups held here) */
} tried_step;

static void try_group(void *context, size_t index, int thread) {
    (void)thread;
    tried_step *t = context;
    const ireneo_minimiser *minimiser = t->minimiser;
    const ireneo_holding *h = &minimiser->problem->holding;
    size_t first, last;
    ireneo_group_rows(h, h->first_group + index, &first, &last);
    ireneo_row_sums mine = {0};
    for (size_t i = first; i < last; i++) {
        ireneo_row row = row_view(minimiser, i);
        ireneo_row_project(&row, t->step, minimiser->margin, minimiser->required, &minimiser->set->level[i],
                           &mine);
    }
    t->groups[index] = mine;
}

/* Loss, slope and curvature of the loss at step a. */
static ireneo_row_sums sums_at(const ireneo_minimiser *minimiser, double step) {
    const ireneo_holding *h = &minimiser->problem->holding;
    ireneo_row_sums total, groups[IRENEO_MOST_GROUPS];
    tried_step t = {.minimiser = minimiser, .step = (float)step, .groups = groups};
    ireneo_share(h->last_group - h->first_group, minimiser->problem->threads, try_group, &t);
    ireneo_sum_groups(h, sizeof total / sizeof(double), (double *)groups, (double *)&total);
    return total;
}

/* The step at which the slope is below a tenth of its start (FLAT): Newton on the slope, kept inside the bracket.
 * 0 when nothing is gained. *violations: of the last step tried. */
static double search_line(const ireneo_minimiser *minimiser, bool newton_start, double *violations) {
    double low = 0.0, high = INFINITY, step = 1.0;
    double slope =
        ireneo_dot(minimiser->gradient, minimiser->direction, minimiser->length, minimiser->problem->threads);
    if (!(slope < 0.0)) return 0.0;
    if (newton_start) {
        double curvature = sums_at(minimiser, 0.0).curvature;
        if (curvature > 0.0) step = -slope / curvature;
    }
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
        ireneo_row_sums here = sums_at(minimiser, step);
        *violations = here.violations;
        if (fabs(here.slope) <= FLAT * fabs(slope) && here.loss <= minimiser->loss) return step;
        if (here.slope < 0.0 && here.loss <= minimiser->loss)
            low = step;
        else
            high = step;
        double next = here.curvature > 0.0 ? step - here.slope / here.curvature : INFINITY;
        if (!(next > low && next < high)) next = isinf(high) ? 2.0 * step : 0.5 * (low + high);
        if (fabs(next - step) <= STILL * step) break;
        step = next;
    }
    return low;
}

/* A wide margin moves all facts at once, a narrow one settles the last: twice the square of the share of facts that
 * are not recalled was found to be right for loads from 0.6 to 1 of the law, and hardly depends on either number. */
static float margin_for(const ireneo_minimiser *minimiser, double violations) {
    static const double WIDEST = 1.0, FACTOR = 2.0;
    double share = violations / (double)minimiser->problem->holding.total;
    return fmaxf(minimiser->least_margin, (float)fmin(WIDEST, FACTOR * share * share));
}

/* ---- gradient ---- */

typedef struct group_sums {
    double loss, weights, violations;
} group_sums;

/* Moves a row's scores along the search line. */
static void advance_row(ireneo_working_set *l, size_t i, float step) {
    size_t at = i * l->capacity;
    ireneo_row_advance(l->score + at, l->slope + at, l->factored ? l->bend + at : NULL,
                       ireneo_working_set_slots(l, i), step);
    l->target_score[i] += step * (l->target_slope[i] + step * l->target_bend[i]);
}

/* The scores of a row, without those of excused competitors; `space` (slots) holds them when there are any. */
static const float *judged_scores(const ireneo_minimiser *minimiser, size_t i, float *space) {
    const ireneo_working_set *l = minimiser->set;
    const float *score = l->score + i * l->capacity;
    size_t slots = ireneo_working_set_slots(l, i);
    if (minimiser->excused == 0) return score;
    memcpy(space, score, slots * sizeof *space);
    ireneo_row_excuse(space, slots, minimiser->excused);
    return space;
}

/* m (dim_out) = sum_j r_j y_j of one row; false when the row satisfies its margin. */
static bool row_residual(const ireneo_minimiser *minimiser, size_t i, float *m, group_sums *sums) {
    ireneo_working_set *l = minimiser->set;
    size_t slots = ireneo_working_set_slots(l, i), count = l->count[i];
    float remaining[IRENEO_MOST_SLOTS];
    const float *score = judged_scores(minimiser, i, remaining);
    float target = l->target_score[i], best = ireneo_largest_float(score, slots);
    if (!(best + minimiser->required < target)) sums->violations += 1.0;
    if (best + minimiser->margin <= target) return false;
    float t = ireneo_row_level(score, slots, target, minimiser->margin, l->level[i]), total = 0.0f,
          squares = 0.0f;
    l->level[i] = t;
    float bar = t - minimiser->margin, weights[IRENEO_MOST_SLOTS + 1];
    const float *vectors[IRENEO_MOST_SLOTS + 1];
    uint32_t active[IRENEO_MOST_SLOTS + 1], taking_part = 0;
    for (size_t k = 0; k < count; k++) { /* without branches: which take part cannot be foreseen */
        active[taking_part] = (uint32_t)k;
        taking_part += score[k] > bar;
    }
    for (uint32_t q = 0; q < taking_part; q++) {
        uint32_t slot = active[q]; /* NOLINT(clang-analyzer-core*): all below taking_part were set */
        float r = score[slot] - bar;
        vectors[q] =
            ireneo_working_set_value(l, minimiser->problem, i, slot); /* NOLINT(clang-analyzer-core*) */
        weights[q] = r;
        total += r;
        squares += r * r;
    }
    if (total == 0.0f) return false;
    vectors[taking_part] = ireneo_working_set_target(l, minimiser->problem, i);
    weights[taking_part] = -total; /* r_a = -sum r_j, exactly */
    ireneo_weighted_sum(weights, vectors, taking_part + 1, m, l->dim);
    sums->weights += (double)total;
    sums->loss += 0.5 * ((double)squares + (double)total * (double)total);
    return true;
}

/* A gradient that is being made. */
typedef struct gradient_work {
    ireneo_minimiser *minimiser;
    float step;
    group_sums *groups; /* (groups held here) */
} gradient_work;

/* Rows with residuals that wait for their product, and where they are. */
typedef struct held_rows {
    size_t count;
    float *m, *space; /* (TILE, stride) */
    uint32_t row[TILE];
} held_rows;

/* out (dim_out, dim_in) += M^T X, or = at first, of the rows held. */
static void multiply_held(const ireneo_minimiser *minimiser, held_rows *held, bool add, float *out) {
    const ireneo_problem *p = minimiser->problem;
    float *x = held->space;
    size_t count = held->count;
    held->count = 0;
    if (minimiser->keys.entries != NULL &&
        ireneo_int16_sum(&minimiser->keys, held->row, count, held->m, p->stride, p->dim_out, add, x, out))
        return;
    for (size_t k = 0; k < count; k++)
        memcpy(x + k * p->dim_in, p->x + held->row[k] * p->dim_in, p->dim_in * sizeof *x);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)p->dim_out, (int)p->dim_in, (int)count, 1.0f,
                held->m, (int)p->stride, x, (int)p->dim_in, add ? 1.0f : 0.0f, out, (int)p->dim_in);
}

/* Gradient of one group of rows, whose scores are first moved by the step. */
static void group_gradient(void *context, size_t group, int thread, void *sum) {
    gradient_work *work = context;
    ireneo_minimiser *minimiser = work->minimiser;
    const ireneo_problem *p = minimiser->problem;
    float step = work->step, *tile = minimiser->tiles + (size_t)thread * minimiser->tile_space, *out = sum;
    held_rows held = {.m = tile, .space = tile + TILE * p->stride};
    group_sums sums = {0};
    size_t first, last;
    ireneo_group_rows(&p->holding, group, &first, &last);
    bool begun = false;
    for (size_t i = first; i <= last; i++) {
        if (held.count == TILE || (i == last && held.count > 0)) {
            multiply_held(minimiser, &held, begun, out);
            begun = true;
        }
        if (i == last) break;
        if (step != 0.0f) advance_row(minimiser->set, i, step);
        if (row_residual(minimiser, i, held.m + held.count * p->stride, &sums))
            held.row[held.count++] = (uint32_t)i;
    }
    if (!begun) memset(out, 0, p->dim_out * p->dim_in * sizeof *out);
    work->groups[group - p->holding.first_group] = sums;
}

/* Moves the kept scores by the step; then loss, gradient and violations there. */
static void evaluate_after(ireneo_minimiser *minimiser, float step) {
    const ireneo_problem *p = minimiser->problem;
    group_sums total, groups[IRENEO_MOST_GROUPS];
    gradient_work work = {.minimiser = minimiser, .step = step, .groups = groups};
    ireneo_tree_sum_run(&minimiser->sums, group_gradient, &work, minimiser->matrix_gradient);
    ireneo_sum_groups(&p->holding, sizeof total / sizeof(double), (double *)groups, (double *)&total);
    minimiser->loss = total.loss;
    minimiser->residual_sum = total.weights;
    minimiser->violations = (size_t)total.violations;
    if (minimiser->rank > 0) { /* G_U = G V, G_V = G^T U */
        size_t cut = p->dim_out * minimiser->rank;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)p->dim_out, (int)minimiser->rank,
                    (int)p->dim_in, 1.0f, minimiser->matrix_gradient, (int)p->dim_in, minimiser->point + cut,
                    (int)minimiser->rank, 0.0f, minimiser->gradient, (int)minimiser->rank);
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)p->dim_in, (int)minimiser->rank,
                    (int)p->dim_out, 1.0f, minimiser->matrix_gradient, (int)p->dim_in, minimiser->point,
                    (int)minimiser->rank, 0.0f, minimiser->gradient + cut, (int)minimiser->rank);
    }
    minimiser->gradient_norm =
        sqrt(ireneo_dot(minimiser->gradient, minimiser->gradient, minimiser->length, p->threads));
}

void ireneo_minimiser_evaluate(ireneo_minimiser *minimiser) {
    evaluate_after(minimiser, 0.0f);
}

void ireneo_minimiser_evaluate_anew(ireneo_minimiser *minimiser) {
    if (minimiser->adapts) minimiser->margin = margin_for(minimiser, sums_at(minimiser, 0.0).violations);
    ireneo_minimiser_evaluate(minimiser);
}

ireneo_error ireneo_minimiser_restart(ireneo_minimiser *minimiser) {
    const ireneo_problem *p = minimiser->problem;
    ireneo_working_set *l = minimiser->set;
    float *h = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&h, p->stride, "row"));
    for (size_t i = 0; i < p->rows; i++) {
        ireneo_problem_apply(p, minimiser->w, i, h);
        l->target_score[i] = (float)ireneo_dot(h, ireneo_working_set_target(l, p, i), p->dim_out, 1);
        for (size_t k = 0; k < l->count[i]; k++)
            l->score[i * l->capacity + k] =
                (float)ireneo_dot(h, ireneo_working_set_value(l, p, i, k), p->dim_out, 1);
    }
    free(h);
    ireneo_lbfgs_forget(&minimiser->lbfgs);
    ireneo_minimiser_evaluate(minimiser);
    return IRENEO_OK;
}

/* ---- iteration ---- */

bool ireneo_minimiser_iterate(ireneo_minimiser *minimiser) {
    double t0 = ireneo_seconds();
    bool first = minimiser->lbfgs.used == 0;
    ireneo_lbfgs_direction(&minimiser->lbfgs, minimiser->gradient, minimiser->direction);
    double t1 = ireneo_seconds();
    set_direction(minimiser);
    double t2 = ireneo_seconds();
    double violations = 0.0, step = search_line(minimiser, first, &violations);
    double t3 = ireneo_seconds();
    minimiser->seconds_history += t1 - t0;
    minimiser->seconds_direction += t2 - t1;
    minimiser->seconds_line += t3 - t2;
    if (!(step > 0.0)) {
        if (first) return false;
        ireneo_lbfgs_forget(&minimiser->lbfgs); /* a stale history can point uphill; the gradient cannot */
        return true;
    }
    memcpy(minimiser->old_gradient, minimiser->gradient, minimiser->length * sizeof *minimiser->gradient);
    ireneo_axpy(step, minimiser->direction, minimiser->point, minimiser->length, minimiser->problem->threads);
    ireneo_minimiser_compose(minimiser);
    if (minimiser->adapts) minimiser->margin = fminf(minimiser->margin, margin_for(minimiser, violations));
    evaluate_after(minimiser, (float)step);
    double t4 = ireneo_seconds();
    ireneo_lbfgs_remember(&minimiser->lbfgs, step, minimiser->direction, minimiser->old_gradient,
                          minimiser->gradient);
    minimiser->seconds_gradient += t4 - t3;
    minimiser->seconds_history += ireneo_seconds() - t4;
    return true;
}
