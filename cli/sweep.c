/* ireneo sweep: many trials over grids of parameters, kept in a store of results. */
#include "base/text_stream.h"
#include "commands.h"
#include "folder.h"
#include "job.h"
#include "lab/sweep/plan.h"
#include "lab/sweep/results_export.h"
#include "lab/sweep/results_merge.h"
#include "lab/sweep/results_share.h"
#include "shard.h"
#include "sweep_report.h"
#include "target_rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 4096 };

typedef struct sweep_request {
    plan plan;
    const char *problem, *solver, *dims, *ranks, *rank_shares, *loads, *facts, *shard, *database, *merge,
        *csv, *targets;
    size_t threads, shard_index, shard_count;
    double wait, rate, within;
    bool threshold, json;
} sweep_request;

/* ---- merging ---- */

static int merge_stores(const command *self, const char *into, const char *const *files, size_t count,
                        double wait, bool as_json) {
    results *store;
    size_t total = 0, sum = 0, unequal = 0;
    if (count == 0) return complain(self, EXIT_USAGE, "--merge %s needs the files to merge into it", into);
    ireneo_error failed = ireneo_results_open(into, wait, &store);
    if (failed != IRENEO_OK) return report_error(self, failed);
    for (size_t i = 0; i < count && failed == IRENEO_OK; i++) {
        size_t added = 0, different = 0;
        failed = ireneo_results_merge(store, files[i], &added, &different);
        if (failed != IRENEO_OK) break;
        sum += added;
        unequal += different;
        if (!as_json) printf("%s: %zu trials added\n", files[i], added);
    }
    if (failed == IRENEO_OK) failed = ireneo_results_count(store, &total);
    ireneo_results_close(store);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (as_json) {
        ireneo_json json = {0};
        ireneo_json_begin_object(&json, NULL);
        ireneo_json_size(&json, "files", count);
        ireneo_json_size(&json, "added", sum);
        ireneo_json_size(&json, "different", unequal);
        ireneo_json_size(&json, "trials", total);
        ireneo_json_end_object(&json);
        return print_json(self, &json, EXIT_DONE);
    }
    if (unequal > 0) printf("%zu trials had another outcome in %s, which was kept\n", unequal, into);
    printf("%s: %zu trials\n", into, total);
    return finish_output(self, EXIT_DONE);
}

/* ---- what is there already ---- */

/* --db and --csv without any size: no trial is run. */
static bool only_export(const sweep_request *q) {
    return q->csv != NULL && q->database != NULL && q->dims == NULL && q->plan.dim_in == 0 &&
           q->plan.dim_out == 0 && q->loads == NULL && q->facts == NULL && !q->threshold;
}

static int export_store(const command *self, const sweep_request *q) {
    ireneo_text text;
    size_t rows = 0;
    bool to_output = strcmp(q->csv, "-") == 0;
    FILE *stream = ireneo_text_open(&text);
    if (stream == NULL) return complain(self, EXIT_MACHINE, "not enough memory for %s", q->csv);
    ireneo_error failed = ireneo_results_export(q->database, q->wait, stream, &rows);
    bool complete = ireneo_text_close(stream, &text);
    if (failed == IRENEO_OK && complete && to_output) fwrite(text.bytes, 1, text.length, stdout);
    if (failed == IRENEO_OK && complete && !to_output)
        failed = ireneo_save_bytes(q->csv, text.bytes, text.length);
    free(text.bytes);
    if (!complete) return complain(self, EXIT_MACHINE, "not enough memory for %s", q->csv);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (!to_output) printf("%zu trials of %s: %s\n", rows, q->database, q->csv);
    return finish_output(self, EXIT_DONE);
}

static int check_csv(const command *self, const sweep_request *q) {
    if (q->csv == NULL || strcmp(q->csv, "-") == 0) return 0;
    return check_outputs(self, &(output_file){"--csv", q->csv, OUTPUT_TABLE, "problem,solver,"}, 1,
                         &q->database, 1);
}

/* ---- the plan ---- */

static ireneo_error parse_grids(sweep_request *q) {
    if (q->dims != NULL)
        if (ireneo_grid_parse("--dim", q->dims, 1, 1e6, true, &q->plan.dims) != IRENEO_OK)
            return IRENEO_ERROR_ARGUMENT;
    if (q->ranks != NULL)
        if (ireneo_grid_parse("--rank", q->ranks, 1, 1e6, true, &q->plan.ranks) != IRENEO_OK)
            return IRENEO_ERROR_ARGUMENT;
    if (q->rank_shares != NULL)
        if (ireneo_grid_parse("--rank-share", q->rank_shares, 1e-6, 1, false, &q->plan.rank_shares) !=
            IRENEO_OK)
            return IRENEO_ERROR_ARGUMENT;
    if (q->loads != NULL)
        if (ireneo_grid_parse("--load", q->loads, 1e-9, 1e3, false, &q->plan.loads) != IRENEO_OK)
            return IRENEO_ERROR_ARGUMENT;
    if (q->facts != NULL) return ireneo_grid_parse("--facts", q->facts, 2, 1e9, true, &q->plan.facts);
    return IRENEO_OK;
}

