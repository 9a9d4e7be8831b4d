/* The rows of W do not know of each other: both rules run slab by slab of them, each a task of its own, so that threads
 * leave no trace.
 *
 * The delta rule looks sequential but is not. With W before a chunk of facts, c_i = rate / |x_i|^2 and e_i what fact i finds
 * wrong, W at fact i is W + sum_{j < i} c_j e_j x_j^T, so e_i + sum_{j < i} c_j (x_j . x_i) e_j = y_i - W x_i: a triangular
 * system for all e of the chunk at once. */
#include "linear/solver/rules.h"
#include "base/parallel.h"
#include "base/ram.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { SLAB = 64, CHUNK = 64 }; /* rows of W of a task; facts that are taken together */

typedef struct rule {
    const ireneo_problem *problem;
    double rate;  /* of the delta rule */
    double *w;    /* (dim_out, dim_in) */
    double *gram; /* (dim_in, dim_in): sum x x^T, for least squares */
    double
        *space; /* a thread: keys (CHUNK, dim_in), values (CHUNK, SLAB), products (CHUNK, CHUNK), c (CHUNK) */
    size_t each; /* numbers of space a thread */
} rule;

typedef struct chunk {
    size_t first, facts, slab, outputs;
    double *x, *y, *products, *c; /* (facts, dim_in), (facts, outputs), (facts, facts), (facts) */
} chunk;

static chunk chunk_of(const rule *r, size_t slab, size_t sides, int thread) {
    size_t first = slab * SLAB, left = sides - first;
    double *x = r->space + (size_t)thread * r->each, *y = x + CHUNK * r->problem->dim_in,
           *products = y + CHUNK * SLAB;
    return (chunk){.slab = first,
                   .outputs = left < SLAB ? left : SLAB,
                   .x = x,
                   .y = y,
                   .products = products,
                   .c = products + CHUNK * CHUNK};
}

/* Facts first .. of the chunk: all of their keys, and this slab's part of their values. */
static void read_chunk(const ireneo_problem *p, size_t first, chunk *c, float *scratch) {
    c->first = first;
    c->facts = p->rows - first < CHUNK ? p->rows - first : CHUNK;
    for (size_t i = 0; i < c->facts; i++) {
        const float *x = p->x + (first + i) * p->dim_in;
        for (size_t k = 0; k < p->dim_in; k++) c->x[i * p->dim_in + k] = (double)x[k];
        const float *y = ireneo_problem_target_value(p, first + i, scratch);
        for (size_t k = 0; k < c->outputs; k++) c->y[i * c->outputs + k] = (double)y[c->slab + k];
    }
}

/* The slab's rows of W += y^T x. */
static void add_products(const ireneo_problem *p, const chunk *c, double *w) {
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)c->outputs, (int)p->dim_in, (int)c->facts, 1.0,
                c->y, (int)c->outputs, c->x, (int)p->dim_in, 1.0, w, (int)p->dim_in);
}

/* c->y becomes c_i e_i. */
static void find_errors(const ireneo_problem *p, double rate, const chunk *c, const double *w) {
    int facts = (int)c->facts, dim = (int)p->dim_in, outputs = (int)c->outputs;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, facts, outputs, dim, -1.0, c->x, dim, w, dim, 1.0,
                c->y, outputs);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, facts, facts, dim, 1.0, c->x, dim, c->x, dim, 0.0,
                c->products, facts);
    for (size_t i = 0; i < c->facts; i++) {
        double square = c->products[i * c->facts + i];
        c->c[i] = square > 0.0 ? rate / square : 0.0;
    }
    for (size_t i = 0; i < c->facts; i++)
        for (size_t j = 0; j < i; j++) c->products[i * c->facts + j] *= c->c[j];
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, facts, outputs, 1.0,
                c->products, facts, c->y, outputs);
    for (size_t i = 0; i < c->facts; i++)
        for (size_t k = 0; k < c->outputs; k++) c->y[i * c->outputs + k] *= c->c[i];
}

