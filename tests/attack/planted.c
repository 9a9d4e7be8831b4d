#include "planted.h"

#include "exact.h"

#include <math.h>
#include <stdlib.h>

static const float *value_of(const ireneo_facts *f, size_t fact, size_t candidate, float *scratch) {
    if (f->values != NULL) return f->values + candidate * f->dim_out;
    f->own_candidates(f->own_context, fact, candidate, 1, scratch);
    return scratch;
}

/* <W, (y_t - y_j) x^T> over the norms. float32 differences and products of this size are safe in long double. */
static double angle(const ireneo_facts *f, const float *matrix, size_t fact, size_t target, size_t j) {
    float first[KIND_MOST_DIM], second[KIND_MOST_DIM];
    const float *right = value_of(f, fact, target, first), *wrong = value_of(f, fact, j, second);
    long double gap = 0, w = 0, y = 0, x = 0;
    for (size_t a = 0; a < f->dim_out; a++) {
        long double difference = (long double)right[a] - (long double)wrong[a];
        y += difference * difference;
        for (size_t b = 0; b < f->dim_in; b++) {
            long double entry = (long double)matrix[a * f->dim_in + b],
                        k = (long double)f->keys[fact * f->dim_in + b];
            gap += entry * difference * k;
            w += entry * entry;
            x += a == 0 ? k * k : 0;
        }
    }
    return (double)(gap / sqrtl(w * y * x));
}

static size_t best_candidate(const ireneo_facts *f, const float *matrix, size_t fact) {
    size_t best = 0;
    for (size_t j = 1; j < f->candidates; j++)
        if (angle(f, matrix, fact, j, best) > 0.0) best = j;
    return best;
}

static double smallest_angle(const ireneo_facts *f, const float *matrix) {
    double smallest = 1.0;
    for (size_t i = 0; i < f->facts; i++)
        for (size_t j = 0; j < f->candidates; j++) {
            if (j == (size_t)f->targets[i]) continue;
            double here = angle(f, matrix, i, (size_t)f->targets[i], j);
            if (!(here >= smallest)) smallest = here; /* NaN, for a pair of norm zero, stays */
        }
    return smallest;
}

bool planted_make(kind_instance *it, uint64_t seed, uint64_t number) {
    ireneo_generator g = {.seed = seed, .stream = number, .next = 1000};
    float matrix[KIND_MOST_DIM * KIND_MOST_DIM];
    kind_make(it, seed, number);
    for (size_t k = 0; k < it->facts.dim_in * it->facts.dim_out; k++)
        matrix[k] = (float)ireneo_draw_normal(&g);
    for (size_t i = 0; i < it->facts.facts; i++)
        it->targets[i] = (int64_t)best_candidate(&it->facts, matrix, i);
    if (!(smallest_angle(&it->facts, matrix) > 1e-6)) return false;
    ireneo_memory m = {.dim_in = it->facts.dim_in, .dim_out = it->facts.dim_out, .matrix = matrix};
    return exact_recalled(&m, &it->facts, NULL) == it->facts.facts;
}
