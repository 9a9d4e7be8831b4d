/* Mehrotra's predictor-corrector for min |w|^2 / 2, w = sum_k l_k z_k, sum l = 1, l >= 0.
 *
 * With slacks s_k = <z_k, w> - t the conditions are l_k s_k = 0, l, s >= 0. All iterates satisfy the equations
 * exactly, only l_k s_k = mu > 0. A step solves
 *     (1 + sum_k (l_k / s_k) z_k z_k^T) dw = right side .
 * Because z_k = m_k x_i^T is an outer product, the matrix is 1 + sum_i A_i (x) x_i x_i^T with
 * A_i = sum_k (l_k / s_k) m_k m_k^T over the pairs of row i. */
#include "linear/certificate/interior_point.h"
#include "base/pool.h"
#include "base/ram.h"
#include "linear/certificate/cholesky.h"
#include "linear/kernels/vector.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 200 };
static const double VANISHED = 1e-11; /* |w| over the size of the z_k */

/* Mehrotra's choices: the corrector aims at mu times the cube of what the predictor left of it, and the step
 * stops short of the boundary by a hundredth. A step below SHORTEST moves nothing but rounding errors. */
static const double CENTRING_POWER = 3.0, STEP_SHARE = 0.99, SHORTEST = 1e-6;

/* Slacks start this share of their spread, and of |z|^2, away from zero: a start on the boundary takes many
 * short steps to leave it. */
static const double START_SPREAD = 0.1, START_SIZE = 1e-3;

/* Afterwards: weights below this share of the largest are dropped; the identity's share in the matrix of the last steps,
 * small enough to let them converge and large enough for a Cholesky factor; how many of them. */
static const double SMALLEST_WEIGHT = 0x1p-60, SHARE_OF_IDENTITY = 1e-12;
enum { POLISH_ROUNDS = 12 };

/* Share of equal weights in a new beginning, and how many there are. */
static const double MIXED = 0.1;
enum { MOST_MIXES = 3 };

typedef struct interior {
    const ireneo_pair_loss *l;
    size_t area, pairs, rows;
    double *weight, *slack;     /* (pairs) l and s */
    double *d_weight, *d_slack; /* (pairs) the step */
    double *along_a, *along_b;  /* (pairs) <z_k, a>, <z_k, b> */
    double *rest;               /* (pairs) */
    double *before;             /* (pairs) weights before the last new beginning */
    double *a;                  /* (area) a solution of the system */
    double *matrix;             /* (area, area) */
    double *blocks;             /* (rows, out, out) */
    double *space;              /* (threads, space_each) */
    size_t space_each;
    int threads;
    double *block, *m;  /* (out), (out): space of one row */
    double size;        /* root mean square |z| */
    double norm_before; /* |w| of the weights before */
} interior;

/* m (out) = y_target - y_j of a pair. */
static void difference(const interior *s, size_t row, size_t pair, double *m) {
    const ireneo_pair_loss *l = s->l;
    const double *target =
        l->y != NULL ? l->y + ireneo_problem_target(l->p, row) * l->out : l->own_target + row * l->out;
    const double *other = l->y != NULL ? l->y + (size_t)l->candidate[pair] * l->out : l->own + pair * l->out;
    for (size_t a = 0; a < l->out; a++) m[a] = target[a] - other[a];
}

/* values (pairs) = <z_k, matrix>. */
static void scores(const interior *s, const double *matrix, double *values) {
    const ireneo_pair_loss *l = s->l;
    double *h = s->block;
    for (size_t i = 0; i < s->rows; i++) {
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)l->out, (int)l->in, 1.0, matrix, (int)l->in,
                    l->x + i * l->in, 1, 0.0, h, 1);
        for (size_t k = l->start[i]; k < l->start[i + 1]; k++) {
            difference(s, i, k, s->m);
            values[k] = ireneo_dot_f64(s->m, h, l->out);
        }
    }
}

/* sum (out, in) = sum_k c_k z_k. */
static void combine(const interior *s, const double *c, double *sum) {
    const ireneo_pair_loss *l = s->l;
    double *total = s->block;
    memset(sum, 0, s->area * sizeof *sum);
    for (size_t i = 0; i < s->rows; i++) {
        memset(total, 0, l->out * sizeof *total);
        for (size_t k = l->start[i]; k < l->start[i + 1]; k++) {
            difference(s, i, k, s->m);
            cblas_daxpy((int)l->out, c[k], s->m, 1, total, 1);
        }
        cblas_dger(CblasRowMajor, (int)l->out, (int)l->in, 1.0, total, 1, l->x + i * l->in, 1, sum,
                   (int)l->in);
    }
}

