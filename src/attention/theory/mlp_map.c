/* The Gaussian averages of an MLP.
 *
 *   ReLU   arc-cosine kernel: E phi phi = q/2 f(c),  f(c) = (sin a + (pi - a) cos a) / pi,  cos a = c
 *   GELU   x Phi(x), by two integrations by parts, with D = (1 + q)^2 - p^2:
 *          E phi phi = p/4 + p/(2 pi) asin(p / (1 + q)) + [q^2 + p^2 (1 - q) / (1 + q)] / (2 pi sqrt D)
 *   tanh   trapezoid rule in two dimensions, tabulated over the correlation
 *
 * What is computed is E phi^2 - E phi phi, so that nothing cancels when tokens are nearly alike. */
#include "attention/theory/mlp_map.h"
#include "base/normal.h"

#include <math.h>
#include <string.h>

static const double TANH_REACH = 8.0; /* standard deviations; the rest is below 1e-15 */

/* 1 - f(cos a) = (1 - cos a) - (sin a - a cos a) / pi */
static double relu_gap(double q, double distance) {
    double a = 2.0 * asin(sqrt(0.5 * fmin(distance, 2.0))), square = a * a;
    double rest =
        a < 0.1 ? a * square / 3.0 * (1.0 - square / 10.0 * (1.0 - square / 28.0 * (1.0 - square / 54.0)))
                : sin(a) - a * cos(a);
    return 0.5 * q * (distance - rest / M_PI);
}

static double gelu_product(double q, double p) {
    double d = (1.0 + q) * (1.0 + q) - p * p;
    return 0.25 * p + p / (2.0 * M_PI) * asin(p / (1.0 + q)) +
           (q * q + p * p * (1.0 - q) / (1.0 + q)) / (2.0 * M_PI * sqrt(d));
}

/* d/dp of the product at p, which at p = q is E phi'^2. */
static double gelu_slope(double q, double p) {
    double d = (1.0 + q) * (1.0 + q) - p * p, root = sqrt(d), ratio = (1.0 - q) / (1.0 + q);
    return 0.25 + asin(p / (1.0 + q)) / (2.0 * M_PI) +
           (p + 2.0 * p * ratio + (q * q + p * p * ratio) * p / d) / (2.0 * M_PI * root);
}

/* Averages over a standard normal, of analytic functions with singularities at distance pi / (2 sqrt q). */
static double tanh_step(double q) {
    return fmin(0.4, 0.3 / sqrt(q));
}

static double tanh_moment(double q, int derivative) {
    double step = tanh_step(q), root = sqrt(q), sum = 0.0;
    for (double z = step; z < TANH_REACH; z += step) {
        double t = tanh(root * z), square = derivative ? (1.0 - t * t) * (1.0 - t * t) : t * t;
        sum += 2.0 * ireneo_normal_density(z) * square;
    }
    return (sum + (derivative ? ireneo_normal_density(0.0) : 0.0)) * step;
}

/* Half of E (tanh(A + B) - tanh(A - B))^2 with A ~ N(0, q (1 - distance / 2)), B ~ N(0, q distance / 2). */
static double tanh_gap(double q, double distance) {
    double step = tanh_step(q), a_scale = sqrt(q * (1.0 - 0.5 * distance)),
           b_scale = sqrt(0.5 * q * distance);
    double sum = 0.0;
    for (double y = step; y < TANH_REACH; y += step) {
        double b = b_scale * y, inner = 0.0;
        for (double z = 0.0; z < TANH_REACH; z += step) {
            double a = a_scale * z, difference = tanh(a + b) - tanh(a - b);
            inner += (z > 0.0 ? 2.0 : 1.0) * ireneo_normal_density(z) * difference * difference;
        }
        sum += ireneo_normal_density(y) * inner; /* twice for y < 0, times one half */
    }
    return sum * step * step;
}

double ireneo_activation_power(ireneo_activation activation, double q) {
    switch (activation) {
    case IRENEO_ACTIVATION_RELU:
        return 0.5 * q;
    case IRENEO_ACTIVATION_GELU:
        return gelu_product(q, q);
    default: /* tanh; others are refused */
        break;
    }
    return tanh_moment(q, 0);
}

double ireneo_activation_slope(ireneo_activation activation, double q) {
    switch (activation) {
    case IRENEO_ACTIVATION_RELU:
        return 0.5;
    case IRENEO_ACTIVATION_GELU:
        return gelu_slope(q, q);
    default: /* tanh; others are refused */
        break;
    }
    return tanh_moment(q, 1);
}

double ireneo_activation_gap(ireneo_activation activation, double q, double distance) {
    double p = q * (1.0 - distance);
    switch (activation) {
    case IRENEO_ACTIVATION_RELU:
        return relu_gap(q, distance);
    case IRENEO_ACTIVATION_GELU: /* near p = q the slope at the midpoint is right to distance^3 */
        return distance < 1e-4 ? q * distance * gelu_slope(q, 0.5 * (q + p))
                               : gelu_product(q, q) - gelu_product(q, p);
    default: /* tanh; others are refused */
        break;
    }
    return tanh_gap(q, distance);
}

/* gap / distance, which is smooth down to distance 0. */
static ireneo_error sample_tanh(double x, double *value, void *context) {
    const ireneo_mlp_map *map = context;
    double q = map->q_hidden;
    *value = x > 1e-9 ? tanh_gap(q, x) / x : q * map->slope;
    return IRENEO_OK;
}

void ireneo_mlp_map_set_out(ireneo_mlp_map *map, double out_variance) {
    map->out_variance = out_variance;
    map->q_out = out_variance * map->power + map->bias_variance;
}

ireneo_error ireneo_mlp_map_open(ireneo_activation activation, double in_variance, double out_variance,
                                 double bias_variance, ireneo_mlp_map *map) {
    memset(map, 0, sizeof *map);
    map->activation = activation;
    map->in_variance = in_variance;
    map->q_hidden = in_variance + bias_variance;
    map->slope = ireneo_activation_slope(activation, map->q_hidden);
    map->power = ireneo_activation_power(activation, map->q_hidden);
    map->bias_variance = bias_variance;
    ireneo_mlp_map_set_out(map, out_variance);
    if (activation != IRENEO_ACTIVATION_TANH || map->q_hidden <= 0.0) return IRENEO_OK;
    if (map->q_hidden > 400.0)
        return ireneo_fail(
            IRENEO_ERROR_ARGUMENT,
            "tanh with preactivations of variance %g only sees signs; the MLP's input variance "
            "must be at most 400",
            map->q_hidden);
    return ireneo_chebyshev_build(sample_tanh, map, 1, 1e-6, 128, &map->table);
}

void ireneo_mlp_map_close(ireneo_mlp_map *map) {
    ireneo_chebyshev_free(&map->table);
}

double ireneo_mlp_map_gap(const ireneo_mlp_map *map, double distance) {
    if (map->q_hidden <= 0.0) return 0.0;
    double hidden = distance * map->in_variance / map->q_hidden, gap;
    if (map->activation == IRENEO_ACTIVATION_TANH) {
        ireneo_chebyshev_at(&map->table, hidden, &gap);
        gap *= hidden;
    } else {
        gap = ireneo_activation_gap(map->activation, map->q_hidden, hidden);
    }
    return map->out_variance * gap;
}
