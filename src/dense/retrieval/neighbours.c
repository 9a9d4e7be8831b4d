/* Neighbours and ties. A query x = cos(t) xi + sin(t) |xi| u, u a unit vector across xi, has as large a score with
 * another pattern eta as with its own when
 *     tan t = (|xi|^2 - xi.eta) / (|xi| u.eta) ,
 * and first in the direction of eta itself, u.eta = sqrt(|eta|^2 - (xi.eta)^2 / |xi|^2): for patterns of one length
 * half of the angle between them (docs/dense.md, "The worst direction"). Scores of a tile of chosen patterns and their
 * directions with a block of all patterns are one matrix product; nothing larger exists. */
#include "dense/retrieval/neighbours.h"
#include "base/floats.h"
#include "base/parallel.h"
#include "base/ram.h"
#include "base/random.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { TILE = 64, BLOCK = 512, STREAM_DIRECTIONS = 0x61756469 };

void ireneo_random_direction(const ireneo_prepared *memory, uint64_t seed, size_t index, float *direction) {
    size_t neurons = memory->neurons;
    const float *xi = memory->patterns + index * neurons;
    double along = 0.0;
    ireneo_fill_normal_floats(seed, STREAM_DIRECTIONS, (uint64_t)index * neurons, neurons, direction);
    for (size_t i = 0; i < neurons; i++) along += (double)direction[i] * (double)xi[i];
    along /= ireneo_square_sum(xi, neurons);
    for (size_t i = 0; i < neurons; i++) direction[i] = (float)((double)direction[i] - along * (double)xi[i]);
    double length = sqrt(ireneo_square_sum(direction, neurons));
    for (size_t i = 0; i < neurons && length > 0.0; i++)
        direction[i] = (float)((double)direction[i] / length);
}

/* What tasks share; each works in its own thread's buffers. */
typedef struct search {
    const ireneo_audited *audited;
    double *squares; /* (patterns): |xi|^2 */
    float *states;   /* (threads, 2 TILE, neurons): patterns of the tile, then their directions */
    float *scores;   /* (threads, 2 TILE, BLOCK) */
    ireneo_neighbour *found;
} search;

/* The best so far of one chosen pattern: cos to the nearest, tan of the worst angle and whose it is, tan of the random
 * one. */
typedef struct best {
    double cosine, worst, random;
    size_t nearest, rival;
} best;

static void look_at_block(const search *s, size_t own, size_t first, size_t count, const float *scores,
                          const float *across, best *b) {
    double square = s->squares[own], length = sqrt(square);
    for (size_t k = 0; k < count; k++) {
        if (first + k == own) continue;
        double score = (double)scores[k], other = s->squares[first + k], lead = fmax(0.0, square - score);
        double cosine = score / sqrt(square * other);
        double worst = lead / sqrt(fmax(square * other - score * score, 1e-14 * square * other));
        if (cosine > b->cosine) b->cosine = cosine, b->nearest = first + k;
        if (worst < b->worst) b->worst = worst, b->rival = first + k;
        if (across[k] > 0.0f) b->random = fmin(b->random, lead / (length * (double)across[k]));
    }
}

/* The angle between two rows, exact also where the cosine would round to 1. */
static double angle_between(const float *a, double a_square, const float *b, double b_square,
                            size_t neurons) {
    double difference = 0.0;
    for (size_t i = 0; i < neurons; i++) {
        double d = (double)a[i] / sqrt(a_square) - (double)b[i] / sqrt(b_square);
        difference += d * d;
    }
    return 2.0 * asin(fmin(1.0, 0.5 * sqrt(difference)));
}

/* The angle from pattern `own` towards `rival` at which both have the same score. */
static double tie_towards(const search *s, size_t own, size_t rival) {
    const ireneo_prepared *m = s->audited->memory;
    double angle = angle_between(m->patterns + own * m->neurons, s->squares[own],
                                 m->patterns + rival * m->neurons, s->squares[rival], m->neurons);
    double half = sin(0.5 * angle), ratio = sqrt(s->squares[own] / s->squares[rival]);
    return atan2(fmax(0.0, ratio - 1.0 + 2.0 * half * half), sin(angle));
}

