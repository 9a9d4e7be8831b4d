/* Data of a trial, and the call of the solver it asks for. */
#include "lab/sweep/trial.h"
#include "base/progress.h"
#include "base/ram.h"
#include "linear/law/p_log_p.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Own candidates are kept when they take no more than this many bytes and this share of what the machine can still give:
 * reading them is three times as fast as drawing them again. */
static const double OWN_CACHE_BYTES = 1.5e9, OWN_CACHE_SHARE = 1.0 / 16.0;

enum { BRIEF_ITERATIONS = 600 }; /* half a percent from the threshold a hundred decide */

static const char *const PROBLEM_NAMES[] = {"original", "decoupled"};
static const char *const SOLVER_NAMES[] = {"project", "adam", "lbfgs", "hebbian", "delta", "least-squares"};

const char *ireneo_trial_problem_name(trial_problem problem) {
    return PROBLEM_NAMES[problem];
}

const char *ireneo_trial_solver_name(trial_solver solver) {
    return SOLVER_NAMES[solver];
}

static bool find_name(const char *const *names, size_t count, const char *name, size_t *index) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) != 0) continue;
        *index = i;
        return true;
    }
    return false;
}

bool ireneo_trial_solver_find(const char *name, trial_solver *solver) {
    size_t index;
    if (!find_name(SOLVER_NAMES, sizeof SOLVER_NAMES / sizeof *SOLVER_NAMES, name, &index)) return false;
    *solver = (trial_solver)index;
    return true;
}

ireneo_shape ireneo_trial_shape(const trial *t, bool own_values) {
    return (ireneo_shape){.dim_in = t->dim_in,
                          .dim_out = t->dim_out,
                          .rank = t->rank,
                          .candidates = own_values ? 0.0 : (double)t->candidates,
                          .targets = t->targets,
                          .zipf = t->zipf,
                          .problem = t->problem == TRIAL_ORIGINAL ? IRENEO_PROBLEM_ORIGINAL
                                                                  : IRENEO_PROBLEM_DECOUPLED};
}

const char *ireneo_trial_targets_text(const trial *t, char text[TRIAL_RULE_SIZE]) {
    if (t->targets == IRENEO_TARGETS_EACH) return "each";
    if (t->zipf == 0.0) return "random";
    snprintf(text, TRIAL_RULE_SIZE, "zipf:%.10g", t->zipf);
    return text;
}

bool ireneo_trial_one_pass(trial_solver solver) {
    return solver >= TRIAL_HEBBIAN;
}

trial ireneo_trial_square(trial_problem problem, trial_solver solver, size_t dim, double rank_fraction,
                          size_t facts, uint64_t seed) {
    trial t = {.problem = problem, .solver = solver, .dim_in = dim, .dim_out = dim};
    if (rank_fraction < 1.0) t.rank = (size_t)fmax(1.0, round(rank_fraction * (double)dim));
    if (t.rank >= dim) t.rank = 0;
    t.facts = t.candidates = facts;
    t.seed = seed;
    t.rate = 0.03;
    t.warm_up = 0.05;
    t.initial_scale = 0.01;
    t.steps = 5000;
    return t;
}

size_t ireneo_trial_facts(double load, size_t dim_in, size_t dim_out, size_t candidates) {
    double budget = load * (double)dim_in * (double)dim_out;
    double facts = candidates > 0 ? budget / log((double)candidates) : ireneo_solve_p_log_p(budget);
    return facts < 2.0 ? 2 : (size_t)llround(facts);
}

double ireneo_trial_load(const trial *t) {
    return (double)t->facts * log((double)t->candidates) / ((double)t->dim_in * (double)t->dim_out);
}

static bool trains(const trial *t) {
    return t->solver == TRIAL_ADAM || t->solver == TRIAL_LBFGS;
}

