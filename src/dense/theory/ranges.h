/* Ranges of the questions that the dense room answers. */
#ifndef IRENEO_DENSE_THEORY_RANGES_H
#define IRENEO_DENSE_THEORY_RANGES_H

#include "base/error.h"

ireneo_error ireneo_check_ensemble(ireneo_dense_ensemble ensemble);
ireneo_error ireneo_check_lambda(double lambda);
ireneo_error ireneo_check_alpha(double alpha);
ireneo_error ireneo_check_neurons(double neurons);
ireneo_error ireneo_check_patterns(double patterns);

#endif
