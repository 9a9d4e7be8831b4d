/* Whitened facts, and the way back to the caller's coordinates. */
#include "linear/problem/problem.h"
#include "base/ram.h"
#include "linear/kernels/vector.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

void ireneo_problem_free(ireneo_problem *problem) {
    free(problem->x);
    ireneo_shared_free(&problem->shared_y);
    ireneo_int8_free(&problem->int8);
    ireneo_whitening_free(&problem->keys);
    ireneo_whitening_free(&problem->values);
    memset(problem, 0, sizeof *problem);
}

static size_t padded(size_t dim) {
    return (dim + 15) / 16 * 16;
}

static ireneo_error make_keys(const ireneo_facts *facts, ireneo_problem *p) {
    IRENEO_TRY(ireneo_whitening_make_held(facts->keys, &p->holding, facts->dim_in, false, true, p->threads,
                                          &p->keys));
    p->dim_in = p->keys.span;
    IRENEO_TRY(IRENEO_ALLOCATE(&p->x, facts->facts * p->dim_in, "white keys"));
    return ireneo_whitening_apply_held(&p->keys, facts->keys, &p->holding, p->dim_in, p->threads, p->x);
}

ireneo_error ireneo_problem_whiten_values(ireneo_problem *p) {
    const ireneo_facts *facts = p->facts;
    ireneo_holding mine = ireneo_holding_in_node(p->holding.ranks, facts->candidates);
    IRENEO_TRY(ireneo_whitening_apply_held(&p->values, facts->values + mine.first * facts->dim_out, &mine,
                                           p->stride, p->threads, p->y + mine.first * p->stride));
    ireneo_shared_settle(p->holding.ranks, &p->shared_y);
    return IRENEO_OK;
}

static ireneo_error make_values(const ireneo_facts *facts, ireneo_problem *p) {
    if (facts->values == NULL) {
        p->dim_out = facts->dim_out;
        p->stride = padded(p->dim_out);
        return ireneo_whitening_identity(facts->dim_out, &p->values);
    }
    ireneo_holding spread = ireneo_holding_spread(p->holding.ranks, facts->candidates);
    IRENEO_TRY(ireneo_whitening_make_held(facts->values + spread.first * facts->dim_out, &spread,
                                          facts->dim_out, true, false, p->threads, &p->values));
    p->dim_out = p->values.span;
    p->stride = padded(p->dim_out);
    IRENEO_TRY(ireneo_shared_allocate(p->holding.ranks, facts->candidates * p->stride, sizeof *p->y,
                                      "white values", &p->shared_y));
    p->y = p->shared_y.bytes;
    return ireneo_problem_whiten_values(p);
}

ireneo_error ireneo_problem_make(const ireneo_facts *facts, int threads, ireneo_problem *problem) {
    memset(problem, 0, sizeof *problem);
    problem->facts = facts;
    problem->holding = ireneo_facts_holding(facts);
    problem->rows = facts->facts;
    problem->columns = facts->candidates;
    problem->threads = threads;
    ireneo_error failed = make_keys(facts, problem);
    if (failed == IRENEO_OK) failed = make_values(facts, problem);
    if (failed != IRENEO_OK) ireneo_problem_free(problem);
    return failed;
}

ireneo_error ireneo_problem_pack(ireneo_problem *p) {
    if (p->y == NULL || !ireneo_int8_useful(p->holding.total, p->columns, p->dim_out)) return IRENEO_OK;
    return ireneo_int8_make(p->y, p->columns, p->dim_out, p->stride, p->threads, p->holding.ranks, &p->int8);
}

const float *ireneo_problem_target_value(const ireneo_problem *p, size_t row, float *scratch) {
    size_t target = ireneo_problem_target(p, row);
    if (p->y != NULL) return p->y + target * p->stride;
    p->facts->own_candidates(p->facts->own_context, row, target, 1, scratch);
    return scratch;
}

void ireneo_problem_apply(const ireneo_problem *p, const float *w, size_t row, float *h) {
    cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)p->dim_out, (int)p->dim_in, 1.0f, w, (int)p->dim_in,
                p->x + row * p->dim_in, 1, 0.0f, h, 1);
}

void ireneo_problem_scale(const ireneo_problem *p, float *w) {
    size_t area = p->dim_out * p->dim_in;
    double norm = sqrt(ireneo_dot(w, w, area, p->threads));
    if (norm > 0.0) cblas_sscal((int)area, (float)(sqrt((double)p->dim_in) / norm), w, 1);
}

/* out (rows_a, columns_b) = a^T (rows_a, inner_a) m (inner_a, inner_b) b, in float64, where a is (inner_a,
 * rows_a) and b (inner_b, columns_b). */
static ireneo_error sandwich(const double *a, size_t rows_a, size_t inner_a, const float *m, size_t inner_b,
                             const double *b, size_t columns_b, float *out) {
    double *middle = NULL, *half = NULL, *whole = NULL;
    ireneo_error failed = IRENEO_ALLOCATE(&middle, inner_a * inner_b, "matrix in float64");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&half, inner_a * columns_b, "matrix in float64");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&whole, rows_a * columns_b, "matrix in float64");
    if (failed == IRENEO_OK) {
        for (size_t k = 0; k < inner_a * inner_b; k++) middle[k] = (double)m[k];
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)inner_a, (int)columns_b, (int)inner_b,
                    1.0, middle, (int)inner_b, b, (int)columns_b, 0.0, half, (int)columns_b);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)rows_a, (int)columns_b, (int)inner_a, 1.0,
                    a, (int)rows_a, half, (int)columns_b, 0.0, whole, (int)columns_b);
        for (size_t k = 0; k < rows_a * columns_b; k++) out[k] = (float)whole[k];
    }
    free(middle);
    free(half);
    free(whole);
    return failed;
}

ireneo_error ireneo_matrix_from_white(const ireneo_problem *p, const float *white, float *matrix) {
    return sandwich(p->values.forward, p->values.dim, p->values.span, white, p->keys.span, p->keys.forward,
                    p->keys.dim, matrix);
}

ireneo_error ireneo_matrix_to_white(const ireneo_problem *p, const float *matrix, float *white) {
    return sandwich(p->values.back, p->values.span, p->values.dim, matrix, p->keys.dim, p->keys.back,
                    p->keys.span, white);
}

/* out (rows, rank) = a^T in, a (inner, rows), in (inner, rank). */
static ireneo_error change_factor(const double *a, size_t rows, size_t inner, const float *in, size_t rank,
                                  float *out) {
    double *factor = NULL, *changed = NULL;
    ireneo_error failed = IRENEO_ALLOCATE(&factor, inner * rank, "factor in float64");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&changed, rows * rank, "factor in float64");
    if (failed == IRENEO_OK) {
        for (size_t k = 0; k < inner * rank; k++) factor[k] = (double)in[k];
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)rows, (int)rank, (int)inner, 1.0, a,
                    (int)rows, factor, (int)rank, 0.0, changed, (int)rank);
        for (size_t k = 0; k < rows * rank; k++) out[k] = (float)changed[k];
    }
    free(factor);
    free(changed);
    return failed;
}

ireneo_error ireneo_factor_from_white(const ireneo_whitening *w, const float *white, size_t rank,
                                      float *factor) {
    return change_factor(w->forward, w->dim, w->span, white, rank, factor);
}
