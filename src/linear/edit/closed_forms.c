/* The usual closed forms, for comparison: what editing tools do.
 *
 * First every fact by itself: the least v_i with which its output o_i + v_i has the margin. Then all at once, by least
 * squares: D minimises sum |D k_i - v_i|^2 + lambda |D|^2, D = V^T K (K^T K + lambda)^-1 in the coordinates of the metric.
 * The null-space rule has the plain ridge instead of the metric's, and only the directions of key space that ordinary keys
 * use least. Neither sees competitors again, so margins come out as they may; lambda, the dimensions and a factor of V are
 * chosen by looking: least change with 99 % recalled, else most recalled. */
#include "linear/edit/closed_forms.h"
#include "base/ram.h"
#include "linear/certificate/cholesky.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

static const double LAMBDAS[] = {0.01, 0.1, 1.0, 10.0, 100.0}, SCALES[] = {1.0, 2.0};
static const double SHARES[] = {0.25, 0.5, 0.75, 0.875, 1.0}; /* of the dimensions, left to a null space */
static const double MOSTLY = 0.99;
enum { OUTPUT_ROUNDS = 40 };

typedef struct closed_form {
    edit_work *e;
    double *v;    /* (facts, dim_out) least changes of outputs */
    double *keys; /* (facts, width) in the coordinates of the regression */
    size_t width;
    double *axes;   /* (width, dim_in) rows; NULL: the metric's own */
    double *change; /* (dim_out, dim_in) */
    float *best;    /* the best matrix so far */
    double best_change, best_lambda;
    size_t best_recalled, best_dimensions;
} closed_form;

/* ---- every fact by itself: a key of one dimension ---- */

static ireneo_error change_output(const ireneo_edit_problem *p, size_t row, double *v) {
    double one = 1.0;
    ireneo_edit_problem single = *p;
    ireneo_least_change c = {.reached = false};
    single.rows = 1, single.dim_in = 1, single.keys = &one, single.metric = NULL, single.threads = 1;
    single.target = p->target + row, single.margins = p->margins + row;
    single.outputs = p->outputs + row * p->dim_out, single.progress = NULL;
    ireneo_error failed = ireneo_least_change_find(&single, OUTPUT_ROUNDS, 0.0, &c);
    if (failed == IRENEO_OK) {
        ireneo_edit_pairs_product(&c.pairs, c.pairs.weight, c.pairs.gap);
        memcpy(v, c.pairs.change, p->dim_out * sizeof *v);
    }
    ireneo_least_change_free(&c);
    return failed;
}

static ireneo_error change_outputs(closed_form *s) {
    const ireneo_edit_problem *p = &s->e->problem;
    size_t n = s->e->facts->facts;
    for (size_t i = 0; i < n; i++) {
        if (ireneo_report(p->progress, "least changes of outputs", (double)i, (double)n))
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped during the edit");
        IRENEO_TRY(change_output(p, i, s->v + i * p->dim_out));
    }
    return IRENEO_OK;
}

/* ---- the regression ---- */

/* change = scale V^T K (K^T K + lambda)^-1 in the coordinates of the keys, then in those of W when there are axes. */
static ireneo_error regress(closed_form *s, double lambda, double scale) {
    const ireneo_edit_problem *p = &s->e->problem;
    int n = (int)s->e->facts->facts, width = (int)s->width, out = (int)p->dim_out;
    double *gram = NULL, *mixed = NULL;
    ireneo_error failed = IRENEO_ALLOCATE(&gram, s->width * s->width, "a regression");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&mixed, p->dim_out * s->width, "a regression");
    if (failed == IRENEO_OK) {
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, width, width, n, 1.0, s->keys, width, s->keys,
                    width, 0.0, gram, width);
        for (size_t a = 0; a < s->width; a++) gram[a * s->width + a] += lambda;
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, out, width, n, scale, s->v, out, s->keys, width,
                    0.0, mixed, width);
        if (!ireneo_cholesky(gram, s->width, p->threads))
            failed = ireneo_fail(IRENEO_ERROR_NUMERIC, "the regression is singular; give a larger lambda");
    }
    if (failed == IRENEO_OK) {
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, out, width, 1.0, gram,
                    width, mixed, width);
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, out, width, 1.0, gram,
                    width, mixed, width);
        if (s->axes == NULL)
            memcpy(s->change, mixed, p->dim_out * p->dim_in * sizeof *mixed);
        else
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, out, (int)p->dim_in, width, 1.0, mixed,
                        width, s->axes, (int)p->dim_in, 0.0, s->change, (int)p->dim_in);
    }
    free(gram), free(mixed);
    return failed;
}