__attribute__((format(printf, 2, 3))) static void append(char key[TRIAL_KEY_SIZE], const char *format, ...) {
    size_t used = strlen(key);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(key + used, TRIAL_KEY_SIZE - used, format, arguments);
    va_end(arguments);
}

void ireneo_trial_key(const trial *t, char key[TRIAL_KEY_SIZE]) {
    key[0] = '\0';
    append(key, "%s %s in=%zu out=%zu rank=%zu facts=%zu candidates=%zu seed=%llu", PROBLEM_NAMES[t->problem],
           SOLVER_NAMES[t->solver], t->dim_in, t->dim_out, t->rank, t->facts, t->candidates,
           (unsigned long long)t->seed);
    if (t->targets == IRENEO_TARGETS_ZIPF) append(key, " zipf=%.17g", t->zipf);
    if (t->top > 1) append(key, " top=%zu", t->top);
    if (t->unit_keys) append(key, " unit");
    if (t->solver == TRIAL_DELTA) append(key, " rate=%.17g", t->delta_rate);
    if (t->solver == TRIAL_LEAST_SQUARES) append(key, " ridge=%.17g", t->ridge);
    if (t->solver == TRIAL_PROJECT && t->overload) append(key, " overload");
    if (t->solver == TRIAL_PROJECT && t->brief) append(key, " brief");
    if (t->solver == TRIAL_ADAM)
        append(key, " rate=%.17g warm=%.17g scale=%.17g steps=%zu%s", t->rate, t->warm_up, t->initial_scale,
               t->steps, t->past_recall ? " past" : "");
    if (t->solver == TRIAL_LBFGS)
        append(key, " scale=%.17g steps=%zu%s", t->initial_scale, t->steps, t->past_recall ? " past" : "");
}

double ireneo_trial_cost(const trial *t) {
    double sweep = (double)t->facts * (double)t->candidates * (double)t->dim_out +
                   (double)t->facts * (double)t->dim_in * (double)t->dim_out;
    double sweeps = ireneo_trial_one_pass(t->solver) ? 1.0 : t->solver == TRIAL_PROJECT ? 20.0 : 400.0;
    return sweep * sweeps * (t->problem == TRIAL_DECOUPLED ? 4.0 : 1.0) + 1e5;
}

/* ---- data ---- */

/* An ireneo_own_candidates that reads candidates drawn before; the context is a trial_data. */
static void read_own_candidates(const void *context, size_t fact, size_t first, size_t count, float *values) {
    const trial_data *data = context;
    size_t out = data->sample.dim_out;
    memcpy(values, data->own + (fact * data->facts.candidates + first) * out, count * out * sizeof *values);
}

static ireneo_error keep_own_candidates(trial_data *data) {
    size_t row = data->facts.candidates * data->facts.dim_out;
    double bytes = (double)data->facts.facts * (double)row * sizeof(float);
    if (bytes > OWN_CACHE_BYTES || bytes > OWN_CACHE_SHARE * (double)ireneo_ram_available()) return IRENEO_OK;
    IRENEO_TRY(IRENEO_ALLOCATE(&data->own, data->facts.facts * row, "own candidates"));
    for (size_t i = 0; i < data->facts.facts; i++)
        ireneo_sample_own_candidates(&data->sample, i, 0, data->facts.candidates, data->own + i * row);
    data->facts.own_candidates = read_own_candidates;
    data->facts.own_context = data;
    return IRENEO_OK;
}

static void normalise_keys(const trial *t, float *keys) {
    for (size_t i = 0; i < t->facts; i++) {
        float *x = keys + i * t->dim_in;
        double square = 0.0;
        for (size_t k = 0; k < t->dim_in; k++) square += (double)x[k] * (double)x[k];
        for (size_t k = 0; k < t->dim_in; k++) x[k] = (float)((double)x[k] / sqrt(square));
    }
}

