/* Facts and a matrix in the coordinates of a metric. */
#include "linear/edit/edit_problem.h"
#include "base/pool.h"
#include "base/ram.h"
#include "linear/certificate/cholesky.h"
#include "linear/facts/facts.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { TILE = 64 };

/* How far apart two mirror entries of a metric may be, over the largest. */
static const double SYMMETRIC = 1e-5;

typedef struct product {
    const double *a, *b;
    int transposed;
    size_t rows, n, m;
    double *product;
} product;

static void multiply_tile(void *context, size_t tile, int thread) {
    (void)thread;
    const product *t = context;
    size_t first = tile * TILE, count = t->rows - first < TILE ? t->rows - first : TILE;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, t->transposed ? CblasTrans : CblasNoTrans, (int)count, (int)t->n,
                (int)t->m, 1.0, t->a + first * t->m, (int)t->m, t->b, t->transposed ? (int)t->m : (int)t->n,
                0.0, t->product + first * t->n, (int)t->n);
}

void ireneo_edit_multiply(const double *a, const double *b, int transposed, size_t rows, size_t n, size_t m,
                          int threads, double *out) {
    product t = {a, b, transposed, rows, n, m, out};
    ireneo_share((rows + TILE - 1) / TILE, threads, multiply_tile, &t);
}

typedef struct outer {
    const double *a, *b;
    size_t count, n, m;
    double scale, kept, *product;
} outer;

static void outer_tile(void *context, size_t tile, int thread) {
    (void)thread;
    const outer *t = context;
    size_t first = tile * TILE, high = t->n - first < TILE ? t->n - first : TILE;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)high, (int)t->m, (int)t->count, t->scale,
                t->a + first, (int)t->n, t->b, (int)t->m, t->kept, t->product + first * t->m, (int)t->m);
}

void ireneo_edit_outer(const double *a, const double *b, size_t count, size_t n, size_t m, double kept,
                       int threads, double *out) {
    outer t = {a, b, count, n, m, 1.0, kept, out};
    ireneo_share((n + TILE - 1) / TILE, threads, outer_tile, &t);
}

static double *widened(const float *values, size_t count) {
    double *wide = NULL;
    if (IRENEO_ALLOCATE(&wide, count, "facts in float64") != IRENEO_OK) return NULL;
    for (size_t k = 0; k < count; k++) wide[k] = (double)values[k];
    return wide;
}

/* o = W0 x + r; keys are still those of the caller. */
static ireneo_error make_outputs(const ireneo_facts *f, const float *w0, ireneo_edit_problem *p) {
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&p->outputs, p->rows * p->dim_out, "outputs"));
    if (w0 != NULL) {
        double *wide = widened(w0, p->dim_out * p->dim_in);
        if (wide == NULL) return IRENEO_ERROR_MEMORY;
        ireneo_edit_multiply(p->keys, wide, 1, p->rows, p->dim_out, p->dim_in, p->threads, p->outputs);
        free(wide);
    }
    for (size_t k = 0; f->residuals != NULL && k < p->rows * p->dim_out; k++)
        p->outputs[k] += (double)f->residuals[k];
    return IRENEO_OK;
}

ireneo_error ireneo_edit_problem_make(const ireneo_facts *f, const float *w0, double *metric, int threads,
                                      const ireneo_progress *progress, ireneo_edit_problem *p) {
    *p = (ireneo_edit_problem){.rows = f->facts,
                               .dim_in = f->dim_in,
                               .dim_out = f->dim_out,
                               .candidates = f->candidates,
                               .metric = metric,
                               .threads = threads,
                               .progress = progress};
    ireneo_error failed = IRENEO_ALLOCATE(&p->target, p->rows, "targets");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&p->margins, p->rows, "margins");
    p->keys = failed == IRENEO_OK ? widened(f->keys, p->rows * p->dim_in) : NULL;
    p->values = failed == IRENEO_OK ? widened(f->values, p->candidates * p->dim_out) : NULL;
    if (failed == IRENEO_OK && (p->keys == NULL || p->values == NULL)) failed = IRENEO_ERROR_MEMORY;
    if (failed == IRENEO_OK) failed = make_outputs(f, w0, p);
    if (failed != IRENEO_OK) {
        ireneo_edit_problem_free(p);
        return failed;
    }
    for (size_t i = 0; i < p->rows; i++) p->target[i] = ireneo_target_of(f, i);
    if (metric != NULL) /* k = L^-1 x, row by row: k^T = x^T L^-T */
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)p->rows,
                    (int)p->dim_in, 1.0, metric, (int)p->dim_in, p->keys, (int)p->dim_in);
    return IRENEO_OK;
}

void ireneo_edit_problem_free(ireneo_edit_problem *p) {
    free(p->target), free(p->keys), free(p->outputs), free(p->values), free(p->margins);
    memset(p, 0, sizeof *p);
}

static ireneo_error check_metric(const double *metric, size_t dim) {
    double largest = 0.0;
    for (size_t k = 0; k < dim * dim; k++) {
        if (!isfinite(metric[k]))
            return ireneo_fail(IRENEO_ERROR_DATA, "the metric: row %zu, column %zu is not finite", k / dim,
                               k % dim);
        largest = fmax(largest, fabs(metric[k]));
    }
    for (size_t a = 0; a < dim; a++)
        for (size_t b = 0; b < a; b++)
            if (!(fabs(metric[a * dim + b] - metric[b * dim + a]) <= SYMMETRIC * largest))
                return ireneo_fail(IRENEO_ERROR_DATA,
                                   "the metric is not symmetric: entries %zu, %zu and %zu, %zu differ", a, b,
                                   b, a);
    return IRENEO_OK;
}

ireneo_error ireneo_metric_factor(const double *metric, size_t dim, double ridge, int threads,
                                  double **factor) {
    *factor = NULL;
    IRENEO_TRY(check_metric(metric, dim));
    double trace = 0.0, least = INFINITY, mean;
    IRENEO_TRY(IRENEO_ALLOCATE(factor, dim * dim, "metric"));
    memcpy(*factor, metric, dim * dim * sizeof **factor);
    for (size_t a = 0; a < dim; a++) trace += metric[a * dim + a];
    mean = trace / (double)dim;
    for (size_t a = 0; a < dim; a++) (*factor)[a * dim + a] += ridge * mean;
    bool definite = mean > 0.0 && ireneo_cholesky(*factor, dim, threads);
    for (size_t a = 0; a < dim && definite; a++) least = fmin(least, (*factor)[a * dim + a]);
    if (definite && least * least > 1e-13 * mean) return IRENEO_OK;
    free(*factor);
    *factor = NULL;
    return ireneo_fail(
        IRENEO_ERROR_DATA,
        "the metric is not positive definite: some changes would cost nothing; more ordinary keys, "
        "or a ridge (0.01), make it so");
}

void ireneo_metric_undo(const ireneo_edit_problem *p, double *change) {
    if (p->metric != NULL)
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, (int)p->dim_out,
                    (int)p->dim_in, 1.0, p->metric, (int)p->dim_in, change, (int)p->dim_in);
}
