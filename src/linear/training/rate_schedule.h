/* Learning rates over a run: linear warm-up, then half a cosine down to zero. */
#ifndef IRENEO_LINEAR_TRAINING_RATE_SCHEDULE_H
#define IRENEO_LINEAR_TRAINING_RATE_SCHEDULE_H

#include <stddef.h>

/* The rate of step `step` of `steps`, counted from 0, with `warm_up` steps of growth first. */
double ireneo_rate_at(double peak, size_t step, size_t steps, double warm_up);

#endif
