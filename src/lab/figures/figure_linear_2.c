/* Figure "linear_2" (the paper's figure 2): accuracy against the load for several ranks of both problems at two
 * sizes, with the Hebbian rule, and capacity by the finite-size law and by the limit formula. */
#include "base/error.h"
#include "lab/figures/figure_linear.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"
#include "linear/law/hebbian_law.h"

enum { SIZES = 2, PROBLEMS = 2, TRAINED = PROBLEMS * SIZES * LINEAR_2_RANKS, CURVES = TRAINED + SIZES };
const double ireneo_linear_2_ranks[LINEAR_2_RANKS] = {0.1, 0.25, 0.5, 1.0};

size_t ireneo_linear_2_dim(const figure_request *request) {
    size_t own = request->own.dim_count;
    return own > 0 ? request->own.dims[own - 1] : request->quick ? 30 : 50;
}

curve ireneo_linear_2_curve(const figure_request *request, trial_problem problem, size_t dim, double kappa) {
    curve c = {.from = 0.1, .to = 1.3, .points = 13, .draws = request->quick ? 2 : 5};
    c.like = ireneo_trial_square(problem, TRIAL_ADAM, dim, kappa, 2, request->seed);
    c.like.steps = request->quick ? 800 : 2000;
    ireneo_curve_resize(request, &c);
    return c;
}

/* Problem by problem, size by size, rank by rank; then the Hebbian rule, size by size. */
static void list_curves(const figure_request *request, curve curves[CURVES]) {
    const size_t dims[SIZES] = {ireneo_figure_dim(request, 0, 15, 25), ireneo_linear_2_dim(request)};
    for (size_t i = 0; i < CURVES; i++) {
        bool hebbian = i >= TRAINED;
        trial_problem problem = hebbian || i < TRAINED / 2 ? TRIAL_ORIGINAL : TRIAL_DECOUPLED;
        size_t dim = dims[hebbian ? i - TRAINED : i / LINEAR_2_RANKS % SIZES];
        curves[i] = ireneo_linear_2_curve(request, problem, dim,
                                          hebbian ? 1.0 : ireneo_linear_2_ranks[i % LINEAR_2_RANKS]);
        if (hebbian) curves[i].like.solver = TRIAL_HEBBIAN;
    }
}

static ireneo_error write_law(const curve curves[CURVES], FILE *stream) {
    fprintf(stream, "problem,dim,kappa,law,limit\n"
                    "# loads up to which facts fit at rank kappa d: finite-size law, and limit formula.\n");
    for (size_t i = 0; i < TRAINED; i++) {
        double law, limit, kappa = ireneo_linear_2_ranks[i % LINEAR_2_RANKS];
        const trial *like = &curves[i].like;
        IRENEO_TRY(ireneo_critical_load(like->problem, like->dim_in, kappa, &law, &limit));
        fprintf(stream, "%s,%zu,%g,%.8g,%.8g\n", ireneo_trial_problem_name(like->problem), like->dim_in,
                kappa, law, limit);
    }
    return IRENEO_OK;
}

static void write_hebbian_law(size_t dim, FILE *stream) {
    fprintf(stream,
            "load,accuracy\n"
            "# accuracy: share of facts that the Hebbian rule recalls at the larger size, by its law.\n");
    for (int k = 2; k <= 130; k++) {
        size_t facts = ireneo_trial_facts(0.01 * k, dim, dim, 0);
        double d = (double)dim, n = (double)facts;
        fprintf(stream, "%.4g,%.8g\n", 0.01 * k, ireneo_hebbian_law_accuracy(d, d, n, n));
    }
}

static ireneo_error make(const figure_request *request) {
    curve curves[CURVES];
    figure_csv csv;
    list_curves(request, curves);
    size_t dim = curves[CURVES - 1].like.dim_in;
    IRENEO_TRY(ireneo_figure_note(
        request, "linear_2",
        "d = %zu (hollow) and %zu (filled points), Adam, at most %zu steps; %zu draws a point; bars: "
        "standard deviation over the draws, cut at 0 and 1.\nDashed: finite-size law of the larger d; "
        "ticks below: limit formula.",
        curves[CURVES - 2].like.dim_in, dim, curves[0].like.steps, curves[0].draws));
    IRENEO_TRY(ireneo_csv_open(request, "linear_2.csv", &csv));
    IRENEO_TRY(ireneo_csv_close(
        &csv, ireneo_curves_write(request, "training (linear_2)", curves, CURVES, csv.stream)));
    IRENEO_TRY(ireneo_csv_open(request, "linear_2_law.csv", &csv));
    IRENEO_TRY(ireneo_csv_close(&csv, write_law(curves, csv.stream)));
    IRENEO_TRY(ireneo_csv_open(request, "linear_2_hebbian.csv", &csv));
    write_hebbian_law(dim, csv.stream);
    return ireneo_csv_close(&csv, IRENEO_OK);
}

const figure figure_linear_2 = {"linear_2",
                                "accuracy against load for several ranks, and the Hebbian rule",
                                make,
                                {2, 2, true, FIGURE_MOST_TRIALS, "linear_2", false}};
