/* ireneo dense simulate: draws of random memories, by five methods. */
#include "commands.h"
#include "dense_names.h"
#include "job.h"
#include "lab/sweep/draws.h"
#include "report.h"
#include "shard.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct simulate_question {
    ireneo_dense_experiment experiment;
    const char *method, *ensemble, *measure;
    double alpha;
    size_t patterns, draws, threads;
    const char *database, *shard;
    double wait;
    size_t shard_index, shard_count, made; /* made: draws that the store did not have */
    bool json;
} simulate_question;

/* What the theory expects of the measure: at this N, and in the limit; NaN where it says nothing. */
typedef struct expectation {
    double finite, limit;
} expectation;

static expectation expect(const ireneo_dense_experiment *e) {
    ireneo_dense_point point = {.ensemble = e->ensemble,
                                .alpha = e->log_patterns / (double)e->neurons,
                                .neurons = (double)e->neurons};
    ireneo_dense_phases_report phases;
    ireneo_dense_basins_report basins;
    bool one = e->steps == 1;
    expectation expected = {NAN, NAN};
    if (e->measure == IRENEO_DENSE_MEASURE_LAMBDA && e->angle == 0.0 &&
        ireneo_dense_phases(&point, &phases) == IRENEO_OK)
        expected = (expectation){one ? phases.lambda_one_step : phases.lambda_converged, phases.lambda_c};
    point.lambda = e->lambda;
    if (e->measure != IRENEO_DENSE_MEASURE_LAMBDA && ireneo_dense_basins(&point, &basins) == IRENEO_OK) {
        if (e->measure == IRENEO_DENSE_MEASURE_ANGLE)
            expected = (expectation){one ? basins.theta_one_step : basins.theta_converged,
                                     basins.retrieved ? basins.theta_c : 0.0};
        else
            expected.limit = basins.retrieved && e->angle < basins.theta_c ? 1.0 : 0.0;
        if (e->measure == IRENEO_DENSE_MEASURE_PROBABILITY && one && e->angle == 0.0)
            expected.finite = basins.retrieval_probability;
    }
    return expected;
}

static void print_summary(const simulate_question *q, const ireneo_dense_summary *s, expectation theory) {
    const ireneo_dense_experiment *e = &q->experiment;
    char count[40];
    if (e->log_patterns < 34.0) /* the simulation rounds to the nearest whole number */
        grouped(round(exp(e->log_patterns)), count);
    else
        written_count(e->log_patterns, count);
    printf("%s patterns, N = %zu, P = %s (alpha = %.6g), method %s, %zu step%s\n", q->ensemble, e->neurons,
           count, e->log_patterns / (double)e->neurons, q->method, e->steps,
           e->steps == 1 ? "" : "s at most");
    if (e->measure != IRENEO_DENSE_MEASURE_LAMBDA) printf("lambda %.6g  ", e->lambda);
    if (e->measure != IRENEO_DENSE_MEASURE_ANGLE) printf("angle %.6g rad  ", e->angle);
    printf("%zu draws, seed %llu, %.3g s", s->draws, (unsigned long long)e->seed, s->seconds);
    if (q->database != NULL) printf(", %zu new in %s", q->made, q->database);
    printf("\n\n");
    static const char *const meaning[] = {"share of draws that retrieve", "median lambda that retrieves",
                                          "median angle that retrieves, rad"};
    if (isinf(s->value))
        printf("  %-34s none, for half of the draws or more\n", meaning[e->measure]);
    else
        printf("  %-34s %.6g +- %.2g\n", meaning[e->measure], s->value, s->error);
    if (!isnan(theory.finite)) printf("  %-34s %.6g\n", "theory at this N", theory.finite);
    if (!isnan(theory.limit)) printf("  %-34s %.6g\n", "theory, N to infinity", theory.limit);
}

