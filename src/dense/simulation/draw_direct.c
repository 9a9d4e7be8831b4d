/* A draw with all of its patterns: made from the random stream, kept while they fit in memory, otherwise made
 * again for every pass. Runs at several lambdas or angles go over the patterns side by side. */
#include "base/ram.h"
#include "dense/retrieval/stream.h"
#include "dense/simulation/simulate.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct direct {
    const ireneo_dense_experiment *experiment;
    uint64_t index;
    ireneo_pattern_source crowd; /* (P - 1, N) */
    float *stored;               /* (P - 1, N) or NULL */
    double *target, *aside;      /* (N): xi_1, and a direction at right angles to it of the same length */
    size_t *order;               /* (N): the order in which entries of binary patterns are flipped */
    double power;                /* |xi_1|^2 */
    ireneo_pass_scratch scratch;
} direct;

/* ---- patterns ---- */

/* Rows of normal numbers become patterns of the ensemble. */
static void shape_rows(ireneo_dense_ensemble ensemble, size_t rows, size_t neurons, float *block) {
    for (size_t r = 0; r < rows; r++) {
        float *row = block + r * neurons;
        if (ensemble == IRENEO_DENSE_ENSEMBLE_SPHERICAL) {
            double square = 0.0;
            for (size_t i = 0; i < neurons; i++) square += (double)row[i] * (double)row[i];
            float scale = (float)sqrt((double)neurons / square);
            for (size_t i = 0; i < neurons; i++) row[i] *= scale;
        } else if (ensemble == IRENEO_DENSE_ENSEMBLE_BINARY) {
            for (size_t i = 0; i < neurons; i++) row[i] = row[i] > 0.0f ? 1.0f : -1.0f;
        }
    }
}

static void make_patterns(void *context, size_t first, size_t rows, float *block) {
    const direct *d = context;
    size_t neurons = d->crowd.neurons;
    ireneo_fill_normal_floats(d->experiment->seed, ireneo_dense_stream_of(d->index, IRENEO_STREAM_PATTERNS),
                              (uint64_t)first * neurons, rows * neurons, block);
    shape_rows(d->experiment->ensemble, rows, neurons, block);
}

/* xi_1, and what lies beside it. */
static void make_target(direct *d) {
    size_t n = d->crowd.neurons;
    uint64_t seed = d->experiment->seed;
    ireneo_fill_normals(seed, ireneo_dense_stream_of(d->index, IRENEO_STREAM_TARGET), 0, n, d->target);
    ireneo_generator g = {seed, ireneo_dense_stream_of(d->index, IRENEO_STREAM_START), 2 * n};
    ireneo_fill_normals(seed, g.stream, 0, n, d->aside);
    ireneo_draw_permutation(&g, n, d->order);
    double square = 0.0, inner = 0.0, rest = 0.0;
    for (size_t i = 0; i < n; i++) square += d->target[i] * d->target[i];
    double scale =
        d->experiment->ensemble == IRENEO_DENSE_ENSEMBLE_SPHERICAL ? sqrt((double)n / square) : 1.0;
    d->power = 0.0;
    for (size_t i = 0; i < n; i++) {
        d->target[i] *= scale;
        if (d->experiment->ensemble == IRENEO_DENSE_ENSEMBLE_BINARY)
            d->target[i] = d->target[i] > 0.0 ? 1.0 : -1.0;
        d->power += d->target[i] * d->target[i];
        inner += d->target[i] * d->aside[i];
    }
    for (size_t i = 0; i < n; i++) {
        d->aside[i] -= inner / d->power * d->target[i];
        rest += d->aside[i] * d->aside[i];
    }
    for (size_t i = 0; i < n; i++) d->aside[i] *= sqrt(d->power / rest);
}

static void make_start(const direct *d, double angle, float *state) {
    size_t n = d->crowd.neurons;
    bool binary = d->experiment->ensemble == IRENEO_DENSE_ENSEMBLE_BINARY;
    double along = binary ? 1.0 : cos(angle), aside = binary ? 0.0 : sin(angle);
    for (size_t i = 0; i < n; i++) state[i] = (float)(along * d->target[i] + aside * d->aside[i]);
    size_t flips = (size_t)lround(0.5 * (1.0 - cos(angle)) * (double)n);
    for (size_t k = 0; binary && k < flips; k++) state[d->order[k]] = -state[d->order[k]];
}

/* ---- runs ---- */

/* States of runs side by side, packed so that finished ones leave. */
typedef struct runs {
    size_t count;                        /* still going */
    size_t which[IRENEO_RUNS_AT_ONCE];   /* place in the caller's arrays */
    double lambdas[IRENEO_RUNS_AT_ONCE]; /* packed */
    float *states;                       /* (count, N), packed */
    ireneo_pass_sums sums;
} runs;

static double inner_product(const double *a, const float *b, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += a[i] * (double)b[i];
    return sum;
}

