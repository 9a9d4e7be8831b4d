/* L-BFGS on the cross-entropy: two-loop recursion over the last steps, and a line search for the weak Wolfe
 * conditions by bisection (Lewis and Overton 2013). Vectors are float32, inner products float64. */
#include "base/memory.h"
#include "linear/train.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { HISTORY = 12, MOST_TRIALS = 30 };
static const double DECREASE = 1e-4, CURVATURE = 0.9;

typedef struct lbfgs_history {
    size_t count;             /* of parameters */
    size_t kept, newest;      /* pairs in use, and where the newest is */
    float *steps, *changes;   /* s and y of each pair (HISTORY, count) */
    double products[HISTORY]; /* s . y */
    float *direction, *old_parameters, *old_gradient;
} lbfgs_history;

static double dot(size_t count, const float *a, const float *b) {
    return cblas_dsdot((int)count, a, 1, b, 1);
}

static void release(lbfgs_history *h) {
    free(h->steps);
    free(h->changes);
    free(h->direction);
    free(h->old_parameters);
    free(h->old_gradient);
}

static ireneo_error prepare(size_t count, lbfgs_history *h) {
    memset(h, 0, sizeof *h);
    h->count = count;
    ireneo_error failed = IRENEO_ALLOCATE(&h->steps, HISTORY * count, "the history of steps");
    if (failed == IRENEO_OK)
        failed = IRENEO_ALLOCATE(&h->changes, HISTORY * count, "the history of gradients");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&h->direction, count, "the direction");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&h->old_parameters, count, "the last weights");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&h->old_gradient, count, "the last gradient");
    if (failed != IRENEO_OK) release(h);
    return failed;
}

/* direction = - (inverse Hessian estimate) gradient. */
static void choose_direction(lbfgs_history *h, const float *gradient) {
    int count = (int)h->count;
    double shares[HISTORY], scale = 1.0;
    for (size_t i = 0; i < h->count; i++) h->direction[i] = -gradient[i];
    for (size_t k = 0; k < h->kept; k++) {
        size_t p = (h->newest + HISTORY - k) % HISTORY;
        shares[p] = dot(h->count, h->steps + p * h->count, h->direction) / h->products[p];
        cblas_saxpy(count, (float)-shares[p], h->changes + p * h->count, 1, h->direction, 1);
    }
    if (h->kept > 0) {
        const float *y = h->changes + h->newest * h->count;
        scale = h->products[h->newest] / dot(h->count, y, y);
    } else {
        double norm = sqrt(dot(h->count, gradient, gradient));
        if (norm > 0.0) scale = 1.0 / norm;
    }
    cblas_sscal(count, (float)scale, h->direction, 1);
    for (size_t k = h->kept; k-- > 0;) {
        size_t p = (h->newest + HISTORY - k) % HISTORY;
        double share = dot(h->count, h->changes + p * h->count, h->direction) / h->products[p];
        cblas_saxpy(count, (float)(shares[p] - share), h->steps + p * h->count, 1, h->direction, 1);
    }
}

/* Keeps the pair (step, change of the gradient) unless float32 noise spoiled its curvature. */
static void remember(lbfgs_history *h, const float *parameters, const float *gradient) {
    size_t p = h->kept == 0 ? 0 : (h->newest + 1) % HISTORY;
    float *step = h->steps + p * h->count, *change = h->changes + p * h->count;
    for (size_t i = 0; i < h->count; i++) {
        step[i] = parameters[i] - h->old_parameters[i];
        change[i] = gradient[i] - h->old_gradient[i];
    }
    double product = dot(h->count, step, change);
    if (!(product > 1e-10 * sqrt(dot(h->count, step, step) * dot(h->count, change, change)))) return;
    h->products[p] = product;
    h->newest = p;
    if (h->kept < HISTORY) h->kept++;
}

/* Moves the job along the direction; *moved is 0 when no point was lower, which ends the minimisation. */
static ireneo_error search_line(training *job, const lbfgs_history *h, bool *moved) {
    double loss = job->point.loss, slope = dot(h->count, h->old_gradient, h->direction);
    double lower = 0.0, upper = INFINITY, length = 1.0;
    *moved = false;
    for (int k = 0; k < MOST_TRIALS && slope < 0.0; k++) {
        for (size_t i = 0; i < h->count; i++)
            job->parameters[i] = h->old_parameters[i] + (float)length * h->direction[i];
        ireneo_cross_entropy_evaluate(&job->objective, job->parameters, job->gradient, &job->point);
        job->sweeps++;
        if (!(job->point.loss <= loss + DECREASE * length * slope)) {
            upper = length;
        } else if (dot(h->count, job->gradient, h->direction) < CURVATURE * slope) {
            lower = length;
        } else {
            *moved = true;
            return IRENEO_OK;
        }
        length = isinf(upper) ? 2.0 * lower : 0.5 * (lower + upper);
    }
    memcpy(job->parameters, h->old_parameters, h->count * sizeof *job->parameters);
    return ireneo_training_evaluate(job);
}

ireneo_error ireneo_train_by_lbfgs(training *job) {
    lbfgs_history h;
    IRENEO_TRY(prepare(job->count, &h));
    ireneo_error failed = ireneo_training_evaluate(job);
    double first_norm = sqrt(dot(job->count, job->gradient, job->gradient));
    while (failed == IRENEO_OK && ireneo_training_goes_on(job)) {
        bool moved;
        if (sqrt(dot(job->count, job->gradient, job->gradient)) <= job->settings.tolerance * first_norm)
            break;
        memcpy(h.old_parameters, job->parameters, job->count * sizeof *job->parameters);
        memcpy(h.old_gradient, job->gradient, job->count * sizeof *job->gradient);
        choose_direction(&h, job->gradient);
        failed = search_line(job, &h, &moved);
        if (failed != IRENEO_OK) break;
        if (moved) {
            remember(&h, job->parameters, job->gradient);
            job->steps++;
        } else if (h.kept > 0) {
            h.kept = 0; /* once more, straight down */
        } else {
            break;
        }
    }
    release(&h);
    return failed;
}
