/* Gradient training: from settings and facts to a trained memory. The optimisers move one flat array of
 * parameters, laid out as in cross_entropy.h. */
#include "linear/training/train.h"
#include "base/adam.h"
#include "base/progress.h"
#include "base/ram.h"
#include "base/random.h"
#include "base/threads.h"
#include "linear/memory/memory.h"
#include "linear/training/rate_schedule.h"

#include <math.h>
#include <string.h>

enum { INITIAL_STREAM = 0x696e6974 }; /* "init": apart from the streams of the samples */

const char *ireneo_optimiser_name(ireneo_optimiser optimiser) {
    switch (optimiser) {
    case IRENEO_OPTIMISER_ADAM:
        return "adam";
    case IRENEO_OPTIMISER_LBFGS:
        return "lbfgs";
    }
    return "unknown";
}

static ireneo_error check_settings(const ireneo_facts *facts, const ireneo_train_settings *settings) {
    size_t smaller = facts->dim_in < facts->dim_out ? facts->dim_in : facts->dim_out;
    IRENEO_TRY(ireneo_check_reserved(settings->reserved, "the training settings"));
    if ((unsigned)settings->optimiser > IRENEO_OPTIMISER_LBFGS)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "there is no optimiser number %d",
                           (int)settings->optimiser);
    if (settings->rank > smaller)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "rank %zu is more than the smaller dimension, %zu",
                           settings->rank, smaller);
    if (!(settings->rate >= 0.0 && settings->rate <= 1e3))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the rate must lie between 0 and 1000, not %g",
                           settings->rate);
    if (!(settings->warm_up <= 1.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the warm-up is a share of the steps, at most 1, not %g",
                           settings->warm_up);
    if (!(settings->initial_scale >= 0.0 && settings->initial_scale <= 1e3))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the initial scale must lie between 0 and 1000, not %g",
                           settings->initial_scale);
    return IRENEO_OK;
}

static ireneo_train_settings with_defaults(const ireneo_train_settings *settings) {
    ireneo_train_settings s = {0};
    if (settings != NULL) s = *settings;
    if (s.rate == 0.0) s.rate = 0.03;
    if (s.warm_up == 0.0) s.warm_up = 0.05;
    if (s.max_steps == 0) s.max_steps = 5000;
    if (s.initial_scale == 0.0) s.initial_scale = 0.01;
    if (s.tolerance == 0.0) s.tolerance = 1e-5;
    return s;
}

/* W gets entries of standard deviation `scale`; factors alike, scaled so that their product has it too. */
static void draw_initial(const training *job, double scale) {
    size_t rank = job->objective.rank;
    float factor = (float)(rank == 0 ? scale : sqrt(scale / sqrt((double)rank)));
    ireneo_fill_normal_floats(job->settings.seed, INITIAL_STREAM, 0, job->count, job->parameters);
    for (size_t i = 0; i < job->count; i++) job->parameters[i] *= factor;
}

ireneo_error ireneo_training_evaluate(training *job) {
    ireneo_cross_entropy_evaluate(&job->objective, job->parameters, job->gradient, &job->point);
    job->sweeps++;
    if (!isfinite(job->point.loss))
        return ireneo_fail(IRENEO_ERROR_NUMERIC, "training diverged at step %zu; lower the rate (%g)",
                           job->steps, job->settings.rate);
    return IRENEO_OK;
}

bool ireneo_training_goes_on(training *job) {
    if (job->point.recalled == job->objective.facts->facts && !job->settings.past_recall) return false;
    if (job->steps == job->settings.max_steps) return false;
    if (ireneo_report(job->settings.progress, "training", (double)job->steps,
                      (double)job->settings.max_steps) != 0)
        job->interrupted = true;
    return !job->interrupted;
}

/* Kingma and Ba's own constants, means over 10 and 1000 gradients: gradients here are of all facts at once,
 * without noise, so that a long memory of their squares costs nothing. */
static const ireneo_adam_settings ADAM = {.mean_decay = 0.9, .square_decay = 0.999, .folded = true};

static ireneo_error train_by_adam(training *job) {
    const ireneo_train_settings *s = &job->settings;
    double warm_up = fmax(0.0, s->warm_up) * (double)s->max_steps;
    ireneo_adam adam;
    IRENEO_TRY(ireneo_adam_open(&ADAM, job->count, &adam));
    ireneo_error failed = ireneo_training_evaluate(job);
    while (failed == IRENEO_OK && ireneo_training_goes_on(job)) {
        double rate = ireneo_rate_at(s->rate, job->steps, s->max_steps, warm_up);
        ireneo_adam_step(&adam, rate, 1.0, job->gradient, job->parameters, 1);
        job->steps++;
        failed = ireneo_training_evaluate(job);
    }
    ireneo_adam_close(&adam);
    return failed;
}