static ireneo_error fill_data(const trial *t, trial_data *data) {
    IRENEO_TRY(IRENEO_ALLOCATE(&data->keys, t->facts * t->dim_in, "keys"));
    ireneo_sample_keys(&data->sample, 0, t->facts, data->keys);
    if (t->unit_keys) normalise_keys(t, data->keys);
    data->facts.keys = data->keys;
    if (t->facts > t->candidates || t->targets != IRENEO_TARGETS_EACH) {
        IRENEO_TRY(IRENEO_ALLOCATE(&data->targets, t->facts, "targets"));
        IRENEO_TRY(ireneo_sample_targets(&data->sample, t->targets, t->zipf, t->candidates, 0, t->facts,
                                         data->targets));
        data->facts.targets = data->targets;
    }
    if (t->problem == TRIAL_DECOUPLED) {
        data->facts.own_candidates = ireneo_sample_own_candidates;
        data->facts.own_context = &data->sample;
        return keep_own_candidates(data);
    }
    IRENEO_TRY(IRENEO_ALLOCATE(&data->values, t->candidates * t->dim_out, "values"));
    ireneo_sample_values(&data->sample, 0, t->candidates, data->values);
    data->facts.values = data->values;
    return IRENEO_OK;
}

static ireneo_error check_trial(const trial *t) {
    size_t smaller = t->dim_in < t->dim_out ? t->dim_in : t->dim_out;
    if (smaller == 0) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "dimensions must be at least 1");
    if (t->facts < 1 || t->candidates < 2)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "a trial needs a fact and two candidates, not %zu and %zu",
                           t->facts, t->candidates);
    if (t->rank > smaller)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "rank %zu is more than the smaller dimension, %zu", t->rank,
                           smaller);
    return IRENEO_OK;
}

ireneo_error ireneo_trial_open(const trial *t, trial_data *data) {
    memset(data, 0, sizeof *data);
    IRENEO_TRY(check_trial(t));
    data->sample = (ireneo_sample){.seed = t->seed, .dim_in = t->dim_in, .dim_out = t->dim_out};
    data->facts.facts = t->facts;
    data->facts.candidates = t->candidates;
    data->facts.dim_in = t->dim_in;
    data->facts.dim_out = t->dim_out;
    double values = t->problem == TRIAL_ORIGINAL ? (double)t->candidates * (double)t->dim_out : 0.0;
    IRENEO_TRY(ireneo_ram_require(12.0 * ((double)t->facts * (double)t->dim_in + values), "the trial"));
    ireneo_error failed = fill_data(t, data);
    if (failed != IRENEO_OK) ireneo_trial_close(data);
    return failed;
}

void ireneo_trial_close(trial_data *data) {
    free(data->keys);
    free(data->values);
    free(data->own);
    free(data->targets);
    memset(data, 0, sizeof *data);
}

/* ---- solvers ---- */

static ireneo_error train(const trial *t, const trial_data *data, int threads,
                          const ireneo_progress *progress, trial_result *result, ireneo_memory **memory) {
    ireneo_train_settings settings = {0};
    ireneo_train_info info;
    settings.optimiser = t->solver == TRIAL_ADAM ? IRENEO_OPTIMISER_ADAM : IRENEO_OPTIMISER_LBFGS;
    settings.rank = t->rank;
    settings.threads = threads;
    settings.seed = t->seed;
    settings.rate = t->rate;
    settings.warm_up = t->warm_up > 0.0 ? t->warm_up : -1.0;
    settings.max_steps = t->steps;
    settings.initial_scale = t->initial_scale;
    settings.past_recall = t->past_recall;
    settings.progress = progress;
    IRENEO_TRY(ireneo_train(&data->facts, &settings, memory, &info));
    result->status = info.status;
    result->recalled = info.recalled;
    result->loss = info.loss;
    result->margin = info.margin;
    result->scans = info.sweeps;
    result->iterations = info.steps;
    return IRENEO_OK;
}

