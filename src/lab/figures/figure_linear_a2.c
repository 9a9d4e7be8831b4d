/* Figure "linear_a2" (the paper's figure A.2): the scores of single keys, for the memories of linear_4. */
#include "lab/figures/figure_linear.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

enum { COARSE = 4 }; /* bins joined: one key has few scores */

static void write_keys(const trial *trials, const score_measurement *scores, FILE *stream) {
    double width = COARSE * (SCORE_HIGHEST - SCORE_LOWEST) / SCORE_BINS;
    fprintf(stream, "problem,load,key,score,off,target\n"
                    "# scores of one key, a block each: density of its competitors; target: 1 in the bin of "
                    "its target.\n");
    for (size_t i = 0; i < LINEAR_4_TRIALS; i++) {
        for (size_t key = 0; key < SINGLE_KEYS; key++) {
            const score_statistics *s = &scores[i].single[key];
            if (i + key > 0) fputs("\n\n", stream);
            for (size_t k = 0; k + COARSE <= SCORE_BINS; k += COARSE) {
                double off = 0.0, target = 0.0, at = 0.0;
                for (size_t b = k; b < k + COARSE; b++) {
                    off += s->off[b];
                    target += s->target[b];
                    at += ireneo_score_bin(b) / COARSE;
                }
                if (at > 9.0) break;
                fprintf(stream, "%s,%.6g,%zu,%.6g,%.6g,%.6g\n", ireneo_trial_problem_name(trials[i].problem),
                        ireneo_trial_load(&trials[i]), key, at, off / width, target);
            }
        }
    }
}

static void write_targets(const trial *trials, const score_measurement *scores, FILE *stream) {
    fprintf(stream, "problem,load,key,target\n"
                    "# score of the target of each key.\n");
    for (size_t i = 0; i < LINEAR_4_TRIALS; i++) {
        if (i > 0) fputs("\n\n", stream);
        for (size_t key = 0; key < SINGLE_KEYS; key++)
            fprintf(stream, "%s,%.6g,%zu,%.6g\n", ireneo_trial_problem_name(trials[i].problem),
                    ireneo_trial_load(&trials[i]), key, scores[i].single[key].target_mean);
    }
}

static ireneo_error make(const figure_request *request) {
    trial trials[LINEAR_4_TRIALS];
    score_measurement scores[LINEAR_4_TRIALS];
    figure_csv csv;
    IRENEO_TRY(ireneo_linear_4_scores(request, trials, scores));
    IRENEO_TRY(ireneo_figure_note(
        request, "linear_a2",
        "d = %zu, the memories of linear_4 (one draw a panel): scores of the first three keys against "
        "their %zu, %zu and %zu candidates.\nPins: the score of each key's target; it is recalled when "
        "all of its own histogram lies left of its pin.",
        trials[0].dim_in, trials[0].candidates, trials[1].candidates, trials[2].candidates));
    IRENEO_TRY(ireneo_csv_open(request, "linear_a2.csv", &csv));
    write_keys(trials, scores, csv.stream);
    IRENEO_TRY(ireneo_csv_close(&csv, IRENEO_OK));
    IRENEO_TRY(ireneo_csv_open(request, "linear_a2_targets.csv", &csv));
    write_targets(trials, scores, csv.stream);
    return ireneo_csv_close(&csv, IRENEO_OK);
}

const figure figure_linear_a2 = {"linear_a2",
                                 "scores of single keys below, near and above capacity",
                                 make,
                                 {1, 1, false, 0, "linear_4", false}};
