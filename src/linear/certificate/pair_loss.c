/* Sums over rows of the float64 loss: threads take groups of rows, one-thread BLAS inside, groups added in a
 * fixed order. */
#include "linear/certificate/pair_loss.h"
#include "base/pool.h"
#include "base/ram.h"
#include "linear/certificate/certificate.h"
#include "linear/kernels/vector.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { TILE = 64 };

static const double *pair_value(const ireneo_pair_loss *s, size_t pair) {
    return s->y != NULL ? s->y + (size_t)s->candidate[pair] * s->out : s->own + pair * s->out;
}
static const double *target_value(const ireneo_pair_loss *s, size_t row) {
    return s->y != NULL ? s->y + ireneo_problem_target(s->p, row) * s->out : s->own_target + row * s->out;
}

/* ---- sums over rows ---- */

/* What to do with a row whose h = W x is known; adds its contribution sum_j c_j y_j to m (out), or leaves m
 * alone and returns false. */
typedef bool (*row_work)(ireneo_pair_loss *s, size_t row, const double *h, double *m);

/* Entries of all h = W x, rows times (out, in), below which a product takes about a millisecond: waiting for
 * another thread then costs more than it brings. */
static const size_t WORTH_A_THREAD = 4000000;

static int useful_threads(const ireneo_pair_loss *s) {
    return s->p->rows * s->area < WORTH_A_THREAD ? 1 : s->p->threads;
}

/* A sum over rows under way. */
typedef struct row_sum {
    ireneo_pair_loss *loss;
    const double *matrix; /* (out, in) */
    row_work work;
    double *out; /* (out, in) */
} row_sum;

static void sum_group(void *context, size_t group, int thread) {
    const row_sum *r = context;
    ireneo_pair_loss *s = r->loss;
    double *h = s->tiles + (size_t)thread * 2 * TILE * s->out, *m = h + TILE * s->out,
           *sum = s->partial + group * s->area;
    size_t first, last;
    ireneo_group_range(group, s->p->rows, &first, &last);
    memset(sum, 0, s->area * sizeof *sum);
    for (size_t i = first; i < last; i += TILE) {
        size_t count = last - i < TILE ? last - i : TILE;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)s->out, (int)s->in, 1.0,
                    s->x + i * s->in, (int)s->in, r->matrix, (int)s->in, 0.0, h, (int)s->out);
        memset(m, 0, count * s->out * sizeof *m);
        bool any = false;
        for (size_t k = 0; k < count; k++) any = r->work(s, i + k, h + k * s->out, m + k * s->out) || any;
        if (any)
            cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)s->out, (int)s->in, (int)count, 1.0, m,
                        (int)s->out, s->x + i * s->in, (int)s->in, 1.0, sum, (int)s->in);
    }
}

static void add_groups(void *context, size_t first, size_t last) {
    const row_sum *r = context;
    const ireneo_pair_loss *s = r->loss;
    for (size_t k = first; k < last; k++) {
        double sum = s->partial[k];
        for (size_t group = 1; group < IRENEO_GROUPS; group++) sum += s->partial[group * s->area + k];
        r->out[k] = sum;
    }
}

/* out (out, in) = sum over rows of m_i x_i^T, where `work` makes m_i from h_i = matrix x_i. */
static void sum_over_rows(ireneo_pair_loss *s, const double *matrix, row_work work, double *out) {
    enum { GRAIN = 4096 };
    row_sum r = {s, matrix, work, out};
    int threads = useful_threads(s);
    ireneo_share(IRENEO_GROUPS, threads, sum_group, &r);
    ireneo_share_rows(s->area, GRAIN, threads, add_groups, &r);
}

/* Level t of a row whose shifted competitors are score + shift; see row_projection.h. Steps climb to it and end
 * by themselves, after two to four as a rule. */
static double find_level(const double *score, const double *shift, size_t count, double target,
                         double margin) {
    enum { MOST_STEPS = 200 };
    double t = target;
    for (int step = 0; step < MOST_STEPS; step++) {
        double sum = target;
        size_t active = 0;
        for (size_t k = 0; k < count; k++) {
            double u = score[k] + shift[k] + margin;
            if (u > t) sum += u, active++;
        }
        double next = sum / (1.0 + (double)active);
        if (!(next > t)) break;
        t = next;
    }
    return t;
}

/* Scores and residuals of a row at h, and m = sum_j r_j (y_j - y_target). */
static bool work_gradient(ireneo_pair_loss *s, size_t row, const double *h, double *m) {
    size_t first = s->start[row], count = s->start[row + 1] - first;
    const double *target = target_value(s, row), *shift = s->shift + first;
    double *score = s->score + first, goal = ireneo_dot_f64(h, target, s->out), total = 0.0, shifts = 0.0;
    s->target[row] = goal;
    for (size_t k = 0; k < count; k++) {
        score[k] = ireneo_dot_f64(h, pair_value(s, first + k), s->out);
        shifts += shift[k];
    }
    double t = find_level(score, shift, count, goal - shifts, s->margin);
    for (size_t k = 0; k < count; k++) {
        double r = fmax(0.0, score[k] + shift[k] + s->margin - t);
        s->residual[first + k] = r;
        if (r > 0.0) cblas_daxpy((int)s->out, r, pair_value(s, first + k), 1, m, 1), total += r;
    }
    if (total > 0.0) cblas_daxpy((int)s->out, -total, target, 1, m, 1);
    return total > 0.0;
}

