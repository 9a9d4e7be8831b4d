/* Where a transformer stands: rank collapse is 1 - rho_L below a limit, entropy collapse is first-block
 * attention whose mean entropy is below a share of log(keys). */
#include "attention/theory/collapse.h"
#include "attention/theory/learning.h"
#include "attention/theory/stability.h"
#include "attention/theory/transformer.h"
#include "base/roots.h"
#include "base/threads.h"

#include <math.h>

ireneo_error ireneo_collapse_limits(const ireneo_attention_collapse_settings *settings,
                                    ireneo_attention_collapse_settings *filled) {
    *filled = settings != NULL ? *settings : (ireneo_attention_collapse_settings){0};
    IRENEO_TRY(ireneo_check_reserved(filled->reserved, "the collapse settings"));
    if (filled->rank_limit == 0.0) filled->rank_limit = 0.001;
    if (filled->entropy_limit == 0.0) filled->entropy_limit = 1.0 / 3.0;
    if (!(filled->rank_limit > 0.0 && filled->rank_limit < 1.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the limit of 1 - rho must lie between 0 and 1, not %g",
                           filled->rank_limit);
    if (!(filled->entropy_limit > 0.0 && filled->entropy_limit < 1.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the entropy limit, a share of log(keys), must lie between 0 and 1, not %g",
                           filled->entropy_limit);
    if (!(filled->growth_limit >= 0.0)) /* 0: that of the block, learning.c */
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the limit of growing gradients must be positive, not %g",
                           filled->growth_limit);
    if (!(filled->rate >= 0.0 && filled->rate <= 10.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the learning rate must lie between 0 and 10, not %g",
                           filled->rate);
    if (!(filled->steps >= 0.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the number of steps must not be %g", filled->steps);
    return IRENEO_OK;
}

typedef struct entropy_problem {
    ireneo_row_law law;
    double distance, wanted;
    ireneo_error failed;
} entropy_problem;

static double entropy_excess(double spread, void *context) {
    entropy_problem *problem = context;
    ireneo_rem_row row = {.entropy = NAN};
    problem->law.spread = spread;
    ireneo_error failed = ireneo_row_averages(&problem->law, problem->distance, &row);
    if (failed != IRENEO_OK) problem->failed = failed;
    return row.entropy - problem->wanted;
}

/* The scale that the first block's logits have for a query-key scale of 1. */
static double logits_per_beta(const ireneo_transformer *t) {
    return sqrt(log(t->context)) * (ireneo_logits_unbound(t) ? t->q_0 : 1.0);
}

ireneo_error ireneo_beta_line(const ireneo_transformer *transformer, double entropy_limit, double *exact,
                              double *limit) {
    entropy_problem problem = {.distance = 1.0 - transformer->rho_0, .failed = IRENEO_OK};
    double scale = logits_per_beta(transformer), spread;
    *exact = *limit = INFINITY;
    if (problem.distance <= 0.0) return IRENEO_OK;
    IRENEO_TRY(ireneo_row_law_open(transformer, &problem.law));
    double log_keys = log(problem.law.keys), unit = 1.0 / sqrt(problem.distance);
    *limit = sqrt(2.0 * log_keys / problem.distance) / scale;
    problem.wanted = entropy_limit * log_keys;
    double high = unit;
    while (high < 1e6 * unit && entropy_excess(high, &problem) > 0.0) high *= 2.0;
    if (problem.failed != IRENEO_OK) return problem.failed;
    if (high >= 1e6 * unit) return IRENEO_OK;
    IRENEO_TRY(
        ireneo_find_root(entropy_excess, &problem, high > unit ? 0.5 * high : 0.0, high, 1e-10, &spread));
    *exact = spread / scale;
    return problem.failed;
}

/* Entropy, participation and query gradient of the first block (layer.c). */
static ireneo_error first_block(const ireneo_transformer *t, ireneo_attention_assessment *assessment) {
    ireneo_row_law law;
    ireneo_rem_row row;
    ireneo_tokens read = ireneo_branch_input(t, ireneo_block_input(t));
    IRENEO_TRY(ireneo_row_law_open(t, &law));
    if (ireneo_logits_unbound(t)) law.spread *= read.q;
    IRENEO_TRY(ireneo_row_averages(&law, fmin(1.0, read.gap / read.q), &row));
    assessment->entropy = row.entropy;
    assessment->participation = row.y[2];
    double apart = read.q * ireneo_row_distance(&law, fmin(1.0, read.gap / read.q));
    assessment->gradient =
        read.gap * t->value_variance * (row.condensed + 1.0 / (double)t->width) *
        ireneo_query_gradient(law.spread * law.spread, t->beta, log(t->context), read.q, apart);
    return IRENEO_OK;
}

ireneo_error ireneo_assess_block(const ireneo_block *block, const ireneo_transformer *transformer,
                                 const ireneo_attention_collapse_settings *limits,
                                 ireneo_attention_assessment *a) {
    IRENEO_TRY(first_block(transformer, a));
    IRENEO_TRY(ireneo_beta_line(transformer, limits->entropy_limit, &a->beta_line, &a->beta_line_limit));
    double distance = ireneo_block_final_distance(block, transformer, IRENEO_MAP_EXACT);
    a->rho = 1.0 - distance;
    a->rho_limit = 1.0 - ireneo_block_final_distance(block, transformer, IRENEO_MAP_LIMIT);
    a->residual_line = ireneo_rank_line(block, transformer, IRENEO_MAP_EXACT, limits->rank_limit);
    a->residual_line_limit = ireneo_rank_line(block, transformer, IRENEO_MAP_LIMIT, limits->rank_limit);
    a->beta_margin = a->beta_line / ireneo_logit_scale(transformer);
    a->residual_margin = transformer->residual_attention / a->residual_line;
    a->rank_collapse = distance < limits->rank_limit;
    a->entropy_collapse = ireneo_logit_scale(transformer) > a->beta_line;
    ireneo_learning learning = ireneo_learning_at(block, transformer, limits);
    a->growth = learning.growth;
    a->update = learning.update;
    a->safe_rate = learning.safe_rate;
    a->gradients_explode = learning.gradients_explode;
    a->rate_too_large = learning.rate_too_large;
    a->rate_too_small = learning.rate_too_small;
    a->trainable = ireneo_learns(&learning, a->rank_collapse, a->entropy_collapse);
    return IRENEO_OK;
}

ireneo_error ireneo_attention_assess(const ireneo_transformer *transformer,
                                     const ireneo_attention_collapse_settings *settings,
                                     ireneo_attention_assessment *assessment) {
    ireneo_attention_collapse_settings limits;
    ireneo_block block;
    IRENEO_REQUIRE(assessment != NULL, "a judgement needs a place to be written to");
    *assessment = (ireneo_attention_assessment){0};
    IRENEO_TRY(ireneo_check_transformer(transformer));
    IRENEO_TRY(ireneo_collapse_limits(settings, &limits));
    if (limits.rate > 0.0) IRENEO_TRY(ireneo_check_rate(transformer));
    IRENEO_TRY(ireneo_enter(0, NULL));
    ireneo_error failed = ireneo_leave(ireneo_block_open(transformer, &block));
    if (failed != IRENEO_OK) return failed;
    failed = ireneo_assess_block(&block, transformer, &limits, assessment);
    ireneo_block_close(&block);
    return failed;
}
