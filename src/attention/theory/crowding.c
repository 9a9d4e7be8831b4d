/* A branch that is partly linear in its tokens stretches them along its own directions: with the skip around it they fill
 * fewer directions after every block, and gain control, which leaves of attention little more than what a finite width adds, feels 1/d
 * grow. Let C be the covariance of tokens (d x d), g = tr C / d their gap, D = tr C^2 / d = (1 + crowding) g^2, and J the mean Jacobian of
 * a branch from the stream, tr J J^T / d = j. Averaged over the random matrix behind the branch
 *
 *     D' = a^4 D + 2 a^2 g g_b + g_b^2 + D_b + 2 a^2 j D ,
 *
 * with D_b what the branch's own output exceeds g_b^2 by. Attention on normalised tokens of distance delta has J = (1 - Y2) C_T W, C_T the
 * covariance of the T tokens that there are and W the product of query and key matrices:
 *
 *     j = sigma_v^2 (1 - Y2)^2 sigma^2 ((1 + crowding) / d + 1 / T) ,
 *     D_b = sigma_v^4 delta^2 ( (Y2 - 1/T)^2 (1 + crowding + d / T) / H + (j / sigma_v^2)^2 (2 + crowding) ) ,
 *
 * the first from two rows that share a key or keys that share a direction, the second from the linear part. An MLP of width m has j = dp_out / dp
 * and D_b = g_b^2 d / m + (j g)^2 (1 + crowding). */
#include "attention/theory/crowding.h"

#include <math.h>

static double square(double x) {
    return x * x;
}

static double joined(double strength, ireneo_tokens stream, double gap, double own, double linear) {
    double skip = square(strength), spread = (1.0 + stream.crowding) * square(stream.gap);
    double sum = skip * stream.gap + gap;
    if (!(sum > 0.0)) return stream.crowding;
    double fills = square(skip) * spread + 2.0 * skip * stream.gap * gap + square(gap) + own +
                   2.0 * skip * linear * spread;
    return fmax(0.0, fills / square(sum) - 1.0);
}

double ireneo_crowding_attention(const ireneo_block *block, const ireneo_transformer *t, ireneo_tokens stream,
                                 ireneo_tokens branch, ireneo_attention_averages a) {
    ireneo_tokens read = ireneo_branch_input(t, stream);
    const ireneo_attention_map *map = &block->attention;
    double d = (double)t->width, keys = map->law.keys, distance = fmin(1.0, read.gap / read.q);
    double spread = map->law.spread * (map->unbound ? read.q : 1.0), full = 1.0 + read.crowding;
    double power = square(1.0 - a.participation) * square(spread) * distance * (full / d + 1.0 / keys);
    double picked = square(fmax(0.0, a.participation - 1.0 / keys)) * (full + d / keys) / (double)t->heads;
    double scale = t->value_variance * read.q;
    double own = square(scale * distance) * (picked + square(power) * (1.0 + full));
    return joined(t->residual_attention, stream, branch.gap, own, scale * power / stream.q);
}

double ireneo_crowding_mlp(const ireneo_block *block, const ireneo_transformer *t, double strength,
                           ireneo_tokens stream, ireneo_tokens branch) {
    ireneo_tokens read = ireneo_branch_input(t, stream);
    double distance = fmin(1.0, read.gap / read.q), step = 1e-3 * fmax(1e-6, fmin(distance, 1.0 - distance));
    double high = fmin(1.0, distance + step), low = fmax(0.0, distance - step);
    double rise = ireneo_mlp_map_at(&block->mlp, (ireneo_tokens){.q = read.q, .gap = read.q * high}).gap -
                  ireneo_mlp_map_at(&block->mlp, (ireneo_tokens){.q = read.q, .gap = read.q * low}).gap;
    double slope = rise / (high - low);
    double own = square(branch.gap) * (double)t->width / (double)t->mlp_width +
                 square(slope * distance) * (1.0 + read.crowding);
    return joined(strength, stream, branch.gap, own, slope / stream.q);
}
