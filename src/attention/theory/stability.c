/* Linear stability of rho = 1. Near it attention is spread out whatever beta, so the branch adds
 * a = sigma_v^2 + sigma_b^2 to q and p alike, and the MLP turns a distance delta into a gap c delta with
 * c = sigma_1^2 sigma_2^2 E phi'^2. Hence
 *
 *     chi_attention = r^2 q / (r^2 q + a) ,   chi_mlp = (s^2 q' + c) / (s^2 q' + q_out) ,   q' = r^2 q + a ,
 *
 * for skip strengths r and s, with q = q' = 1 in post-LN. */
#include "attention/theory/stability.h"

#include <math.h>

static const double STRONGEST = 1e6;

static double branch_power(const ireneo_transformer *t) {
    return (t->gain_control ? 0.0 : t->value_variance) + t->value_bias_variance;
}

static double mlp_gain(const ireneo_mlp_map *mlp) {
    return mlp->in_variance * mlp->out_variance * mlp->slope;
}

double ireneo_chi_attention(const ireneo_transformer *t, double q) {
    double skip = t->residual_attention * t->residual_attention * q;
    return skip / (skip + branch_power(t));
}

double ireneo_chi_mlp(const ireneo_block *block, const ireneo_transformer *t, double q) {
    double after = 1.0;
    if (t->normalisation == IRENEO_NORMALISATION_PRE)
        after = t->residual_attention * t->residual_attention * q + branch_power(t);
    double skip = t->residual_mlp * t->residual_mlp * after;
    return skip + block->mlp.q_out > 0.0 ? (skip + mlp_gain(&block->mlp)) / (skip + block->mlp.q_out) : 1.0;
}

/* Post-LN: r^2 = a / (chi_mlp - 1). Pre-LN: q settles when r s < 1, and then r^2 = a / (c - q_out); when
 * r s >= 1 the tokens outgrow the branches and keep their distances. */
double ireneo_balanced_residual(const ireneo_block *block, const ireneo_transformer *t) {
    double power = branch_power(t), excess = mlp_gain(&block->mlp) - block->mlp.q_out;
    double mlp_skip = t->residual_mlp * t->residual_mlp;
    if (power <= 0.0 && excess >= 0.0) return 0.0;
    if (t->normalisation == IRENEO_NORMALISATION_POST)
        return excess > 0.0 ? sqrt(power * (block->mlp.q_out + mlp_skip) / excess) : INFINITY;
    double growing = mlp_skip > 0.0 ? 1.0 / mlp_skip : INFINITY;
    return sqrt(excess > 0.0 ? fmin(power / excess, growing) : growing);
}

static double distance_at(const ireneo_block *block, const ireneo_transformer *transformer,
                          ireneo_map_kind kind, double residual) {
    ireneo_transformer varied = *transformer;
    varied.residual_attention = residual;
    return ireneo_block_final_distance(block, &varied, kind);
}

double ireneo_rank_line(const ireneo_block *block, const ireneo_transformer *transformer,
                        ireneo_map_kind kind, double rank_limit) {
    double low = 1e-6, high = 1.0;
    if (distance_at(block, transformer, kind, low) >= rank_limit) return 0.0;
    while (high < STRONGEST && distance_at(block, transformer, kind, high) < rank_limit) {
        low = high;
        high *= 2.0;
    }
    if (high >= STRONGEST) return INFINITY;
    for (int i = 0; i < 60 && high - low > 1e-12 * high; i++) {
        double middle = 0.5 * (low + high);
        if (distance_at(block, transformer, kind, middle) < rank_limit)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}
