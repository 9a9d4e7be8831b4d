/* From the float32 minimum of the loss to a certificate: Newton's method in float64, on the caller's data.
 *
 * At the minimum of an unsolvable instance the residuals r_ij > 0 satisfy sum_ij r_ij (y_j - y_target) x_i^T
 * = 0, which is what a certificate needs. While the set of active pairs stays the same the loss is quadratic,
 * so one exact Newton step lands on the minimum; its linear system is solved by conjugate gradients, whose
 * products touch only the active pairs. Keys and values are whitened in float64 here: weights that cancel for
 * rounded white data would not cancel for the caller's. */
#include "base/memory.h"
#include "base/progress.h"
#include "linear/certificate.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <string.h>

enum { TILE = 64, MOST_NEWTON = 60, MOST_PRODUCTS = 6000 };
static const double ENOUGH = 1e10; /* sum of weights over |gradient| at which the weights are handed over */
static const double WORTHY = 1e7;  /* and that is worth handing over when no progress is made any more */

typedef struct polish {
    const ireneo_problem *p;
    size_t in, out, area, pairs;
    double margin;
    double *x, *y;            /* (rows, in), (columns, out) white in float64; y NULL with own candidates */
    double *own, *own_target; /* (pairs, out), (rows, out) with own candidates */
    size_t *start;            /* (rows + 1) first pair of each row */
    uint32_t *candidate;      /* (pairs) */
    double *score, *residual; /* (pairs) */
    double *target;           /* (rows) target scores */
    double *w, *gradient, *step, *direction, *product, *rest; /* (out, in) */
    double *partial;                                          /* (groups, out, in) */
    double *tiles;                                            /* (threads, 2 * TILE * out) */
    double loss, weight_sum;
    size_t active, products;
} polish;

static const double *pair_value(const polish *s, size_t pair) {
    return s->y != NULL ? s->y + (size_t)s->candidate[pair] * s->out : s->own + pair * s->out;
}
static const double *target_value(const polish *s, size_t row) {
    return s->y != NULL ? s->y + ireneo_problem_target(s->p, row) * s->out : s->own_target + row * s->out;
}

static double dot(const double *a, const double *b, size_t count) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t k = 0; k < count; k++) sum += a[k] * b[k];
    return sum;
}

/* What to do with a row whose h = W x is known; adds its contribution sum_j c_j y_j to m (out), or leaves m
 * alone and returns false. */
typedef bool (*row_work)(polish *s, size_t row, const double *h, double *m);

/* out (out, in) = sum over rows of m_i x_i^T, where `work` makes m_i from h_i = matrix x_i. */
static void sum_over_rows(polish *s, const double *matrix, row_work work, double *out) {
    const ireneo_problem *p = s->p;
#pragma omp parallel for num_threads(p->threads) schedule(dynamic)
    for (size_t group = 0; group < IRENEO_GROUPS; group++) {
        double *h = s->tiles + (size_t)omp_get_thread_num() * 2 * TILE * s->out, *m = h + TILE * s->out,
               *sum = s->partial + group * s->area;
        size_t first, last;
        ireneo_group_range(group, p->rows, &first, &last);
        memset(sum, 0, s->area * sizeof *sum);
        for (size_t i = first; i < last; i += TILE) {
            size_t count = last - i < TILE ? last - i : TILE;
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)s->out, (int)s->in, 1.0,
                        s->x + i * s->in, (int)s->in, matrix, (int)s->in, 0.0, h, (int)s->out);
            memset(m, 0, count * s->out * sizeof *m);
            bool any = false;
            for (size_t k = 0; k < count; k++) any = work(s, i + k, h + k * s->out, m + k * s->out) || any;
            if (any)
                cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)s->out, (int)s->in, (int)count, 1.0,
                            m, (int)s->out, s->x + i * s->in, (int)s->in, 1.0, sum, (int)s->in);
        }
    }
    memcpy(out, s->partial, s->area * sizeof *out);
    for (size_t group = 1; group < IRENEO_GROUPS; group++)
        for (size_t k = 0; k < s->area; k++) out[k] += s->partial[group * s->area + k];
}

/* Level t of a row in float64; see projection.h. */
static double find_level(const double *score, size_t count, double target, double margin) {
    double t = target;
    for (int step = 0; step < 200; step++) {
        double sum = target;
        size_t active = 0;
        for (size_t k = 0; k < count; k++)
            if (score[k] + margin > t) sum += score[k] + margin, active++;
        double next = sum / (1.0 + (double)active);
        if (!(next > t)) break;
        t = next;
    }
    return t;
}

