/* Adam on cross-entropy against the projection solver: the same random facts, all threads, to full recall.
 * Prints seconds, passes over all candidates, and the ratios. */
#include "lab/sweep/trial.h"

#include <stdio.h>

static int measure(size_t dim, double fraction, double rate) {
    ireneo_shape shape = {.dim_in = dim, .dim_out = dim};
    ireneo_capacity_report report;
    trial_data data;
    trial_result by_project, by_adam;
    if (ireneo_capacity(&shape, &report) != IRENEO_OK) return 1;
    trial it = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_PROJECT, dim, 1.0,
                                   (size_t)(fraction * report.facts_capacity), 1);
    it.rate = rate;
    it.steps = 1000;
    if (ireneo_trial_open(&it, &data) != IRENEO_OK) return 1;
    int failed = ireneo_trial_solve(&it, &data, 0, NULL, &by_project, NULL) != IRENEO_OK;
    it.solver = TRIAL_ADAM;
    failed |= ireneo_trial_solve(&it, &data, 0, NULL, &by_adam, NULL) != IRENEO_OK;
    ireneo_trial_close(&data);
    if (failed) return 1;
    printf("%5zu %6zu %5.2f %6.2f %9.3f %7zu %9.3f %7zu %8.4f %9.1f %9.1f\n", dim, it.facts, fraction, rate,
           by_project.seconds, by_project.scans, by_adam.seconds, by_adam.scans, by_adam.accuracy,
           by_adam.seconds / by_project.seconds, (double)by_adam.scans / (double)by_project.scans);
    return 0;
}

int main(void) {
    static const double rates[] = {0.01, 0.03, 0.1};
    int failed = 0;
    printf("%5s %6s %5s %6s %9s %7s %9s %7s %8s %9s %9s\n", "dim", "facts", "load", "rate", "project s",
           "passes", "adam s", "passes", "recalled", "time x", "passes x");
    for (size_t i = 0; i < 3; i++) failed |= measure(100, 0.9, rates[i]);
    for (size_t i = 0; i < 3; i++) failed |= measure(50, 0.97, rates[i]);
    failed |= measure(200, 0.9, 0.03);
    if (failed) fprintf(stderr, "%s\n", ireneo_last_error());
    return failed;
}