static ireneo_error apply_rule(const trial *t, const trial_data *data, int threads, trial_result *result,
                               ireneo_memory **memory) {
    ireneo_store_settings settings = {
        .solver = IRENEO_SOLVER_HEBBIAN, .rank = t->rank, .threads = threads, .top = t->top};
    ireneo_store_info info;
    if (t->solver == TRIAL_DELTA) {
        settings.solver = IRENEO_SOLVER_DELTA;
        settings.rate = t->delta_rate;
    } else if (t->solver == TRIAL_LEAST_SQUARES) {
        settings.solver = IRENEO_SOLVER_LEAST_SQUARES;
        settings.ridge = t->ridge;
    }
    IRENEO_TRY(ireneo_store(&data->facts, &settings, memory, NULL, &info));
    result->status = info.status;
    result->recalled = info.recalled;
    result->margin = info.margin;
    result->scans = info.scans;
    return IRENEO_OK;
}

/* What the usual small margin of the loss leaves undecided, close to capacity, a large one may decide. */
static ireneo_error project(const trial *t, const trial_data *data, int threads,
                            const ireneo_progress *progress, trial_result *result, ireneo_memory **memory) {
    static const double margins[] = {0.0, 1.0}; /* 0: the solver's choice */
    ireneo_store_settings settings = {0};
    ireneo_store_info info;
    settings.rank = t->rank;
    settings.threads = threads;
    settings.overload = t->overload;
    settings.top = t->top;
    settings.settle =
        t->brief ? 1 : 6400; /* up to d = 80 a minute or two for a verdict is better than none */
    if (t->brief) settings.max_iterations = BRIEF_ITERATIONS;
    settings.progress = progress;
    for (size_t attempt = 0; attempt < 2; attempt++) {
        ireneo_memory_free(*memory);
        *memory = NULL;
        settings.margin = margins[attempt];
        IRENEO_TRY(ireneo_store(&data->facts, &settings, memory, NULL, &info));
        result->scans += info.scans;
        result->iterations += info.iterations;
        if (info.status != IRENEO_STATUS_UNDECIDED || t->rank > 0 || t->brief) break;
    }
    result->status = info.status;
    result->recalled = info.recalled;
    result->margin = info.margin;
    if (info.status == IRENEO_STATUS_IMPOSSIBLE) result->norm_bound = info.certificate_norm_bound;
    return IRENEO_OK;
}

ireneo_error ireneo_trial_solve(const trial *t, const trial_data *data, int threads,
                                const ireneo_progress *progress, trial_result *result,
                                ireneo_memory **memory) {
    double start = ireneo_seconds();
    ireneo_memory *made = NULL;
    *result =
        (trial_result){.status = IRENEO_STATUS_UNDECIDED, .loss = NAN, .margin = NAN, .norm_bound = NAN};
    ireneo_error failed = ireneo_trial_one_pass(t->solver) ? apply_rule(t, data, threads, result, &made)
                          : trains(t)                      ? train(t, data, threads, progress, result, &made)
                                      : project(t, data, threads, progress, result, &made);
    if (failed == IRENEO_ERROR_NUMERIC) { /* an outcome of the trial, not of the sweep */
        result->failed = true;
        failed = IRENEO_OK;
    } else if (failed == IRENEO_OK && result->status == IRENEO_STATUS_INTERRUPTED) {
        failed = ireneo_fail(IRENEO_ERROR_CANCELLED, "interrupted");
    }
    result->accuracy = (double)result->recalled / (double)t->facts;
    result->seconds = ireneo_seconds() - start;
    if (failed != IRENEO_OK || memory == NULL)
        ireneo_memory_free(made);
    else
        *memory = made;
    return failed;
}

ireneo_error ireneo_trial_run(const trial *t, int threads, const ireneo_progress *progress,
                              trial_result *result) {
    trial_data data;
    IRENEO_TRY(ireneo_trial_open(t, &data));
    ireneo_error failed = ireneo_trial_solve(t, &data, threads, progress, result, NULL);
    ireneo_trial_close(&data);
    return failed;
}
