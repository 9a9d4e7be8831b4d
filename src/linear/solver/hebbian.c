/* Targets times keys in groups of rows that are added along one tree. The plain rule takes the caller's numbers
 * as they are: in white coordinates the rule is another, better one. */
#include "linear/solver/hebbian.h"
#include "base/progress.h"
#include "base/ram.h"
#include "base/tree_sum.h"
#include "linear/facts/scaled_facts.h"
#include "linear/solver/factorise.h"

#include <cblas.h>
#include <string.h>

enum { TILE = 128 }; /* rows whose target values are gathered for one product */

/* Sums under way. */
typedef struct hebbian_sums {
    const ireneo_problem *problem;
    float *tiles; /* (threads, TILE + 1, dim_out) */
} hebbian_sums;

/* The sum over the rows of one group. */
static void sum_group(void *context, size_t group, int thread, void *sum) {
    const hebbian_sums *s = context;
    const ireneo_problem *p = s->problem;
    float *tile = s->tiles + (size_t)thread * (TILE + 1) * p->dim_out, *scratch = tile + TILE * p->dim_out;
    size_t first, last;
    ireneo_group_rows(&p->holding, group, &first, &last);
    if (first == last) memset(sum, 0, p->dim_out * p->dim_in * sizeof *tile);
    for (size_t i = first; i < last; i += TILE) {
        size_t many = last - i < TILE ? last - i : TILE;
        for (size_t k = 0; k < many; k++)
            memcpy(tile + k * p->dim_out, ireneo_problem_target_value(p, i + k, scratch),
                   p->dim_out * sizeof *tile);
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)p->dim_out, (int)p->dim_in, (int)many, 1.0f,
                    tile, (int)p->dim_out, p->x + i * p->dim_in, (int)p->dim_in, i == first ? 0.0f : 1.0f,
                    sum, (int)p->dim_in);
    }
}

ireneo_error ireneo_hebbian_sum(const ireneo_problem *p, float *w) {
    size_t area = p->dim_out * p->dim_in, each = (TILE + 1) * p->dim_out;
    hebbian_sums s = {.problem = p};
    ireneo_tree_sum tree;
    IRENEO_TRY(IRENEO_ALLOCATE(&s.tiles, (size_t)p->threads * each, "target values"));
    ireneo_error failed = ireneo_tree_sum_allocate(&p->holding, IRENEO_SUM_F32, area, p->threads, &tree);
    if (failed == IRENEO_OK) ireneo_tree_sum_run(&tree, sum_group, &s, w);
    ireneo_tree_sum_free(&tree);
    free(s.tiles);
    return failed;
}

/* Factors of the white matrix w, which is destroyed, in the caller's coordinates. */
static ireneo_error factors_from_white(const ireneo_problem *p, float *w, ireneo_memory *m) {
    float *factors = NULL; /* (dim_out, rank) and (dim_in, rank) */
    IRENEO_TRY(IRENEO_ALLOCATE(&factors, m->rank * (p->dim_out + p->dim_in), "factors"));
    float *right = factors + m->rank * p->dim_out;
    ireneo_error failed = ireneo_factorise(w, p->dim_out, p->dim_in, m->rank, factors, right);
    if (failed == IRENEO_OK) failed = ireneo_factor_from_white(&p->values, factors, m->rank, m->left);
    if (failed == IRENEO_OK) failed = ireneo_factor_from_white(&p->keys, right, m->rank, m->right);
    free(factors);
    return failed;
}

static ireneo_error fill_white(const ireneo_problem *p, ireneo_memory *m) {
    if (p->dim_in == 0 || p->dim_out == 0) return IRENEO_OK; /* nothing varies: the memory stays zero */
    float *w = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&w, p->dim_out * p->dim_in, "Hebbian matrix"));
    ireneo_error failed = ireneo_hebbian_sum(p, w);
    if (failed == IRENEO_OK) {
        ireneo_problem_scale(p, w);
        failed = m->rank == 0 ? ireneo_matrix_from_white(p, w, m->matrix) : factors_from_white(p, w, m);
    }
    free(w);
    return failed;
}

static ireneo_error make_white(const ireneo_facts *f, int threads, ireneo_memory *m,
                               ireneo_store_info *info) {
    double t0 = ireneo_seconds();
    ireneo_problem problem;
    IRENEO_TRY(ireneo_problem_make(f, threads, &problem));
    info->phases.whiten = ireneo_seconds() - t0;
    info->span_in = problem.dim_in, info->span_out = problem.dim_out;
    ireneo_error failed = fill_white(&problem, m);
    ireneo_problem_free(&problem);
    return failed;
}

ireneo_error ireneo_hebbian_make_white(const ireneo_facts *facts, int threads, ireneo_memory *memory,
                                       ireneo_store_info *info) {
    ireneo_scaled_facts scaled;
    IRENEO_TRY(ireneo_scaled_facts_make(facts, &scaled));
    ireneo_error failed = make_white(&scaled.facts, threads, memory, info);
    ireneo_scaled_facts_free(&scaled);
    return failed;
}
