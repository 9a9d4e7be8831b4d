/* Figure "sequential": what memories that learn in one pass recall of n facts with unit keys, against n / d: the Hebbian
 * rule, the delta rule at two rates, least squares, and the most that a matrix of this size was found to hold. */
#include "base/error.h"
#include "base/ram.h"
#include "lab/figures/average.h"
#include "lab/figures/figure_trials.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <math.h>

enum { POINTS = 14, CURVES = 5, MOST_DRAWS = 50 };
static const double OVER_DIM[POINTS] = {0.25, 0.5, 0.75, 1.0,  1.5,  2.0,  3.0,
                                        4.0,  6.0, 8.0,  11.0, 15.0, 20.0, 24.0};

typedef struct sequential_list {
    size_t dims[2], dim_count, draws, points, count;
    trial *trials;
    trial_result *outcomes;
} sequential_list;

/* The curve of the figure: hebbian, delta at rates 0.5 and 1, least squares, the optimum. */
static trial trial_of(size_t index, size_t dim, size_t facts, uint64_t seed) {
    static const trial_solver solvers[CURVES] = {TRIAL_HEBBIAN, TRIAL_DELTA, TRIAL_DELTA, TRIAL_LEAST_SQUARES,
                                                 TRIAL_PROJECT};
    trial t = ireneo_trial_square(TRIAL_ORIGINAL, solvers[index], dim, 1.0, facts, seed);
    t.unit_keys = true;
    t.delta_rate = index == 1 ? 0.5 : index == 2 ? 1.0 : 0.0;
    t.overload = t.solver == TRIAL_PROJECT;
    return t;
}

static ireneo_error list_trials(const figure_request *request, sequential_list *list) {
    list->dim_count = request->own.dim_count > 0 ? request->own.dim_count : 2;
    list->dims[0] = ireneo_figure_dim(request, 0, 32, 64);
    list->dims[1] = list->dim_count > 1 ? ireneo_figure_dim(request, 1, 64, 128) : 0;
    list->draws = ireneo_figure_draws(request, 3, 10);
    list->points = POINTS;
    size_t most = list->dim_count * POINTS * CURVES * list->draws;
    IRENEO_TRY(IRENEO_ALLOCATE(&list->trials, most, "the list of trials"));
    IRENEO_TRY(IRENEO_ALLOCATE(&list->outcomes, most, "outcomes of the trials"));
    for (size_t d = 0; d < list->dim_count; d++)
        for (size_t p = 0; p < POINTS; p++)
            for (size_t c = 0; c < CURVES; c++)
                for (size_t i = 0; i < list->draws; i++) {
                    double facts = fmax(2.0, round(OVER_DIM[p] * (double)list->dims[d]));
                    list->trials[list->count++] =
                        trial_of(c, list->dims[d], (size_t)facts, request->seed + i);
                }
    return IRENEO_OK;
}

/* A block of lines a dimension. */
static void write_points(const sequential_list *list, FILE *stream) {
    fprintf(stream,
            "dim,facts,facts_over_dim,hebbian,delta_half,delta,least_squares,optimum,hebbian_spread,delta_"
            "half_spread,delta_spread,"
            "least_squares_spread,optimum_spread\n"
            "# Share of the facts recalled, means over %zu draws, and standard deviations (spread); as many "
            "candidates as facts, unit keys. "
            "delta_half: the "
            "delta\n"
            "# rule of rate 0.5; optimum: ireneo, which chooses what to keep when not all facts fit.\n",
            list->draws);
    for (size_t line = 0, at = 0; line < list->dim_count * POINTS; line++) {
        const trial *t = &list->trials[at];
        if (line > 0 && line % POINTS == 0) fputs("\n\n", stream);
        fprintf(stream, "%zu,%zu,%.6g", t->dim_in, t->facts, (double)t->facts / (double)t->dim_in);
        draw_average shares[CURVES] = {{0}};
        for (size_t k = 0; k < CURVES * list->draws; k++)
            ireneo_average_take(&shares[k / list->draws], list->outcomes[at++].accuracy);
        for (size_t c = 0; c < CURVES; c++) fprintf(stream, ",%.6g", ireneo_average_mean(&shares[c]));
        for (size_t c = 0; c < CURVES; c++) fprintf(stream, ",%.4g", ireneo_average_spread(&shares[c]));
        fputc('\n', stream);
    }
}

/* Facts that fit by the law, over d. */
static ireneo_error write_law(const sequential_list *list, FILE *stream) {
    fprintf(stream, "dim,capacity,capacity_over_dim\n# capacity: facts that fit, by the finite-size law.\n");
    for (size_t d = 0; d < list->dim_count; d++) {
        ireneo_shape shape = {.dim_in = list->dims[d], .dim_out = list->dims[d]};
        ireneo_capacity_report report;
        IRENEO_TRY(ireneo_capacity(&shape, &report));
        fprintf(stream, "%zu,%.6g,%.6g\n", list->dims[d], report.facts_capacity,
                report.facts_capacity / (double)list->dims[d]);
    }
    return IRENEO_OK;
}

static ireneo_error run_trials(const figure_request *request, sequential_list *list) {
    results *store;
    queue_settings settings = ireneo_figure_queue(request, "trials (sequential)");
    IRENEO_TRY(ireneo_figure_store(request, &store));
    ireneo_error failed = ireneo_queue_trials(store, &settings, list->trials, list->count, list->outcomes);
    ireneo_results_close_shared(store);
    return failed;
}

static ireneo_error write_files(const figure_request *request, const sequential_list *list) {
    figure_csv csv;
    char dims[DIMS_TEXT];
    IRENEO_TRY(ireneo_figure_note(
        request, "sequential",
        "d = %s%s, unit keys, as many candidates as facts; %zu draws a point;\nbars: standard deviation over "
        "the draws, cut at 0 and 1; best found: Ireneo",
        ireneo_dims_text(list->dims, list->dim_count, dims),
        list->dim_count > 1 ? " (the smaller dashed)" : "", list->draws));
    IRENEO_TRY(ireneo_csv_open(request, "sequential_law.csv", &csv));
    IRENEO_TRY(ireneo_csv_close(&csv, write_law(list, csv.stream)));
    IRENEO_TRY(ireneo_csv_open(request, "sequential.csv", &csv));
    write_points(list, csv.stream);
    return ireneo_csv_close(&csv, IRENEO_OK);
}

static ireneo_error make(const figure_request *request) {
    sequential_list list = {0};
    ireneo_error failed = list_trials(request, &list);
    if (failed == IRENEO_OK) failed = run_trials(request, &list);
    if (failed == IRENEO_OK) failed = write_files(request, &list);
    free(list.trials);
    free(list.outcomes);
    return failed;
}

const figure figure_sequential = {"sequential",
                                  "facts that rules of one pass recall, against n / d",
                                  make,
                                  {1, 2, false, MOST_DRAWS, "sequential", false}};
