/* Points of the dense figures: one call of the simulation with its settings on one line. */
#ifndef IRENEO_LAB_FIGURES_DENSE_POINTS_H
#define IRENEO_LAB_FIGURES_DENSE_POINTS_H

#include "lab/figures/figure.h"

typedef struct dense_points_request {
    ireneo_dense_method method;
    ireneo_dense_measure measure;
    size_t neurons;
    double log_patterns, lambda;
    size_t steps, draws;
    double closeness; /* 0: the default */
} dense_points_request;

/* Simulates spherical patterns with the figure's seed and threads. Draws of many steps are kept in the
 * figure's store, so that a figure that was stopped goes on from them. */
ireneo_error ireneo_dense_point_of(const figure_request *request, const dense_points_request *wanted,
                                   ireneo_dense_summary *summary);

/* Steps of runs to the end, as in docs/dense-simulation.md. */
enum { IRENEO_CONVERGED_STEPS = 400 };

/* What the theory says at this N: thresholds in lambda after one step and after convergence. */
ireneo_error ireneo_dense_finite_lambdas(size_t neurons, double alpha, double *one_step, double *converged,
                                         double *limit);

#endif
