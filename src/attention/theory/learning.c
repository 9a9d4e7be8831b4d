/* Whether Adam can train what was drawn, by what a step changes (update.c). Limits are from training runs,
 * docs/attention-network.md. */
#include "attention/theory/learning.h"
#include "attention/theory/activation_average.h"
#include "attention/theory/gradient_depth.h"
#include "attention/theory/update.h"

#include <math.h>

/* What a kind of block bears. */
typedef struct bounds {
    double largest;       /* U above which nothing is learned */
    double safe;          /* U where most is learned in a given time */
    double growth;        /* of gradients, beyond which they explode */
    double least_travel;  /* U times steps below which nothing is learned yet, */
    double least_written; /* or rate times width times steps: what the output matrix makes of logits */
} bounds;

/* Post-LN: encoders, which see a question at every fifth token, and decoders. In the other decoders the skips carry
 * the tokens past branches that change too much, and rotary positions, which are not learned, cannot be lost. Norms
 * on the branches keep them at one size however large weights become: no rate was too large, and the bound is the
 * largest that was tried. */
static const bounds POST_ENCODER = {2.8, 1.3, 1e3, 280.0, 0.0}, POST_DECODER = {5.5, 1.3, 1e3, 280.0, 0.0},
                    PRE_DECODER = {12.0, 4.0, 1e5, 0.0, 50.0}, ROTARY_DECODER = {37.0, 6.0, 1e5, 0.0, 18.0},
                    NORMED_DECODER = {900.0, 50.0, 1e5, 0.0, 18.0};

static const bounds *bounds_of(const ireneo_transformer *t) {
    if (t->normalisation == IRENEO_NORMALISATION_POST) return t->causal ? &POST_DECODER : &POST_ENCODER;
    if (ireneo_branches_normed(t)) return &NORMED_DECODER;
    return t->rope_base > 0.0 ? &ROTARY_DECODER : &PRE_DECODER;
}

/* What was trained. */
static bool rate_known(const ireneo_transformer *t) {
    bool plain = !t->parallel && !ireneo_activation_gated(t->activation);
    if (t->normalisation == IRENEO_NORMALISATION_POST) return plain;
    if (!t->causal || t->normalisation == IRENEO_NORMALISATION_NONE) return false;
    return t->rope_base > 0.0 || (plain && t->normalisation == IRENEO_NORMALISATION_PRE);
}

ireneo_error ireneo_check_rate(const ireneo_transformer *t) {
    if (rate_known(t)) return IRENEO_OK;
    return ireneo_fail(
        IRENEO_ERROR_ARGUMENT,
        "learning rates were not tried for %s-LN %s with %s%s%s: only for post-LN and pre-LN decoders "
        "without gates or parallel branches, for post-LN encoders of that kind, and for decoders "
        "(--causal) with rotary positions (--rope) and norms; leave the rate out",
        ireneo_normalisation_name(t->normalisation), t->causal ? "decoders" : "encoders",
        ireneo_activation_name(t->activation), t->parallel ? " and parallel branches" : "",
        t->rope_base > 0.0 ? "" : " and learned positions");
}

double ireneo_bearing_skip(const ireneo_transformer *t, double rate) {
    return fmax(1.0, rate * ireneo_written_per_rate(t) / bounds_of(t)->safe);
}

static bool too_small(const ireneo_transformer *t, double update,
                      const ireneo_attention_collapse_settings *limits) {
    if (!(limits->rate > 0.0 && limits->steps > 0.0)) return false;
    const bounds *b = bounds_of(t);
    return update * limits->steps < b->least_travel ||
           limits->rate * (double)t->width * limits->steps < b->least_written;
}

ireneo_learning ireneo_learning_at(const ireneo_block *block, const ireneo_transformer *t,
                                   const ireneo_attention_collapse_settings *limits) {
    ireneo_learning l = {.growth = NAN, .update = NAN, .safe_rate = NAN};
    const bounds *b = bounds_of(t);
    l.growth = exp(ireneo_relative_growth(block, t));
    l.gradients_explode = !(l.growth <= (limits->growth_limit > 0.0 ? limits->growth_limit : b->growth));
    if (!rate_known(t)) return l;
    double unit = ireneo_update_per_rate(block, t);
    l.update = limits->rate > 0.0 ? limits->rate * unit : 0.0; /* without skips a unit step is infinite */
    l.safe_rate = b->safe / unit;
    l.rate_too_large = l.update > b->largest;
    l.rate_too_small = too_small(t, l.update, limits);
    return l;
}

int ireneo_learns(const ireneo_learning *l, int rank_collapse, int entropy_collapse) {
    if (isnan(l->growth)) return !rank_collapse && !entropy_collapse;
    return !rank_collapse && !l->gradients_explode && !l->rate_too_large && !l->rate_too_small;
}
