/* Averages of activation functions.
 *
 *   ReLU        arc-cosine kernel: E phi phi = q/2 f(c),  f(c) = (sin a + (pi - a) cos a) / pi,  cos a = c
 *   GELU        x Phi(x), by two integrations by parts, with D = (1 + q)^2 - p^2:
 *               E phi phi = p/4 + p/(2 pi) asin(p / (1 + q)) + [q^2 + p^2 (1 - q) / (1 + q)] / (2 pi sqrt D)
 *   tanh, SiLU  trapezoid rule in two dimensions
 *
 * What is computed is E phi^2 - E phi phi, so that nothing cancels when tokens are nearly alike. */
#include "attention/theory/activation_average.h"
#include "base/normal.h"

#include <math.h>

static const double REACH = 8.0; /* standard deviations; the rest is below 1e-15 */

bool ireneo_activation_gated(ireneo_activation activation) {
    return activation == IRENEO_ACTIVATION_REGLU || activation == IRENEO_ACTIVATION_GEGLU ||
           activation == IRENEO_ACTIVATION_SWIGLU;
}

ireneo_activation ireneo_activation_of_gate(ireneo_activation activation) {
    switch (activation) {
    case IRENEO_ACTIVATION_REGLU:
        return IRENEO_ACTIVATION_RELU;
    case IRENEO_ACTIVATION_GEGLU:
        return IRENEO_ACTIVATION_GELU;
    case IRENEO_ACTIVATION_SWIGLU:
        return IRENEO_ACTIVATION_SILU;
    default:
        return activation;
    }
}

bool ireneo_activation_summed(ireneo_activation activation) {
    ireneo_activation gate = ireneo_activation_of_gate(activation);
    return gate == IRENEO_ACTIVATION_TANH || gate == IRENEO_ACTIVATION_SILU;
}

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

/* The functions whose averages are sums; their singularities are at distance pi/2 (tanh) and pi (SiLU). */
static double value(ireneo_activation gate, double x) {
    return gate == IRENEO_ACTIVATION_TANH ? tanh(x) : 0.5 * x * (1.0 + tanh(0.5 * x));
}

static double derivative(ireneo_activation gate, double x) {
    double t = tanh(gate == IRENEO_ACTIVATION_TANH ? x : 0.5 * x);
    return gate == IRENEO_ACTIVATION_TANH ? 1.0 - t * t : 0.5 * (1.0 + t) + 0.25 * x * (1.0 - t * t);
}

/* Beyond this variance SiLU is ReLU, up to 4e-4 of its power. */
static const double RAMP_FROM = 400.0;

static ireneo_activation seen_as(ireneo_activation activation, double q) {
    ireneo_activation gate = ireneo_activation_of_gate(activation);
    return gate == IRENEO_ACTIVATION_SILU && q > RAMP_FROM ? IRENEO_ACTIVATION_RELU : gate;
}

/* Step of a standard normal variable. */
static double step_for(double q) {
    return fmin(0.4, 0.3 / sqrt(q));
}

static double moment(ireneo_activation gate, double q, double (*f)(ireneo_activation, double)) {
    double step = step_for(q), root = sqrt(q), sum = 0.0;
    for (double z = step; z < REACH; z += step) {
        double above = f(gate, root * z), below = f(gate, -root * z);
        sum += ireneo_normal_density(z) * (above * above + below * below);
    }
    return (sum + ireneo_normal_density(0.0) * f(gate, 0.0) * f(gate, 0.0)) * step;
}

/* Half of E (phi(A + B) - phi(A - B))^2 with A ~ N(0, q (1 - distance / 2)), B ~ N(0, q distance / 2). */
static double summed_gap(ireneo_activation gate, double q, double distance) {
    double step = step_for(q), a_scale = sqrt(q * (1.0 - 0.5 * distance)), b_scale = sqrt(0.5 * q * distance);
    double sum = 0.0;
    for (double y = step; y < REACH; y += step) {
        double b = b_scale * y, inner = 0.0;
        for (double z = 0.0; z < REACH; z += step) {
            double a = a_scale * z, difference = value(gate, a + b) - value(gate, a - b);
            /* the other sign of A: the same for tanh, and phi(x) - phi(-x) = x for SiLU */
            double other = gate == IRENEO_ACTIVATION_TANH ? difference : 2.0 * b - difference;
            double weight = (z > 0.0 ? 1.0 : 0.5) * ireneo_normal_density(z);
            inner += weight * (difference * difference + other * other);
        }
        sum += ireneo_normal_density(y) * inner; /* twice for y < 0, times one half */
    }
    return sum * step * step;
}

double ireneo_activation_power(ireneo_activation activation, double q) {
    ireneo_activation gate = seen_as(activation, q);
    if (gate == IRENEO_ACTIVATION_RELU) return 0.5 * q;
    if (gate == IRENEO_ACTIVATION_GELU) return gelu_product(q, q);
    return moment(gate, q, value);
}

double ireneo_activation_slope(ireneo_activation activation, double q) {
    ireneo_activation gate = seen_as(activation, q);
    if (gate == IRENEO_ACTIVATION_RELU) return 0.5;
    if (gate == IRENEO_ACTIVATION_GELU) return gelu_slope(q, q);
    return moment(gate, q, derivative);
}

double ireneo_activation_gap(ireneo_activation activation, double q, double distance) {
    ireneo_activation gate = seen_as(activation, q);
    double p = q * (1.0 - distance);
    if (gate == IRENEO_ACTIVATION_RELU) return relu_gap(q, distance);
    if (gate == IRENEO_ACTIVATION_GELU) /* near p = q the slope at the midpoint is right to distance^3 */
        return distance < 1e-4 ? q * distance * gelu_slope(q, 0.5 * (q + p))
                               : gelu_product(q, q) - gelu_product(q, p);
    return summed_gap(gate, q, distance);
}
