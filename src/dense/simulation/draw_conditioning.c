/* Many exact steps with Gaussian patterns and without the P x N matrix.
 *
 * Of the matrix Xi (n, N) of the crowd a step reveals Xi x (the scores) and Xi^T a (the sum). Let Q
 * be an orthonormal basis of the states seen so far and U of the weights seen so far; H = Xi Q and G = Xi^T U
 * are known, the rest of Xi is still free Gaussian noise. A new direction q, at right angles to Q, gets
 *     Xi q = U (G^T q) + (I - U U^T) g ,       g fresh N(0, I_n) ,
 * and a new u, at right angles to U,
 *     Xi^T u = Q (H^T u) + (I - Q Q^T) g' ,    g' fresh N(0, I_N) .
 * This is the exact law of the draw; it costs O(n) numbers per step.
 * Row norms couple the entries of spherical patterns, so it does not hold for them. */
#include "base/ram.h"
#include "dense/simulation/simulate.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static const double NEGLIGIBLE = 1e-9; /* share of a vector outside the basis that is rounding */

/* Vectors of one length that grow in number. */
typedef struct basis {
    size_t length, count, capacity;
    double *vectors; /* (capacity, length) */
} basis;

typedef struct conditioning {
    const ireneo_dense_experiment *experiment;
    uint64_t index;
    size_t crowd, neurons;                   /* patterns but the target, entries of one */
    double power;                            /* |xi_1|^2 */
    double *target, *aside;                  /* (N) */
    basis states, weights;                   /* Q, in R^N, and U, in R^n */
    basis seen_by_patterns, seen_by_neurons; /* H, in R^n, beside Q; G, in R^N, beside U */
    double *state, *scores, *sum;            /* (N), (n), (N) */
} conditioning;

static ireneo_error grow(basis *b) {
    if (b->count < b->capacity) return IRENEO_OK;
    size_t capacity = b->capacity == 0 ? 8 : 2 * b->capacity, cells;
    double *larger;
    IRENEO_TRY(ireneo_multiply_sizes(capacity, b->length, &cells, "directions"));
    IRENEO_TRY(IRENEO_ALLOCATE(&larger, cells, "directions"));
    if (b->count > 0) memcpy(larger, b->vectors, b->count * b->length * sizeof *larger);
    free(b->vectors);
    b->vectors = larger;
    b->capacity = capacity;
    return IRENEO_OK;
}

static double *vector_of(const basis *b, size_t k) {
    return b->vectors + k * b->length;
}

/* v minus its part in the span, twice for the sake of rounding. */
static void remove_span(const basis *b, double *v) {
    for (int round = 0; round < 2; round++)
        for (size_t k = 0; k < b->count; k++) {
            double share = cblas_ddot((int)b->length, vector_of(b, k), 1, v, 1);
            cblas_daxpy((int)b->length, -share, vector_of(b, k), 1, v, 1);
        }
}

/* Adds the direction of v that is new to `known`, and its image: what the images of the other side already
 * say about it, and fresh noise at right angles to the directions of the other side. */
static ireneo_error learn(basis *known, basis *images, const basis *other, const basis *other_images,
                          const double *v, uint64_t seed, uint64_t stream) {
    if (known->count >= known->length) return IRENEO_OK;
    IRENEO_TRY(grow(known));
    IRENEO_TRY(grow(images));
    double *q = vector_of(known, known->count), *image = vector_of(images, images->count);
    double before = cblas_dnrm2((int)known->length, v, 1);
    memcpy(q, v, known->length * sizeof *q);
    remove_span(known, q);
    double norm = cblas_dnrm2((int)known->length, q, 1);
    if (!(norm > NEGLIGIBLE * before)) return IRENEO_OK;
    cblas_dscal((int)known->length, 1.0 / norm, q, 1);
    remove_span(known, q); /* what division by a small norm has blown up */
    cblas_dscal((int)known->length, 1.0 / cblas_dnrm2((int)known->length, q, 1), q, 1);
    ireneo_fill_normals(seed, stream, (uint64_t)known->count * images->length, images->length, image);
    remove_span(other, image);
    for (size_t k = 0; k < other->count; k++)
        cblas_daxpy((int)images->length, cblas_ddot((int)known->length, vector_of(other_images, k), 1, q, 1),
                    vector_of(other, k), 1, image, 1);
    known->count++;
    images->count++;
    return IRENEO_OK;
}

/* The image of a vector whose directions are all known. */
static void apply(const basis *known, const basis *images, const double *v, double *image) {
    memset(image, 0, images->length * sizeof *image);
    for (size_t k = 0; k < known->count; k++)
        cblas_daxpy((int)images->length, cblas_ddot((int)known->length, vector_of(known, k), 1, v, 1),
                    vector_of(images, k), 1, image, 1);
}

/* Scores become weights that sum to 1; returns log sum exp. */
static double softmax(double *scores, size_t count, double lambda) {
    double peak = scores[0], total = 0.0;
    for (size_t i = 1; i < count; i++) peak = scores[i] > peak ? scores[i] : peak;
    for (size_t i = 0; i < count; i++) total += scores[i] = exp(lambda * (scores[i] - peak));
    for (size_t i = 0; i < count; i++) scores[i] /= total;
    return total > 0.0 ? lambda * peak + log(total) : -INFINITY;
}

