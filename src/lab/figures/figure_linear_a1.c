/* Figure "linear_a1" (the paper's figure A.1): cross-entropy against the load for all ranks, where Adam stops (the trials
 * of linear_2 at the larger size) and the lowest that L-BFGS finds when it goes on after full recall. */
#include "base/error.h"
#include "lab/figures/figure_linear.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

enum { CURVES = 2 * LINEAR_2_RANKS, LOWEST_STEPS = 300 };

static ireneo_error write_limits(size_t dim, FILE *stream) {
    fprintf(stream, "kappa,law,limit\n# loads up to which facts fit at rank kappa d: finite-size law, and "
                    "limit formula.\n");
    for (size_t i = 0; i < LINEAR_2_RANKS; i++) {
        double law, limit;
        IRENEO_TRY(ireneo_critical_load(TRIAL_ORIGINAL, dim, ireneo_linear_2_ranks[i], &law, &limit));
        fprintf(stream, "%g,%.8g,%.8g\n", ireneo_linear_2_ranks[i], law, limit);
    }
    return IRENEO_OK;
}

static ireneo_error make(const figure_request *request) {
    curve curves[CURVES];
    figure_csv csv;
    size_t dim = ireneo_linear_2_dim(request);
    for (size_t i = 0; i < CURVES; i++)
        curves[i] = ireneo_linear_2_curve(request, i < LINEAR_2_RANKS ? TRIAL_ORIGINAL : TRIAL_DECOUPLED, dim,
                                          ireneo_linear_2_ranks[i % LINEAR_2_RANKS]);
    IRENEO_TRY(ireneo_figure_note(
        request, "linear_a1",
        "d = %zu, %zu draws a point; bars: standard deviation over the draws, cut at 0. Full: lowest loss "
        "that %d steps of L-BFGS find,\nits minimum at full rank; dashed: where Adam stops, at full "
        "recall or after %zu steps. Ticks below: limit formula of each rank.",
        dim, curves[0].draws, LOWEST_STEPS, curves[0].like.steps));
    IRENEO_TRY(ireneo_csv_open(request, "linear_a1_limit.csv", &csv));
    IRENEO_TRY(ireneo_csv_close(&csv, write_limits(dim, csv.stream)));
    IRENEO_TRY(ireneo_csv_open(request, "linear_a1_adam.csv", &csv));
    IRENEO_TRY(ireneo_csv_close(
        &csv, ireneo_curves_write(request, "training (linear_a1)", curves, CURVES, csv.stream)));
    for (size_t i = 0; i < CURVES; i++) {
        curves[i].like.solver = TRIAL_LBFGS;
        curves[i].like.past_recall = true;
        curves[i].like.steps = LOWEST_STEPS;
    }
    IRENEO_TRY(ireneo_csv_open(request, "linear_a1.csv", &csv));
    return ireneo_csv_close(
        &csv, ireneo_curves_write(request, "minimising (linear_a1)", curves, CURVES, csv.stream));
}

const figure figure_linear_a1 = {"linear_a1",
                                 "cross-entropy against load, all ranks, both problems",
                                 make,
                                 {1, 1, true, FIGURE_MOST_TRIALS, "linear_2", false}};