/* A_i = sum_j (l / s) m m^T of row i, lower triangle, into s->blocks. */
static void make_block(void *context, size_t i, int thread) {
    const interior *s = context;
    const ireneo_pair_loss *l = s->l;
    size_t out = l->out;
    double *block = s->blocks + i * out * out, *m = s->space + (size_t)thread * s->space_each;
    memset(block, 0, out * out * sizeof *block);
    for (size_t k = l->start[i]; k < l->start[i + 1]; k++) {
        difference(s, i, k, m);
        cblas_dsyr(CblasRowMajor, CblasLower, (int)out, s->weight[k] / s->slack[k], m, 1, block, (int)out);
    }
}

/* Block (a, c) of the matrix, (in, in), is sum_i A_i[a, c] x_i x_i^T = X^T diag(A[a, c]) X; all of one a. */
static void make_matrix_row(void *context, size_t a, int thread) {
    const interior *s = context;
    const ireneo_pair_loss *l = s->l;
    size_t out = l->out, in = l->in;
    double *scaled = s->space + (size_t)thread * s->space_each;
    for (size_t c = 0; c <= a; c++) {
        for (size_t i = 0; i < s->rows; i++) {
            double weight = s->blocks[(i * out + a) * out + c];
            for (size_t b = 0; b < in; b++) scaled[i * in + b] = weight * l->x[i * in + b];
        }
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)in, (int)in, (int)s->rows, 1.0, scaled,
                    (int)in, l->x, (int)in, 0.0, s->matrix + a * in * s->area + c * in, (int)s->area);
    }
}

static void make_matrix(interior *s) {
    ireneo_share(s->rows, s->threads, make_block, s);
    ireneo_share(s->l->out, s->threads, make_matrix_row, s);
    for (size_t k = 0; k < s->area; k++) s->matrix[k * s->area + k] += 1.0;
}

/* matrix = 1 + sum_k (l_k / s_k) z_k z_k^T, then its Cholesky factor. False when it is not positive definite.
 */
static bool factorise(interior *s) {
    make_matrix(s);
    return ireneo_cholesky(s->matrix, s->area, s->threads);
}

static void solve(const interior *s, double *x) {
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)s->area, s->matrix, (int)s->area,
                x, 1);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (int)s->area, s->matrix, (int)s->area, x,
                1);
}

/* The step towards l_k s_k = goal_k, given rest_k = goal_k / l_k - s_k. along_b (pairs) is <z_k, b>, where b
 * solves the system for the right side sum_k (l_k / s_k) z_k. */
static void find_step(interior *s) {
    double top = 0.0, bottom = 0.0;
    for (size_t k = 0; k < s->pairs; k++) s->d_weight[k] = s->weight[k] / s->slack[k] * s->rest[k];
    combine(s, s->d_weight, s->a);
    solve(s, s->a);
    scores(s, s->a, s->along_a);
    for (size_t k = 0; k < s->pairs; k++) {
        double ratio = s->weight[k] / s->slack[k];
        top += ratio * (s->rest[k] - s->along_a[k]);
        bottom += ratio * (1.0 - s->along_b[k]);
    }
    double dt = bottom != 0.0 ? -top / bottom : 0.0; /* keeps the sum of the weights */
    for (size_t k = 0; k < s->pairs; k++) {
        s->d_slack[k] = s->along_a[k] + dt * s->along_b[k] - dt;
        s->d_weight[k] = s->weight[k] / s->slack[k] * (s->rest[k] - s->d_slack[k]);
    }
}

/* Longest step, at most 1, that keeps weights and slacks from becoming negative. */
static double longest_step(const interior *s) {
    double step = 1.0;
    for (size_t k = 0; k < s->pairs; k++) {
        if (s->d_weight[k] < 0.0) step = fmin(step, -s->weight[k] / s->d_weight[k]);
        if (s->d_slack[k] < 0.0) step = fmin(step, -s->slack[k] / s->d_slack[k]);
    }
    return step;
}

static double mean_product(const interior *s, double step) {
    double sum = 0.0;
    for (size_t k = 0; k < s->pairs; k++)
        sum += (s->weight[k] + step * s->d_weight[k]) * (s->slack[k] + step * s->d_slack[k]);
    return sum / (double)s->pairs;
}

/* Rounding may leave no step that is a number. */
static bool step_finite(const interior *s) {
    double sum = 0.0;
    for (size_t k = 0; k < s->pairs; k++) sum += 0.0 * s->d_weight[k] + 0.0 * s->d_slack[k];
    return sum == 0.0;
}