/* The same for the change of the residuals along h, with the active set held fixed. */
static bool work_product(ireneo_pair_loss *s, size_t row, const double *h, double *m) {
    size_t pairs[IRENEO_MOST_PAIRS], active = 0;
    double slopes[IRENEO_MOST_PAIRS], sum = 0.0, total = 0.0;
    for (size_t k = s->start[row]; k < s->start[row + 1]; k++)
        if (s->residual[k] > 0.0) {
            pairs[active] = k;
            slopes[active] = ireneo_dot_f64(h, pair_value(s, k), s->out);
            sum += slopes[active++];
        }
    if (active == 0) return false;
    const double *target = target_value(s, row);
    double mean = (sum + ireneo_dot_f64(h, target, s->out)) / (1.0 + (double)active);
    for (size_t k = 0; k < active; k++) {
        double change = slopes[k] - mean;
        cblas_daxpy((int)s->out, change, pair_value(s, pairs[k]), 1, m, 1);
        total += change;
    }
    cblas_daxpy((int)s->out, -total, target, 1, m, 1);
    return true;
}

void ireneo_pair_loss_evaluate(ireneo_pair_loss *s, const double *w, double *gradient) {
    sum_over_rows(s, w, work_gradient, gradient);
    s->loss = s->weight_sum = 0.0;
    s->gap = INFINITY;
    s->active = 0;
    for (size_t i = 0; i < s->p->rows; i++) {
        double total = 0.0, squares = 0.0;
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
            total += s->residual[k];
            squares += s->residual[k] * s->residual[k];
            s->active += s->residual[k] > 0.0;
            s->gap = fmin(s->gap, s->target[i] - s->score[k]);
        }
        s->weight_sum += total;
        s->loss += 0.5 * (squares + total * total);
    }
}

void ireneo_pair_loss_product(ireneo_pair_loss *s, const double *direction, double *product) {
    sum_over_rows(s, direction, work_product, product);
    s->products++;
}

/* ---- pairs ---- */

/* rows (count, dim) of the caller into the coordinates of a whitening, (count, span) in float64. */
static ireneo_error rows_to_f64(const ireneo_whitening *t, const float *rows, size_t count, double *out) {
    double *tile = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&tile, TILE * t->dim, "rows in float64"));
    for (size_t i = 0; i < count; i += TILE) {
        size_t many = count - i < TILE ? count - i : TILE;
        for (size_t k = 0; k < many; k++)
            for (size_t j = 0; j < t->dim; j++)
                tile[k * t->dim + j] = (double)rows[(i + k) * t->dim + j] - t->mean[j];
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)many, (int)t->span, (int)t->dim, 1.0, tile,
                    (int)t->dim, t->forward, (int)t->dim, 0.0, out + i * t->span, (int)t->span);
    }
    free(tile);
    return IRENEO_OK;
}

/* The vectors of own candidates, for the pairs as they are now. */
static ireneo_error make_own(ireneo_pair_loss *s) {
    if (s->y != NULL) return IRENEO_OK;
    const ireneo_facts *f = s->p->facts;
    float *value = NULL;
    free(s->own);
    s->own = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&s->own, s->pairs * s->out, "own candidates in float64"));
    IRENEO_TRY(IRENEO_ALLOCATE(&value, f->dim_out, "own candidate"));
    for (size_t i = 0; i < s->p->rows; i++) {
        f->own_candidates(f->own_context, i, ireneo_problem_target(s->p, i), 1, value);
        for (size_t a = 0; a < s->out; a++) s->own_target[i * s->out + a] = (double)value[a];
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
            f->own_candidates(f->own_context, i, s->candidate[k], 1, value);
            for (size_t a = 0; a < s->out; a++) s->own[k * s->out + a] = (double)value[a];
        }
    }
    free(value);
    return IRENEO_OK;
}

typedef struct pair {
    uint32_t candidate;
    double shift;
    bool old;
} pair;

static int by_candidate(const void *a, const void *b) {
    const pair *x = a, *y = b;
    if (x->candidate != y->candidate) return x->candidate < y->candidate ? -1 : 1;
    return (int)y->old - (int)x->old; /* the old one of two equals comes first and stays */
}

