/* Welford's update, which loses no digits where all values are alike. */
#include "lab/figures/average.h"

#include <math.h>

void ireneo_average_take(draw_average *a, double value) {
    if (isnan(value)) return;
    double distance = value - a->mean;
    a->count += 1.0;
    a->mean += distance / a->count;
    a->squares += distance * (value - a->mean);
}

double ireneo_average_mean(const draw_average *a) {
    return a->count > 0.0 ? a->mean : NAN;
}

double ireneo_average_spread(const draw_average *a) {
    return a->count > 1.0 ? sqrt(a->squares / (a->count - 1.0)) : 0.0;
}
