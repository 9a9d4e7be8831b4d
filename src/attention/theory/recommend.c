/* Scales that keep away from both collapses, and bear a learning rate.
 *
 * beta is chosen a factor below the line of entropy collapse. Branches start at unit size (sigma_v = 1;
 * He-like MLP with E phi^2 sigma_2^2 = 1); then either both branches are shrunk by one factor or both skips
 * strengthened by one until the wanted share of 1 - rho survives the depth, by the exact-T
 * recursion. In post-LN both are done: the skips are as strong as a rate of 0.003 at width 64 needs them, which
 * falls as one over the width, and then the branches are shrunk. Of what was tried this learns most
 * (docs/attention-network.md): one step then changes as much as it may, and embeddings learn at a usual rate.
 * Elsewhere skips stay 1, and tokens enter with q_0 = 1 at least. */
#include "attention/theory/collapse.h"
#include "attention/theory/learning.h"
#include "attention/theory/transformer.h"
#include "base/roots.h"
#include "base/threads.h"

#include <math.h>

static const double SMALLEST = 1e-9, STRONGEST = 1e4;
static const double RATE_TIMES_WIDTH = 0.003 * 64.0; /* that skips of post-LN are made for */

static ireneo_error fill_settings(const ireneo_attention_recommend_settings *given,
                                  ireneo_attention_recommend_settings *filled) {
    *filled = given != NULL ? *given : (ireneo_attention_recommend_settings){0};
    IRENEO_TRY(ireneo_check_reserved(filled->reserved, "the recommendation's settings"));
    IRENEO_TRY(ireneo_collapse_limits(&filled->collapse, &filled->collapse));
    if (filled->beta_margin == 0.0) filled->beta_margin = 7.0;
    if (filled->retention == 0.0) filled->retention = 0.99;
    if (!(filled->beta_margin >= 1.0 && filled->beta_margin <= 1e6))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the margin of beta must be between 1 and 1e6, not %g",
                           filled->beta_margin);
    if (!(filled->retention > 0.0 && filled->retention < 1.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the share of 1 - rho that is kept must lie between 0 and 1, not %g",
                           filled->retention);
    return IRENEO_OK;
}

/* The knob: branch scale or skip strength, of a transformer and of the tables of its block. */
typedef struct tuning {
    ireneo_transformer *transformer;
    ireneo_block *block;
    double mlp_out_variance; /* at unit branch scale */
    double strength;         /* of the skips while branches are tuned */
    bool skips;
} tuning;

/* Turns the knob to a value, and tells the distance of tokens after all layers. */
static double turn(const tuning *knob, double value) {
    double scale = knob->skips ? 1.0 : value, strength = knob->skips ? value : knob->strength;
    ireneo_transformer *t = knob->transformer;
    if (ireneo_branches_normed(t)) { /* the norm on a branch's output undoes the scales inside */
        t->branch_gain = scale;
    } else {
        t->value_variance = scale * scale;
        t->mlp_out_variance = scale * scale * knob->mlp_out_variance;
    }
    t->residual_attention = t->residual_mlp = strength;
    ireneo_mlp_map_set_out(&knob->block->mlp, t->mlp_out_variance);
    return ireneo_block_final_distance(knob->block, t, IRENEO_MAP_EXACT);
}

typedef struct knob_problem {
    const tuning *knob;
    double wanted;
} knob_problem;

static double excess(double log_value, void *context) {
    const knob_problem *problem = context;
    return log(fmax(turn(problem->knob, exp(log_value)), 1e-300) / problem->wanted);
}

/* Leaves the knob at the mildest value that keeps the wanted distance; false when none does. */
static bool tune(const tuning *knob, double wanted, double *value) {
    knob_problem problem = {knob, wanted};
    double strict = knob->skips ? STRONGEST : SMALLEST, found = 0.0;
    *value = 1.0;
    if (turn(knob, 1.0) >= wanted) return true;
    if (turn(knob, strict) < wanted) return false;
    double low = fmin(0.0, log(strict)), high = fmax(0.0, log(strict));
    if (ireneo_find_root(excess, &problem, low, high, 1e-11, &found) != IRENEO_OK) return false;
    *value = exp(found + (knob->skips ? 1e-10 : -1e-10)); /* on the strict side of the zero */
    return turn(knob, *value) >= wanted;
}