/* Thresholds that no formula says where to look for. */
static int check_threshold(const command *self, const sweep_request *q, trial_solver solver) {
    if (!q->threshold || !ireneo_trial_one_pass(solver)) return 0;
    if (solver != TRIAL_HEBBIAN)
        return complain(self, EXIT_USAGE,
                        "of the rules of one pass only hebbian has a formula for its threshold; sweep over "
                        "--load");
    if (q->ranks != NULL || q->rank_shares != NULL || q->plan.like.unit_keys || q->plan.like.top > 1 ||
        q->plan.like.targets != IRENEO_TARGETS_EACH)
        return complain(
            self, EXIT_USAGE,
            "the formula for thresholds of the Hebbian rule is for full matrices, Gaussian keys, the "
            "best answer alone and answers asked for in turn; sweep over --load instead");
    return 0;
}

/* Options that contradict each other. */
static int check_request(const command *self, const sweep_request *q) {
    bool sides = q->plan.dim_in > 0 || q->plan.dim_out > 0;
    if (q->dims != NULL && sides)
        return complain(self, EXIT_USAGE, "give --dim, or --dim-in and --dim-out, not both");
    if (q->dims == NULL && (q->plan.dim_in == 0 || q->plan.dim_out == 0))
        return complain(self, EXIT_USAGE, "give --dim, or both --dim-in and --dim-out");
    if (q->database == NULL)
        return complain(self, EXIT_USAGE,
                        "give the store of results with --db FILE; it is made when missing");
    if (q->threshold && (q->loads != NULL || q->facts != NULL))
        return complain(self, EXIT_USAGE, "--threshold finds the number of facts itself; leave out %s",
                        q->loads != NULL ? "--load" : "--facts");
    if (!q->threshold && (q->loads == NULL) == (q->facts == NULL))
        return complain(self, EXIT_USAGE, "give the sizes with one of --load, --facts and --threshold");
    if (q->within > 0.0 && !q->threshold)
        return complain(self, EXIT_USAGE, "--within belongs to --threshold");
    if (q->within > 0.0 && (q->plan.like.top > 1 || strcmp(q->solver, "project") != 0))
        return complain(
            self, EXIT_USAGE,
            "--within needs proofs, and nothing is proved with --top or without the solver project");
    if (q->within > 0.0 && (q->ranks != NULL || q->rank_shares != NULL))
        return complain(self, EXIT_USAGE,
                        "--within needs proofs, and nothing is proved with a rank; leave out %s",
                        q->ranks != NULL ? "--rank" : "--rank-share");
    if (q->threshold && q->plan.like.overload)
        return complain(self, EXIT_USAGE, "--threshold asks whether all facts fit; leave out --overload");
    trial_solver solver = TRIAL_PROJECT;
    ireneo_trial_solver_find(q->solver, &solver);
    int outcome = check_threshold(self, q, solver);
    if (outcome != 0) return outcome;
    if (q->plan.like.top > 1 && (q->plan.like.overload || solver == TRIAL_ADAM || solver == TRIAL_LBFGS))
        return complain(self, EXIT_USAGE,
                        "--top is for the solver project without --overload, and for rules of one pass");
    if (solver == TRIAL_DELTA && q->rate >= 2.0)
        return complain(self, EXIT_USAGE, "the rate of the delta rule lies below 2");
    if (solver != TRIAL_LEAST_SQUARES && q->plan.like.ridge > 0.0)
        return complain(self, EXIT_USAGE, "--ridge belongs to --solver least-squares");
    if (q->csv != NULL && strcmp(q->csv, "-") == 0 && q->json)
        return complain(self, EXIT_USAGE, "--csv - and --json both write to the output; choose one");
    return 0;
}

