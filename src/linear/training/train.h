/* A training run while it is under way, shared by the optimisers. */
#ifndef IRENEO_LINEAR_TRAINING_TRAIN_H
#define IRENEO_LINEAR_TRAINING_TRAIN_H

#include "linear/training/cross_entropy.h"

#include <stdbool.h>

typedef struct training {
    ireneo_train_settings settings; /* defaults filled in */
    cross_entropy objective;
    size_t count; /* of parameters */
    float *parameters, *gradient;
    cross_entropy_point point; /* at the parameters */
    size_t steps, sweeps;
    bool interrupted;
} training;

/* Loss and gradient at the parameters; fails when they are not finite any more. */
ireneo_error ireneo_training_evaluate(training *job);

/* Whether another step is wanted: facts are missing, steps are left, no one asked to stop. */
bool ireneo_training_goes_on(training *job);

/* Steps of L-BFGS until the gradient is small or ireneo_training_goes_on says no. */
ireneo_error ireneo_train_by_lbfgs(training *job);

#endif