/* A memory that holds a copy of the parameters. */
static ireneo_error make_memory(const training *job, ireneo_memory **memory) {
    const ireneo_facts *facts = job->objective.facts;
    size_t rank = job->objective.rank, first = facts->dim_out * (rank == 0 ? facts->dim_in : rank);
    IRENEO_TRY(ireneo_memory_allocate(facts->dim_in, facts->dim_out, rank, memory));
    memcpy(rank == 0 ? (*memory)->matrix : (*memory)->left, job->parameters, first * sizeof(float));
    if (rank > 0) memcpy((*memory)->right, job->parameters + first, (job->count - first) * sizeof(float));
    IRENEO_TRY(ireneo_facts_hash(facts, (*memory)->facts_hash));
    return IRENEO_OK;
}

/* Nothing but a pass over all candidates says how many facts are recalled. */
static ireneo_error finish(const training *job, ireneo_memory *memory, double start,
                           ireneo_train_info *info) {
    ireneo_check_report report;
    ireneo_run_settings run = {.threads = job->settings.threads};
    IRENEO_TRY(ireneo_check(memory, job->objective.facts, &run, NULL, &report));
    if (info == NULL) return IRENEO_OK;
    info->facts = report.facts;
    info->recalled = report.recalled;
    info->margin = report.margin;
    info->status = report.recalled == report.facts ? IRENEO_STATUS_STORED
                   : job->interrupted              ? IRENEO_STATUS_INTERRUPTED
                                                   : IRENEO_STATUS_UNDECIDED;
    info->loss = job->point.loss;
    info->steps = job->steps;
    info->sweeps = job->sweeps;
    info->seconds = ireneo_seconds() - start;
    return IRENEO_OK;
}

ireneo_error ireneo_train(const ireneo_facts *facts, const ireneo_train_settings *settings,
                          ireneo_memory **memory, ireneo_train_info *info) {
    double start = ireneo_seconds();
    IRENEO_REQUIRE(memory != NULL, "training needs a place for the memory");
    *memory = NULL;
    if (info != NULL) *info = (ireneo_train_info){0};
    IRENEO_TRY(ireneo_facts_check(facts));
    training job = {.settings = with_defaults(settings)};
    IRENEO_TRY(check_settings(facts, &job.settings));
    IRENEO_TRY(ireneo_enter(job.settings.threads, &job.settings.threads));
    ireneo_error failed =
        ireneo_cross_entropy_open(facts, job.settings.rank, job.settings.threads, 0, &job.objective);
    if (failed != IRENEO_OK) return ireneo_leave(failed);
    job.count = ireneo_cross_entropy_parameters(&job.objective);
    failed = IRENEO_ALLOCATE(&job.parameters, job.count, "the weights");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&job.gradient, job.count, "the gradient");
    if (failed == IRENEO_OK) {
        draw_initial(&job, job.settings.initial_scale);
        failed = job.settings.optimiser == IRENEO_OPTIMISER_LBFGS ? ireneo_train_by_lbfgs(&job)
                                                                  : train_by_adam(&job);
    }
    ireneo_memory *made = NULL;
    if (failed == IRENEO_OK) failed = make_memory(&job, &made);
    if (failed == IRENEO_OK) failed = finish(&job, made, start, info);
    ireneo_cross_entropy_close(&job.objective);
    free(job.parameters);
    free(job.gradient);
    if (failed == IRENEO_OK)
        *memory = made;
    else
        ireneo_memory_free(made);
    return ireneo_leave(failed);
}

ireneo_error ireneo_cross_entropy(const ireneo_memory *memory, const ireneo_facts *facts,
                                  const ireneo_run_settings *settings, double *loss) {
    int threads;
    IRENEO_REQUIRE(loss != NULL, "the cross-entropy needs a place to be written to");
    *loss = 0.0;
    IRENEO_TRY(ireneo_memory_check_facts(memory, facts));
    cross_entropy objective;
    cross_entropy_point point;
    float *joined = NULL;
    const float *parameters = memory->matrix;
    IRENEO_TRY(ireneo_enter_run(settings, &threads, NULL));
    ireneo_error failed = ireneo_cross_entropy_open(facts, memory->rank, threads, 0, &objective);
    if (failed != IRENEO_OK) return ireneo_leave(failed);
    if (memory->rank > 0) {
        size_t first = memory->dim_out * memory->rank, second = memory->dim_in * memory->rank;
        failed = IRENEO_ALLOCATE(&joined, first + second, "the factors");
        if (failed == IRENEO_OK) {
            memcpy(joined, memory->left, first * sizeof *joined);
            memcpy(joined + first, memory->right, second * sizeof *joined);
            parameters = joined;
        }
    }
    if (failed == IRENEO_OK) {
        ireneo_cross_entropy_evaluate(&objective, parameters, NULL, &point);
        *loss = point.loss;
    }
    free(joined);
    ireneo_cross_entropy_close(&objective);
    return ireneo_leave(failed);
}