static int fill_plan(const command *self, sweep_request *q) {
    int outcome = parse_target_rule(self, q->targets, strcmp(q->problem, "original") != 0, q->plan.candidates,
                                    &q->plan.like.targets, &q->plan.like.zipf);
    if (outcome == 0) outcome = check_request(self, q);
    if (outcome == 0) outcome = parse_shard(self, q->shard, &q->shard_index, &q->shard_count);
    if (outcome != 0) return outcome;
    ireneo_error failed = parse_grids(q);
    if (failed != IRENEO_OK) return report_error(self, failed);
    q->plan.original = strcmp(q->problem, "decoupled") != 0;
    q->plan.decoupled = strcmp(q->problem, "original") != 0;
    trial *like = &q->plan.like;
    ireneo_trial_solver_find(q->solver, &like->solver);
    if (q->rate > 0.0 && like->solver == TRIAL_DELTA)
        like->delta_rate = q->rate;
    else if (q->rate > 0.0)
        like->rate = q->rate;
    return 0;
}

/* ---- the work ---- */

static ireneo_error work(const sweep_request *q, const trial *trials, size_t count, trial_result *found,
                         threshold *thresholds, queue_failures *failures) {
    results *store = NULL;
    queue_settings settings = {.threads = (int)q->threads,
                               .shard = q->shard_index,
                               .shards = q->shard_count,
                               .stage = q->threshold ? "searching thresholds" : "trials",
                               .progress = start_progress(),
                               .failures = failures};
    begin_phase("open");
    ireneo_error failed = ireneo_results_open_shared(q->database, q->wait, &store);
    begin_phase("trials");
    if (failed == IRENEO_OK)
        failed = q->threshold ? ireneo_threshold_all(store, &settings, trials, count, q->within, thresholds)
                              : ireneo_queue_trials(store, &settings, trials, count, found);
    ireneo_results_close_shared(store);
    finish_progress();
    end_phases();
    return failed;
}

static int report_rows(const command *self, const sweep_request *q, const sweep_outcome *outcome) {
    int code = q->csv != NULL ? write_sweep_csv(self, outcome, q->csv) : EXIT_DONE;
    if (code != EXIT_DONE || (q->csv != NULL && strcmp(q->csv, "-") == 0)) return code;
    if (q->json) return print_sweep_json(self, outcome);
    print_sweep_table(outcome);
    return finish_output(self, EXIT_DONE);
}

/* The rows, and the reason of the first trial that has none. */
static int report_outcome(const command *self, const sweep_request *q, const sweep_outcome *outcome,
                          const queue_failures *failures) {
    int code = speaks() ? report_rows(self, q, outcome) : EXIT_DONE;
    if (code != EXIT_DONE || failures->count == 0) return code;
    const char *what = q->threshold ? "search" : "trial";
    return complain(self, exit_code_of_error(failures->error),
                    "%zu %s%s failed, and the same command tries them again; the first: %s", failures->count,
                    what,
                    failures->count == 1 ? ""
                    : q->threshold       ? "es"
                                         : "s",
                    failures->sentence);
}

static int run_plan(const command *self, const sweep_request *q) {
    trial *trials = NULL;
    size_t count = 0;
    ireneo_error failed = ireneo_plan_trials(&q->plan, &trials, &count);
    if (failed != IRENEO_OK) return report_error(self, failed);
    trial_result *found = calloc(count + 1, sizeof *found);
    threshold *thresholds = calloc(count + 1, sizeof *thresholds);
    queue_failures failures = {0};
    catch_interrupts();
    int code = found == NULL || thresholds == NULL
                   ? complain(self, EXIT_MACHINE, "not enough memory for %zu results", count)
                   : EXIT_DONE;
    code = agree(self, code);
    if (code == EXIT_DONE) {
        failed = work(q, trials, count, found, thresholds, &failures);
        sweep_outcome outcome = {.trials = trials,
                                 .count = count,
                                 .draws = q->plan.trials,
                                 .results = q->threshold ? NULL : found,
                                 .thresholds = q->threshold ? thresholds : NULL,
                                 .own = q->plan.candidates == 0,
                                 .within = q->within,
                                 .seed = q->plan.like.seed,
                                 .database = q->database,
                                 .failed = failures.count};
        if (failed == IRENEO_ERROR_CANCELLED)
            code =
                complain(self, EXIT_INTERRUPTED,
                         "interrupted; finished trials are kept in %s and the same command goes on from them",
                         q->database);
        else if (failed != IRENEO_OK)
            code = report_error(self, failed);
        else
            code = report_outcome(self, q, &outcome, &failures);
    }
    free(trials);
    free(found);
    free(thresholds);
    return code;
}

