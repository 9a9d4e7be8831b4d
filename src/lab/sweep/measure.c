/* Trains the trial's memory and looks at it. */
#include "lab/sweep/measure.h"

#include <math.h>
#include <stdio.h>

typedef ireneo_error (*observer)(const ireneo_memory *memory, const ireneo_facts *facts,
                                 const trial_result *result, double *values);

typedef struct measurement {
    const struct trial *trial;
    observer observe;
} measurement;

static ireneo_error make_series(queue_worker *worker, const void *context, double *values, size_t count) {
    const measurement *m = context;
    trial_data data;
    trial_result result;
    ireneo_memory *memory = NULL;
    (void)count;
    IRENEO_TRY(ireneo_trial_open(m->trial, &data));
    ireneo_error failed = ireneo_trial_solve(m->trial, &data, 1, &worker->progress, &result, &memory);
    if (failed == IRENEO_OK && memory == NULL)
        failed = ireneo_fail(IRENEO_ERROR_NUMERIC, "training diverged; there is no memory to measure");
    if (failed == IRENEO_OK) failed = m->observe(memory, &data.facts, &result, values);
    ireneo_memory_free(memory);
    ireneo_trial_close(&data);
    return failed;
}

static ireneo_error measure(queue_worker *worker, const trial *t, const char *what, observer observe,
                            double *values, size_t count) {
    char name[TRIAL_KEY_SIZE + 32], key[TRIAL_KEY_SIZE];
    measurement m = {t, observe};
    ireneo_trial_key(t, key);
    snprintf(name, sizeof name, "%s of %s", what, key);
    IRENEO_TRY(ireneo_queue_array(worker, name, make_series, &m, values, count));
    for (size_t i = 0; i < count; i++) /* a store or its rows may come from anywhere */
        if (!isfinite(values[i]))
            return ireneo_fail(IRENEO_ERROR_DATA, "the %s: number %zu is not finite", name, i);
    return IRENEO_OK;
}

_Static_assert(sizeof(score_measurement) % sizeof(double) == 0, "a measurement is an array of doubles");

static ireneo_error observe_scores(const ireneo_memory *memory, const ireneo_facts *facts,
                                   const trial_result *result, double *values) {
    score_measurement *scores = (score_measurement *)values;
    IRENEO_TRY(ireneo_observe_scores(memory, facts, 0, facts->facts, &scores->all));
    for (size_t i = 0; i < SINGLE_KEYS; i++)
        IRENEO_TRY(ireneo_observe_scores(memory, facts, i < facts->facts ? i : 0, 1, &scores->single[i]));
    scores->accuracy = result->accuracy;
    return IRENEO_OK;
}

ireneo_error ireneo_measure_scores(queue_worker *worker, const trial *t, score_measurement *scores) {
    return measure(worker, t, "scores", observe_scores, (double *)scores, sizeof *scores / sizeof(double));
}

static ireneo_error observe_spectrum(const ireneo_memory *memory, const ireneo_facts *facts,
                                     const trial_result *result, double *values) {
    (void)facts, (void)result;
    return ireneo_observe_spectrum(memory, 1.0, values);
}

static ireneo_error observe_white_spectrum(const ireneo_memory *memory, const ireneo_facts *facts,
                                           const trial_result *result, double *values) {
    (void)result;
    return ireneo_observe_white_spectrum(memory, facts, 1.0, values);
}

static ireneo_error measure_spectrum(queue_worker *worker, const trial *t, const char *what, observer observe,
                                     double mean_square, double *values) {
    size_t smaller = t->dim_in < t->dim_out ? t->dim_in : t->dim_out, count = t->rank > 0 ? t->rank : smaller;
    IRENEO_TRY(measure(worker, t, what, observe, values, count));
    double scale = sqrt(mean_square);
    for (size_t i = 0; i < count; i++) values[i] *= scale;
    return IRENEO_OK;
}

ireneo_error ireneo_measure_spectrum(queue_worker *worker, const trial *t, double mean_square,
                                     double *values) {
    return measure_spectrum(worker, t, "spectrum", observe_spectrum, mean_square, values);
}

ireneo_error ireneo_measure_white_spectrum(queue_worker *worker, const trial *t, double mean_square,
                                           double *values) {
    return measure_spectrum(worker, t, "white spectrum", observe_white_spectrum, mean_square, values);
}
