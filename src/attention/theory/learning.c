/* What one step of Adam does to the function, as DeepNorm bounds it.
 *
 * Adam moves every weight by about the rate, whatever the gradient. The signs are those of the gradient, an
 * outer product of what comes in and what comes back, so that all inputs of a unit push the same way: where a
 * random step moves the output of n inputs of size x by rate sqrt(n) x, this one moves it by rate n x. Values
 * have d inputs of size 1, and what W_Q and W_K do passes the values, sigma_v. W_2 has m inputs of size
 * phi = sqrt(E phi(u)^2), and what d inputs do to W_1 passes W_2, sigma_2. The next norm divides by the skip.
 * Summed over the layers,
 *
 *     U = rate L [ d (1 + sigma_v) / r + (m phi + d sigma_2) / s ] .
 *
 * Branches made smaller are the same function at first, and a step changes them as much as before: it is the
 * skips that bear the rate. Constants are from training runs, docs/attention-network.md. */
#include "attention/theory/learning.h"
#include "attention/theory/activation_average.h"
#include "attention/theory/gradient_depth.h"

#include <math.h>

/* Above it nothing is learned: encoders, which see a question at every fifth token, and decoders. */
static const double LARGEST_UPDATE = 2.8, LARGEST_UPDATE_CAUSAL = 5.5;
static const double SAFE_UPDATE = 1.3;    /* where most is learned in a given time */
static const double LEAST_TRAVEL = 280.0; /* U times steps below which nothing is learned yet */

/* In post-LN alone the skip is what a step is measured by; and only that was trained. */
static bool rate_known(const ireneo_transformer *t) {
    return t->normalisation == IRENEO_NORMALISATION_POST && !t->parallel &&
           !ireneo_activation_gated(t->activation);
}

ireneo_error ireneo_check_rate(const ireneo_transformer *t) {
    if (rate_known(t)) return IRENEO_OK;
    return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                       "learning rates are judged for post-LN blocks without gates or parallel branches, not "
                       "for %s-LN with %s; leave the rate out",
                       ireneo_normalisation_name(t->normalisation), ireneo_activation_name(t->activation));
}

static double update_per_rate(const ireneo_transformer *t) {
    double d = (double)t->width, m = (double)t->mlp_width;
    double input = sqrt(ireneo_activation_power(t->activation, t->mlp_in_variance));
    return (double)t->layers * (d * (1.0 + sqrt(t->value_variance)) / t->residual_attention +
                                (m * input + d * sqrt(t->mlp_out_variance)) / t->residual_mlp);
}

double ireneo_bearing_skip(const ireneo_transformer *t, double rate) {
    ireneo_transformer small = *t;
    small.value_variance = small.mlp_out_variance = 0.0;
    small.residual_attention = small.residual_mlp = 1.0;
    return fmax(1.0, rate * update_per_rate(&small) / SAFE_UPDATE);
}

ireneo_learning ireneo_learning_at(const ireneo_block *block, const ireneo_transformer *t,
                                   const ireneo_attention_collapse_settings *limits) {
    ireneo_learning l = {.growth = NAN, .update = NAN, .safe_rate = NAN};
    l.growth = exp(ireneo_gradient_growth(block, t, NULL));
    l.gradients_explode = !(l.growth <= limits->growth_limit);
    if (!rate_known(t)) return l;
    double unit = update_per_rate(t);
    l.update = limits->rate > 0.0 ? limits->rate * unit : 0.0; /* without skips a unit step is infinite */
    l.safe_rate = SAFE_UPDATE / unit;
    l.rate_too_large = l.update > (t->causal ? LARGEST_UPDATE_CAUSAL : LARGEST_UPDATE);
    l.rate_too_small = limits->rate > 0.0 && limits->steps > 0.0 && l.update * limits->steps < LEAST_TRAVEL;
    return l;
}

int ireneo_learns(const ireneo_learning *l, int rank_collapse, int entropy_collapse) {
    if (isnan(l->growth)) return !rank_collapse && !entropy_collapse;
    return !rank_collapse && !l->gradients_explode && !l->rate_too_large && !l->rate_too_small;
}
