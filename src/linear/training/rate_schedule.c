/* rate = peak (step + 1) / (warm_up + 1), then peak (1 + cos(pi progress)) / 2. */
#include "linear/training/rate_schedule.h"

#include <math.h>

double ireneo_rate_at(double peak, size_t step, size_t steps, double warm_up) {
    double at = (double)step, end = (double)steps;
    if (at < warm_up) return peak * (at + 1.0) / (warm_up + 1.0);
    double progress = (at - warm_up) / fmax(1.0, end - warm_up);
    return 0.5 * peak * (1.0 + cos(M_PI * fmin(1.0, progress)));
}