/* The next state of one run in place; returns the length of the step over |xi_1|. */
static double move(const direct *d, const runs *r, size_t row, float *state, ireneo_dense_draw *end) {
    size_t n = d->crowd.neurons;
    const double *sum = r->sums.sum + row * n;
    ireneo_pass_rule rule = {IRENEO_DENSE_RULE_SOFTMAX, 0.0, r->lambdas, 0};
    double log_ratio = ireneo_pass_log_partition(&rule, &r->sums, row) -
                       r->lambdas[row] * inner_product(d->target, state, n);
    double attention = 1.0 / (1.0 + exp(log_ratio)), rest = 1.0 - attention;
    if (log_ratio < 0.0) rest = exp(log_ratio) * attention;
    double change = 0.0, along = 0.0, start = 0.0, inner = 0.0, square = 0.0;
    for (size_t i = 0; i < n; i++) {
        double x = (double)state[i], next = attention * d->target[i] + rest * sum[i] / r->sums.total[row];
        change += (next - x) * (next - x);
        along += next * x;
        start += x * x;
        inner += next * d->target[i];
        square += next * next;
        state[i] = (float)next;
    }
    if (end->steps == 0) {
        end->log_ratio = log_ratio;
        end->first_overlap = along / start;
    }
    end->steps++;
    end->overlap = inner / d->power;
    end->length = sqrt(square / d->power);
    return sqrt(change / d->power);
}

/* One pass over the patterns for all runs; those that stand still leave. */
static void step(direct *d, runs *r, ireneo_dense_draw *ends) {
    size_t n = d->crowd.neurons, still = 0;
    ireneo_pass_rule rule = {IRENEO_DENSE_RULE_SOFTMAX, 0.0, r->lambdas, 0};
    r->sums.rows = r->count;
    ireneo_pass_sums_reset(&r->sums);
    ireneo_pass_add(&d->crowd, 0, d->crowd.count, &rule, r->states, 0, &d->scratch, &r->sums);
    bool going[IRENEO_RUNS_AT_ONCE];
    for (size_t k = 0; k < r->count; k++)
        going[k] = move(d, r, k, r->states + k * n, &ends[r->which[k]]) > IRENEO_STANDSTILL;
    for (size_t k = 0; k < r->count; k++) {
        if (!going[k]) continue;
        r->which[still] = r->which[k];
        r->lambdas[still] = r->lambdas[k];
        if (still != k) memcpy(r->states + still * n, r->states + k * n, n * sizeof *r->states);
        still++;
    }
    r->count = still;
}

static ireneo_error run(void *context, const double *lambdas, const double *angles, size_t count,
                        ireneo_dense_draw *ends) {
    direct *d = context;
    size_t n = d->crowd.neurons;
    runs r = {.count = count};
    IRENEO_TRY(ireneo_pass_sums_create(&r.sums, count, n, 0));
    ireneo_error failed = IRENEO_ALLOCATE(&r.states, count * n, "states");
    for (size_t k = 0; k < count && failed == IRENEO_OK; k++) {
        ends[k] = (ireneo_dense_draw){0};
        r.which[k] = k;
        r.lambdas[k] = lambdas[k];
        make_start(d, angles[k], r.states + k * n);
    }
    for (size_t s = 0; s < d->experiment->steps && r.count > 0 && failed == IRENEO_OK; s++) step(d, &r, ends);
    for (size_t k = 0; k < count && failed == IRENEO_OK; k++) ireneo_dense_judge(d->experiment, &ends[k]);
    free(r.states);
    ireneo_pass_sums_free(&r.sums);
    return failed;
}

/* ---- the draw ---- */

static ireneo_error create(direct *d) {
    size_t n = d->crowd.neurons, cells;
    IRENEO_TRY(IRENEO_ALLOCATE(&d->target, n, "target"));
    IRENEO_TRY(IRENEO_ALLOCATE(&d->aside, n, "start"));
    IRENEO_TRY(IRENEO_ALLOCATE(&d->order, n, "order of flips"));
    IRENEO_TRY(ireneo_pass_scratch_create(&d->scratch, n, IRENEO_PASS_BLOCK, 1));
    make_target(d);
    double bytes = (double)d->crowd.count * (double)n * sizeof(float);
    if (bytes > (double)ireneo_ram_available() / 16.0) return IRENEO_OK; /* made again for every pass */
    IRENEO_TRY(ireneo_multiply_sizes(d->crowd.count, n, &cells, "patterns"));
    IRENEO_TRY(IRENEO_ALLOCATE(&d->stored, cells, "patterns"));
    make_patterns(d, 0, d->crowd.count, d->stored);
    d->crowd.stored = d->stored;
    return IRENEO_OK;
}

ireneo_error ireneo_draw_direct(const ireneo_dense_experiment *e, uint64_t index, ireneo_dense_draw *draw) {
    direct d = {.experiment = e, .index = index};
    IRENEO_TRY(ireneo_dense_crowd_size(e, &d.crowd.count));
    d.crowd.neurons = e->neurons;
    d.crowd.make = make_patterns;
    d.crowd.context = &d;
    ireneo_error failed = create(&d);
    if (failed == IRENEO_OK) failed = ireneo_dense_search(e, run, &d, IRENEO_RUNS_AT_ONCE, draw);
    ireneo_pass_scratch_free(&d.scratch);
    free(d.stored);
    free(d.target);
    free(d.aside);
    free(d.order);
    return failed;
}
