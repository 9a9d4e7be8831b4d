/* Figure "speed": time and passes over all candidates to recall every fact at 0.9 of capacity, for ireneo's
 * projection and for Adam, against the dimension. One thread; trials run one after the other. */
#include "base/error.h"
#include "lab/figures/average.h"
#include "lab/figures/figure_trials.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <math.h>

enum { MOST_DIMS = FIGURE_MOST_DIMS, SOLVERS = 2, DRAWS = 3 };
static const trial_solver SOLVER[SOLVERS] = {TRIAL_PROJECT, TRIAL_ADAM};

typedef struct speed_list {
    size_t dims;
    trial trials[MOST_DIMS * SOLVERS * DRAWS];
    trial_result outcomes[MOST_DIMS * SOLVERS * DRAWS];
} speed_list;

static ireneo_error list_trials(const figure_request *request, speed_list *list) {
    static const size_t sizes[MOST_DIMS] = {20, 30, 50, 70, 100, 150, 200, 400};
    size_t count = 0;
    list->dims = request->own.dim_count > 0 ? request->own.dim_count : request->quick ? 5 : MOST_DIMS;
    for (size_t i = 0; i < list->dims; i++) {
        size_t dim = ireneo_figure_dim(request, i, sizes[i], sizes[i]);
        ireneo_shape shape = {.dim_in = dim, .dim_out = dim};
        ireneo_capacity_report report;
        IRENEO_TRY(ireneo_capacity(&shape, &report));
        for (size_t s = 0; s < SOLVERS; s++) {
            for (size_t draw = 0; draw < DRAWS; draw++) {
                trial *t = &list->trials[count++];
                *t = ireneo_trial_square(TRIAL_ORIGINAL, SOLVER[s], dim, 1.0,
                                         (size_t)(0.9 * report.facts_capacity), request->seed + draw);
                t->steps = 1000; /* the warm-up of a longer schedule would only slow Adam down */
            }
        }
    }
    return IRENEO_OK;
}

static void write_speeds(const speed_list *list, FILE *stream) {
    fprintf(stream,
            "dim,facts,project_seconds,project_passes,adam_seconds,adam_passes,adam_recalled,project_seconds_"
            "spread,"
            "adam_seconds_spread,project_passes_spread,adam_passes_spread\n"
            "# Means over %d draws at 0.9 of capacity, one thread, and standard deviations (spread). passes: "
            "over all candidates; "
            "adam_recalled:\n# share of facts.\n",
            DRAWS);
    for (size_t i = 0; i < list->dims; i++) {
        size_t first = i * SOLVERS * DRAWS;
        draw_average seconds[SOLVERS] = {{0}}, passes[SOLVERS] = {{0}}, recalled = {0};
        for (size_t k = 0; k < SOLVERS * DRAWS; k++) {
            const trial_result *r = &list->outcomes[first + k];
            ireneo_average_take(&seconds[k / DRAWS], r->seconds);
            ireneo_average_take(&passes[k / DRAWS], (double)r->scans);
            if (k >= DRAWS) ireneo_average_take(&recalled, r->accuracy);
        }
        const trial *t = &list->trials[first];
        fprintf(stream, "%zu,%zu,%.4g,%.4g,%.4g,%.4g,%.6g,%.4g,%.4g,%.4g,%.4g\n", t->dim_in, t->facts,
                ireneo_average_mean(&seconds[0]), ireneo_average_mean(&passes[0]),
                ireneo_average_mean(&seconds[1]), ireneo_average_mean(&passes[1]),
                ireneo_average_mean(&recalled), ireneo_average_spread(&seconds[0]),
                ireneo_average_spread(&seconds[1]), ireneo_average_spread(&passes[0]),
                ireneo_average_spread(&passes[1]));
    }
}

static ireneo_error make(const figure_request *request) {
    speed_list list;
    results *store;
    figure_csv csv;
    IRENEO_TRY(list_trials(request, &list));
    queue_settings settings = ireneo_figure_queue(request, "timing (speed)");
    settings.threads = 1; /* neighbours would disturb the clock */
    IRENEO_TRY(ireneo_figure_store(request, &store));
    ireneo_error failed =
        ireneo_queue_trials(store, &settings, list.trials, list.dims * SOLVERS * DRAWS, list.outcomes);
    ireneo_results_close_shared(store);
    if (failed != IRENEO_OK) return failed;
    IRENEO_TRY(ireneo_figure_note(
        request, "speed",
        "d = %zu to %zu, 0.9 of capacity, original problem, one thread, %d draws a point; bars: standard "
        "deviation over the draws.\nAdam: rate %g with warm-up, at most %zu steps, until all facts are "
        "recalled; a pass goes over all candidates once.",
        list.trials[0].dim_in, list.trials[list.dims * SOLVERS * DRAWS - 1].dim_in, DRAWS,
        list.trials[0].rate, list.trials[0].steps));
    IRENEO_TRY(ireneo_csv_open(request, "speed.csv", &csv));
    write_speeds(&list, csv.stream);
    return ireneo_csv_close(&csv, IRENEO_OK);
}

const figure figure_speed = {"speed",
                             "time to recall every fact against dimension, ireneo and Adam",
                             make,
                             {2, FIGURE_MOST_DIMS, false, 0, "speed", false}};
