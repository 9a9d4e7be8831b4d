/* The trainability diagram: every beta needs one table of the attention map, and then all residual strengths
 * are cheap. Columns of equal beta are shared among threads. */
#include "attention/theory/collapse.h"
#include "attention/theory/learning.h"
#include "attention/theory/rem.h"
#include "attention/theory/stability.h"
#include "attention/theory/transformer.h"
#include "base/parallel.h"
#include "base/ram.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

void ireneo_attention_trainability_free(ireneo_attention_trainability *diagram) {
    if (diagram == NULL) return;
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

static void judge(const ireneo_attention_trainability *d, double rank_limit, const ireneo_learning *learning,
                  ireneo_attention_trainability_cell *cell) {
    cell->growth = learning->growth;
    cell->update = learning->update;
    cell->safe_rate = learning->safe_rate;
    cell->gradients_explode = learning->gradients_explode;
    cell->rate_too_large = learning->rate_too_large;
    cell->rate_too_small = learning->rate_too_small;
    cell->rank_collapse = 1.0 - cell->rho < rank_limit;
    cell->rank_collapse_limit = 1.0 - cell->rho_limit < rank_limit;
    cell->entropy_collapse = cell->beta > d->beta_line;
    cell->entropy_collapse_limit = cell->beta > d->beta_line_limit;
    cell->trainable = ireneo_learns(learning, cell->rank_collapse, cell->entropy_collapse);
    cell->trainable_limit = !cell->rank_collapse_limit && !cell->entropy_collapse_limit;
}

static ireneo_error fill_column(const ireneo_transformer *transformer, double beta, const double *residuals,
                                const ireneo_attention_collapse_settings *limits,
                                ireneo_attention_trainability *d, size_t column) {
    ireneo_transformer varied = ireneo_with_logit_scale(transformer, beta);
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
            .rho = 1.0 - ireneo_block_final_distance(&block, &varied, IRENEO_MAP_EXACT),
            .rho_limit = 1.0 - ireneo_block_final_distance(&block, &varied, IRENEO_MAP_LIMIT),
            .entropy = first.entropy,
            .participation = first.participation};
        ireneo_learning learning = ireneo_learning_at(&block, &varied, limits);
        judge(d, limits->rank_limit, &learning, cell);
    }
    d->rank_line[column] = ireneo_rank_line(&block, &varied, IRENEO_MAP_EXACT, limits->rank_limit);
    d->rank_line_limit[column] = ireneo_rank_line(&block, &varied, IRENEO_MAP_LIMIT, limits->rank_limit);
    ireneo_block_close(&block);
    return IRENEO_OK;
}

/* What the columns share. */
typedef struct column_list {
    const ireneo_transformer *transformer;
    const double *betas, *residuals;
    const ireneo_attention_collapse_settings *limits;
    ireneo_attention_trainability *diagram;
} column_list;

static ireneo_error fill_one(void *context, size_t column, int thread) {
    const column_list *list = context;
    (void)thread;
    return fill_column(list->transformer, list->betas[column], list->residuals, list->limits, list->diagram,
                       column);
}

ireneo_error ireneo_attention_trainability_diagram(const ireneo_transformer *transformer, const double *betas,
                                                   size_t beta_count, const double *residuals,
                                                   size_t residual_count,
                                                   const ireneo_attention_collapse_settings *settings,
                                                   ireneo_attention_trainability *diagram) {
    IRENEO_REQUIRE(diagram != NULL, "a diagram needs a place to be written to");
    memset(diagram, 0, sizeof *diagram);
    IRENEO_REQUIRE(transformer != NULL && betas != NULL && residuals != NULL,
                   "a diagram needs a transformer and the values of beta and of the residual strength");
    ireneo_attention_collapse_settings limits;
    IRENEO_TRY(check_axes(transformer, betas, beta_count, residuals, residual_count));
    IRENEO_TRY(ireneo_collapse_limits(settings, &limits));
    if (limits.rate > 0.0) IRENEO_TRY(ireneo_check_rate(transformer));
    int threads;
    IRENEO_TRY(allocate(beta_count, residual_count, diagram));
    ireneo_error failed = ireneo_enter(limits.threads, &threads);
    if (failed != IRENEO_OK) return ireneo_attention_trainability_free(diagram), failed;
    failed =
        ireneo_beta_line(transformer, limits.entropy_limit, &diagram->beta_line, &diagram->beta_line_limit);
    column_list list = {transformer, betas, residuals, &limits, diagram};
    if (failed == IRENEO_OK)
        failed = ireneo_parallel(beta_count, threads, limits.progress, "diagram", fill_one, &list);
    ireneo_leave(failed);
    if (failed != IRENEO_OK) ireneo_attention_trainability_free(diagram);
    return failed;
}
