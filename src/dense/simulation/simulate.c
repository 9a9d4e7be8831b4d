/* Draws, many at a time: checks, the choice of the method, means and medians. */
#include "dense/simulation/simulate.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "base/ram.h"
#include "base/threads.h"
#include "dense/theory/overlap_law.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

const char *ireneo_dense_method_name(ireneo_dense_method method) {
    static const char *const names[] = {"direct", "scalars", "tail", "conditioning", "hybrid"};
    return (unsigned)method < sizeof names / sizeof *names ? names[method] : "unknown";
}

const char *ireneo_dense_measure_name(ireneo_dense_measure measure) {
    static const char *const names[] = {"probability", "lambda", "angle"};
    return (unsigned)measure < sizeof names / sizeof *names ? names[measure] : "unknown";
}

void ireneo_dense_experiment_defaults(ireneo_dense_experiment *e) {
    if (e == NULL) return;
    bool one_step = e->method == IRENEO_DENSE_METHOD_SCALARS || e->method == IRENEO_DENSE_METHOD_TAIL;
    if (e->steps == 0) e->steps = one_step ? 1 : 400;
    if (e->closeness == 0.0) e->closeness = 0.1;
    if (e->kept == 0.0) e->kept = 500.0;
    if (e->seed == 0) e->seed = 1;
}

/* The experiment with its defaults, checked. */
static ireneo_error read_experiment(const ireneo_dense_experiment *given, ireneo_dense_experiment *filled) {
    IRENEO_REQUIRE(given != NULL, "a simulation needs an experiment");
    *filled = *given;
    ireneo_dense_experiment_defaults(filled);
    return ireneo_dense_check(filled);
}

/* ---- checks ---- */

/* The nearest of e^(alpha N) patterns on the sphere has 1 - overlap of about e^(-2 alpha) / 2: beyond this
 * load doubles do not tell it from 1 well enough. */
static const double LARGEST_ALPHA = 12.0;

static ireneo_error check_numbers(const ireneo_dense_experiment *e) {
    if (e->neurons < 2)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "at least 2 neurons are needed, not %zu", e->neurons);
    if (e->neurons > 100000000)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "at most 1e8 neurons can be simulated, not %zu",
                           e->neurons);
    if (!(e->log_patterns > 0.0 && e->log_patterns <= 1e9))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "alpha and log P = alpha N must be positive and finite, not log P = %g",
                           e->log_patterns);
    if (e->log_patterns < log(1.5))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "log P = %g is a single pattern; at least 2 are needed, so raise alpha or N",
                           e->log_patterns);
    if (e->measure != IRENEO_DENSE_MEASURE_LAMBDA && !(e->lambda > 0.0 && e->lambda <= 1e12))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "lambda must lie above 0 and not above 1e12, not %g",
                           e->lambda);
    if (e->measure != IRENEO_DENSE_MEASURE_ANGLE && !(e->angle >= 0.0 && e->angle <= M_PI))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the angle must lie between 0 and pi, not %g", e->angle);
    if (!(e->closeness > 0.0 && e->closeness < 1.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the closeness must lie between 0 and 1, not %g",
                           e->closeness);
    if (!(e->kept >= 10.0 && e->kept <= 1e6))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "between 10 and 1e6 patterns can be kept apart, not %g",
                           e->kept);
    if (e->search_lower < 0.0 || e->search_upper < 0.0 ||
        (e->search_upper > 0.0 && !(e->search_lower < e->search_upper)))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the search for lambda cannot go from %g to %g",
                           e->search_lower, e->search_upper);
    return IRENEO_OK;
}

