/* Figure "linear_4" (the paper's figure 4): target and off-target scores of trained memories below, near and
 * above capacity, off-target variance scaled to 1, with the normal law and the law of the level t that the
 * projection on the recall cone puts targets at. */
#include "base/error.h"
#include "base/normal.h"
#include "lab/figures/figure_linear.h"
#include "lab/figures/figure_trials.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"
#include "linear/law/cone.h"

#include <math.h>

enum { COARSE = 3 }; /* bins joined */

static const double FRACTIONS[LINEAR_4_LOADS] = {0.6, 0.97, 1.3}; /* of the law's capacity */

typedef struct score_jobs {
    const trial *trials;
    score_measurement *scores;
} score_jobs;

static ireneo_error run_job(queue_worker *worker, size_t index, void *context) {
    const score_jobs *jobs = context;
    return ireneo_measure_scores(worker, &jobs->trials[index], &jobs->scores[index]);
}

ireneo_error ireneo_linear_4_scores(const figure_request *request, trial trials[LINEAR_4_TRIALS],
                                    score_measurement scores[LINEAR_4_TRIALS]) {
    size_t dim = ireneo_figure_dim(request, 0, 50, 100);
    ireneo_shape shape = {.dim_in = dim, .dim_out = dim};
    ireneo_capacity_report report;
    IRENEO_TRY(ireneo_capacity(&shape, &report));
    for (size_t i = 0; i < LINEAR_4_TRIALS; i++) {
        trial_problem problem = i < LINEAR_4_LOADS ? TRIAL_ORIGINAL : TRIAL_DECOUPLED;
        double law = problem == TRIAL_ORIGINAL ? report.facts_capacity : report.facts_capacity_decoupled;
        size_t facts = (size_t)(FRACTIONS[i % LINEAR_4_LOADS] * law);
        trials[i] = ireneo_trial_square(problem, TRIAL_ADAM, dim, 1.0, facts, request->seed);
        trials[i].steps = request->quick ? 1500 : 3000;
    }
    score_jobs jobs = {trials, scores};
    queue_settings settings = ireneo_figure_queue(request, "training (linear_4)");
    results *store;
    IRENEO_TRY(ireneo_figure_store(request, &store));
    ireneo_error failed = ireneo_queue_run(store, &settings, LINEAR_4_TRIALS, NULL, run_job, &jobs);
    ireneo_results_close_shared(store);
    return failed;
}

/* The best margin of a memory below capacity, by the law; NaN above, where there is none. */
static ireneo_error best_margin(const trial *t, double *margin) {
    ireneo_shape shape = ireneo_trial_shape(t, false);
    shape.facts = (double)t->facts;
    IRENEO_TRY(ireneo_capacity_margin(&shape, margin));
    if (*margin <= 0.0) *margin = NAN;
    return IRENEO_OK;
}

/* Densities in a block per trial: score, off-target, target, normal law, law of the level raised by the
 * margin.
 */
static ireneo_error write_scores(const trial *trials, const score_measurement *scores, FILE *stream) {
    double width = COARSE * (SCORE_HIGHEST - SCORE_LOWEST) / SCORE_BINS;
    fprintf(stream, "problem,load,score,off,target,normal,level\n"
                    "# densities of scores in units of their spread, one memory a block: competitors, "
                    "targets; normal law, and law of targets at the best margin.\n");
    for (size_t i = 0; i < LINEAR_4_TRIALS; i++) {
        double competitors = (double)trials[i].candidates - 1.0, margin;
        IRENEO_TRY(best_margin(&trials[i], &margin));
        if (i > 0) fputs("\n\n", stream);
        for (size_t k = 0; k + COARSE <= SCORE_BINS; k += COARSE) {
            double off = 0.0, target = 0.0, at = SCORE_LOWEST + width * (0.5 + (double)k / COARSE);
            if (at > 9.0) break;
            for (size_t b = k; b < k + COARSE; b++)
                off += scores[i].all.off[b], target += scores[i].all.target[b];
            double level = ireneo_cone_level_cdf(competitors, margin, at - margin + 0.5 * width) -
                           ireneo_cone_level_cdf(competitors, margin, at - margin - 0.5 * width);
            fprintf(stream, "%s,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n",
                    ireneo_trial_problem_name(trials[i].problem), ireneo_trial_load(&trials[i]), at,
                    off / width, target / width, ireneo_normal_density(at),
                    isnan(margin) ? NAN : level / width);
        }
    }
    return IRENEO_OK;
}

static void write_summary(const trial *trials, const score_measurement *scores, FILE *stream) {
    fprintf(stream, "problem,dim,facts,load,accuracy,target_mean,target_spread,off_distance\n"
                    "# one memory a line: share recalled, mean and spread of target scores, Kolmogorov "
                    "distance of competitors to the normal law.\n");
    for (size_t i = 0; i < LINEAR_4_TRIALS; i++)
        fprintf(stream, "%s,%zu,%zu,%.6g,%.6g,%.6g,%.6g,%.6g\n", ireneo_trial_problem_name(trials[i].problem),
                trials[i].dim_in, trials[i].facts, ireneo_trial_load(&trials[i]), scores[i].accuracy,
                scores[i].all.target_mean, scores[i].all.target_spread, scores[i].all.off_distance);
}

static ireneo_error make(const figure_request *request) {
    trial trials[LINEAR_4_TRIALS];
    score_measurement scores[LINEAR_4_TRIALS];
    figure_csv csv;
    IRENEO_TRY(ireneo_linear_4_scores(request, trials, scores));
    IRENEO_TRY(ireneo_figure_note(
        request, "linear_4",
        "d = %zu, one memory (one draw) a panel, trained by Adam in at most %zu steps: all scores of %zu, "
        "%zu and %zu facts (original problem), in units of their\noff-target spread. Below, near, above: "
        "0.6, "
        "0.97, 1.3 of the law's capacity. Law of targets: of the memory with the best margin.",
        trials[0].dim_in, trials[0].steps, trials[0].facts, trials[1].facts, trials[2].facts));
    IRENEO_TRY(ireneo_csv_open(request, "linear_4.csv", &csv));
    IRENEO_TRY(ireneo_csv_close(&csv, write_scores(trials, scores, csv.stream)));
    IRENEO_TRY(ireneo_csv_open(request, "linear_4_summary.csv", &csv));
    write_summary(trials, scores, csv.stream);
    return ireneo_csv_close(&csv, IRENEO_OK);
}

const figure figure_linear_4 = {"linear_4",
                                "target and off-target scores below, near and above capacity",
                                make,
                                {1, 1, false, 0, "linear_4", false}};
