/* Figure "linear_a1" (the paper's figure A.1): cross-entropy against the load, where Adam stops (the trials
 * of linear_1) and at the minimum that L-BFGS finds when it goes on after full recall. */
#include "lab/figures/figure_linear.h"
#include "lab/figures/figures.h"

static ireneo_error make(const figure_request *request) {
    curve curves[LINEAR_1_CURVES];
    figure_csv csv;
    ireneo_linear_1_curves(request, curves);
    IRENEO_TRY(ireneo_csv_open(request, "linear_a1_adam.csv", &csv));
    IRENEO_TRY(ireneo_csv_close(
        &csv, ireneo_curves_write(request, "training (linear_a1)", curves, LINEAR_1_CURVES, csv.stream)));
    for (size_t i = 0; i < LINEAR_1_CURVES; i++) {
        curves[i].like.solver = TRIAL_LBFGS;
        curves[i].like.past_recall = true;
        curves[i].like.steps = 300;
    }
    IRENEO_TRY(ireneo_csv_open(request, "linear_a1.csv", &csv));
    return ireneo_csv_close(
        &csv, ireneo_curves_write(request, "minimising (linear_a1)", curves, LINEAR_1_CURVES, csv.stream));
}

const figure figure_linear_a1 = {
    "linear_a1", "cross-entropy against load, both problems", make, {3, 3, true, FIGURE_MOST_TRIALS}};