static ireneo_error check_method(const ireneo_dense_experiment *e) {
    bool one_step = e->method == IRENEO_DENSE_METHOD_SCALARS || e->method == IRENEO_DENSE_METHOD_TAIL;
    bool sphere = e->ensemble == IRENEO_DENSE_ENSEMBLE_SPHERICAL,
         gauss = e->ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN;
    const char *name = ireneo_dense_method_name(e->method);
    if ((unsigned)e->method > IRENEO_DENSE_METHOD_HYBRID ||
        (unsigned)e->measure > IRENEO_DENSE_MEASURE_ANGLE ||
        (unsigned)e->ensemble > IRENEO_DENSE_ENSEMBLE_BINARY)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "method, measure or ensemble has a number that does not exist");
    if (one_step && e->steps != 1)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the method %s makes one step, not %zu", name, e->steps);
    if (e->method == IRENEO_DENSE_METHOD_TAIL && !sphere && !gauss)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the method tail is for spherical and Gaussian patterns");
    if (e->method == IRENEO_DENSE_METHOD_CONDITIONING && !gauss)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the method conditioning is for Gaussian patterns");
    if (e->method == IRENEO_DENSE_METHOD_HYBRID && !sphere)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the method hybrid is for spherical patterns");
    if ((e->method == IRENEO_DENSE_METHOD_TAIL || e->method == IRENEO_DENSE_METHOD_HYBRID) && e->neurons < 4)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the method %s needs at least 4 neurons, not %zu", name,
                           e->neurons);
    if ((e->method == IRENEO_DENSE_METHOD_TAIL || e->method == IRENEO_DENSE_METHOD_HYBRID) && sphere &&
        e->log_patterns > LARGEST_ALPHA * (double)e->neurons)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the method %s knows overlaps to 16 digits, enough up to alpha = %g, not %g", name,
                           LARGEST_ALPHA, e->log_patterns / (double)e->neurons);
    return IRENEO_OK;
}

