/* M = sum_j r_j y_j for rows with r != 0, and G = M^T X, group of rows by group, summed along the tree. */
#include "linear/solver/gradient.h"
#include "base/floats.h"
#include "linear/kernels/row_projection.h"
#include "linear/kernels/vector.h"
#include "linear/kernels/weighted_sum.h"
#include "linear/solver/factors.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

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
    float *m, *space; /* (IRENEO_ROW_TILE, stride) */
    uint32_t row[IRENEO_ROW_TILE];
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
    held_rows held = {.m = tile, .space = tile + IRENEO_ROW_TILE * p->stride};
    group_sums sums = {0};
    size_t first, last;
    ireneo_group_rows(&p->holding, group, &first, &last);
    bool begun = false;
    for (size_t i = first; i <= last; i++) {
        if (held.count == IRENEO_ROW_TILE || (i == last && held.count > 0)) {
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

void ireneo_gradient_after(ireneo_minimiser *minimiser, float step) {
    const ireneo_problem *p = minimiser->problem;
    group_sums total, groups[IRENEO_MOST_GROUPS];
    gradient_work work = {.minimiser = minimiser, .step = step, .groups = groups};
    ireneo_tree_sum_run(&minimiser->sums, group_gradient, &work, minimiser->matrix_gradient);
    ireneo_sum_groups(&p->holding, sizeof total / sizeof(double), (double *)groups, (double *)&total);
    minimiser->loss = total.loss;
    minimiser->residual_sum = total.weights;
    minimiser->violations = (size_t)total.violations;
    ireneo_factors_gradient(minimiser);
    minimiser->gradient_norm =
        sqrt(ireneo_dot(minimiser->gradient, minimiser->gradient, minimiser->length, p->threads));
}
