/* The way that all rules share: coordinates, the rule, back, and the count of what is recalled. */
#include "linear/solver/one_pass.h"
#include "base/progress.h"
#include "base/ram.h"
#include "base/tree_sum.h"
#include "linear/facts/scaled_facts.h"
#include "linear/law/top.h"
#include "linear/memory/memory.h"
#include "linear/scan/check.h"
#include "linear/solver/factorise.h"
#include "linear/solver/hebbian.h"
#include "linear/solver/rules.h"

#include <cblas.h>
#include <float.h>
#include <math.h>

static const double USUAL_RATE = 1.0, USUAL_RIDGE = 1e-6;

/* Added to moments, in units of their mean diagonal entry, so that no direction is without weight: more when there were
 * fewer rows than dimensions. */
static const double LITTLE = 1e-6, FEW_ROWS = 0.01;

ireneo_error ireneo_one_pass_check(const ireneo_facts *facts, const ireneo_store_settings *s) {
    bool delta = s->solver == IRENEO_SOLVER_DELTA, squares = s->solver == IRENEO_SOLVER_LEAST_SQUARES;
    IRENEO_REQUIRE(delta || s->rate == 0.0, "a rate belongs to the solver delta");
    IRENEO_REQUIRE(squares || s->ridge == 0.0, "a ridge belongs to the solver least-squares");
    IRENEO_REQUIRE(s->rate >= 0.0 && s->rate < 2.0, "the rate of the delta rule lies between 0 and 2");
    IRENEO_REQUIRE(s->ridge >= 0.0 && s->ridge <= DBL_MAX, "the ridge must be a number that is not negative");
    if (s->moments == NULL) return IRENEO_OK;
    IRENEO_REQUIRE(
        delta || squares || s->solver == IRENEO_SOLVER_HEBBIAN,
        "moments belong to the solvers hebbian, delta and least-squares; the others whiten by the keys "
        "themselves");
    if (ireneo_moments_dim(s->moments) != facts->dim_in)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "the moments are of keys of %zu entries, but these keys have %zu",
                           ireneo_moments_dim(s->moments), facts->dim_in);
    return IRENEO_OK;
}

/* ---- Coordinates ---- */

/* Those in which the keys of the moments are white, of mean square norm one. */
static ireneo_error whitening_of(const ireneo_moments *moments, ireneo_whitening *whitening) {
    size_t dim = ireneo_moments_dim(moments);
    double *second = NULL, mean = 0.0;
    IRENEO_TRY(IRENEO_ALLOCATE(&second, dim * dim, "second moment"));
    ireneo_error failed = ireneo_moments_read(moments, second, NULL);
    for (size_t k = 0; failed == IRENEO_OK && k < dim; k++) mean += second[k * dim + k] / (double)dim;
    if (failed == IRENEO_OK && !(mean > 0.0))
        failed = ireneo_fail(IRENEO_ERROR_DATA, "the moments are of keys that are all zero");
    double share = ireneo_moments_count(moments) < dim ? FEW_ROWS : LITTLE;
    for (size_t k = 0; failed == IRENEO_OK && k < dim; k++) second[k * dim + k] += share * mean;
    if (failed == IRENEO_OK) failed = ireneo_whitening_from_moment(second, dim, true, whitening);
    free(second);
    return failed;
}

/* ---- The rules ---- */

static ireneo_problem plain(const ireneo_facts *f, int threads) {
    return (ireneo_problem){.facts = f,
                            .holding = ireneo_facts_holding(f),
                            .rows = f->facts,
                            .columns = f->candidates,
                            .dim_in = f->dim_in,
                            .dim_out = f->dim_out,
                            .stride = f->dim_out,
                            .x = (float *)f->keys,
                            .y = (float *)f->values,
                            .threads = threads};
}

static ireneo_error apply_rule(const ireneo_problem *p, const ireneo_store_settings *s, double *w) {
    if (s->solver == IRENEO_SOLVER_DELTA)
        return ireneo_delta_rule(p, s->rate > 0.0 ? s->rate : USUAL_RATE, s->progress, w);
    if (s->solver == IRENEO_SOLVER_LEAST_SQUARES)
        return ireneo_least_squares_rule(p, s->ridge > 0.0 ? s->ridge : USUAL_RIDGE, s->progress, w);
    float *sum = NULL;
    size_t area = p->dim_out * p->dim_in;
    IRENEO_TRY(IRENEO_ALLOCATE(&sum, area, "Hebbian matrix"));
    ireneo_error failed = ireneo_hebbian_sum(p, sum);
    for (size_t k = 0; failed == IRENEO_OK && k < area; k++) w[k] = (double)sum[k];
    free(sum);
    return failed;
}

/* w for white keys becomes w forward, for the caller's. */
static ireneo_error leave_white(const ireneo_whitening *whitening, size_t dim_out, double **w) {
    double *matrix = NULL;
    size_t dim = whitening->dim;
    IRENEO_TRY(IRENEO_ALLOCATE(&matrix, dim_out * dim, "the memory in float64"));
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)dim_out, (int)dim, (int)whitening->span, 1.0,
                *w, (int)whitening->span, whitening->forward, (int)dim, 0.0, matrix, (int)dim);
    free(*w);
    *w = matrix;
    return IRENEO_OK;
}

