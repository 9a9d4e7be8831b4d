/* Figure "linear_4" (the paper's figure 4): target and off-target scores of trained memories below, near and
 * above capacity, off-target variance scaled to 1, with the normal law and the law of the level t that the
 * projection on the recall cone puts targets at. */
#include "base/error.h"
#include "base/normal.h"
#include "lab/figure_linear.h"
#include "lab/figures.h"
#include "linear/cone.h"

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
    size_t dim = request->quick ? 50 : 100;
    ireneo_shape shape = {.dim_in = dim, .dim_out = dim};
    ireneo_capacity_report report;
    IRENEO_TRY(ireneo_capacity(&shape, &report));
    for (size_t i = 0; i < LINEAR_4_TRIALS; i++) {
        trial_problem problem = i < LINEAR_4_LOADS ? TRIAL_ORIGINAL : TRIAL_DECOUPLED;
        size_t facts = (size_t)(FRACTIONS[i % LINEAR_4_LOADS] * report.facts_capacity);
        trials[i] = ireneo_trial_square(problem, TRIAL_ADAM, dim, 1.0, facts, request->seed);
        if (request->quick) trials[i].steps = 1500;
    }
    score_jobs jobs = {trials, scores};
    queue_settings settings = ireneo_figure_queue(request, "training (linear_4)");
    results *store;
    IRENEO_TRY(ireneo_figure_store(request, &store));
    ireneo_error failed = ireneo_queue_run(store, &settings, LINEAR_4_TRIALS, NULL, run_job, &jobs);
    ireneo_results_close(store);
    return failed;
}

/* Densities in a block per trial: score, off-target, target, normal law, law of the level. */
static void write_scores(const trial *trials, const score_measurement *scores, FILE *stream) {
    double width = (SCORE_HIGHEST - SCORE_LOWEST) / SCORE_BINS;
    fprintf(stream, "problem,load,score,off,target,normal,level\n");
    for (size_t i = 0; i < LINEAR_4_TRIALS; i++) {
        if (i > 0) fputs("\n\n", stream);
        double competitors = (double)trials[i].candidates - 1.0;
        for (size_t k = 0; k < SCORE_BINS; k++) {
            double at = ireneo_score_bin(k);
            if (at > 9.0) break;
            double level = (ireneo_cone_level_cdf(competitors, 0.0, at + 0.5 * width) -
                            ireneo_cone_level_cdf(competitors, 0.0, at - 0.5 * width)) /
                           width;
            fprintf(stream, "%s,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n",
                    ireneo_trial_problem_name(trials[i].problem), ireneo_trial_load(&trials[i]), at,
                    scores[i].all.off[k] / width, scores[i].all.target[k] / width, ireneo_normal_density(at),
                    level);
        }
    }
}

static void write_summary(const trial *trials, const score_measurement *scores, FILE *stream) {
    fprintf(stream, "problem,dim,facts,load,accuracy,target_mean,target_spread,off_distance\n");
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
    IRENEO_TRY(ireneo_csv_open(request, "linear_4.csv", &csv));
    write_scores(trials, scores, csv.stream);
    IRENEO_TRY(ireneo_csv_finish(&csv, IRENEO_OK));
    IRENEO_TRY(ireneo_csv_open(request, "linear_4_summary.csv", &csv));
    write_summary(trials, scores, csv.stream);
    return ireneo_csv_finish(&csv, IRENEO_OK);
}

const figure figure_linear_4 = {"linear_4", "target and off-target scores below, near and above capacity",
                                make};
