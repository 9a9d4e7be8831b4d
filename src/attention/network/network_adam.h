/* Adam (Kingma and Ba, 2015) on one flat block of parameters. */
#ifndef IRENEO_ATTENTION_NETWORK_NETWORK_ADAM_H
#define IRENEO_ATTENTION_NETWORK_NETWORK_ADAM_H

#include "base/error.h"

typedef struct ireneo_network_adam {
    size_t count, steps;
    float *mean, *square; /* (count): running averages of the gradient and of its square */
} ireneo_network_adam;

ireneo_error ireneo_network_adam_create(size_t count, ireneo_network_adam *adam);
void ireneo_network_adam_free(ireneo_network_adam *adam);

/* One step: parameters (count) move by about `rate` against factor times the gradients (count). */
void ireneo_network_adam_step(ireneo_network_adam *adam, double rate, double factor, const float *gradients,
                              float *parameters, int threads);

#endif
