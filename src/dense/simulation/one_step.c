/* One step from the overlaps of the crowd: with Z(s) = sum_mu exp(s v_mu), s = lambda unit, it outweighs the
 * pattern by
 *     log R = log Z(s) - s signal cos(angle) ,
 * so that R < 1 up to the angle with cos = log Z / (s signal), and from the lambda on where log R = 0. */
#include "base/roots.h"
#include "dense/simulation/simulate.h"

#include <math.h>

static const double LARGEST_LAMBDA = 1e6;

typedef struct ratio_question {
    const ireneo_crowd *crowd;
    double signal;
} ratio_question;

static double log_ratio(double s, void *context) {
    const ratio_question *q = context;
    double mean;
    return q->crowd->log_sum(q->crowd->context, s, &mean) - s * q->signal;
}

/* The lambda with log R = 0. log R is convex and starts at log(P - 1) > 0: it falls through 0 once, or never
 * when another pattern is nearer to the start. */
static ireneo_error find_lambda(const ireneo_crowd *crowd, double signal, double *lambda) {
    ratio_question q = {crowd, signal};
    double lower = 0.0, upper = crowd->unit, root;
    while (log_ratio(upper, &q) >= 0.0) {
        lower = upper;
        upper *= 2.0;
        if (upper > LARGEST_LAMBDA * crowd->unit) {
            *lambda = INFINITY;
            return IRENEO_OK;
        }
    }
    if (lower == 0.0) lower = 1e-9 * crowd->unit;
    if (log_ratio(lower, &q) <= 0.0) { /* nothing but the pattern itself */
        *lambda = 0.0;
        return IRENEO_OK;
    }
    IRENEO_TRY(ireneo_find_root(log_ratio, &q, lower, upper, 1e-10 * crowd->unit, &root));
    *lambda = root / crowd->unit;
    return IRENEO_OK;
}

ireneo_error ireneo_one_step(const ireneo_dense_experiment *e, const ireneo_crowd *crowd,
                             ireneo_dense_draw *draw) {
    double lambda = e->lambda, cosine = cos(e->angle), mean = 0.0;
    *draw = (ireneo_dense_draw){.overlap = NAN, .length = NAN, .steps = 1};
    if (e->measure == IRENEO_DENSE_MEASURE_LAMBDA) {
        IRENEO_TRY(find_lambda(crowd, crowd->signal * cosine, &lambda));
        draw->value = lambda;
        if (!isfinite(lambda)) lambda = LARGEST_LAMBDA;
    }
    double s = lambda * crowd->unit, log_sum = crowd->log_sum(crowd->context, s, &mean);
    if (e->measure == IRENEO_DENSE_MEASURE_ANGLE) {
        cosine = fmin(1.0, fmax(-1.0, log_sum / (s * crowd->signal)));
        draw->value = acos(cosine);
    }
    draw->log_ratio = log_sum - s * crowd->signal * cosine;
    if (e->measure == IRENEO_DENSE_MEASURE_PROBABILITY) draw->value = draw->log_ratio < 0.0 ? 1.0 : 0.0;
    double attention = 1.0 / (1.0 + exp(draw->log_ratio));
    draw->first_overlap = attention * cosine + (1.0 - attention) * mean / crowd->signal;
    return IRENEO_OK;
}