/* Is the matrix at hand better than the best so far? Mostly recalled ones by their change, others by recall. */
static void compare(closed_form *s, double lambda) {
    const ireneo_edit_info *info = s->e->info;
    size_t enough = (size_t)ceil(MOSTLY * (double)info->facts),
           now = info->recalled < enough ? info->recalled : enough,
           then = s->best_recalled < enough ? s->best_recalled : enough;
    bool better =
        s->best_lambda == 0.0 || now > then || (now == then && info->change_metric < s->best_change);
    if (!better) return;
    s->best_change = info->change_metric, s->best_recalled = info->recalled;
    s->best_lambda = lambda, s->best_dimensions = s->width;
    memcpy(s->best, s->e->edited->matrix, s->e->facts->dim_in * s->e->facts->dim_out * sizeof *s->best);
}

static double mean_square(const closed_form *s) {
    size_t count = s->e->facts->facts * s->width;
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) sum += s->keys[k] * s->keys[k];
    return sum / (double)s->width;
}

static ireneo_error try_all(closed_form *s, double unit) {
    double given[1] = {s->e->settings.lambda};
    bool asked = given[0] > 0.0;
    const double *lambdas = asked ? given : LAMBDAS;
    size_t count = asked ? 1 : sizeof LAMBDAS / sizeof LAMBDAS[0];
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < sizeof SCALES / sizeof SCALES[0]; b++) {
            if (ireneo_report(s->e->settings.progress, "trying ridges", (double)a, (double)count))
                return ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped during the edit");
            double lambda = asked ? lambdas[a] : lambdas[a] * unit;
            IRENEO_TRY(regress(s, lambda, SCALES[b]));
            IRENEO_TRY(ireneo_edit_write(s->e, s->change, s->axes == NULL));
            IRENEO_TRY(ireneo_edit_measure(s->e));
            compare(s, lambda);
        }
    return IRENEO_OK;
}

static ireneo_error run_ridge(closed_form *s) {
    s->width = s->e->facts->dim_in;
    s->keys = s->e->problem.keys;
    ireneo_error failed = try_all(s, 1.0);
    s->keys = NULL;
    return failed;
}

/* ---- the null space ---- */

/* Directions of key space as rows, those that ordinary keys use least first. */
static ireneo_error find_axes(const edit_work *e, double *axes) {
    size_t dim = e->facts->dim_in;
    double *squares = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&squares, dim, "null space"));
    memcpy(axes, e->settings.covariance, dim * dim * sizeof *axes);
    /* eigenvectors by columns in column order are rows in ours */
    int code =
        (int)LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)dim, axes, (lapack_int)dim, squares);
    free(squares);
    return code == 0
               ? IRENEO_OK
               : ireneo_fail(IRENEO_ERROR_NUMERIC, "the second moment of ordinary keys has no eigenvectors");
}

static ireneo_error run_null_space(closed_form *s) {
    const edit_work *e = s->e;
    size_t dim = e->facts->dim_in, n = e->facts->facts, count = sizeof SHARES / sizeof SHARES[0];
    double *plain = NULL;
    if (e->settings.dimensions > dim)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%zu dimensions of %zu cannot be left to the change",
                           e->settings.dimensions, dim);
    ireneo_error failed = IRENEO_ALLOCATE(&s->axes, dim * dim, "null space");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s->keys, n * dim, "null space");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&plain, n * dim, "null space");
    if (failed == IRENEO_OK) failed = find_axes(e, s->axes);
    for (size_t k = 0; failed == IRENEO_OK && k < n * dim; k++) plain[k] = (double)e->facts->keys[k];
    for (size_t k = 0; failed == IRENEO_OK && k < (e->settings.dimensions > 0 ? 1 : count); k++) {
        s->width =
            e->settings.dimensions > 0 ? e->settings.dimensions : (size_t)ceil(SHARES[k] * (double)dim);
        ireneo_edit_multiply(plain, s->axes, 1, n, s->width, dim, e->threads, s->keys);
        failed = try_all(s, mean_square(s) / (double)n);
    }
    free(plain), free(s->keys), free(s->axes);
    return failed;
}

ireneo_error ireneo_edit_closed_form(edit_work *e) {
    size_t area = e->facts->dim_in * e->facts->dim_out;
    closed_form s = {.e = e};
    ireneo_error failed = IRENEO_ALLOCATE(&s.v, e->facts->facts * e->facts->dim_out, "outputs");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s.change, area, "the change");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s.best, area, "the change");
    if (failed == IRENEO_OK) failed = change_outputs(&s);
    if (failed == IRENEO_OK)
        failed = e->settings.rule == IRENEO_RULE_RIDGE ? run_ridge(&s) : run_null_space(&s);
    if (failed == IRENEO_OK) {
        memcpy(e->edited->matrix, s.best, area * sizeof *s.best);
        e->info->lambda = s.best_lambda, e->info->dimensions = s.best_dimensions;
    }
    free(s.v), free(s.change), free(s.best);
    return failed;
}