static void conclude(const search *s, size_t own, const best *b, ireneo_neighbour *n) {
    const ireneo_prepared *m = s->audited->memory;
    *n = (ireneo_neighbour){b->nearest, M_PI, M_PI, atan(b->random)};
    if (b->nearest == SIZE_MAX) return;
    n->angle = angle_between(m->patterns + own * m->neurons, s->squares[own],
                             m->patterns + b->nearest * m->neurons, s->squares[b->nearest], m->neurons);
    n->worst_angle = tie_towards(s, own, b->rival);
    n->random_angle = fmax(n->random_angle, n->worst_angle);
    n->random_angle = fmin(n->random_angle, 0.5 * M_PI);
}

static size_t fill_tile(const search *s, size_t tile, float *states) {
    const ireneo_audited *a = s->audited;
    size_t neurons = a->memory->neurons, first = tile * TILE,
           rows = a->count - first < TILE ? a->count - first : TILE;
    for (size_t r = 0; r < rows; r++) {
        size_t own = a->index[first + r];
        memcpy(states + r * neurons, a->memory->patterns + own * neurons, neurons * sizeof *states);
        ireneo_random_direction(a->memory, a->seed, own, states + (rows + r) * neurons);
    }
    return rows;
}

static ireneo_error search_tile(void *context, size_t tile, int thread) {
    const search *s = context;
    const ireneo_audited *a = s->audited;
    size_t neurons = a->memory->neurons;
    float *states = s->states + (size_t)thread * 2 * TILE * neurons,
          *scores = s->scores + (size_t)thread * 2 * TILE * BLOCK;
    size_t rows = fill_tile(s, tile, states);
    best found[TILE];
    for (size_t r = 0; r < rows; r++) found[r] = (best){-INFINITY, INFINITY, INFINITY, SIZE_MAX, SIZE_MAX};
    for (size_t first = 0; first < a->patterns; first += BLOCK) {
        size_t count = a->patterns - first < BLOCK ? a->patterns - first : BLOCK;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(2 * rows), (int)count, (int)neurons, 1.0f,
                    states, (int)neurons, a->memory->patterns + first * neurons, (int)neurons, 0.0f, scores,
                    (int)count);
        for (size_t r = 0; r < rows; r++)
            look_at_block(s, a->index[tile * TILE + r], first, count, scores + r * count,
                          scores + (rows + r) * count, &found[r]);
    }
    for (size_t r = 0; r < rows; r++)
        conclude(s, a->index[tile * TILE + r], &found[r], &s->found[tile * TILE + r]);
    return IRENEO_OK;
}

ireneo_error ireneo_find_neighbours(const ireneo_audited *a, ireneo_neighbour *found) {
    size_t neurons = a->memory->neurons, threads = (size_t)a->threads, cells;
    search s = {.audited = a, .found = found};
    IRENEO_TRY(ireneo_multiply_sizes(2 * TILE * threads, neurons, &cells, "tiles"));
    ireneo_error failed = IRENEO_ALLOCATE(&s.squares, a->patterns, "squared lengths");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s.states, cells, "tiles");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s.scores, 2 * TILE * BLOCK * threads, "scores");
    for (size_t mu = 0; failed == IRENEO_OK && mu < a->patterns; mu++)
        s.squares[mu] = ireneo_square_sum(a->memory->patterns + mu * neurons, neurons);
    if (failed == IRENEO_OK)
        failed = ireneo_parallel((a->count + TILE - 1) / TILE, a->threads, a->progress, "neighbours",
                                 search_tile, &s);
    free(s.squares);
    free(s.states);
    free(s.scores);
    return failed;
}