/* One predictor-corrector step; false when rounding allows none, and then nothing has changed. */
static bool iterate(interior *s) {
    if (!factorise(s)) return false;
    for (size_t k = 0; k < s->pairs; k++) s->d_weight[k] = s->weight[k] / s->slack[k];
    combine(s, s->d_weight, s->a);
    solve(s, s->a);
    scores(s, s->a, s->along_b);
    for (size_t k = 0; k < s->pairs; k++) s->rest[k] = -s->slack[k];
    find_step(s);
    double mu = mean_product(s, 0.0), goal = pow(mean_product(s, longest_step(s)) / mu, CENTRING_POWER) * mu;
    for (size_t k = 0; k < s->pairs; k++)
        s->rest[k] = (goal - s->d_weight[k] * s->d_slack[k]) / s->weight[k] - s->slack[k];
    find_step(s);
    double step = STEP_SHARE * longest_step(s);
    if (!step_finite(s) || !(step > SHORTEST)) return false; /* also when it is NaN */
    for (size_t k = 0; k < s->pairs; k++) {
        s->weight[k] += step * s->d_weight[k];
        s->slack[k] += step * s->d_slack[k];
    }
    return true;
}

/* w, its norm and its smallest score, from the weights scaled to sum one. */
static void measure(interior *s, ireneo_interior_point *point) {
    double sum = 0.0;
    for (size_t k = 0; k < s->pairs; k++) sum += s->weight[k];
    for (size_t k = 0; k < s->pairs; k++) s->weight[k] /= sum;
    combine(s, s->weight, point->w);
    scores(s, point->w, s->along_a);
    point->gap = INFINITY;
    for (size_t k = 0; k < s->pairs; k++)
        if (!(s->along_a[k] >= point->gap)) point->gap = s->along_a[k]; /* NaN, once seen, stays */
    point->norm = sqrt(ireneo_dot_f64(point->w, point->w, s->area));
}

/* The slacks that belong to the weights, the lowest of them a tenth of their spread above zero. */
static void set_slacks(interior *s, const ireneo_interior_point *point) {
    double spread = 0.0;
    for (size_t k = 0; k < s->pairs; k++) spread = fmax(spread, s->along_a[k] - point->gap);
    for (size_t k = 0; k < s->pairs; k++)
        s->slack[k] = s->along_a[k] - point->gap + START_SPREAD * spread + START_SIZE * s->size * s->size;
}

/* Equal weights. */
static void start(interior *s, ireneo_interior_point *point) {
    double square = 0.0;
    for (size_t k = 0; k < s->pairs; k++) s->weight[k] = 1.0 / (double)s->pairs;
    measure(s, point);
    for (size_t i = 0; i < s->rows; i++)
        for (size_t k = s->l->start[i]; k < s->l->start[i + 1]; k++) {
            difference(s, i, k, s->m);
            square += ireneo_dot_f64(s->m, s->m, s->l->out) *
                      ireneo_dot_f64(s->l->x + i * s->l->in, s->l->x + i * s->l->in, s->l->in);
        }
    s->size = sqrt(square / (double)s->pairs);
    set_slacks(s, point);
}

/* On the way to a corner rounding may allow no step while |w| has not vanished yet. The weights found so far are mixed with
 * equal ones, and the way begins anew from nearer. */
static void mix(interior *s, ireneo_interior_point *point) {
    memcpy(s->before, s->weight, s->pairs * sizeof *s->before);
    s->norm_before = point->norm;
    for (size_t k = 0; k < s->pairs; k++)
        s->weight[k] = (1.0 - MIXED) * s->weight[k] + MIXED / (double)s->pairs;
    measure(s, point);
    set_slacks(s, point);
}

static ireneo_error allocate(interior *s, ireneo_interior_point *point) {
    double **vectors[] = {&s->before,  &s->slack,   &s->d_weight, &s->d_slack,
                          &s->along_a, &s->along_b, &s->rest};
    size_t side;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        IRENEO_TRY(IRENEO_ALLOCATE(vectors[k], s->pairs, "interior point"));
    IRENEO_TRY(IRENEO_ALLOCATE(&point->weights, s->pairs, "interior point"));
    IRENEO_TRY(IRENEO_ALLOCATE(&point->w, s->area, "interior point"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->a, s->area, "interior point"));
    IRENEO_TRY(ireneo_multiply_sizes(s->area, s->area, &side, "Newton matrix"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->matrix, side, "Newton matrix"));
    s->space_each = s->rows * s->l->in + s->l->out;
    IRENEO_TRY(IRENEO_ALLOCATE(&s->space, (size_t)s->threads * s->space_each, "interior point"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->blocks, s->rows * s->l->out * s->l->out, "interior point"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->block, s->l->out, "interior point"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->m, s->l->out, "interior point"));
    s->weight = point->weights;
    return IRENEO_OK;
}