static void write_deviations(const ireneo_attention_recommend_settings *settings, double scale,
                             ireneo_attention_recommendation *r) {
    const ireneo_transformer *t = &r->transformer;
    double width = (double)t->width, value = sqrt(t->value_variance);
    double inner = (double)(t->head_width > 0 ? t->head_width * t->heads : t->width); /* what W_O reads */
    r->branch_scale = scale;
    r->std_query = r->std_key = /* a norm of queries and keys undoes their scale */
        sqrt((t->query_key_norm > 0.0 ? 1.0 : t->beta * sqrt(log(t->context))) / width);
    r->std_value = (settings->no_output_projection ? value : 1.0) / sqrt(width);
    r->std_output = settings->no_output_projection ? 0.0 : value / sqrt(inner);
    r->std_mlp_in = sqrt(t->mlp_in_variance / width);
    r->std_mlp_out = sqrt(t->mlp_out_variance / (double)t->mlp_width);
}

static ireneo_error tune_block(const ireneo_attention_recommend_settings *settings, ireneo_block *block,
                               ireneo_attention_recommendation *r) {
    ireneo_transformer *t = &r->transformer;
    bool both = settings->tune_skips == 0 && t->normalisation == IRENEO_NORMALISATION_POST;
    double strength = both ? ireneo_bearing_skip(t, RATE_TIMES_WIDTH / (double)t->width) : 1.0;
    tuning knob = {t, block, t->mlp_out_variance, strength, settings->tune_skips > 0};
    double start = 1.0 - t->rho_0, wanted = settings->retention * start, value;
    if (wanted < settings->collapse.rank_limit) wanted = 0.5 * (settings->collapse.rank_limit + start);
    if (!tune(&knob, wanted, &value))
        return ireneo_fail(IRENEO_ERROR_NUMERIC,
                           "no %s keeps 1 - rho above %g over %zu layers of this architecture",
                           knob.skips ? "residual strength" : "branch scale", wanted, t->layers);
    write_deviations(settings, knob.skips ? 1.0 : value, r);
    return ireneo_assess_block(block, t, &settings->collapse, &r->assessment);
}

/* Branches and skips of unit size. So are tokens where they enter unnormalised: in a smaller stream one step of Adam would
 * change too much at any usual rate. */
static void set_unit_branches(ireneo_transformer *t) {
    t->value_bias_variance = t->mlp_bias_variance = t->mlp_gate_variance = 0.0;
    t->mlp_in_variance = ireneo_activation_of_gate(t->activation) == IRENEO_ACTIVATION_RELU ? 2.0 : 1.0;
    t->mlp_out_variance = 1.0 / ireneo_activation_power(t->activation, t->mlp_in_variance);
    if (ireneo_activation_gated(t->activation)) t->mlp_out_variance /= t->mlp_in_variance;
    t->value_variance = t->residual_attention = t->residual_mlp = 1.0;
    if (ireneo_branches_normed(t)) t->branch_gain = 1.0;
    if (t->normalisation != IRENEO_NORMALISATION_POST) t->q_0 = fmax(t->q_0, 1.0);
}

ireneo_error ireneo_attention_recommend(const ireneo_transformer *transformer,
                                        const ireneo_attention_recommend_settings *settings,
                                        ireneo_attention_recommendation *recommendation) {
    ireneo_attention_recommend_settings filled;
    double line, line_limit;
    IRENEO_REQUIRE(recommendation != NULL, "a recommendation needs a place to be written to");
    *recommendation = (ireneo_attention_recommendation){0};
    ireneo_transformer *t = &recommendation->transformer;
    IRENEO_TRY(ireneo_check_transformer(transformer));
    IRENEO_TRY(fill_settings(settings, &filled));
    if (filled.collapse.rate > 0.0) IRENEO_TRY(ireneo_check_rate(transformer));
    if (1.0 - transformer->rho_0 <= filled.collapse.rank_limit)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "input tokens of similarity %g are collapsed before the first layer",
                           transformer->rho_0);
    IRENEO_TRY(ireneo_beta_line(transformer, filled.collapse.entropy_limit, &line, &line_limit));
    *t = ireneo_with_logit_scale(transformer, fmin(line / filled.beta_margin, IRENEO_MOST_BETA));
    set_unit_branches(t);
    ireneo_block block;
    IRENEO_TRY(ireneo_enter(0, NULL));
    ireneo_error failed = ireneo_leave(ireneo_block_open(t, &block));
    if (failed != IRENEO_OK) return failed;
    failed = tune_block(&filled, &block, recommendation);
    ireneo_block_close(&block);
    return failed;
}
