/* Figure "overload": what is recalled when more facts are offered than fit, by the minimiser of the
 * cross-entropy and by the Hebbian rule, against what the law would hold. */
#include "base/error.h"
#include "lab/curves.h"
#include "lab/figures.h"

enum { POINTS = 7, SOLVERS = 2 };
static const double OFFERED[POINTS] = {0.8, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0}; /* over the law's capacity */
static const trial_solver SOLVER[SOLVERS] = {TRIAL_LBFGS, TRIAL_HEBBIAN};

static ireneo_error write_points(const trial *trials, const trial_result *outcomes, size_t draws, double law,
                                 FILE *stream) {
    fprintf(stream, "offered,facts,cross_entropy,hebbian,law\n");
    for (size_t p = 0; p < POINTS; p++) {
        double means[SOLVERS] = {0.0}, delta_law;
        const trial *t = &trials[p * SOLVERS * draws];
        for (size_t s = 0; s < SOLVERS; s++)
            for (size_t i = 0; i < draws; i++)
                means[s] += (double)outcomes[(p * SOLVERS + s) * draws + i].recalled / (double)draws;
        ireneo_shape shape = {.dim_in = t->dim_in, .dim_out = t->dim_out, .candidates = (double)t->candidates};
        ireneo_capacity_report report;
        IRENEO_TRY(ireneo_capacity(&shape, &report));
        delta_law = report.facts_capacity; /* random facts that fit among that many candidates */
        fprintf(stream, "%.6g,%zu,%.6g,%.6g,%.6g\n", (double)t->facts / law, t->facts, means[0], means[1],
                delta_law < (double)t->facts ? delta_law : (double)t->facts);
    }
    return IRENEO_OK;
}

static ireneo_error make(const figure_request *request) {
    enum { MOST_DRAWS = 10 };
    size_t dim = request->quick ? 30 : 50, draws = request->quick ? 3 : MOST_DRAWS, count = 0;
    trial trials[POINTS * SOLVERS * MOST_DRAWS];
    trial_result outcomes[POINTS * SOLVERS * MOST_DRAWS];
    ireneo_shape shape = {.dim_in = dim, .dim_out = dim};
    ireneo_capacity_report report;
    IRENEO_TRY(ireneo_capacity(&shape, &report));
    for (size_t p = 0; p < POINTS; p++) {
        for (size_t s = 0; s < SOLVERS; s++) {
            for (size_t i = 0; i < draws; i++) {
                size_t facts = (size_t)(OFFERED[p] * report.facts_capacity);
                trials[count++] =
                    ireneo_trial_square(TRIAL_ORIGINAL, SOLVER[s], dim, 1.0, facts, request->seed + i);
            }
        }
    }
    queue_settings settings = ireneo_figure_queue(request, "trials (overload)");
    results *store;
    figure_csv csv;
    IRENEO_TRY(ireneo_figure_store(request, &store));
    ireneo_error failed = ireneo_queue_trials(store, &settings, trials, count, outcomes);
    ireneo_results_close(store);
    if (failed != IRENEO_OK) return failed;
    IRENEO_TRY(ireneo_csv_open(request, "overload.csv", &csv));
    return ireneo_csv_finish(&csv, write_points(trials, outcomes, draws, report.facts_capacity, csv.stream));
}

const figure figure_overload = {"overload", "facts recalled when more are offered than fit", make};
