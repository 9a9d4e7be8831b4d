/* Figure "linear_d1" (the paper's figure D.1): scores of the Hebbian rule at several loads, with the normal
 * laws of docs/linear.md, and its accuracy against load at several sizes with the finite-size formula. */
#include "base/normal.h"
#include "base/ram.h"
#include "lab/figures/figure_linear.h"
#include "lab/figures/figure_trials.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"
#include "linear/law/hebbian_law.h"

#include <math.h>

enum { LOADS = 3, SIZES = 3, DRAWS = 12, COARSE = 6 }; /* COARSE bins are joined */
static const double FRACTIONS[LOADS] = {0.05, 0.125, 0.4};

typedef struct score_jobs {
    trial trials[LOADS * DRAWS];
    score_measurement scores[LOADS * DRAWS];
} score_jobs;

static ireneo_error run_job(queue_worker *worker, size_t index, void *context) {
    score_jobs *jobs = context;
    return ireneo_measure_scores(worker, &jobs->trials[index], &jobs->scores[index]);
}

/* Histograms averaged over draws, beside the normal laws. */
static void write_scores(const score_jobs *jobs, FILE *stream) {
    double width = COARSE * (SCORE_HIGHEST - SCORE_LOWEST) / SCORE_BINS;
    fprintf(
        stream,
        "load,score,off,target,off_law,target_law\n"
        "# densities of scores of the Hebbian rule, over all draws: competitors, targets, and their laws.\n");
    for (size_t i = 0; i < LOADS; i++) {
        const trial *t = &jobs->trials[i * DRAWS];
        double d = (double)t->dim_in, n = (double)t->facts, off_variance = n + 2.0 * d;
        double mean = d / sqrt(off_variance), deviation = sqrt((n + 4.0 * d) / off_variance);
        if (i > 0) fputs("\n\n", stream);
        for (size_t k = 0; k + COARSE <= SCORE_BINS; k += COARSE) {
            double off = 0.0, target = 0.0, at = SCORE_LOWEST + width * (0.5 + (double)k / COARSE);
            for (size_t draw = i * DRAWS; draw < (i + 1) * DRAWS; draw++) {
                for (size_t b = k; b < k + COARSE; b++) {
                    off += jobs->scores[draw].all.off[b] / (width * DRAWS);
                    target += jobs->scores[draw].all.target[b] / (width * DRAWS);
                }
            }
            fprintf(stream, "%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", ireneo_trial_load(t), at, off, target,
                    ireneo_normal_density(at), ireneo_normal_density((at - mean) / deviation) / deviation);
        }
    }
}

static void write_law(const curve *curves, FILE *stream) {
    fprintf(stream, "dim,load,accuracy\n"
                    "# accuracy: share of facts that the Hebbian rule recalls, by its law.\n");
    for (size_t i = 0; i < SIZES; i++) {
        size_t dim = curves[i].like.dim_in;
        if (i > 0) fputs("\n\n", stream);
        for (int k = 2; k <= 100; k++) {
            double d = (double)dim, n = (double)ireneo_trial_facts(0.01 * k, dim, dim, 0);
            fprintf(stream, "%zu,%.6g,%.6g\n", dim, n * log(n) / (d * d),
                    ireneo_hebbian_law_accuracy(d, d, n, n));
        }
    }
}

static ireneo_error measure(const figure_request *request, score_jobs *jobs) {
    size_t dim = ireneo_figure_dim(request, SIZES - 1, 100, 200); /* the largest of the curves */
    for (size_t i = 0; i < LOADS * DRAWS; i++)
        jobs->trials[i] = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_HEBBIAN, dim, 1.0,
                                              ireneo_trial_facts(FRACTIONS[i / DRAWS], dim, dim, 0),
                                              request->seed + i % DRAWS);
    queue_settings settings = ireneo_figure_queue(request, "scores (linear_d1)");
    results *store;
    IRENEO_TRY(ireneo_figure_store(request, &store));
    ireneo_error failed = ireneo_queue_run(store, &settings, LOADS * DRAWS, NULL, run_job, jobs);
    ireneo_results_close_shared(store);
    return failed;
}

static ireneo_error make(const figure_request *request) {
    static const size_t quick_dims[SIZES] = {25, 50, 100}, full_dims[SIZES] = {50, 100, 200};
    score_jobs *jobs = NULL;
    curve curves[SIZES];
    figure_csv csv;
    IRENEO_TRY(IRENEO_ALLOCATE(&jobs, 1, "score histograms"));
    ireneo_error failed = measure(request, jobs);
    if (failed == IRENEO_OK) failed = ireneo_csv_open(request, "linear_d1.csv", &csv);
    if (failed == IRENEO_OK) {
        write_scores(jobs, csv.stream);
        failed = ireneo_csv_close(&csv, IRENEO_OK);
    }
    free(jobs);
    if (failed != IRENEO_OK) return failed;
    for (size_t i = 0; i < SIZES; i++) {
        curves[i] = (curve){.from = 0.04, .to = 1.0, .points = 25, .draws = request->quick ? 4 : 10};
        curves[i].like = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_HEBBIAN,
                                             ireneo_figure_dim(request, i, quick_dims[i], full_dims[i]), 1.0,
                                             2, request->seed);
        ireneo_curve_resize(request, &curves[i]);
    }
    IRENEO_TRY(ireneo_figure_note(request, "linear_d1",
                                  "Left: d = %zu, %d draws a load. Right: d = %zu, %zu, %zu, %zu draws a "
                                  "point; bars: standard deviation "
                                  "over the draws, cut at 0 and 1.",
                                  curves[SIZES - 1].like.dim_in, DRAWS, curves[0].like.dim_in,
                                  curves[1].like.dim_in, curves[2].like.dim_in, curves[0].draws));
    IRENEO_TRY(ireneo_csv_open(request, "linear_d1_accuracy.csv", &csv));
    IRENEO_TRY(ireneo_csv_close(
        &csv, ireneo_curves_write(request, "Hebbian rule (linear_d1)", curves, SIZES, csv.stream)));
    IRENEO_TRY(ireneo_csv_open(request, "linear_d1_law.csv", &csv));
    write_law(curves, csv.stream);
    return ireneo_csv_close(&csv, IRENEO_OK);
}

const figure figure_linear_d1 = {"linear_d1",
                                 "scores and accuracy of the Hebbian rule",
                                 make,
                                 {3, 3, true, FIGURE_MOST_TRIALS, false, false}};
