/* Adam (Kingma and Ba 2015) on one flat block of parameters:
 *
 *     m <- b1 m + (1 - b1) g ,   v <- b2 v + (1 - b2) g^2 ,   x <- x - rate m^ / (sqrt v^ + 1e-8) ,
 *
 * where m^ and v^ are m and v over 1 - b^step. */
#ifndef IRENEO_BASE_ADAM_H
#define IRENEO_BASE_ADAM_H

#include "base/error.h"

#include <stdbool.h>

/* Chosen by the user of the optimiser, who says why. */
typedef struct ireneo_adam_settings {
    double mean_decay, square_decay; /* b1, b2 */
    bool folded;      /* v^ by way of rate and epsilon, which saves a product; the last bit differs */
    float negligible; /* means below it become 0, before they are denormal and slow; 0: none */
} ireneo_adam_settings;

typedef struct ireneo_adam {
    ireneo_adam_settings settings;
    size_t count, steps;
    float *mean, *square; /* (count): running means of the gradient and of its square */
} ireneo_adam;

ireneo_error ireneo_adam_open(const ireneo_adam_settings *settings, size_t count, ireneo_adam *adam);
void ireneo_adam_close(ireneo_adam *adam);

/* One step: parameters (count) move by about `rate` against factor times the gradient (count). */
void ireneo_adam_step(ireneo_adam *adam, double rate, double factor, const float *gradient, float *parameters,
                      int threads);

#endif
