/* Figure "linear_1" (the paper's figure 1, right): accuracy of cross-entropy training against the load, for
 * the original problem and, at the same sizes, for the decoupled one; the law's chance that all facts fit. */
#include "lab/figures/figure_linear.h"
#include "lab/figures/figures.h"

#include <math.h>

void ireneo_linear_1_curves(const figure_request *request, curve curves[LINEAR_1_CURVES]) {
    static const size_t quick_dims[] = {20, 30, 40}, full_dims[] = {20, 40, 80};
    size_t count = 0;
    for (int problem = TRIAL_ORIGINAL; problem <= TRIAL_DECOUPLED; problem++) {
        for (size_t i = 0; i < 3; i++) {
            curve *c = &curves[count++];
            size_t dim = ireneo_figure_dim(request, i, quick_dims[i], full_dims[i]);
            *c = (curve){
                .from = 0.1, .to = 1.3, .points = request->quick ? 13 : 25, .draws = request->quick ? 3 : 10};
            c->like = ireneo_trial_square((trial_problem)problem, TRIAL_ADAM, dim, 1.0, 2, request->seed);
            if (request->quick) c->like.steps = 800;
            ireneo_curve_resize(request, c);
        }
    }
}

/* Chance that all facts fit, on a fine grid, one block per dimension. */
static ireneo_error write_law(const curve *curves, FILE *stream) {
    fprintf(stream, "dim,load,probability,law\n"
                    "# probability: that all facts fit, by the law of the original problem; law: load at "
                    "which it is one half.\n");
    for (size_t i = 0; i < 3; i++) {
        size_t dim = curves[i].like.dim_in;
        double law, limit;
        IRENEO_TRY(ireneo_critical_load(TRIAL_ORIGINAL, dim, 1.0, &law, &limit));
        if (i > 0) fputs("\n\n", stream);
        for (int k = 0; k <= 120; k++) {
            double load = 0.1 + 0.01 * k, probability;
            ireneo_shape shape = {.dim_in = dim, .dim_out = dim};
            shape.facts = (double)ireneo_trial_facts(load, dim, dim, 0);
            IRENEO_TRY(ireneo_capacity_probability(&shape, &probability));
            fprintf(stream, "%zu,%.6g,%.6g,%.6g\n", dim,
                    shape.facts * log(shape.facts) / ((double)dim * (double)dim), probability, law);
        }
    }
    return IRENEO_OK;
}

static ireneo_error make(const figure_request *request) {
    curve curves[LINEAR_1_CURVES];
    ireneo_linear_1_curves(request, curves);
    figure_csv csv;
    IRENEO_TRY(ireneo_csv_open(request, "linear_1.csv", &csv));
    IRENEO_TRY(ireneo_csv_close(
        &csv, ireneo_curves_write(request, "training (linear_1)", curves, LINEAR_1_CURVES, csv.stream)));
    IRENEO_TRY(ireneo_csv_open(request, "linear_1_law.csv", &csv));
    return ireneo_csv_close(&csv, write_law(curves, csv.stream));
}

const figure figure_linear_1 = {"linear_1",
                                "accuracy of cross-entropy training against load, both problems",
                                make,
                                {3, 3, true, FIGURE_MOST_TRIALS}};
