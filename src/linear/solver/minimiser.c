/* Room for the point and what moves with it. */
#include "linear/solver/minimiser.h"
#include "base/ram.h"

#include <string.h>

/* Small products of tiles run a third faster with the transposed matrix; large ones do not care. */
enum { SMALL_MATRIX = 128 * 128 };

void ireneo_minimiser_free(ireneo_minimiser *minimiser) {
    if (minimiser->rank > 0) {
        free(minimiser->w);
        free(minimiser->matrix_gradient);
        free(minimiser->line);
        free(minimiser->curve);
    }
    free(minimiser->point);
    free(minimiser->gradient);
    free(minimiser->old_gradient);
    free(minimiser->direction);
    free(minimiser->turned);
    ireneo_tree_sum_free(&minimiser->sums);
    ireneo_minimiser_leave_int16(minimiser);
    free(minimiser->tiles);
    ireneo_lbfgs_free(&minimiser->lbfgs);
    memset(minimiser, 0, sizeof *minimiser);
}

static ireneo_error allocate_parts(ireneo_minimiser *minimiser) {
    const ireneo_problem *p = minimiser->problem;
    size_t area = p->dim_out * p->dim_in;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&minimiser->point, minimiser->length, "memory"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&minimiser->gradient, minimiser->length, "gradient"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&minimiser->old_gradient, minimiser->length, "gradient"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&minimiser->direction, minimiser->length, "direction"));
    if (area <= SMALL_MATRIX) IRENEO_TRY(IRENEO_ALLOCATE(&minimiser->turned, area, "direction"));
    IRENEO_TRY(ireneo_tree_sum_allocate(&p->holding, IRENEO_SUM_F32, area, p->threads, &minimiser->sums));
    IRENEO_TRY(
        IRENEO_ALLOCATE_ZEROED(&minimiser->tiles, (size_t)p->threads * minimiser->tile_space, "row tiles"));
    if (minimiser->rank == 0) {
        minimiser->w = minimiser->point;
        minimiser->matrix_gradient = minimiser->gradient;
        minimiser->line = minimiser->direction;
        return IRENEO_OK;
    }
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&minimiser->w, area, "memory"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&minimiser->matrix_gradient, area, "gradient"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&minimiser->line, area, "direction"));
    return IRENEO_ALLOCATE_ZEROED(&minimiser->curve, area, "direction");
}

ireneo_error ireneo_minimiser_allocate(const ireneo_problem *problem, ireneo_working_set *set, size_t rank,
                                       size_t history, ireneo_minimiser *minimiser) {
    memset(minimiser, 0, sizeof *minimiser);
    minimiser->problem = problem;
    minimiser->set = set;
    minimiser->rank = rank;
    minimiser->length =
        rank == 0 ? problem->dim_out * problem->dim_in : rank * (problem->dim_out + problem->dim_in);
    /* H, and more than one row of it in sixteen bits; or M, and beside it rows of X or what a sum of products needs. */
    size_t sum = ireneo_int16_sum_space(problem->dim_in, problem->dim_out),
           rows = IRENEO_ROW_TILE * problem->dim_in + 64;
    minimiser->tile_space = IRENEO_ROW_TILE * problem->stride + (sum > rows ? sum : rows);
    ireneo_error failed = allocate_parts(minimiser);
    if (failed == IRENEO_OK)
        failed = ireneo_lbfgs_allocate(minimiser->length, history, problem->threads, &minimiser->lbfgs);
    if (failed != IRENEO_OK) ireneo_minimiser_free(minimiser);
    return failed;
}

ireneo_error ireneo_minimiser_use_int16(ireneo_minimiser *minimiser, bool values, bool keys) {
    const ireneo_problem *p = minimiser->problem;
    if (values && p->y != NULL)
        IRENEO_TRY(ireneo_int16_make(p->y, p->columns, p->dim_out, p->stride, p->threads, p->holding.ranks,
                                     &minimiser->int16));
    if (!keys) return IRENEO_OK;
    IRENEO_TRY(ireneo_int16_rows_make(p->x, p->rows, p->dim_in, p->threads, &minimiser->keys));
    return ireneo_int16_panels_allocate(&minimiser->keys, p->dim_out, &minimiser->panels);
}

bool ireneo_minimiser_uses_int16(const ireneo_minimiser *minimiser) {
    return minimiser->int16.entries != NULL || minimiser->keys.entries != NULL;
}

void ireneo_minimiser_leave_int16(ireneo_minimiser *minimiser) {
    ireneo_int16_free(&minimiser->int16);
    ireneo_int16_rows_free(&minimiser->keys);
    ireneo_int16_panels_free(&minimiser->panels);
}
