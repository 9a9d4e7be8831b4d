/* Linear systems among active pairs: by Cholesky as long as the matrix is small, by conjugate gradients beyond.
 *
 * The preconditioner of the latter solves exactly among the pairs of one fact, whose differences overlap most. */
#include "base/pool.h"
#include "base/ram.h"
#include "linear/certificate/cholesky.h"
#include "linear/edit/pair_newton.h"
#include "linear/kernels/vector.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { MOST_DIRECT = 9000, MOST_PRODUCTS = 400, MOST_BLOCK = 64, GRAIN = 16 };
static const double ACCURACY = 1e-9;     /* of conjugate gradients, over the right side */
static const double MORE_RIDGE = 10.0;   /* when rounding makes a matrix indefinite */
static const double LEAST_RIDGE = 1e-13; /* of the mean diagonal */

double ireneo_pair_solve_bytes(double count) {
    return count <= MOST_DIRECT ? 8.0 * count * count : 8.0 * 8.0 * count;
}

static ireneo_error solve_direct(ireneo_edit_pairs *s, const size_t *list, size_t count, double ridge,
                                 const double *right, double *x) {
    double *matrix = NULL, *packed = NULL;
    ireneo_error failed = ireneo_ram_require(ireneo_pair_solve_bytes((double)count), "the pairs of an edit");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&matrix, count * count, "the pairs of an edit");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&packed, count, "the pairs of an edit");
    bool definite = false;
    for (int attempt = 0; failed == IRENEO_OK && !definite && attempt < 12; attempt++) {
        failed = ireneo_edit_pairs_matrix(s, list, count, ridge, matrix);
        if (failed == IRENEO_OK) definite = ireneo_cholesky(matrix, count, s->problem->threads);
        ridge = fmax(MORE_RIDGE * ridge, LEAST_RIDGE * s->diagonal);
    }
    if (failed == IRENEO_OK && !definite)
        failed = ireneo_fail(IRENEO_ERROR_NUMERIC, "the pairs of the edit are too unlike to be solved for");
    if (failed == IRENEO_OK) {
        for (size_t k = 0; k < count; k++) packed[k] = right[list[k]];
        cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)count, matrix, (int)count,
                    packed, 1);
        cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (int)count, matrix, (int)count,
                    packed, 1);
        for (size_t k = 0; k < count; k++) x[list[k]] = packed[k];
    }
    free(matrix), free(packed);
    return failed;
}

/* ---- conjugate gradients ---- */

typedef struct gradients {
    ireneo_edit_pairs *pairs;
    const unsigned char *active; /* (pairs) */
    double ridge;
    double *r, *z, *direction, *product; /* (pairs) */
} gradients;

/* u^T u of the active pairs of a fact times |k|^2, and the ridge; block (MOST_BLOCK, MOST_BLOCK), lower triangle. */
static void make_block(const gradients *g, size_t row, const size_t *list, size_t held, double *block) {
    const ireneo_edit_pairs *s = g->pairs;
    const ireneo_edit_problem *p = s->problem;
    const double *key = p->keys + row * p->dim_in, *target = p->values + p->target[row] * p->dim_out;
    double square = cblas_ddot((int)p->dim_in, key, 1, key, 1);
    for (size_t a = 0; a < held; a++) {
        const double *ya = p->values + (size_t)s->candidate[list[a]] * p->dim_out;
        for (size_t b = 0; b <= a; b++) {
            const double *yb = p->values + (size_t)s->candidate[list[b]] * p->dim_out;
            double sum = 0.0;
            for (size_t c = 0; c < p->dim_out; c++) sum += (target[c] - ya[c]) * (target[c] - yb[c]);
            block[a * MOST_BLOCK + b] = sum * square + (a == b ? g->ridge : 0.0);
        }
    }
}

/* z = P r for some facts. Blocks that are too large or indefinite fall back on the diagonal. */
static void precondition_rows(void *context, size_t first, size_t last) {
    const gradients *g = context;
    const ireneo_edit_pairs *s = g->pairs;
    for (size_t i = first; i < last; i++) {
        double block[MOST_BLOCK * MOST_BLOCK], right[MOST_BLOCK];
        size_t list[MOST_BLOCK], held = 0;
        for (int64_t k = s->head[i]; k != IRENEO_NO_PAIR; k = s->next[k]) {
            if (!g->active[k]) continue;
            g->z[k] = g->r[k] / s->diagonal;
            if (held == MOST_BLOCK) continue;
            right[held] = g->r[k];
            list[held++] = (size_t)k;
        }
        make_block(g, i, list, held, block);
        if (held == 0 || LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'U', (lapack_int)held, 1, block, MOST_BLOCK,
                                            right, MOST_BLOCK) != 0)
            continue;
        for (size_t a = 0; a < held; a++) g->z[list[a]] = right[a];
    }
}

static void precondition(gradients *g) {
    const ireneo_edit_problem *p = g->pairs->problem;
    ireneo_share_rows(p->rows, GRAIN, p->threads, precondition_rows, g);
}

static void multiply(gradients *g) {
    ireneo_edit_pairs *s = g->pairs;
    ireneo_edit_pairs_product(s, g->direction, g->product);
    for (size_t k = 0; k < s->count; k++)
        g->product[k] = g->active[k] ? g->product[k] + g->ridge * g->direction[k] : 0.0;
}

static ireneo_error iterate(gradients *g, double *x) {
    size_t count = g->pairs->count;
    double goal = ACCURACY * sqrt(ireneo_dot_f64(g->r, g->r, count));
    precondition(g);
    memcpy(g->direction, g->z, count * sizeof *g->z);
    double rz = ireneo_dot_f64(g->r, g->z, count);
    for (int k = 0; k < MOST_PRODUCTS && sqrt(ireneo_dot_f64(g->r, g->r, count)) > goal; k++) {
        if (ireneo_report(g->pairs->problem->progress, "solving for the pairs", (double)k, MOST_PRODUCTS))
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped during the edit");
        multiply(g);
        double step = rz / ireneo_dot_f64(g->direction, g->product, count);
        cblas_daxpy((int)count, step, g->direction, 1, x, 1);
        cblas_daxpy((int)count, -step, g->product, 1, g->r, 1);
        precondition(g);
        double next = ireneo_dot_f64(g->r, g->z, count), share = next / rz;
        for (size_t q = 0; q < count; q++) g->direction[q] = g->z[q] + share * g->direction[q];
        rz = next;
    }
    return IRENEO_OK;
}

static ireneo_error solve_iteratively(ireneo_edit_pairs *s, const size_t *list, size_t count, double ridge,
                                      const double *right, double *x) {
    unsigned char *active = NULL;
    gradients g = {.pairs = s, .ridge = ridge};
    ireneo_error failed = IRENEO_ALLOCATE_ZEROED(&active, s->count, "conjugate gradients");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&g.r, 4 * s->count, "conjugate gradients");
    if (failed == IRENEO_OK) {
        g.active = active;
        g.z = g.r + s->count, g.direction = g.z + s->count, g.product = g.direction + s->count;
        for (size_t k = 0; k < count; k++) active[list[k]] = 1, g.r[list[k]] = right[list[k]];
        failed = iterate(&g, x);
    }
    free(active), free(g.r);
    return failed;
}

ireneo_error ireneo_pair_solve(ireneo_edit_pairs *s, const size_t *list, size_t count, double ridge,
                               const double *right, double *x) {
    memset(x, 0, s->count * sizeof *x);
    if (count == 0) return IRENEO_OK;
    return (count <= MOST_DIRECT ? solve_direct : solve_iteratively)(s, list, count, ridge, right, x);
}
