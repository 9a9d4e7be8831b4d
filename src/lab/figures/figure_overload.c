/* Figure "overload": what is recalled when more facts are offered than fit: by ireneo, which chooses the
 * facts to keep, by the minimiser of the cross-entropy, and by the Hebbian rule. */
#include "base/error.h"
#include "lab/figures/average.h"
#include "lab/figures/figure_trials.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

enum { POINTS = 7, SOLVERS = 3, MOST_DRAWS = 50 };
static const double OFFERED[POINTS] = {0.8, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0}; /* over the law's capacity */
static const trial_solver SOLVER[SOLVERS] = {TRIAL_PROJECT, TRIAL_LBFGS, TRIAL_HEBBIAN};

typedef struct overload_list {
    size_t dim, draws, count;
    double capacity; /* by the law, with as many candidates as facts */
    trial trials[POINTS * SOLVERS * MOST_DRAWS];
    trial_result outcomes[POINTS * SOLVERS * MOST_DRAWS];
} overload_list;

static ireneo_error list_trials(const figure_request *request, overload_list *list) {
    list->dim = ireneo_figure_dim(request, 0, 30, 50);
    list->draws = ireneo_figure_draws(request, 3, 10);
    ireneo_shape shape = {.dim_in = list->dim, .dim_out = list->dim};
    ireneo_capacity_report report;
    IRENEO_TRY(ireneo_capacity(&shape, &report));
    list->capacity = report.facts_capacity;
    for (size_t p = 0; p < POINTS; p++) {
        for (size_t s = 0; s < SOLVERS; s++) {
            for (size_t i = 0; i < list->draws; i++) {
                trial *t = &list->trials[list->count++];
                *t = ireneo_trial_square(TRIAL_ORIGINAL, SOLVER[s], list->dim, 1.0,
                                         (size_t)(OFFERED[p] * list->capacity), request->seed + i);
                t->overload = true;
            }
        }
    }
    return IRENEO_OK;
}

static ireneo_error write_points(const overload_list *list, FILE *stream) {
    fprintf(
        stream,
        "offered,facts,ireneo,cross_entropy,hebbian,law,ireneo_spread,cross_entropy_spread,hebbian_spread\n"
        "# Facts recalled, means over %zu draws, and standard deviations over the draws (spread). offered: "
        "facts over the "
        "capacity of\n# the law; law: random facts that fit.\n",
        list->draws);
    for (size_t p = 0; p < POINTS; p++) {
        const trial *t = &list->trials[p * SOLVERS * list->draws];
        draw_average recalled[SOLVERS] = {{0}};
        for (size_t k = 0; k < SOLVERS * list->draws; k++)
            ireneo_average_take(&recalled[k / list->draws],
                                (double)list->outcomes[p * SOLVERS * list->draws + k].recalled);
        ireneo_shape shape = {
            .dim_in = t->dim_in, .dim_out = t->dim_out, .candidates = (double)t->candidates};
        ireneo_capacity_report report; /* random facts that fit among that many candidates */
        IRENEO_TRY(ireneo_capacity(&shape, &report));
        double fit = report.facts_capacity < (double)t->facts ? report.facts_capacity : (double)t->facts;
        fprintf(stream, "%.6g,%zu", (double)t->facts / list->capacity, t->facts);
        for (size_t k = 0; k < SOLVERS; k++) fprintf(stream, ",%.6g", ireneo_average_mean(&recalled[k]));
        fprintf(stream, ",%.6g", fit);
        for (size_t k = 0; k < SOLVERS; k++) fprintf(stream, ",%.4g", ireneo_average_spread(&recalled[k]));
        fputc('\n', stream);
    }
    return IRENEO_OK;
}

static ireneo_error make(const figure_request *request) {
    overload_list list = {0};
    results *store;
    figure_csv csv;
    IRENEO_TRY(list_trials(request, &list));
    queue_settings settings = ireneo_figure_queue(request, "trials (overload)");
    IRENEO_TRY(ireneo_figure_store(request, &store));
    ireneo_error failed = ireneo_queue_trials(store, &settings, list.trials, list.count, list.outcomes);
    ireneo_results_close_shared(store);
    if (failed != IRENEO_OK) return failed;
    IRENEO_TRY(ireneo_figure_note(
        request, "overload",
        "d = %zu, %zu draws a point; %.0f facts fit by the law, as many candidates as facts are\noffered; "
        "bars: standard deviation over the draws",
        list.dim, list.draws, list.capacity));
    IRENEO_TRY(ireneo_csv_open(request, "overload.csv", &csv));
    return ireneo_csv_close(&csv, write_points(&list, csv.stream));
}

const figure figure_overload = {"overload",
                                "facts recalled when more are offered than fit",
                                make,
                                {1, 1, false, MOST_DRAWS, "overload", false}};
