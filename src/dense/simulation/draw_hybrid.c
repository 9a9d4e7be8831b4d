/* Many steps with spherical patterns and any P: those nearest to the start as vectors, the bulk as a mean
 * field.
 *
 * The coordinates are those of the start: axis 0 points to it, and for an angle theta the pattern lies at
 * (cos theta, sin theta, 0, ..). About `kept` patterns, those with the largest overlaps with the start, are
 * drawn exactly (dense/theory/overlap_law.h) with uniform directions around axis 0. All others act through
 * their mean at the present state (dense/theory/far_field.h); the noise of their sum is left out, which is
 * what makes this an approximation, and is small as long as many patterns carry it or as the kept ones
 * outweigh it. */
#include "base/ram.h"
#include "dense/simulation/simulate.h"
#include "dense/theory/far_field.h"
#include "dense/theory/finite_size.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

typedef struct hybrid {
    const ireneo_dense_experiment *experiment;
    size_t neurons, count;
    double *vectors; /* (1 + count, N), of length 1: the pattern, then the kept ones */
    double *weights; /* (1 + count) */
    double *state, *next;
    ireneo_far_field bulk;
} hybrid;

/* |part at right angles to axis 0|. */
static double across_of(const double *x, size_t n) {
    return cblas_dnrm2((int)n - 1, x + 1, 1);
}

/* One step of the state, which is in units of sqrt(N); returns log R. */
static double step(hybrid *h, double lambda, double *change) {
    size_t n = h->neurons, rows = h->count + 1;
    double scale = lambda * (double)n, *x = h->state, *next = h->next, *w = h->weights;
    double across = across_of(x, n), bulk_along, bulk_across;
    double bulk = ireneo_far_field_log_sum(&h->bulk, scale * x[0], scale * across, &bulk_along, &bulk_across);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)rows, (int)n, scale, h->vectors, (int)n, x, 1, 0.0, w, 1);
    double peak = bulk, total = 0.0, own = w[0];
    for (size_t k = 0; k < rows; k++) peak = fmax(peak, w[k]);
    for (size_t k = 0; k < rows; k++) total += w[k] = exp(w[k] - peak);
    double bulk_weight = exp(bulk - peak), crowd = total - w[0] + bulk_weight;
    total += bulk_weight;
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)rows, (int)n, 1.0 / total, h->vectors, (int)n, w, 1, 0.0,
                next, 1);
    next[0] += bulk_weight / total * bulk_along;
    if (across > 0.0)
        cblas_daxpy((int)n - 1, bulk_weight / total * bulk_across / across, x + 1, 1, next + 1, 1);
    double moved = 0.0;
    for (size_t i = 0; i < n; i++) {
        moved += (next[i] - x[i]) * (next[i] - x[i]);
        x[i] = next[i];
    }
    *change = sqrt(moved);
    return peak + log(crowd) - own;
}

static void run_one(hybrid *h, double lambda, double angle, ireneo_dense_draw *end) {
    size_t n = h->neurons;
    const ireneo_dense_experiment *e = h->experiment;
    memset(h->vectors, 0, n * sizeof *h->vectors);
    memset(h->state, 0, n * sizeof *h->state);
    h->vectors[0] = cos(angle);
    h->vectors[1] = sin(angle);
    h->state[0] = 1.0;
    double change = INFINITY;
    for (size_t s = 0; s < e->steps && change > IRENEO_STANDSTILL; s++) {
        double log_ratio = step(h, lambda, &change);
        if (s == 0) {
            end->log_ratio = log_ratio;
            end->first_overlap = h->state[0];
        }
        end->steps++;
    }
    end->overlap = cblas_ddot((int)n, h->vectors, 1, h->state, 1);
    end->length = cblas_dnrm2((int)n, h->state, 1);
    ireneo_dense_judge(e, end);
}

static ireneo_error run(void *context, const double *lambdas, const double *angles, size_t count,
                        ireneo_dense_draw *ends) {
    for (size_t k = 0; k < count; k++) {
        ends[k] = (ireneo_dense_draw){0};
        run_one(context, lambdas[k], angles[k], &ends[k]);
    }
    return IRENEO_OK;
}

/* The kept patterns: overlaps from the tail, directions uniform. */
static void make_kept(hybrid *h, uint64_t index, ireneo_generator *g) {
    size_t n = h->neurons;
    uint64_t stream = ireneo_dense_stream_of(index, IRENEO_STREAM_DIRECTIONS);
    for (size_t k = 0; k < h->count; k++) {
        double *row = h->vectors + (k + 1) * n, c = ireneo_overlap_draw_tail(&h->bulk.law, h->bulk.level, g);
        ireneo_fill_normals(h->experiment->seed, stream, (uint64_t)k * 2 * n, n, row);
        double scale = sqrt((1.0 - c) * (1.0 + c)) / across_of(row, n);
        for (size_t i = 1; i < n; i++) row[i] *= scale;
        row[0] = c;
    }
}

static ireneo_error create(hybrid *h, uint64_t index) {
    const ireneo_dense_experiment *e = h->experiment;
    size_t n = h->neurons, cells;
    ireneo_generator g = {e->seed, ireneo_dense_stream_of(index, IRENEO_STREAM_TAIL), 0};
    ireneo_tail tail;
    ireneo_overlap_law law = ireneo_overlap_law_of(e->ensemble, n);
    IRENEO_TRY(ireneo_tail_choose(&law, e->log_patterns, e->kept, &tail));
    h->count = ireneo_tail_draw_number(&tail, &g);
    /* (n - K) / (1 - q) patterns per unit of p: the bulk is what the kept ones leave. */
    double left = log1p(-(double)h->count * exp(-tail.log_crowd));
    h->bulk = ireneo_far_field_of(law, tail.level, tail.log_crowd + left - log1p(-exp(tail.log_q)));
    IRENEO_TRY(ireneo_multiply_sizes(h->count + 1, n, &cells, "kept patterns"));
    IRENEO_TRY(IRENEO_ALLOCATE(&h->vectors, cells, "kept patterns"));
    IRENEO_TRY(IRENEO_ALLOCATE(&h->weights, h->count + 1, "weights"));
    IRENEO_TRY(IRENEO_ALLOCATE(&h->state, n, "state"));
    IRENEO_TRY(IRENEO_ALLOCATE(&h->next, n, "state"));
    make_kept(h, index, &g);
    return IRENEO_OK;
}

ireneo_error ireneo_draw_hybrid(const ireneo_dense_experiment *e, uint64_t index, ireneo_dense_draw *draw) {
    hybrid h = {.experiment = e, .neurons = e->neurons};
    ireneo_error failed = create(&h, index);
    if (failed == IRENEO_OK) failed = ireneo_dense_search(e, run, &h, 1, draw);
    free(h.vectors);
    free(h.weights);
    free(h.state);
    free(h.next);
    return failed;
}