static ireneo_error run(interior *s, double accuracy, const ireneo_progress *progress,
                        ireneo_interior_point *point) {
    int mixes = 0;
    start(s, point);
    for (point->iterations = 0; point->iterations < MOST_ITERATIONS; point->iterations++) {
        double relative = point->norm / s->size;
        if (ireneo_report(progress, "settling a close case", fmax(0.0, -log10(relative)), -log10(VANISHED)))
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped while a close case was settled");
        if (relative < VANISHED || point->gap > (1.0 - accuracy) * point->norm * point->norm) break;
        if (iterate(s))
            measure(s, point);
        else if (mixes++ < MOST_MIXES)
            mix(s, point);
        else
            break;
    }
    if (mixes > 0 && !(point->gap > 0.0) && point->norm > s->norm_before) { /* it was better before */
        memcpy(s->weight, s->before, s->pairs * sizeof *s->weight);
        measure(s, point);
    }
    return IRENEO_OK;
}

/* The method keeps every weight positive; those that go to zero would only blur the sum. */
static void drop_vanishing(interior *s) {
    double largest = 0.0;
    for (size_t k = 0; k < s->pairs; k++) largest = fmax(largest, s->weight[k]);
    for (size_t k = 0; k < s->pairs; k++)
        if (s->weight[k] < SMALLEST_WEIGHT * largest) s->weight[k] = 0.0;
}

/* sum_k l_k |z_k|^2. */
static double weighted_size(const interior *s) {
    double sum = 0.0;
    for (size_t i = 0; i < s->rows; i++)
        for (size_t k = s->l->start[i]; k < s->l->start[i + 1]; k++) {
            const double *x = s->l->x + i * s->l->in;
            difference(s, i, k, s->m);
            sum += s->weight[k] * ireneo_dot_f64(s->m, s->m, s->l->out) * ireneo_dot_f64(x, x, s->l->in);
        }
    return sum;
}

/* One step towards weights l_k (1 + e_k) that cancel, with the smallest sum of l_k e_k^2: e_k = -<z_k, v>, where
 * (sum_k l_k z_k z_k^T) v = w, here with a trace of the identity in the matrix. False when it brings nothing. */
static bool cancel_better(interior *s, ireneo_interior_point *point) {
    double scale = (double)s->area / (SHARE_OF_IDENTITY * weighted_size(s)), before = point->norm, step = 1.0;
    for (size_t k = 0; k < s->pairs; k++) s->slack[k] = 1.0 / scale;
    if (!isfinite(scale) || !factorise(s)) return false;
    memcpy(s->a, point->w, s->area * sizeof *s->a);
    solve(s, s->a);
    scores(s, s->a, s->along_b);
    for (size_t k = 0; k < s->pairs; k++) {
        s->d_weight[k] = -scale * s->along_b[k]; /* e_k */
        s->rest[k] = s->weight[k];
        if (s->d_weight[k] < -0.5 && s->weight[k] > 0.0) step = fmin(step, -0.5 / s->d_weight[k]);
    }
    for (size_t k = 0; k < s->pairs; k++) s->weight[k] *= 1.0 + step * s->d_weight[k];
    measure(s, point);
    if (point->norm < 0.9 * before) return true;
    memcpy(s->weight, s->rest, s->pairs * sizeof *s->weight);
    measure(s, point);
    return false;
}

/* Weights that nearly cancel are made to cancel to the last digits: an exact proof looks for one close by. */
static void polish(interior *s, ireneo_interior_point *point) {
    if (point->gap > 0.0) return;
    drop_vanishing(s);
    measure(s, point);
    for (int round = 0; round < POLISH_ROUNDS && cancel_better(s, point); round++) {
    }
}

ireneo_error ireneo_interior_point_solve(const ireneo_pair_loss *pairs, double accuracy,
                                         const ireneo_progress *progress, ireneo_interior_point *point) {
    interior s = {.l = pairs,
                  .area = pairs->area,
                  .pairs = pairs->pairs,
                  .rows = pairs->p->rows,
                  .threads = pairs->p->threads};
    memset(point, 0, sizeof *point);
    ireneo_error failed = allocate(&s, point);
    if (failed == IRENEO_OK) failed = run(&s, accuracy, progress, point);
    if (failed == IRENEO_OK) polish(&s, point);
    free(s.before), free(s.slack), free(s.d_weight), free(s.d_slack), free(s.along_a), free(s.along_b),
        free(s.rest);
    free(s.a), free(s.matrix), free(s.block), free(s.m), free(s.blocks), free(s.space);
    if (failed != IRENEO_OK) ireneo_interior_point_free(point);
    return failed;
}

void ireneo_interior_point_free(ireneo_interior_point *point) {
    free(point->w);
    free(point->weights);
    memset(point, 0, sizeof *point);
}
