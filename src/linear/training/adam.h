/* Adam, and the rate schedule that goes with it: linear warm-up, then half a cosine down to zero. */
#ifndef IRENEO_LINEAR_TRAINING_ADAM_H
#define IRENEO_LINEAR_TRAINING_ADAM_H

#include "base/error.h"

/* Running means of the gradient and of its square, (count) each. */
typedef struct adam {
    size_t count, steps;
    float *first, *second;
} adam;

ireneo_error ireneo_adam_open(size_t count, adam *state);
void ireneo_adam_close(adam *state);

/* Moves the parameters (count) by one step against the gradient (count). */
void ireneo_adam_step(adam *state, const float *gradient, double rate, float *parameters);

/* The rate of step `step` of `steps`, counted from 0, with `warm_up` steps of growth first. */
double ireneo_adam_rate(double peak, size_t step, size_t steps, double warm_up);

#endif
