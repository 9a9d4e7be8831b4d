/* Trials that several figures of the linear memory share; the store makes them once. */
#ifndef IRENEO_LAB_FIGURES_FIGURE_LINEAR_H
#define IRENEO_LAB_FIGURES_FIGURE_LINEAR_H

#include "lab/figures/curves.h"
#include "lab/sweep/measure.h"

/* linear_1 and linear_a1: Adam over loads, three dimensions of the original problem, then of the decoupled.
 */
enum { LINEAR_1_CURVES = 6 };
void ireneo_linear_1_curves(const figure_request *request, curve curves[LINEAR_1_CURVES]);

/* linear_4 and linear_a2: score histograms of memories below, near and above capacity, original problem
 * first, then decoupled. */
enum { LINEAR_4_LOADS = 3, LINEAR_4_TRIALS = 2 * LINEAR_4_LOADS };
ireneo_error ireneo_linear_4_scores(const figure_request *request, trial trials[LINEAR_4_TRIALS],
                                    score_measurement scores[LINEAR_4_TRIALS]);

#endif