/* Scores and residuals of a row at h, and m = sum_j r_j (y_j - y_target). */
static bool work_gradient(polish *s, size_t row, const double *h, double *m) {
    size_t first = s->start[row], count = s->start[row + 1] - first;
    const double *target = target_value(s, row);
    double goal = dot(h, target, s->out), total = 0.0;
    s->target[row] = goal;
    for (size_t k = 0; k < count; k++) s->score[first + k] = dot(h, pair_value(s, first + k), s->out);
    double t = find_level(s->score + first, count, goal, s->margin);
    for (size_t k = 0; k < count; k++) {
        double r = fmax(0.0, s->score[first + k] + s->margin - t);
        s->residual[first + k] = r;
        if (r > 0.0) cblas_daxpy((int)s->out, r, pair_value(s, first + k), 1, m, 1), total += r;
    }
    if (total > 0.0) cblas_daxpy((int)s->out, -total, target, 1, m, 1);
    return total > 0.0;
}

/* The same for the change of the residuals along h, with the active set held fixed. */
static bool work_product(polish *s, size_t row, const double *h, double *m) {
    size_t first = s->start[row], last = s->start[row + 1], active = 0;
    double slopes[512], sum = 0.0, total = 0.0;
    for (size_t k = first; k < last; k++)
        if (s->residual[k] > 0.0) slopes[active] = dot(h, pair_value(s, k), s->out), sum += slopes[active++];
    if (active == 0) return false;
    const double *target = target_value(s, row);
    double mean = (sum + dot(h, target, s->out)) / (1.0 + (double)active);
    active = 0;
    for (size_t k = first; k < last; k++)
        if (s->residual[k] > 0.0) {
            double change = slopes[active++] - mean;
            cblas_daxpy((int)s->out, change, pair_value(s, k), 1, m, 1);
            total += change;
        }
    cblas_daxpy((int)s->out, -total, target, 1, m, 1);
    return true;
}

static void evaluate(polish *s) {
    sum_over_rows(s, s->w, work_gradient, s->gradient);
    s->loss = s->weight_sum = 0.0;
    s->active = 0;
    for (size_t i = 0; i < s->p->rows; i++) {
        double total = 0.0, squares = 0.0;
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
            total += s->residual[k];
            squares += s->residual[k] * s->residual[k];
            s->active += s->residual[k] > 0.0;
        }
        s->weight_sum += total;
        s->loss += 0.5 * (squares + total * total);
    }
}

static double norm(const double *a, size_t count) {
    return sqrt(dot(a, a, count));
}

/* step = -H^-1 gradient by conjugate gradients, to the given relative accuracy. */
static void solve_newton(polish *s, double accuracy) {
    double *x = s->step, *r = s->rest, *d = s->direction, *q = s->product,
           goal = accuracy * norm(s->gradient, s->area);
    memset(x, 0, s->area * sizeof *x);
    for (size_t k = 0; k < s->area; k++) r[k] = d[k] = -s->gradient[k];
    double rr = dot(r, r, s->area);
    for (int iteration = 0; iteration < 600 && s->products < MOST_PRODUCTS && sqrt(rr) > goal; iteration++) {
        sum_over_rows(s, d, work_product, q);
        s->products++;
        double curvature = dot(d, q, s->area);
        if (!(curvature > 1e-300)) break;
        double alpha = rr / curvature;
        cblas_daxpy((int)s->area, alpha, d, 1, x, 1);
        cblas_daxpy((int)s->area, -alpha, q, 1, r, 1);
        double next = dot(r, r, s->area), beta = next / rr;
        for (size_t k = 0; k < s->area; k++) d[k] = r[k] + beta * d[k];
        rr = next;
    }
}

/* Moves along the Newton step, halving it while the loss does not fall. False when nothing helps. */
static bool take_step(polish *s) {
    double before = s->loss, fraction = 1.0;
    cblas_daxpy((int)s->area, 1.0, s->step, 1, s->w, 1);
    for (int trial = 0; trial < 12; trial++) {
        evaluate(s);
        if (s->loss <= before * (1.0 + 1e-12)) return true;
        cblas_daxpy((int)s->area, -0.5 * fraction, s->step, 1, s->w, 1);
        fraction *= 0.5;
    }
    evaluate(s);
    return false;
}

static double bound_of(const polish *s) {
    double size = norm(s->gradient, s->area);
    return size > 0.0 ? s->weight_sum / size : INFINITY;
}

/* True when the minimum was reached with residuals left over. */
static ireneo_error minimise(polish *s, const ireneo_progress *progress, bool *reached) {
    double accuracy = 1e-2, best = 0.0;
    int stalled = 0;
    evaluate(s);
    double first_loss = s->loss;
    *reached = false;
    for (int newton = 0; newton < MOST_NEWTON && s->products < MOST_PRODUCTS; newton++) {
        double bound = bound_of(s);
        if (ireneo_report(progress, "proving impossibility", log10(1.0 + bound), log10(ENOUGH)))
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped during the proof");
        if (s->loss <= 1e-10 * first_loss) return IRENEO_OK; /* it can be solved after all, on these lists */
        if (bound > ENOUGH) break;
        stalled = bound > 1.5 * best ? 0 : stalled + 1;
        best = fmax(best, bound);
        if (stalled >= 4 && best > WORTHY) break;
        if (stalled >= 8) return IRENEO_OK;
        size_t active = s->active;
        solve_newton(s, accuracy);
        if (!take_step(s) && bound_of(s) <= WORTHY) return IRENEO_OK;
        /* A settled active set makes the next step exact: then it pays to solve for it exactly. */
        size_t changed = active > s->active ? active - s->active : s->active - active;
        accuracy = changed * 500 < s->active ? 1e-9 : changed * 50 < s->active ? 1e-4 : 1e-2;
    }
    *reached = bound_of(s) > WORTHY && s->loss > 1e-10 * first_loss;
    return IRENEO_OK;
}

