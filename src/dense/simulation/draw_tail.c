/* One step for any P: the largest overlaps of the crowd one by one, the bulk as one Gaussian sum.
 *
 * A level t is set so that `kept` patterns lie above it on average. Their number K is drawn (binomial;
 * Poisson when P > 1e15, where the two differ by less than 1e-12), their overlaps exactly. The bulk below t
 * enters through S = sum w and T = sum w (v - c), w = exp(s v), c the mean of v under w: nearly a Gaussian
 * pair, with moments from one-dimensional integrals. Given K, the bulk holds P - 1 - K patterns: its moments
 * are multiplied with f = (1 - K/n) / (1 - q), and the variance of its number is taken out of that of S. */
#include "base/ram.h"
#include "dense/simulation/simulate.h"
#include "dense/theory/overlap_law.h"

#include <math.h>
#include <stdbool.h>

typedef struct tail_and_bulk {
    ireneo_overlap_law law;
    ireneo_bulk_rule rule;
    ireneo_tail tail;
    double *kept; /* (count): overlaps above the level */
    size_t count;
    double normal_s, normal_t; /* the bulk's two Gaussian numbers */
} tail_and_bulk;

/* Relative to the mean of S: S = f + sqrt(f var) z1, and T correlated with it. */
static double bulk_log_sum(const tail_and_bulk *b, double s, double *mean) {
    ireneo_tilted once = ireneo_overlap_tilt(&b->law, &b->rule, s, b->tail.level);
    ireneo_tilted twice = ireneo_overlap_tilt(&b->law, &b->rule, 2.0 * s, b->tail.level);
    double below = -expm1(b->tail.log_q), crowd = exp(b->tail.log_crowd);
    double share = (1.0 - (double)b->count / crowd) / below;
    double spread = exp(twice.log_mass - 2.0 * once.log_mass - b->tail.log_crowd); /* E w^2 / (n (E w)^2) */
    double variance = fmax(0.0, spread - 1.0 / (crowd * below));
    double offset = twice.mean - once.mean;
    double covariance = spread * offset, second = spread * (twice.variance + offset * offset);
    double along = variance > 0.0 ? covariance / sqrt(variance) : 0.0;
    double across = sqrt(fmax(0.0, second - along * along));
    double total = fmax(1e-6, share + sqrt(share * variance) * b->normal_s);
    double moment = sqrt(share) * (along * b->normal_s + across * b->normal_t);
    *mean = once.mean + moment / total;
    return b->tail.log_crowd + once.log_mass + log(total);
}

static double log_sum(void *context, double s, double *mean) {
    const tail_and_bulk *b = context;
    double bulk_mean, bulk = bulk_log_sum(b, s, &bulk_mean);
    double peak = b->tail.level, total = 0.0, weighted = 0.0;
    for (size_t i = 0; i < b->count; i++) peak = fmax(peak, b->kept[i]);
    double top = fmax(bulk, s * peak);
    for (size_t i = 0; i < b->count; i++) {
        double w = exp(s * b->kept[i] - top);
        total += w;
        weighted += w * b->kept[i];
    }
    double w = exp(bulk - top);
    *mean = (weighted + w * bulk_mean) / (total + w);
    return top + log(total + w);
}

ireneo_error ireneo_draw_tail(const ireneo_dense_experiment *e, uint64_t index, ireneo_dense_draw *draw) {
    tail_and_bulk b = {.law = ireneo_overlap_law_of(e->ensemble, e->neurons)};
    ireneo_generator g = {e->seed, ireneo_dense_stream_of(index, IRENEO_STREAM_TAIL), 0};
    ireneo_generator bulk = {e->seed, ireneo_dense_stream_of(index, IRENEO_STREAM_BULK), 0};
    IRENEO_TRY(ireneo_tail_choose(&b.law, e->log_patterns, e->kept, &b.tail));
    b.count = ireneo_tail_draw_number(&b.tail, &g);
    IRENEO_TRY(IRENEO_ALLOCATE(&b.kept, b.count, "tail overlaps"));
    for (size_t i = 0; i < b.count; i++) b.kept[i] = ireneo_overlap_draw_tail(&b.law, b.tail.level, &g);
    ireneo_bulk_rule_fill(&b.rule);
    b.normal_s = ireneo_draw_normal(&bulk);
    b.normal_t = ireneo_draw_normal(&bulk);
    double power = ireneo_dense_target_power(e, index), n = (double)e->neurons;
    bool gauss = e->ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN;
    ireneo_crowd crowd = {log_sum, &b, gauss ? sqrt(n * power) : n, gauss ? sqrt(n * power) : 1.0};
    ireneo_error failed = ireneo_one_step(e, &crowd, draw);
    free(b.kept);
    return failed;
}
