/* Trials that several figures of the linear memory share; the store makes them once. */
#ifndef IRENEO_LAB_FIGURES_FIGURE_LINEAR_H
#define IRENEO_LAB_FIGURES_FIGURE_LINEAR_H

#include "lab/figures/curves.h"
#include "lab/sweep/measure.h"

/* linear_2 and linear_a1: Adam over loads at these ranks over d. */
enum { LINEAR_2_RANKS = 4 };
extern const double ireneo_linear_2_ranks[LINEAR_2_RANKS];
curve ireneo_linear_2_curve(const figure_request *request, trial_problem problem, size_t dim, double kappa);

/* The larger dimension of linear_2, unless the request has its own. */
size_t ireneo_linear_2_dim(const figure_request *request);

/* linear_4 and linear_a2: score histograms of memories below, near and above capacity, original problem
 * first, then decoupled. */
enum { LINEAR_4_LOADS = 3, LINEAR_4_TRIALS = 2 * LINEAR_4_LOADS };
ireneo_error ireneo_linear_4_scores(const figure_request *request, trial trials[LINEAR_4_TRIALS],
                                    score_measurement scores[LINEAR_4_TRIALS]);

#endif