static ireneo_error learn_slab(void *context, size_t slab, int thread) {
    const rule *r = context;
    const ireneo_problem *p = r->problem;
    chunk c = chunk_of(r, slab, p->dim_out, thread);
    double *w = r->w + c.slab * p->dim_in;
    float *scratch = (float *)(void *)(c.c + CHUNK);
    memset(w, 0, c.outputs * p->dim_in * sizeof *w);
    for (size_t first = 0; first < p->rows; first += CHUNK) {
        read_chunk(p, first, &c, scratch);
        if (r->rate > 0.0) find_errors(p, r->rate, &c, w);
        add_products(p, &c, w);
    }
    return IRENEO_OK;
}

/* Rows of sum x x^T; the keys stand in for the values. */
static ireneo_error sum_gram_slab(void *context, size_t slab, int thread) {
    const rule *r = context;
    const ireneo_problem *p = r->problem;
    chunk c = chunk_of(r, slab, p->dim_in, thread);
    double *gram = r->gram + c.slab * p->dim_in;
    memset(gram, 0, c.outputs * p->dim_in * sizeof *gram);
    for (size_t first = 0; first < p->rows; first += CHUNK) {
        c.facts = p->rows - first < CHUNK ? p->rows - first : CHUNK;
        for (size_t i = 0; i < c.facts; i++)
            for (size_t k = 0; k < p->dim_in; k++)
                c.x[i * p->dim_in + k] = (double)p->x[(first + i) * p->dim_in + k];
        for (size_t i = 0; i < c.facts; i++)
            memcpy(c.y + i * c.outputs, c.x + i * p->dim_in + c.slab, c.outputs * sizeof *c.y);
        add_products(p, &c, gram);
    }
    return IRENEO_OK;
}

static ireneo_error make_space(rule *r) {
    const ireneo_problem *p = r->problem;
    r->each = CHUNK * (p->dim_in + SLAB + CHUNK + 1) + p->dim_out; /* and the value of one fact in float32 */
    return IRENEO_ALLOCATE(&r->space, (size_t)p->threads * r->each, "a chunk of facts");
}

static ireneo_error learn(rule *r, const ireneo_progress *progress) {
    const ireneo_problem *p = r->problem;
    return ireneo_parallel((p->dim_out + SLAB - 1) / SLAB, p->threads, progress, "learning facts", learn_slab,
                           r);
}

ireneo_error ireneo_delta_rule(const ireneo_problem *problem, double rate, const ireneo_progress *progress,
                               double *w) {
    rule r = {.problem = problem, .rate = rate, .w = w};
    IRENEO_TRY(make_space(&r));
    ireneo_error failed = learn(&r, progress);
    free(r.space);
    return failed;
}

/* W = (sum y x^T) (sum x x^T + ridge t)^-1 by Cholesky. A symmetric matrix by rows is one by columns, and W by rows is its
 * transpose by columns, which is what is solved for. */
static ireneo_error solve(rule *r, double ridge) {
    size_t dim = r->problem->dim_in;
    double mean = 0.0;
    for (size_t k = 0; k < dim; k++) mean += r->gram[k * dim + k] / (double)dim;
    if (mean == 0.0) return IRENEO_OK; /* all keys are zero, and so is W */
    for (size_t k = 0; k < dim; k++) r->gram[k * dim + k] += ridge * mean;
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (lapack_int)dim, r->gram, (lapack_int)dim) != 0)
        return ireneo_fail(IRENEO_ERROR_NUMERIC,
                           "the keys are so nearly dependent that least squares need a larger ridge than %g",
                           ridge);
    LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'U', (lapack_int)dim, (lapack_int)r->problem->dim_out, r->gram,
                   (lapack_int)dim, r->w, (lapack_int)dim);
    return IRENEO_OK;
}

ireneo_error ireneo_least_squares_rule(const ireneo_problem *problem, double ridge,
                                       const ireneo_progress *progress, double *w) {
    rule r = {.problem = problem, .w = w};
    size_t dim = problem->dim_in;
    ireneo_error failed = make_space(&r);
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&r.gram, dim * dim, "products of keys");
    if (failed == IRENEO_OK) failed = learn(&r, progress);
    if (failed == IRENEO_OK)
        failed = ireneo_parallel((dim + SLAB - 1) / SLAB, problem->threads, progress, "products of keys",
                                 sum_gram_slab, &r);
    if (failed == IRENEO_OK) failed = solve(&r, ridge);
    free(r.space);
    free(r.gram);
    return failed;
}