static int run(const command *self, int argc, char **argv) {
    sweep_request q = {.problem = "original", .solver = "project", .wait = 60.0};
    const char *files[MOST_FILES];
    size_t file_count = 0;
    q.plan.trials = 10;
    q.plan.like = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_PROJECT, 1, 1.0, 2, 1);
    trial *like = &q.plan.like;
    option options[] = {
        CHOICE("problem", &q.problem, "original|decoupled|both",
               "shared candidates (default), own candidates for every key, or both"),
        TEXT("dim", &q.dims, "GRID", "dimensions of square memories, such as 20,40"),
        COUNT("dim-in", &q.plan.dim_in, "A", "dimension of keys", 1, 1e6),
        COUNT("dim-out", &q.plan.dim_out, "B", "dimension of values", 1, 1e6),
        TEXT("rank", &q.ranks, "GRID", "largest ranks of the matrix, such as 5,10 (default: full)"),
        TEXT("rank-share", &q.rank_shares, "GRID",
             "ranks as shares of the smaller dimension, such as 0.25,1 (1: full)"),
        TEXT("load", &q.loads, "GRID", "loads n log P / d^2, such as 0.1:1.2:23"),
        TEXT("facts", &q.facts, "GRID", "numbers of facts, instead of loads"),
        FLAG("threshold", &q.threshold, "find the largest number of facts that can be stored, with proofs"),
        NUMBER("within", &q.within, "SHARE",
               "threshold: end between a stored and an impossible number this close, such as 0.005", 1e-6,
               0.5),
        COUNT("candidates", &q.plan.candidates, "P", "candidates (default: as many as facts)", 2, 1e9),
        TARGET_RULE(&q.targets),
        COUNT("top", &like->top, "K", "a fact counts when its value is among the K best (default 1)", 1, 256),
        COUNT("trials", &q.plan.trials, "T", "draws per point (default 10)", 1, 1e6),
        SEED("seed", &like->seed, "seed of the first draw; the next ones follow (default 1)"),
        CHOICE("solver", &q.solver, "project|adam|lbfgs|hebbian|delta|least-squares",
               "how facts are stored (default project)"),
        FLAG("overload", &like->overload, "project: when not all facts fit, keep the most"),
        NUMBER("rate", &q.rate, "R", "adam: largest rate (default 0.03); delta: the rate (default 1)", 1e-9,
               1e3),
        NUMBER("ridge", &like->ridge, "L",
               "least-squares: ridge over the mean square of the keys (default 1e-6)", 1e-12, 1e12),
        FLAG("unit-keys", &like->unit_keys, "keys of norm one instead of Gaussian length"),
        COUNT("steps", &like->steps, "N", "adam, lbfgs: most steps (default 5000)", 1, 1e9),
        NUMBER("warm-up", &like->warm_up, "F", "adam: share of steps with growing rate (default 0.05)", 0, 1),
        NUMBER("scale", &like->initial_scale, "S",
               "adam, lbfgs: spread of the entries of W at the start (default 0.01)", 1e-9, 1e3),
        FLAG("past-recall", &like->past_recall, "adam, lbfgs: go on after all facts are recalled"),
        TEXT("db", &q.database, "FILE", "store of results; known trials are not run again"),
        TEXT("shard", &q.shard, "I/N", "only the I-th of N parts of the work"),
        TEXT("merge", &q.merge, "OUT", "copy the stores named on the command line into OUT"),
        NUMBER("wait", &q.wait, "S", "seconds to wait for a store in use (default 60)", 0, 1e6),
        THREADS(&q.threads),
        TEXT("csv", &q.csv, "FILE",
             "rows as CSV; - is the output. With --db alone: all rows that the store holds"),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, files, 0, MOST_FILES, &file_count);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    if ((q.merge != NULL || only_export(&q)) && !speaks()) return EXIT_DONE; /* rank 0 does that alone */
    if (q.merge != NULL) return merge_stores(self, q.merge, files, file_count, q.wait, q.json);
    if (file_count > 0)
        return complain(self, EXIT_USAGE, "'%s' is one argument too many; files are only for --merge",
                        files[0]);
    outcome = agree(self, speaks() ? check_csv(self, &q) : 0);
    if (outcome == 0 && only_export(&q)) return export_store(self, &q);
    if (outcome == 0) outcome = fill_plan(self, &q);
    if (outcome == 0) outcome = run_plan(self, &q);
    ireneo_grid_free(&q.plan.dims);
    ireneo_grid_free(&q.plan.ranks);
    ireneo_grid_free(&q.plan.rank_shares);
    ireneo_grid_free(&q.plan.loads);
    ireneo_grid_free(&q.plan.facts);
    return outcome;
}

const command command_sweep = {
    "sweep", "trials over grids of sizes, kept in a store", run, "",
    "A GRID is numbers and FROM:TO:COUNT ranges, split by commas. Draw t of a point uses seed S + t - 1, and "
    "the\n"
    "facts of a smaller instance are the first facts of a larger one, so thresholds come from bisection.\n"
    "A sweep that was stopped does only what is missing; several may share a store, and\n"
    "'ireneo sweep --merge ALL.db PART1.db PART2.db' joins stores."};
