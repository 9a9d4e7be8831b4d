/* Figure "linear_1" (the paper's figure 1, right): accuracy of cross-entropy training against the load, for
 * the original problem and, at the same sizes, for the decoupled one; the law's chance that all facts fit; and what Ireneo's
 * solver keeps of the facts at a larger size. */
#include "lab/figures/figure_linear.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <math.h>

/* Adam on the original problem, on the decoupled one, then Ireneo's solver on the original. */
enum { SIZES = 3, CURVES = 2 * SIZES + 1 };

static size_t solver_dim(const figure_request *request) {
    size_t own = request->own.dim_count;
    return own > 0 ? request->own.dims[own - 1] : request->quick ? 60 : 160;
}

static void list_curves(const figure_request *request, curve curves[CURVES]) {
    static const size_t quick_dims[SIZES] = {20, 30, 40}, full_dims[SIZES] = {20, 40, 80};
    for (size_t i = 0; i < CURVES; i++) {
        curve *c = &curves[i];
        bool solver = i == CURVES - 1;
        size_t dim = solver
                         ? solver_dim(request)
                         : ireneo_figure_dim(request, i % SIZES, quick_dims[i % SIZES], full_dims[i % SIZES]);
        *c = request->quick ? (curve){.from = 0.1, .to = 1.3, .points = 13, .draws = 3}
             : i < SIZES || solver
                 ? (curve){.from = 0.2, .to = 1.1, .points = 10, .draws = 10}
                 : (curve){.from = 0.3, .to = 1.1, .points = 5, .draws = 10}; /* own candidates: dear */
        c->like = ireneo_trial_square(i < SIZES || solver ? TRIAL_ORIGINAL : TRIAL_DECOUPLED,
                                      solver ? TRIAL_PROJECT : TRIAL_ADAM, dim, 1.0, 2, request->seed);
        c->like.steps = request->quick ? 800 : 2000;
        c->like.overload = solver;
        ireneo_curve_resize(request, c);
    }
}

/* Chance that all facts fit, on a fine grid, a block for each of Adam's dimensions and problems, and one for the solver's. */
static ireneo_error write_law(const curve *curves, FILE *stream) {
    fprintf(
        stream,
        "dim,load,probability,law\n"
        "# probability: that all facts fit, by the law of the problem; law: load at which it is one half.\n");
    for (size_t i = 0; i < CURVES; i++) {
        size_t dim = curves[i].like.dim_in;
        double law, limit;
        IRENEO_TRY(ireneo_critical_load(curves[i].like.problem, dim, 1.0, &law, &limit));
        if (i > 0) fputs("\n\n", stream);
        for (int k = 0; k <= 60; k++) {
            double load = 0.1 + 0.02 * k, probability;
            ireneo_shape shape = ireneo_trial_shape(&curves[i].like, true);
            shape.facts = (double)ireneo_trial_facts(load, dim, dim, 0);
            IRENEO_TRY(ireneo_capacity_probability(&shape, &probability));
            fprintf(stream, "%zu,%.6g,%.6g,%.6g\n", dim,
                    shape.facts * log(shape.facts) / ((double)dim * (double)dim), probability, law);
        }
    }
    return IRENEO_OK;
}

static ireneo_error write_note(const figure_request *request, const curve *curves) {
    const size_t dims[] = {curves[0].like.dim_in, curves[1].like.dim_in, curves[2].like.dim_in};
    char text[DIMS_TEXT];
    return ireneo_figure_note(request, "linear_1",
                              "d = %s (Adam, at most %zu steps) and %zu (Ireneo, which keeps what it can); "
                              "%zu draws a point; bars: standard "
                              "deviation\nover the draws, cut at 0 and 1. Dashed: chance that all facts fit, "
                              "by the law. Dotted: limit of d → ∞.",
                              ireneo_dims_text(dims, SIZES, text), curves[0].like.steps,
                              curves[CURVES - 1].like.dim_in, curves[0].draws);
}

static ireneo_error make(const figure_request *request) {
    curve curves[CURVES];
    list_curves(request, curves);
    figure_csv csv;
    IRENEO_TRY(write_note(request, curves));
    IRENEO_TRY(ireneo_csv_open(request, "linear_1.csv", &csv));
    IRENEO_TRY(ireneo_csv_close(
        &csv, ireneo_curves_write(request, "training (linear_1)", curves, CURVES, csv.stream)));
    IRENEO_TRY(ireneo_csv_open(request, "linear_1_law.csv", &csv));
    return ireneo_csv_close(&csv, write_law(curves, csv.stream));
}

const figure figure_linear_1 = {"linear_1",
                                "accuracy of cross-entropy training against load, both problems",
                                make,
                                {3, 4, true, FIGURE_MOST_TRIALS, "linear_1", false}};
