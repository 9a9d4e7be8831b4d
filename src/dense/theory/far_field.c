/* One-dimensional integrals over the bulk, in the log domain, over the range that counts. */
#include "dense/theory/far_field.h"
#include "base/quadrature.h"
#include "dense/theory/bessel.h"

#include <math.h>

static const double DROP = 42.0; /* the range ends where the integrand is e^-42 of its peak */

ireneo_far_field ireneo_far_field_of(ireneo_overlap_law law, double level, double log_count) {
    ireneo_far_field bulk = {.law = law, .level = level, .log_count = log_count};
    ireneo_gauss_legendre(IRENEO_FAR_FIELD_NODES, 0.0, 1.0, bulk.nodes, bulk.weights);
    return bulk;
}

static double log_integrand(const ireneo_far_field *bulk, double along, double across, double c) {
    double value = ireneo_overlap_log_density(&bulk->law, c) + along * c;
    if (across == 0.0) return value;
    return value + ireneo_sphere_log_mean(bulk->law.neurons - 1.0, across * sqrt((1.0 - c) * (1.0 + c)));
}

static double range_end(const ireneo_far_field *bulk, double along, double across, double peak,
                        double direction, double limit) {
    double low = log_integrand(bulk, along, across, peak) - DROP, width = 1.0 / sqrt(bulk->law.neurons);
    /* At large lambda only a thin layer at the level counts, and nodes spread wider would all miss it. */
    while (log_integrand(bulk, along, across, peak + direction * width / 1.5) < low) width /= 1.5;
    for (;; width *= 1.5) {
        double c = peak + direction * width;
        if (direction * (c - limit) >= 0.0) return limit;
        if (log_integrand(bulk, along, across, c) < low) return c;
    }
}

double ireneo_far_field_log_sum(const ireneo_far_field *bulk, double along, double across, double *mean_along,
                                double *mean_across) {
    /* Without the level the integrand would peak where a pattern pulled by the whole state stands. */
    double pull = hypot(along, across);
    double peak = pull > 0.0 ? ireneo_sphere_overlap(bulk->law.neurons, pull) * along / pull : 0.0;
    peak = fmin(peak, bulk->level);
    double from = range_end(bulk, along, across, peak, -1.0, -1.0),
           to = range_end(bulk, along, across, peak, 1.0, bulk->level);
    double top = log_integrand(bulk, along, across, peak), mass = 0.0, first = 0.0, second = 0.0;
    for (int i = 0; i < IRENEO_FAR_FIELD_NODES; i++) {
        double c = from + (to - from) * bulk->nodes[i], sine = sqrt((1.0 - c) * (1.0 + c));
        double w = bulk->weights[i] * exp(log_integrand(bulk, along, across, c) - top);
        mass += w;
        first += w * c;
        if (across > 0.0) second += w * sine * ireneo_sphere_overlap(bulk->law.neurons - 1.0, across * sine);
    }
    *mean_along = first / mass;
    *mean_across = second / mass;
    return bulk->log_count + top + log(mass * (to - from));
}
