/* L-BFGS on the cross-entropy, with a line search for the weak Wolfe conditions by bisection (Lewis and
 * Overton 2013). */
#include "base/ram.h"
#include "linear/kernels/vector.h"
#include "linear/solver/lbfgs.h"
#include "linear/training/train.h"

#include <math.h>
#include <string.h>

enum { HISTORY = 12, MOST_TRIALS = 30 };
static const double DECREASE = 1e-4, CURVATURE = 0.9;

typedef struct descent {
    training *job;
    ireneo_lbfgs lbfgs;
    float *direction, *old_parameters, *old_gradient; /* (count) each */
} descent;

static double dot(const descent *it, const float *a, const float *b) {
    return ireneo_dot(a, b, it->job->count, it->job->objective.threads);
}

static void release(descent *it) {
    ireneo_lbfgs_free(&it->lbfgs);
    free(it->direction);
    free(it->old_parameters);
    free(it->old_gradient);
}

static ireneo_error prepare(training *job, descent *it) {
    memset(it, 0, sizeof *it);
    it->job = job;
    ireneo_error failed = ireneo_lbfgs_allocate(job->count, HISTORY, job->objective.threads, &it->lbfgs);
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&it->direction, job->count, "the direction");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&it->old_parameters, job->count, "the last weights");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&it->old_gradient, job->count, "the last gradient");
    if (failed != IRENEO_OK) release(it);
    return failed;
}

/* Moves along the direction and gives the length of the step; 0 when no point was lower. */
static ireneo_error search_line(descent *it, double first_length, double *taken) {
    training *job = it->job;
    double loss = job->point.loss, slope = dot(it, it->old_gradient, it->direction);
    double lower = 0.0, upper = INFINITY, length = first_length;
    *taken = 0.0;
    for (int k = 0; k < MOST_TRIALS && slope < 0.0; k++) {
        for (size_t i = 0; i < job->count; i++)
            job->parameters[i] = it->old_parameters[i] + (float)length * it->direction[i];
        ireneo_cross_entropy_evaluate(&job->objective, job->parameters, job->gradient, &job->point);
        job->sweeps++;
        if (!(job->point.loss <= loss + DECREASE * length * slope)) {
            upper = length;
        } else if (dot(it, job->gradient, it->direction) < CURVATURE * slope) {
            lower = length;
        } else {
            *taken = length;
            return IRENEO_OK;
        }
        length = isinf(upper) ? 2.0 * lower : 0.5 * (lower + upper);
    }
    memcpy(job->parameters, it->old_parameters, job->count * sizeof *job->parameters);
    return ireneo_training_evaluate(job);
}

/* One step; *over when neither the history's direction nor the gradient leads down. */
static ireneo_error step(descent *it, bool *over) {
    training *job = it->job;
    bool fresh = it->lbfgs.used == 0;
    double norm = sqrt(dot(it, job->gradient, job->gradient)), taken;
    memcpy(it->old_parameters, job->parameters, job->count * sizeof *job->parameters);
    memcpy(it->old_gradient, job->gradient, job->count * sizeof *job->gradient);
    ireneo_lbfgs_direction(&it->lbfgs, job->gradient, it->direction);
    IRENEO_TRY(search_line(it, fresh ? 1.0 / norm : 1.0, &taken));
    if (taken > 0.0) {
        ireneo_lbfgs_remember(&it->lbfgs, taken, it->direction, it->old_gradient, job->gradient);
        job->steps++;
        return IRENEO_OK;
    }
    ireneo_lbfgs_forget(&it->lbfgs); /* once more, straight down */
    *over = fresh;
    return IRENEO_OK;
}

ireneo_error ireneo_train_by_lbfgs(training *job) {
    descent it;
    IRENEO_TRY(prepare(job, &it));
    ireneo_error failed = ireneo_training_evaluate(job);
    double small = job->settings.tolerance * sqrt(dot(&it, job->gradient, job->gradient));
    bool over = false;
    while (failed == IRENEO_OK && !over && ireneo_training_goes_on(job)) {
        if (sqrt(dot(&it, job->gradient, job->gradient)) <= small) break;
        failed = step(&it, &over);
    }
    release(&it);
    return failed;
}