/* The union of a row's old pairs and its list, in row (at most IRENEO_MOST_PAIRS). */
static size_t merge_row(const ireneo_pair_loss *s, const ireneo_working_set *set, size_t i, pair *row,
                        size_t *added) {
    size_t count = 0, kept = 0;
    for (size_t k = s->start[i]; k < s->start[i + 1] && count < IRENEO_MOST_PAIRS; k++) /* weights go first */
        if (s->shift[k] > 0.0) row[count++] = (pair){s->candidate[k], s->shift[k], true};
    for (size_t k = 0; k < set->count[i] && count < IRENEO_MOST_PAIRS; k++)
        row[count++] = (pair){set->index[i * set->capacity + k], 0.0, false};
    qsort(row, count, sizeof *row, by_candidate);
    for (size_t k = 0; k < count; k++)
        if (kept == 0 || row[k].candidate != row[kept - 1].candidate) row[kept++] = row[k];
    size_t old = s->start[i];
    for (size_t k = 0; k < kept; k++) {
        while (old < s->start[i + 1] && s->candidate[old] < row[k].candidate) old++;
        *added += old == s->start[i + 1] || s->candidate[old] != row[k].candidate;
    }
    return kept;
}

ireneo_error ireneo_pair_loss_merge(ireneo_pair_loss *s, const ireneo_working_set *set, size_t *added) {
    size_t most = s->pairs, at = 0, *start = NULL;
    uint32_t *candidate = NULL;
    double *shift = NULL;
    pair row[IRENEO_MOST_PAIRS];
    *added = 0;
    for (size_t i = 0; i < set->rows; i++) most += set->count[i];
    ireneo_error failed = IRENEO_ALLOCATE(&start, set->rows + 1, "pairs");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&candidate, most, "pairs");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&shift, most, "pairs");
    if (failed != IRENEO_OK) {
        free(start), free(candidate), free(shift);
        return failed;
    }
    for (size_t i = 0; i < set->rows; i++) {
        size_t count = merge_row(s, set, i, row, added);
        start[i] = at;
        for (size_t k = 0; k < count; k++, at++) candidate[at] = row[k].candidate, shift[at] = row[k].shift;
    }
    start[set->rows] = at;
    free(s->start), free(s->candidate), free(s->shift), free(s->score), free(s->residual);
    s->start = start, s->candidate = candidate, s->shift = shift, s->pairs = at;
    s->score = s->residual = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&s->score, at, "pairs"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&s->residual, at, "pairs"));
    return make_own(s);
}

static ireneo_error allocate(ireneo_pair_loss *s) {
    const ireneo_problem *p = s->p;
    IRENEO_TRY(IRENEO_ALLOCATE(&s->partial, IRENEO_GROUPS * s->area, "gradient sums"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->tiles, (size_t)p->threads * 2 * TILE * s->out, "row tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->target, p->rows, "pairs"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&s->start, p->rows + 1, "pairs"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->x, p->rows * s->in, "keys in float64"));
    IRENEO_TRY(rows_to_f64(&p->keys, p->facts->keys, p->rows, s->x));
    if (p->facts->values == NULL)
        return IRENEO_ALLOCATE(&s->own_target, p->rows * s->out, "own targets in float64");
    IRENEO_TRY(IRENEO_ALLOCATE(&s->y, p->columns * s->out, "values in float64"));
    return rows_to_f64(&p->values, p->facts->values, p->columns, s->y);
}

ireneo_error ireneo_pair_loss_make(const ireneo_problem *p, const ireneo_working_set *set, double margin,
                                   ireneo_pair_loss *s) {
    size_t added;
    *s = (ireneo_pair_loss){
        .p = p, .in = p->dim_in, .out = p->dim_out, .area = p->dim_in * p->dim_out, .margin = margin};
    ireneo_error failed = allocate(s);
    if (failed == IRENEO_OK) failed = ireneo_pair_loss_merge(s, set, &added);
    if (failed != IRENEO_OK) ireneo_pair_loss_free(s);
    return failed;
}

void ireneo_pair_loss_free(ireneo_pair_loss *s) {
    free(s->x), free(s->y), free(s->own), free(s->own_target), free(s->start), free(s->candidate);
    free(s->shift), free(s->score), free(s->residual), free(s->target), free(s->partial), free(s->tiles);
    memset(s, 0, sizeof *s);
}

ireneo_error ireneo_pair_loss_certificate(const ireneo_pair_loss *s, const double *weights,
                                          ireneo_certificate **certificate) {
    size_t count = 0, at = 0;
    double sum = 0.0;
    for (size_t k = 0; k < s->pairs; k++)
        if (weights[k] > 0.0) count++, sum += weights[k];
    IRENEO_TRY(ireneo_certificate_allocate(count, certificate));
    ireneo_certificate *c = *certificate;
    for (size_t i = 0; i < s->p->rows; i++)
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
            if (!(weights[k] > 0.0)) continue;
            c->facts[at] = (int64_t)i;
            c->candidates[at] = (int64_t)s->candidate[k];
            c->weights[at++] = weights[k] / sum;
        }
    return IRENEO_OK;
}
