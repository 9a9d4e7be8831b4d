/* Linear stability of rho = 1. Near it attention is spread out whatever beta, so its branch adds the same a to q
 * and p, a = sigma_v^2 + sigma_b^2 for normalised tokens, g^2 where the branch's output is normalised and 0 under gain control, and the
 * MLP turns a distance delta into a gap c delta and has power q_out. Hence
 *
 *     chi_attention = r^2 q / (r^2 q + a) ,   chi_mlp = (s^2 q' + c) / (s^2 q' + q_out) ,   q' = r^2 q + a ,
 *
 * for skip strengths r and s, with q = q' = 1 in post-LN. Rotary positions keep rows apart even there, which adds
 * sigma_v^2 (Y2 - O12) to the numerator of chi_attention. Parallel branches: chi = (r^2 q + c) / (r^2 q + a +
 * q_out). */
#include "attention/theory/stability.h"
#include "base/roots.h"

#include <math.h>

static const double STRONGEST = 1e6;

/* The two branches where tokens are alike, for a stream of scale q. */
typedef struct near_one {
    double skip, attention;     /* r^2 q and a */
    double apart;               /* gap that attention adds where rotations tell rows apart */
    double middle, power, gain; /* q', q_out and c */
} near_one;

static near_one describe(const ireneo_block *block, const ireneo_transformer *t, double q) {
    bool post = t->normalisation == IRENEO_NORMALISATION_POST;
    double read = ireneo_branch_input(t, (ireneo_tokens){.q = q, .gap = 0.0}).q;
    near_one n = {.skip = t->residual_attention * t->residual_attention * q,
                  .attention = t->gain_control ? 0.0 : t->value_variance * read + t->value_bias_variance};
    double factor = ireneo_branch_factor(t, n.attention);
    if (block->attention.law.rope.base > 0.0) {
        ireneo_attention_averages a;
        ireneo_attention_map_at(&block->attention, 1.0, 0.0, &a);
        n.apart = factor * t->value_variance * read * (a.participation - a.overlap);
    }
    n.attention *= factor;
    n.middle = post ? 1.0 : n.skip + n.attention;
    read = ireneo_branch_input(t, (ireneo_tokens){.q = t->parallel ? q : n.middle, .gap = 0.0}).q;
    double power = ireneo_mlp_map_at(&block->mlp, (ireneo_tokens){.q = read, .gap = 0.0}).q;
    factor = ireneo_branch_factor(t, power);
    n.power = factor * power;
    n.gain = factor * read * ireneo_mlp_map_gain(&block->mlp, read);
    return n;
}

static double mlp_skip(const ireneo_transformer *t) {
    return t->residual_mlp * t->residual_mlp;
}

double ireneo_chi_attention(const ireneo_block *block, const ireneo_transformer *t, double q) {
    near_one n = describe(block, t, q);
    return (n.skip + n.apart) / (n.skip + n.attention);
}

double ireneo_chi_mlp(const ireneo_block *block, const ireneo_transformer *t, double q) {
    near_one n = describe(block, t, q);
    double kept = n.skip + n.apart;
    if (t->parallel && kept <= 0.0) return 1.0;
    if (t->parallel) /* what is left of chi */
        return (kept + n.gain) * (n.skip + n.attention) / ((n.skip + n.attention + n.power) * kept);
    double skip = mlp_skip(t) * n.middle;
    return skip + n.power > 0.0 ? (skip + n.gain) / (skip + n.power) : 1.0;
}

/* Whether the stream keeps its scale, or the scale of the branches follows it. */
static bool bound_together(const ireneo_transformer *t) {
    return t->normalisation == IRENEO_NORMALISATION_POST || t->normalisation == IRENEO_NORMALISATION_NONE;
}

/* Post-LN: r^2 = a / (chi_mlp - 1), and without norms the same with powers over q and q'. Otherwise q settles when
 * r s < 1, and then r^2 = a / (c - q_out); when r s >= 1 the tokens outgrow the branches and keep their
 * distances. Parallel branches balance at no r: chi - 1 has the sign of c - a - q_out. */
double ireneo_balanced_residual(const ireneo_block *block, const ireneo_transformer *t, double q) {
    near_one n = describe(block, t, q);
    double excess = n.gain - n.power;
    if (n.attention <= 0.0 && excess >= 0.0) return 0.0;
    if (t->parallel) return excess + n.apart > n.attention ? 0.0 : bound_together(t) ? INFINITY : 1.0;
    if (bound_together(t))
        return excess > 0.0 ? sqrt(fmax(0.0, n.attention * (n.power + mlp_skip(t) * n.middle) -
                                                 n.apart * (n.gain + mlp_skip(t) * n.middle)) /
                                   (q * excess))
                            : INFINITY;
    double growing = mlp_skip(t) > 0.0 ? 1.0 / mlp_skip(t) : INFINITY;
    return sqrt(excess > 0.0 ? fmin(fmax(0.0, (n.attention - n.apart) / excess - n.apart / q), growing)
                             : growing);
}

/* A line that is sought. */
typedef struct line_problem {
    const ireneo_block *block;
    ireneo_transformer varied;
    ireneo_map_kind kind;
    double rank_limit;
} line_problem;

/* How far the tokens' distance is above the limit, both as logarithms: nearly straight, so that few passes through
 * all layers are needed. */
static double excess(double log_residual, void *context) {
    line_problem *problem = context;
    problem->varied.residual_attention = exp(log_residual);
    double distance = ireneo_block_final_distance(problem->block, &problem->varied, problem->kind);
    return log(fmax(distance, 1e-300) / problem->rank_limit);
}

double ireneo_rank_line(const ireneo_block *block, const ireneo_transformer *transformer,
                        ireneo_map_kind kind, double rank_limit) {
    line_problem problem = {block, *transformer, kind, rank_limit};
    double low = log(1e-6), high = 0.0, line;
    if (excess(low, &problem) >= 0.0) return 0.0;
    while (high < log(STRONGEST) && excess(high, &problem) < 0.0) {
        low = high;
        high += M_LN2;
    }
    if (high >= log(STRONGEST)) return INFINITY;
    return ireneo_find_root(excess, &problem, low, high, 1e-12, &line) == IRENEO_OK ? exp(line) : exp(high);
}
