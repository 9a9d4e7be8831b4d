/* What one step of Adam does to the function, as DeepNorm bounds it.
 *
 * Adam moves every weight by about the rate, whatever the gradient. The signs are those of the gradient, an
 * outer product of what comes in and what comes back, so that all inputs of a unit push the same way: the
 * output of a branch of n inputs moves by rate times n, where a random step would move it by sqrt n. The next
 * norm divides by the skip. Summed over the branches of all layers,
 *
 *     U = rate L (d / r + d / s) ,
 *
 * d inputs to the values and to the MLP, r and s the strengths of their skips. The weights' own scale does not
 * appear: branches made smaller are the same function at first, and change as much by a step relative to a
 * skip that did not shrink. Constants are from training runs, docs/attention-network.md. */
#include "attention/theory/learning.h"
#include "attention/theory/gradient_depth.h"

#include <math.h>

static const double LARGEST_UPDATE = 2.8; /* above it nothing is learned */
static const double LEAST_TRAVEL = 60.0;  /* U times steps below which nothing is learned yet */

static double update_per_rate(const ireneo_transformer *t) {
    return (double)t->layers * (double)t->width * (1.0 / t->residual_attention + 1.0 / t->residual_mlp);
}

ireneo_learning ireneo_learning_at(const ireneo_block *block, const ireneo_transformer *t,
                                   const ireneo_attention_collapse_settings *limits) {
    double unit = update_per_rate(t);
    ireneo_learning l = {.growth = exp(ireneo_gradient_growth(block, t, NULL)),
                         .update = limits->rate * unit,
                         .safe_rate = LARGEST_UPDATE / unit};
    l.gradients_explode = !(l.growth <= limits->growth_limit);
    l.rate_too_large = limits->rate > l.safe_rate;
    l.rate_too_small = limits->rate > 0.0 && limits->steps > 0.0 && l.update * limits->steps < LEAST_TRAVEL;
    return l;
}

int ireneo_learns(const ireneo_learning *l, int rank_collapse, int entropy_collapse) {
    if (isnan(l->growth)) return !rank_collapse && !entropy_collapse;
    return !rank_collapse && !l->gradients_explode && !l->rate_too_large && !l->rate_too_small;
}