/* The rule in white coordinates of the moments. *w is replaced. */
static ireneo_error rule_in_white(const ireneo_facts *f, const ireneo_store_settings *s, double **w) {
    ireneo_whitening whitening = {0};
    float *keys = NULL;
    ireneo_error failed = whitening_of(s->moments, &whitening);
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&keys, f->facts * whitening.span, "white keys");
    if (failed == IRENEO_OK)
        failed = ireneo_whitening_apply(&whitening, f->keys, f->facts, whitening.span, s->threads, keys);
    if (failed == IRENEO_OK) {
        ireneo_facts white = *f;
        white.keys = keys;
        white.dim_in = whitening.span;
        const ireneo_problem p = plain(&white, s->threads);
        failed = apply_rule(&p, s, *w);
    }
    if (failed == IRENEO_OK) failed = leave_white(&whitening, f->dim_out, w);
    ireneo_whitening_free(&whitening);
    free(keys);
    return failed;
}

/* ---- The memory ---- */

/* Power of two by which what was learned from scaled facts is multiplied: a sum of y x^T grows with the keys, what maps x
 * to y shrinks. 0 where float32 would not hold the result. */
static int scale_back(const ireneo_scaled_facts *scaled, ireneo_solver solver, const double *w, size_t area) {
    int keys = scaled->key_exponent != NULL ? scaled->key_exponent[0] : 0, size;
    int exponent = scaled->value_exponent + (solver == IRENEO_SOLVER_HEBBIAN ? keys : -keys);
    double largest = 0.0;
    for (size_t k = 0; k < area; k++) largest = fmax(largest, fabs(w[k]));
    frexp(largest, &size);
    return size + exponent < FLT_MAX_EXP - 1 && size + exponent > FLT_MIN_EXP + FLT_MANT_DIG ? exponent : 0;
}

static ireneo_error fill_memory(const double *w, int exponent, ireneo_memory *m) {
    size_t area = m->dim_out * m->dim_in;
    float *matrix = m->matrix;
    if (m->rank > 0) IRENEO_TRY(IRENEO_ALLOCATE(&matrix, area, "the memory"));
    for (size_t k = 0; k < area; k++) matrix[k] = (float)ldexp(w[k], exponent);
    if (m->rank == 0) return IRENEO_OK;
    ireneo_error failed = ireneo_factorise(matrix, m->dim_out, m->dim_in, m->rank, m->left, m->right);
    free(matrix);
    return failed;
}

static ireneo_error make_plain(const ireneo_facts *facts, const ireneo_store_settings *s, ireneo_memory *m) {
    ireneo_scaled_facts scaled;
    double *w = NULL;
    size_t area = facts->dim_out * facts->dim_in;
    IRENEO_TRY(ireneo_scaled_facts_make_alike(facts, &scaled));
    ireneo_error failed = IRENEO_ALLOCATE(&w, area, "the memory in float64");
    if (failed == IRENEO_OK && s->moments != NULL) {
        failed = rule_in_white(&scaled.facts, s, &w);
    } else if (failed == IRENEO_OK) {
        const ireneo_problem p = plain(&scaled.facts, s->threads);
        failed = apply_rule(&p, s, w);
    }
    if (failed == IRENEO_OK) failed = fill_memory(w, scale_back(&scaled, s->solver, w, area), m);
    ireneo_scaled_facts_free(&scaled);
    free(w);
    return failed;
}

static ireneo_error require_ram(const ireneo_facts *f, const ireneo_store_settings *s) {
    double n = (double)f->facts, p = (double)f->candidates, a = (double)f->dim_in, b = (double)f->dim_out,
           sums = ireneo_tree_sum_bytes(f->facts, IRENEO_SUM_F32, a * b, s->threads) / 4.0,
           tiles = (double)s->threads * 256.0 * (a + b), copies = n * a + (f->values != NULL ? p * b : 0.0);
    bool white = s->solver == IRENEO_SOLVER_HEBBIAN_WHITE || s->moments != NULL;
    return ireneo_ram_require(4.0 * (sums + tiles + (white ? copies : 0.0)) + 16.0 * a * (a + b), "the rule");
}

ireneo_error ireneo_one_pass_store(const ireneo_facts *facts, const ireneo_store_settings *settings,
                                   ireneo_memory **memory, ireneo_store_info *info) {
    IRENEO_TRY(require_ram(facts, settings));
    IRENEO_TRY(ireneo_memory_allocate(facts->dim_in, facts->dim_out, settings->rank, memory));
    double t0 = ireneo_seconds();
    info->span_in = facts->dim_in, info->span_out = facts->dim_out;
    IRENEO_TRY(settings->solver == IRENEO_SOLVER_HEBBIAN_WHITE
                   ? ireneo_hebbian_make_white(facts, settings->threads, *memory, info)
                   : make_plain(facts, settings, *memory));
    info->phases.start = ireneo_seconds() - t0 - info->phases.whiten;
    IRENEO_TRY(ireneo_top_capacity_of_facts(facts, settings->top, settings->rank, info, NULL));
    double t1 = ireneo_seconds();
    ireneo_check_report report;
    IRENEO_TRY(
        ireneo_check_near(*memory, facts, settings->top, settings->threads, NULL, NULL, NULL, &report));
    info->phases.check = ireneo_seconds() - t1;
    info->scans = 1;
    info->recalled = report.recalled;
    info->margin = report.margin;
    info->status =
        IRENEO_STATUS_PARTIAL; /* or stored; the rules look for nothing, so they are never undecided */
    return IRENEO_OK;
}