static ireneo_error widen_rows(const ireneo_whitening *t, const float *rows, size_t count, double *out) {
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

static ireneo_error copy_pairs(polish *s, const ireneo_lists *l) {
    for (size_t i = 0; i < l->rows; i++) s->pairs += l->count[i];
    IRENEO_TRY(IRENEO_ALLOCATE(&s->start, l->rows + 1, "pairs"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->candidate, s->pairs, "pairs"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->score, s->pairs, "pairs"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->residual, s->pairs, "pairs"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->target, l->rows, "pairs"));
    size_t at = 0;
    for (size_t i = 0; i < l->rows; i++) {
        s->start[i] = at;
        for (size_t k = 0; k < l->count[i]; k++) s->candidate[at++] = l->index[i * l->capacity + k];
    }
    s->start[l->rows] = at;
    if (!l->own) return IRENEO_OK;
    IRENEO_TRY(IRENEO_ALLOCATE(&s->own, s->pairs * s->out, "own candidates in float64"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->own_target, l->rows * s->out, "own targets in float64"));
    for (size_t i = 0; i < l->rows; i++) {
        for (size_t a = 0; a < s->out; a++)
            s->own_target[i * s->out + a] = (double)l->own_targets[i * l->dim + a];
        for (size_t k = 0; k < l->count[i]; k++)
            for (size_t a = 0; a < s->out; a++)
                s->own[(s->start[i] + k) * s->out + a] =
                    (double)l->own_values[(i * l->capacity + k) * l->dim + a];
    }
    return IRENEO_OK;
}

static ireneo_error prepare(polish *s, const ireneo_inner *inner) {
    const ireneo_problem *p = inner->problem;
    double **matrices[] = {&s->w, &s->gradient, &s->step, &s->direction, &s->product, &s->rest};
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++)
        IRENEO_TRY(IRENEO_ALLOCATE(matrices[k], s->area, "matrix in float64"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->partial, IRENEO_GROUPS * s->area, "gradient sums"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->tiles, (size_t)p->threads * 2 * TILE * s->out, "row tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->x, p->rows * s->in, "keys in float64"));
    IRENEO_TRY(widen_rows(&p->keys, p->facts->keys, p->rows, s->x));
    if (p->facts->values != NULL) {
        IRENEO_TRY(IRENEO_ALLOCATE(&s->y, p->columns * s->out, "values in float64"));
        IRENEO_TRY(widen_rows(&p->values, p->facts->values, p->columns, s->y));
    }
    for (size_t k = 0; k < s->area; k++) s->w[k] = (double)inner->w[k];
    return copy_pairs(s, inner->lists);
}

static ireneo_error write_certificate(const polish *s, ireneo_certificate **certificate) {
    IRENEO_TRY(ireneo_certificate_allocate(s->active, certificate));
    ireneo_certificate *c = *certificate;
    size_t at = 0;
    for (size_t i = 0; i < s->p->rows; i++)
        for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
            if (!(s->residual[k] > 0.0)) continue;
            c->facts[at] = (int64_t)i;
            c->candidates[at] = (int64_t)s->candidate[k];
            c->weights[at++] = s->residual[k] / s->weight_sum;
        }
    c->facts_hash = ireneo_facts_hash(s->p->facts);
    return IRENEO_OK;
}

static void free_polish(polish *s) {
    free(s->x), free(s->y), free(s->own), free(s->own_target), free(s->start), free(s->candidate),
        free(s->score), free(s->residual);
    free(s->target), free(s->w), free(s->gradient), free(s->step), free(s->direction), free(s->product),
        free(s->rest);
    free(s->partial), free(s->tiles);
}

ireneo_error ireneo_polish(const ireneo_inner *inner, const ireneo_progress *progress,
                           ireneo_certificate **certificate) {
    const ireneo_problem *p = inner->problem;
    polish s = {.p = p,
                .in = p->dim_in,
                .out = p->dim_out,
                .area = p->dim_in * p->dim_out,
                .margin = (double)inner->margin};
    bool reached = false;
    *certificate = NULL;
    ireneo_error failed = prepare(&s, inner);
    if (failed == IRENEO_OK) failed = minimise(&s, progress, &reached);
    if (failed == IRENEO_OK && reached) failed = write_certificate(&s, certificate);
    free_polish(&s);
    return failed;
}
