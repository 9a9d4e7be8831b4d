/* Thresholds of a draw by trying: a run is made at a few values at once, the bracket shrinks between the last
 * failure and the first success, and so on. With one run at a time this is bisection. */
#include "dense/simulation/simulate.h"
#include "dense/theory/ensemble.h"

#include <math.h>

static const double LOWEST_LAMBDA = 1e-9, HIGHEST_LAMBDA = 1e6;

typedef struct search {
    const ireneo_dense_experiment *experiment;
    ireneo_dense_run run;
    void *context;
    size_t at_once;
} search;

/* Runs at values (count) of what is measured; ends[i] tells how each ended. */
static ireneo_error try_values(const search *s, const double *values, size_t count, ireneo_dense_draw *ends) {
    double lambdas[IRENEO_RUNS_AT_ONCE], angles[IRENEO_RUNS_AT_ONCE];
    for (size_t i = 0; i < count; i++) {
        lambdas[i] =
            s->experiment->measure == IRENEO_DENSE_MEASURE_LAMBDA ? values[i] : s->experiment->lambda;
        angles[i] = s->experiment->measure == IRENEO_DENSE_MEASURE_ANGLE ? values[i] : s->experiment->angle;
    }
    return s->run(s->context, lambdas, angles, count, ends);
}

/* Shrinks (failing, working) until it is below `resolution`; either end may be the larger one. */
static ireneo_error narrow(const search *s, double failing, double working, double resolution,
                           ireneo_dense_draw *draw) {
    ireneo_dense_draw ends[IRENEO_RUNS_AT_ONCE];
    double values[IRENEO_RUNS_AT_ONCE];
    while (fabs(working - failing) > resolution) {
        double width = (working - failing) / (double)(s->at_once + 1), first = failing;
        for (size_t i = 0; i < s->at_once; i++) values[i] = failing + width * (double)(i + 1);
        IRENEO_TRY(try_values(s, values, s->at_once, ends));
        size_t last_failure = 0; /* counted from 1 */
        for (size_t i = 0; i < s->at_once; i++)
            if (ends[i].value == 0.0) last_failure = i + 1;
        failing = first + width * (double)last_failure;
        if (last_failure < s->at_once) working = first + width * (double)(last_failure + 1);
        *draw = ends[last_failure < s->at_once ? last_failure : s->at_once - 1];
    }
    draw->value = 0.5 * (failing + working);
    return IRENEO_OK;
}

/* A bracket for lambda around the theory's threshold. */
static ireneo_error bracket_lambda(const search *s, double *failing, double *working) {
    const ireneo_dense_experiment *e = s->experiment;
    ireneo_dense_draw end;
    double guess = ireneo_dense_lambda_c(e->ensemble, e->log_patterns / (double)e->neurons);
    if (!isfinite(guess)) guess = 1.0;
    *failing = e->search_lower > 0.0 ? e->search_lower : 0.9 * guess;
    *working = e->search_upper > 0.0 ? e->search_upper : 2.5 * guess;
    for (;;) {
        IRENEO_TRY(try_values(s, working, 1, &end));
        if (end.value != 0.0) break;
        *failing = *working;
        *working *= 2.0;
        if (*working > HIGHEST_LAMBDA) return IRENEO_OK;
    }
    for (;;) {
        IRENEO_TRY(try_values(s, failing, 1, &end));
        if (end.value == 0.0) break;
        *working = *failing;
        *failing *= 0.5;
        if (*failing < LOWEST_LAMBDA) return IRENEO_OK;
    }
    return IRENEO_OK;
}

ireneo_error ireneo_dense_search(const ireneo_dense_experiment *e, ireneo_dense_run run, void *context,
                                 size_t at_once, ireneo_dense_draw *draw) {
    search s = {e, run, context, at_once};
    if (e->measure == IRENEO_DENSE_MEASURE_PROBABILITY) return run(context, &e->lambda, &e->angle, 1, draw);
    /* One step costs little and its thresholds scatter little: it is searched more finely. */
    double fine = e->steps == 1 ? 1e-6 : 3e-4;
    if (e->measure == IRENEO_DENSE_MEASURE_LAMBDA) {
        double failing, working;
        IRENEO_TRY(bracket_lambda(&s, &failing, &working));
        if (working > HIGHEST_LAMBDA || failing < LOWEST_LAMBDA) {
            *draw = (ireneo_dense_draw){.value = working > HIGHEST_LAMBDA ? INFINITY : 0.0};
            return IRENEO_OK;
        }
        return narrow(&s, failing, working, fine * working, draw);
    }
    double nothing = 0.0;
    IRENEO_TRY(try_values(&s, &nothing, 1, draw));
    if (draw->value == 0.0) return IRENEO_OK;
    return narrow(&s, 0.5 * M_PI, 0.0, fine, draw);
}