static ireneo_error step(conditioning *c, double lambda, ireneo_dense_draw *end, double *change) {
    uint64_t seed = c->experiment->seed;
    uint64_t wide = ireneo_dense_stream_of(c->index, IRENEO_STREAM_CONDITION_WIDE),
             narrow = ireneo_dense_stream_of(c->index, IRENEO_STREAM_CONDITION_SHORT);
    size_t n = c->neurons;
    IRENEO_TRY(
        learn(&c->states, &c->seen_by_patterns, &c->weights, &c->seen_by_neurons, c->state, seed, wide));
    apply(&c->states, &c->seen_by_patterns, c->state, c->scores);
    double log_ratio =
        softmax(c->scores, c->crowd, lambda) - lambda * cblas_ddot((int)n, c->target, 1, c->state, 1);
    IRENEO_TRY(
        learn(&c->weights, &c->seen_by_neurons, &c->states, &c->seen_by_patterns, c->scores, seed, narrow));
    apply(&c->weights, &c->seen_by_neurons, c->scores, c->sum);
    double attention = 1.0 / (1.0 + exp(log_ratio)), moved = 0.0, along = 0.0, start = 0.0, square = 0.0;
    for (size_t i = 0; i < n; i++) {
        double x = c->state[i], next = attention * c->target[i] + (1.0 - attention) * c->sum[i];
        moved += (next - x) * (next - x);
        along += next * x;
        start += x * x;
        square += next * next;
        c->state[i] = next;
    }
    if (end->steps == 0) {
        end->log_ratio = log_ratio;
        end->first_overlap = along / start;
    }
    end->steps++;
    end->overlap = cblas_ddot((int)n, c->target, 1, c->state, 1) / c->power;
    end->length = sqrt(square / c->power);
    *change = sqrt(moved / c->power);
    return IRENEO_OK;
}

static ireneo_error run(void *context, const double *lambdas, const double *angles, size_t count,
                        ireneo_dense_draw *ends) {
    conditioning *c = context;
    const ireneo_dense_experiment *e = c->experiment;
    for (size_t k = 0; k < count; k++) {
        ends[k] = (ireneo_dense_draw){0};
        c->states.count = c->weights.count = c->seen_by_patterns.count = c->seen_by_neurons.count = 0;
        for (size_t i = 0; i < c->neurons; i++)
            c->state[i] = cos(angles[k]) * c->target[i] + sin(angles[k]) * c->aside[i];
        double change = INFINITY;
        for (size_t s = 0; s < e->steps && change > IRENEO_STANDSTILL; s++)
            IRENEO_TRY(step(c, lambdas[k], &ends[k], &change));
        ireneo_dense_judge(e, &ends[k]);
    }
    return IRENEO_OK;
}

static ireneo_error create(conditioning *c) {
    size_t n = c->neurons;
    uint64_t seed = c->experiment->seed;
    /* Scores, and a few directions of each kind. */
    IRENEO_TRY(ireneo_ram_require((double)c->crowd * 8.0 * 17.0, "directions of the conditioning"));
    IRENEO_TRY(IRENEO_ALLOCATE(&c->target, n, "target"));
    IRENEO_TRY(IRENEO_ALLOCATE(&c->aside, n, "start"));
    IRENEO_TRY(IRENEO_ALLOCATE(&c->state, n, "state"));
    IRENEO_TRY(IRENEO_ALLOCATE(&c->sum, n, "sum"));
    IRENEO_TRY(IRENEO_ALLOCATE(&c->scores, c->crowd, "scores"));
    ireneo_fill_normals(seed, ireneo_dense_stream_of(c->index, IRENEO_STREAM_TARGET), 0, n, c->target);
    ireneo_fill_normals(seed, ireneo_dense_stream_of(c->index, IRENEO_STREAM_START), 0, n, c->aside);
    c->power = cblas_ddot((int)n, c->target, 1, c->target, 1);
    cblas_daxpy((int)n, -cblas_ddot((int)n, c->target, 1, c->aside, 1) / c->power, c->target, 1, c->aside, 1);
    cblas_dscal((int)n, sqrt(c->power) / cblas_dnrm2((int)n, c->aside, 1), c->aside, 1);
    return IRENEO_OK;
}

ireneo_error ireneo_draw_conditioning(const ireneo_dense_experiment *e, uint64_t index,
                                      ireneo_dense_draw *draw) {
    conditioning c = {.experiment = e, .index = index, .neurons = e->neurons};
    IRENEO_TRY(ireneo_dense_crowd_size(e, &c.crowd));
    c.states.length = c.seen_by_neurons.length = c.neurons;
    c.weights.length = c.seen_by_patterns.length = c.crowd;
    ireneo_error failed = create(&c);
    if (failed == IRENEO_OK) failed = ireneo_dense_search(e, run, &c, 1, draw);
    free(c.target);
    free(c.aside);
    free(c.state);
    free(c.sum);
    free(c.scores);
    free(c.states.vectors);
    free(c.weights.vectors);
    free(c.seen_by_patterns.vectors);
    free(c.seen_by_neurons.vectors);
    return failed;
}
