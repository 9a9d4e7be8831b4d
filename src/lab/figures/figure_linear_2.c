/* Figure "linear_2" (the paper's figure 2): accuracy against the load for several ranks, with the Hebbian
 * rule, and capacity by the finite-size law and by the limit formula. */
#include "base/error.h"
#include "lab/figures/figure_linear.h"
#include "lab/figures/figures.h"
#include "linear/law/hebbian_law.h"

enum { RANKS = 4 };
static const double FRACTIONS[RANKS] = {0.1, 0.25, 0.5, 1.0};

static ireneo_error write_law(size_t dim, FILE *stream) {
    fprintf(stream, "kappa,law,limit\n"
                    "# loads up to which facts fit at rank kappa d: finite-size law, and limit formula.\n");
    for (size_t i = 0; i < RANKS; i++) {
        double law, limit;
        IRENEO_TRY(ireneo_critical_load(TRIAL_ORIGINAL, dim, FRACTIONS[i], &law, &limit));
        fprintf(stream, "%g,%.8g,%.8g\n", FRACTIONS[i], law, limit);
    }
    return IRENEO_OK;
}

static void write_hebbian_law(size_t dim, FILE *stream) {
    fprintf(stream, "load,accuracy\n"
                    "# accuracy: share of facts that the Hebbian rule recalls, by its law.\n");
    for (int k = 2; k <= 130; k++) {
        size_t facts = ireneo_trial_facts(0.01 * k, dim, dim, 0);
        double d = (double)dim, n = (double)facts;
        fprintf(stream, "%.4g,%.8g\n", 0.01 * k, ireneo_hebbian_law_accuracy(d, d, n, n));
    }
}

static ireneo_error make(const figure_request *request) {
    size_t dim = ireneo_figure_dim(request, 0, 40, 80);
    curve curves[RANKS + 1];
    figure_csv csv;
    for (size_t i = 0; i <= RANKS; i++) {
        curve *c = &curves[i];
        bool hebbian = i == RANKS;
        *c = (curve){
            .from = 0.05, .to = 1.3, .points = request->quick ? 16 : 51, .draws = request->quick ? 3 : 10};
        c->like = ireneo_trial_square(TRIAL_ORIGINAL, hebbian ? TRIAL_HEBBIAN : TRIAL_ADAM, dim,
                                      hebbian ? 1.0 : FRACTIONS[i], 2, request->seed);
        if (request->quick) c->like.steps = 800;
        ireneo_curve_resize(request, c);
    }
    IRENEO_TRY(ireneo_csv_open(request, "linear_2.csv", &csv));
    IRENEO_TRY(ireneo_csv_close(
        &csv, ireneo_curves_write(request, "training (linear_2)", curves, RANKS + 1, csv.stream)));
    IRENEO_TRY(ireneo_csv_open(request, "linear_2_law.csv", &csv));
    IRENEO_TRY(ireneo_csv_close(&csv, write_law(dim, csv.stream)));
    IRENEO_TRY(ireneo_csv_open(request, "linear_2_hebbian.csv", &csv));
    write_hebbian_law(dim, csv.stream);
    return ireneo_csv_close(&csv, IRENEO_OK);
}

const figure figure_linear_2 = {"linear_2",
                                "accuracy against load for several ranks, and the Hebbian rule",
                                make,
                                {1, 1, true, FIGURE_MOST_TRIALS}};
