/* The trainability diagram: every beta needs one table of the attention map, and then all residual strengths
 * are cheap. Columns of equal beta are shared among threads, a few at a time, so that progress is reported
 * from the calling thread. */
#include "attention/theory/collapse.h"
#include "attention/theory/rem.h"
#include "attention/theory/transformer.h"
#include "base/progress.h"
#include "base/ram.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

void ireneo_attention_trainability_free(ireneo_attention_trainability *diagram) {
    free(diagram->cells);
    free(diagram->rank_line);
    memset(diagram, 0, sizeof *diagram);
}

static ireneo_error check_axes(const ireneo_transformer *transformer, const double *betas, size_t beta_count,
                               const double *residuals, size_t residual_count) {
    if (beta_count < 1 || residual_count < 1 || beta_count > 100000 || residual_count > 100000)
        return ireneo_fail(
            IRENEO_ERROR_ARGUMENT,
            "a diagram needs between 1 and 100000 values of beta and of the residual strength");
    ireneo_transformer varied = *transformer;
    for (size_t i = 0; i < beta_count; i++) {
        varied.beta = betas[i];
        IRENEO_TRY(ireneo_check_transformer(&varied));
    }
    for (size_t i = 0; i < residual_count; i++) {
        varied.residual_attention = residuals[i];
        IRENEO_TRY(ireneo_check_transformer(&varied));
    }
    return IRENEO_OK;
}

static ireneo_error allocate(size_t betas, size_t residuals, ireneo_attention_trainability *d) {
    memset(d, 0, sizeof *d);
    size_t count;
    IRENEO_TRY(ireneo_multiply_sizes(betas, residuals, &count, "trainability diagram"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&d->cells, count, "trainability diagram"));
    ireneo_error failed = IRENEO_ALLOCATE_ZEROED(&d->rank_line, 2 * betas, "trainability diagram");
    if (failed != IRENEO_OK) {
        ireneo_attention_trainability_free(d);
        return failed;
    }
    d->rank_line_limit = d->rank_line + betas;
    d->betas = betas;
    d->residuals = residuals;
    return IRENEO_OK;
}

static void judge(const ireneo_attention_trainability *d, double rank_limit,
                  ireneo_attention_trainability_cell *cell) {
    cell->rank_collapse = 1.0 - cell->rho < rank_limit;
    cell->rank_collapse_limit = 1.0 - cell->rho_limit < rank_limit;
    cell->entropy_collapse = cell->beta > d->beta_line;
    cell->entropy_collapse_limit = cell->beta > d->beta_line_limit;
    cell->trainable = !cell->rank_collapse && !cell->entropy_collapse;
    cell->trainable_limit = !cell->rank_collapse_limit && !cell->entropy_collapse_limit;
}

static ireneo_error fill_column(const ireneo_transformer *transformer, double beta, const double *residuals,
                                double rank_limit, ireneo_attention_trainability *d, size_t column) {
    ireneo_transformer varied = *transformer;
    varied.beta = beta;
    ireneo_block block;
    IRENEO_TRY(ireneo_block_open(&varied, &block));
    ireneo_attention_averages first =
        ireneo_block_attention(&block, IRENEO_MAP_EXACT, ireneo_block_input(&varied));
    for (size_t i = 0; i < d->residuals; i++) {
        ireneo_attention_trainability_cell *cell = &d->cells[column * d->residuals + i];
        varied.residual_attention = residuals[i];
        *cell = (ireneo_attention_trainability_cell){
            .beta = beta,
            .residual = residuals[i],
            .rho = 1.0 - ireneo_block_final_distance(&block, IRENEO_MAP_EXACT),
            .rho_limit = 1.0 - ireneo_block_final_distance(&block, IRENEO_MAP_LIMIT),
            .entropy = first.entropy,
            .participation = first.participation};
        judge(d, rank_limit, cell);
    }
    d->rank_line[column] = ireneo_rank_line(&varied, &block, IRENEO_MAP_EXACT, rank_limit);
    d->rank_line_limit[column] = ireneo_rank_line(&varied, &block, IRENEO_MAP_LIMIT, rank_limit);
    ireneo_block_close(&block);
    return IRENEO_OK;
}

static ireneo_error fill_columns(const ireneo_transformer *transformer, const double *betas,
                                 const double *residuals, const ireneo_attention_collapse_settings *limits,
                                 ireneo_attention_trainability *d) {
    int threads = ireneo_thread_count(limits->threads);
    size_t at_once = (size_t)threads;
    for (size_t first = 0; first < d->betas; first += at_once) {
        if (ireneo_report(limits->progress, "diagram", (double)first, (double)d->betas) != 0)
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "the diagram was cancelled");
        size_t end = first + at_once < d->betas ? first + at_once : d->betas;
        ireneo_error failed = IRENEO_OK;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
        for (size_t column = first; column < end; column++) {
            ireneo_error mine =
                fill_column(transformer, betas[column], residuals, limits->rank_limit, d, column);
            if (mine != IRENEO_OK) {
#pragma omp critical(ireneo_diagram_error)
                failed = mine;
            }
        }
        if (failed != IRENEO_OK)
            return ireneo_fail(failed, "the attention map between beta %g and %g could not be computed",
                               betas[first], betas[end - 1]);
    }
    return IRENEO_OK;
}

ireneo_error ireneo_attention_trainability_diagram(const ireneo_transformer *transformer, const double *betas,
                                                   size_t beta_count, const double *residuals,
                                                   size_t residual_count,
                                                   const ireneo_attention_collapse_settings *settings,
                                                   ireneo_attention_trainability *diagram) {
    memset(diagram, 0, sizeof *diagram);
    ireneo_attention_collapse_settings limits;
    IRENEO_TRY(check_axes(transformer, betas, beta_count, residuals, residual_count));
    IRENEO_TRY(ireneo_collapse_limits(settings, &limits));
    IRENEO_TRY(allocate(beta_count, residual_count, diagram));
    ireneo_error failed =
        ireneo_beta_line(transformer, limits.entropy_limit, &diagram->beta_line, &diagram->beta_line_limit);
    int before = ireneo_blas_threads(1);
    if (failed == IRENEO_OK) failed = fill_columns(transformer, betas, residuals, &limits, diagram);
    ireneo_blas_threads(before);
    if (failed != IRENEO_OK) ireneo_attention_trainability_free(diagram);
    return failed;
}