ireneo_error ireneo_dense_crowd_size(const ireneo_dense_experiment *e, size_t *size) {
    if (e->log_patterns >= 63.0 * log(2.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "P = e^%.6g is above 2^63: the method %s counts its patterns one by one; use %s",
                           e->log_patterns, ireneo_dense_method_name(e->method),
                           e->steps == 1 ? "tail" : "hybrid");
    *size = (size_t)round(exp(e->log_patterns)) - 1;
    return IRENEO_OK;
}

/* Numbers of patterns that the method cannot hold. */
static ireneo_error check_patterns(const ireneo_dense_experiment *e) {
    size_t crowd = 0;
    double log_kept;
    if (e->method == IRENEO_DENSE_METHOD_TAIL || e->method == IRENEO_DENSE_METHOD_HYBRID)
        return ireneo_tail_check(e->log_patterns, e->kept, &log_kept);
    IRENEO_TRY(ireneo_dense_crowd_size(e, &crowd));
    if (e->method == IRENEO_DENSE_METHOD_CONDITIONING && crowd > INT32_MAX)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the method conditioning holds at most 2^31 patterns, not %zu", crowd + 1);
    return IRENEO_OK;
}

ireneo_error ireneo_dense_check(const ireneo_dense_experiment *e) {
    IRENEO_TRY(ireneo_check_reserved(e->reserved, "the experiment"));
    IRENEO_TRY(check_method(e));
    IRENEO_TRY(check_numbers(e));
    return check_patterns(e);
}

double ireneo_dense_target_power(const ireneo_dense_experiment *e, uint64_t index) {
    if (e->ensemble != IRENEO_DENSE_ENSEMBLE_GAUSSIAN) return 1.0;
    enum { CHUNK = 256 };
    double values[CHUNK], sum = 0.0;
    uint64_t stream = ireneo_dense_stream_of(index, IRENEO_STREAM_TARGET);
    for (size_t first = 0; first < e->neurons; first += CHUNK) {
        size_t count = e->neurons - first < CHUNK ? e->neurons - first : CHUNK;
        ireneo_fill_normals(e->seed, stream, first, count, values);
        for (size_t i = 0; i < count; i++) sum += values[i] * values[i];
    }
    return sum / (double)e->neurons;
}

void ireneo_dense_judge(const ireneo_dense_experiment *e, ireneo_dense_draw *end) {
    double distance = 1.0 - 2.0 * end->overlap + end->length * end->length;
    bool retrieved = e->steps == 1 ? end->log_ratio < 0.0 : distance < e->closeness;
    end->value = retrieved ? 1.0 : 0.0;
}

/* ---- draws ---- */

static ireneo_error draw_checked(const ireneo_dense_experiment *e, uint64_t index, ireneo_dense_draw *draw) {
    switch (e->method) {
    case IRENEO_DENSE_METHOD_DIRECT:
        return ireneo_draw_direct(e, index, draw);
    case IRENEO_DENSE_METHOD_SCALARS:
        return ireneo_draw_scalars(e, index, draw);
    case IRENEO_DENSE_METHOD_TAIL:
        return ireneo_draw_tail(e, index, draw);
    case IRENEO_DENSE_METHOD_CONDITIONING:
        return ireneo_draw_conditioning(e, index, draw);
    case IRENEO_DENSE_METHOD_HYBRID:
        break;
    }
    return ireneo_draw_hybrid(e, index, draw);
}

ireneo_error ireneo_dense_draw_one(const ireneo_dense_experiment *experiment, uint64_t index,
                                   ireneo_dense_draw *draw) {
    ireneo_dense_experiment e;
    IRENEO_REQUIRE(draw != NULL, "a draw needs a place to be written to");
    memset(draw, 0, sizeof *draw);
    IRENEO_TRY(read_experiment(experiment, &e));
    IRENEO_TRY(ireneo_enter(0, NULL));
    return ireneo_leave(draw_checked(&e, index, draw));
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorted values at position p in [0, 1], interpolated; an infinite neighbour wins. */
static double quantile(const double *sorted, size_t count, double p) {
    double place = p * (double)(count - 1), below = floor(place);
    size_t i = (size_t)fmax(0.0, fmin(below, (double)(count - 1)));
    if (i + 1 >= count || place == below) return sorted[i];
    double share = place - below;
    return isfinite(sorted[i + 1]) ? (1.0 - share) * sorted[i] + share * sorted[i + 1] : sorted[i + 1];
}

ireneo_error ireneo_dense_summarise(const ireneo_dense_experiment *e, const ireneo_dense_draw *all,
                                    size_t draws, ireneo_dense_summary *summary) {
    double *values, sum = 0.0, n = (double)draws;
    IRENEO_TRY(IRENEO_ALLOCATE(&values, draws, "values of draws"));
    for (size_t i = 0; i < draws; i++) sum += values[i] = all[i].value;
    if (e->measure == IRENEO_DENSE_MEASURE_PROBABILITY) {
        double p = sum / n, guarded = (sum + 1.0) / (n + 2.0); /* no error of 0 when all draws agree */
        summary->value = p;
        summary->error = sqrt(guarded * (1.0 - guarded) / n);
    } else {
        qsort(values, draws, sizeof *values, compare_doubles);
        summary->value = quantile(values, draws, 0.5);
        double half = 0.5 / sqrt(n);
        summary->error = 0.5 * (quantile(values, draws, fmin(1.0, 0.5 + half)) -
                                quantile(values, draws, fmax(0.0, 0.5 - half)));
    }
    free(values);
    return IRENEO_OK;
}

/* What the draws of a simulation share. */
typedef struct draw_list {
    const ireneo_dense_experiment *experiment;
    ireneo_dense_draw *all; /* (draws) */
} draw_list;

static ireneo_error make_draw(void *context, size_t index, int thread) {
    const draw_list *list = context;
    (void)thread;
    return draw_checked(list->experiment, index, &list->all[index]);
}

ireneo_error ireneo_dense_simulate(const ireneo_dense_experiment *experiment, size_t draws,
                                   const ireneo_run_settings *settings, ireneo_dense_draw *all,
                                   ireneo_dense_summary *summary) {
    ireneo_dense_experiment e;
    int threads;
    const ireneo_progress *progress;
    IRENEO_REQUIRE(summary != NULL, "a simulation needs a summary to be written to");
    memset(summary, 0, sizeof *summary);
    IRENEO_TRY(read_experiment(experiment, &e));
    if (draws == 0) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "at least one draw is needed");
    double start = ireneo_seconds();
    ireneo_dense_draw *kept = NULL;
    if (all == NULL) IRENEO_TRY(IRENEO_ALLOCATE(&kept, draws, "draws"));
    if (all == NULL) all = kept;
    draw_list list = {&e, all};
    ireneo_error failed = ireneo_enter_run(settings, &threads, &progress);
    if (failed == IRENEO_OK)
        failed = ireneo_leave(ireneo_parallel(draws, threads, progress, "draws", make_draw, &list));
    if (failed == IRENEO_OK) failed = ireneo_dense_summarise(&e, all, draws, summary);
    free(kept);
    summary->draws = draws;
    summary->seconds = ireneo_seconds() - start;
    return failed;
}
