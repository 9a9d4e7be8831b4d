/* The map of an MLP. The projection that the activation sees has overlaps Q = sigma_g^2 q + sigma_b^2 and
 * P = sigma_g^2 p + sigma_b^2; with K = E phi phi the output has
 *
 *     plain   sigma_2^2 K(Q, P) + sigma_b^2
 *     gated   sigma_2^2 K(Q, P) P_1 + sigma_b^2 ,   P_1 = sigma_1^2 p + sigma_b^2 ,
 *
 * because the two projections of a gated MLP are independent: without biases c -> c k(c). Gaps of products are
 * formed as  power gap_1 + gap_phi P_1 , in which nothing cancels. */
#include "attention/theory/mlp_map.h"

#include <math.h>
#include <string.h>

static const double WIDEST = 400.0; /* variance of a projection whose average is a sum */

static double projected(const ireneo_mlp_map *map, double q) {
    return map->gate_variance * q + map->bias_variance;
}

/* gap / distance, which is smooth down to distance 0. */
static ireneo_error sample(double x, double *value, void *context) {
    const ireneo_mlp_map *map = context;
    double q = projected(map, 1.0);
    *value = x > 1e-9 ? ireneo_activation_gap(map->activation, q, x) / x
                      : q * ireneo_activation_slope(map->activation, q);
    return IRENEO_OK;
}

void ireneo_mlp_map_set_out(ireneo_mlp_map *map, double out_variance) {
    map->out_variance = out_variance;
    map->gain = ireneo_mlp_map_gain(map, 1.0);
    map->q_out = ireneo_mlp_map_at(map, (ireneo_tokens){.q = 1.0, .gap = 0.0}).q;
}

ireneo_error ireneo_mlp_map_open(const ireneo_transformer *t, ireneo_mlp_map *map) {
    memset(map, 0, sizeof *map);
    map->activation = t->activation;
    map->in_variance = map->gate_variance = t->mlp_in_variance;
    if (ireneo_activation_gated(t->activation) && t->mlp_gate_variance > 0.0)
        map->gate_variance = t->mlp_gate_variance;
    map->bias_variance = t->mlp_bias_variance;
    double q = projected(map, 1.0);
    bool summed = ireneo_activation_summed(t->activation) && q > 0.0;
    if (t->activation == IRENEO_ACTIVATION_TANH && q > WIDEST)
        return ireneo_fail(
            IRENEO_ERROR_ARGUMENT,
            "tanh with preactivations of variance %g only sees signs; the MLP's input variance "
            "must be at most %g",
            q, WIDEST);
    bool unbound =
        t->normalisation == IRENEO_NORMALISATION_NONE || t->normalisation == IRENEO_NORMALISATION_BRANCH;
    map->any_scale.activation = t->activation;
    if (summed && unbound)
        IRENEO_TRY(ireneo_activation_table_open(t->activation, &map->any_scale));
    else if (summed && q <= WIDEST)
        IRENEO_TRY(ireneo_chebyshev_build(sample, map, 1, 1e-6, 128, &map->table));
    ireneo_mlp_map_set_out(map, t->mlp_out_variance);
    return IRENEO_OK;
}

void ireneo_mlp_map_close(ireneo_mlp_map *map) {
    ireneo_chebyshev_free(&map->table);
    ireneo_activation_table_close(&map->any_scale);
}

/* E phi^2 - E phi phi of projections at this distance. */
static double activation_gap(const ireneo_mlp_map *map, double q, double projection, double distance) {
    if (q != 1.0 || map->table.values == NULL)
        return ireneo_activation_table_at(&map->any_scale, projection, distance);
    double ratio;
    ireneo_chebyshev_at(&map->table, distance, &ratio);
    return ratio * distance;
}

ireneo_tokens ireneo_mlp_map_at(const ireneo_mlp_map *map, ireneo_tokens tokens) {
    double q = projected(map, tokens.q);
    if (q <= 0.0) return (ireneo_tokens){.q = map->bias_variance, .gap = 0.0};
    double distance = fmin(1.0, map->gate_variance * tokens.gap / q);
    double power = ireneo_activation_power(map->activation, q);
    double gap = distance > 0.0 ? activation_gap(map, tokens.q, q, distance) : 0.0;
    if (ireneo_activation_gated(map->activation)) {
        double other = map->in_variance * tokens.q + map->bias_variance,
               other_gap = map->in_variance * tokens.gap;
        gap = power * other_gap + gap * (other - other_gap);
        power *= other;
    }
    return (ireneo_tokens){.q = map->out_variance * power + map->bias_variance,
                           .gap = map->out_variance * gap};
}

double ireneo_mlp_map_gain(const ireneo_mlp_map *map, double q) {
    double projection = projected(map, q);
    if (projection <= 0.0) return 0.0;
    double gain = map->gate_variance * ireneo_activation_slope(map->activation, projection);
    if (ireneo_activation_gated(map->activation))
        gain = gain * (map->in_variance * q + map->bias_variance) +
               map->in_variance * ireneo_activation_power(map->activation, projection);
    return map->out_variance * gain;
}