static int print_report(const command *self, const simulate_question *q, const ireneo_dense_summary *s) {
    const ireneo_dense_experiment *e = &q->experiment;
    expectation theory = expect(e);
    if (!q->json) {
        print_summary(q, s, theory);
        return finish_output(self, EXIT_DONE);
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_text(&json, "method", q->method);
    ireneo_json_text(&json, "ensemble", q->ensemble);
    ireneo_json_text(&json, "measure", q->measure);
    ireneo_json_size(&json, "neurons", e->neurons);
    ireneo_json_number(&json, "alpha", e->log_patterns / (double)e->neurons);
    write_log_count(&json, "patterns", e->log_patterns);
    if (e->measure != IRENEO_DENSE_MEASURE_LAMBDA) ireneo_json_number(&json, "lambda", e->lambda);
    if (e->measure != IRENEO_DENSE_MEASURE_ANGLE) ireneo_json_number(&json, "angle", e->angle);
    ireneo_json_size(&json, "steps", e->steps);
    ireneo_json_size(&json, "draws", s->draws);
    ireneo_json_size(&json, "seed", e->seed);
    ireneo_json_number(&json, "value", s->value);
    ireneo_json_number(&json, "error", s->error);
    ireneo_json_number(&json, "theory", theory.finite);
    ireneo_json_number(&json, "theory_limit", theory.limit);
    ireneo_json_number(&json, "seconds", s->seconds);
    ireneo_json_size(&json, "new_draws", q->made);
    add_job(&json);
    ireneo_json_end_object(&json);
    return print_json(self, &json, EXIT_DONE);
}

static ireneo_dense_method method_called(const char *name) {
    int method = IRENEO_DENSE_METHOD_DIRECT;
    while (method < IRENEO_DENSE_METHOD_HYBRID &&
           strcmp(name, ireneo_dense_method_name((ireneo_dense_method)method)) != 0)
        method++;
    return (ireneo_dense_method)method;
}

static ireneo_dense_measure measure_called(const char *name) {
    int measure = IRENEO_DENSE_MEASURE_PROBABILITY;
    while (measure < IRENEO_DENSE_MEASURE_ANGLE &&
           strcmp(name, ireneo_dense_measure_name((ireneo_dense_measure)measure)) != 0)
        measure++;
    return (ireneo_dense_measure)measure;
}

/* Words to enumerations, alpha to log P, and the default number of steps of the method. */
static int complete(const command *self, simulate_question *q, const option *options) {
    ireneo_dense_experiment *e = &q->experiment;
    bool by_load = given(options, "alpha"), lambda_given = given(options, "lambda");
    e->method = method_called(q->method);
    e->ensemble = ensemble_called(q->ensemble);
    e->measure = measure_called(q->measure);
    if (by_load == given(options, "patterns"))
        return complain(self, EXIT_USAGE, "give --alpha or --patterns, one of the two");
    e->log_patterns = by_load ? q->alpha * (double)e->neurons : log((double)q->patterns);
    if (lambda_given == (e->measure == IRENEO_DENSE_MEASURE_LAMBDA))
        return complain(self, EXIT_USAGE,
                        lambda_given ? "--lambda is what is measured; leave it out"
                                     : "give --lambda, or measure it with --measure lambda");
    if (e->measure == IRENEO_DENSE_MEASURE_ANGLE && given(options, "angle"))
        return complain(self, EXIT_USAGE, "--angle is what is measured; leave it out");
    ireneo_dense_experiment_defaults(e);
    if (q->shard != NULL && q->database == NULL)
        return complain(self, EXIT_USAGE, "--shard needs a store for its draws; give --db FILE");
    return parse_shard(self, q->shard, &q->shard_index, &q->shard_count);
}

static ireneo_error simulate(simulate_question *q, ireneo_dense_summary *summary) {
    const ireneo_dense_experiment *e = &q->experiment;
    ireneo_progress *progress = start_progress();
    if (q->database == NULL) {
        q->made = q->draws;
        return ireneo_draws_simulate(
            e, q->draws, &(ireneo_run_settings){.threads = (int)q->threads, .progress = progress}, summary);
    }
    queue_settings settings = {
        .threads = (int)q->threads, .shard = q->shard_index, .shards = q->shard_count, .stage = "draws"};
    settings.progress = progress;
    return ireneo_draws_run_in(q->database, q->wait, &settings, e, q->draws, &q->made, summary);
}

static int run(const command *self, int argc, char **argv) {
    simulate_question q = {.experiment = {.seed = 1},
                           .method = "direct",
                           .ensemble = "spherical",
                           .measure = "probability",
                           .draws = 100,
                           .wait = 60.0};
    ireneo_dense_experiment *e = &q.experiment;
    option options[] = {
        CHOICE("method", &q.method, "direct|scalars|tail|conditioning|hybrid",
               "how a draw is made (default direct)"),
        CHOICE("ensemble", &q.ensemble, ENSEMBLES, "random patterns (default spherical)"),
        CHOICE("measure", &q.measure, "probability|lambda|angle", "what a draw tells (default probability)"),
        COUNT("neurons", &e->neurons, "N", "length of the patterns", 2, 1e8),
        NUMBER("alpha", &q.alpha, "A", "load: P = e^(A N) patterns", -INFINITY, INFINITY),
        COUNT("patterns", &q.patterns, "P", "number of patterns, instead of --alpha", 2, 0x1p53),
        NUMBER("lambda", &e->lambda, "L", "inverse temperature", -INFINITY, INFINITY),
        NUMBER("angle", &e->angle, "T", "angle between start and pattern, rad (default 0)", 0, M_PI),
        COUNT("steps", &e->steps, "S", "most steps (default 1 for scalars and tail, else 400)", 1, 1e9),
        COUNT("draws", &q.draws, "R", "draws (default 100)", 1, 1e12),
        NUMBER("kept", &e->kept, "K", "patterns that tail and hybrid keep apart (default 500)", 10, 1e6),
        NUMBER("closeness", &e->closeness, "E",
               "retrieved after many steps: |x-xi|^2 < E |xi|^2 (default 0.1)", 0, 1),
        SEED("seed", &e->seed, "seed of the random numbers (default 1)"),
        THREADS(&q.threads),
        TEXT("db", &q.database, "FILE", "store of results; known draws are not made again"),
        TEXT("shard", &q.shard, "I/N", "with --db: only the I-th of N parts of the draws"),
        NUMBER("wait", &q.wait, "S", "seconds to wait for a store in use (default 60)", 0, 1e6),
        JSON(&q.json),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, NULL, 0, 0, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    if (!given(options, "neurons"))
        return complain(self, EXIT_USAGE, "give the number of neurons with --neurons N");
    outcome = complete(self, &q, options);
    if (outcome != 0) return outcome;
    catch_interrupts();
    begin_phase("draws");
    ireneo_dense_summary summary;
    ireneo_error failed = simulate(&q, &summary);
    finish_progress();
    end_phases();
    if (failed == IRENEO_ERROR_CANCELLED && q.database != NULL)
        return complain(self, EXIT_INTERRUPTED,
                        "interrupted; finished draws are kept in %s and the same command goes on from them",
                        q.database);
    if (failed != IRENEO_OK) return report_error(self, failed);
    return print_report(self, &q, &summary);
}

const command command_dense_simulate = {
    "dense simulate", "random memories, also of sizes that cannot be stored", run, "",
    "A draw stores P random patterns and starts at, or at an angle from, the first. One step retrieves it "
    "when it\n"
    "gets more than half of the attention. direct: all patterns; scalars: one step, exact, P numbers; tail: "
    "one\n"
    "step, any P; conditioning: many steps, exact, Gaussian patterns; hybrid: many steps, spherical "
    "patterns, any P.\n"
    "With --db a simulation that was stopped makes only the draws that are missing; several may share a "
    "store,\n"
    "and 'ireneo sweep --merge ALL.db PART1.db PART2.db' joins stores."};
