/* Values with what they have in common taken off, and scaled. */
#include "linear/scan/recall_values.h"
#include "base/floats.h"
#include "base/pool.h"
#include "base/ram.h"
#include "linear/facts/scale.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    SAMPLE = 256, /* values whose mean is taken; any vector near it would do */
    PARTS = 64    /* of the candidates, shared among threads */
};

/* Values of norms in this range are scanned as they are. */
static const double SHORTEST = 1e-15, LONGEST = 1e15;

/* The mean is taken off when its square is this share of the mean square: below that little is gained. */
static const double SHARE = 0.25;

typedef struct look {
    const float *values;
    size_t candidates, dim;
    const double *mean; /* (dim); NULL: none is taken off */
    double factor;
    float *copy;
    double largest[PARTS], longest[PARTS];
} look;

/* Mean (dim) of some values. Returns whether it is large against them. */
static bool find_mean(const look *l, double *mean) {
    size_t every = l->candidates / SAMPLE + 1, count = (l->candidates + every - 1) / every;
    double square = 0.0, common = 0.0;
    for (size_t j = 0; j < l->candidates; j += every) {
        const float *value = l->values + j * l->dim;
        for (size_t k = 0; k < l->dim; k++) mean[k] += (double)value[k] / (double)count;
        square += ireneo_square_sum(value, l->dim) / (double)count;
    }
    for (size_t k = 0; k < l->dim; k++) common += mean[k] * mean[k];
    return count > 1 && common >= SHARE * square && common > 0.0;
}

static void find_largest(void *context, size_t part, int thread) {
    (void)thread;
    look *l = context;
    for (size_t j = part * l->candidates / PARTS; j < (part + 1) * l->candidates / PARTS; j++) {
        const float *value = l->values + j * l->dim;
        double square = 0.0;
        for (size_t k = 0; l->mean != NULL && k < l->dim; k++)
            square += ((double)value[k] - l->mean[k]) * ((double)value[k] - l->mean[k]);
        l->longest[part] = fmax(l->longest[part], ireneo_norm_f32(value, l->dim));
        l->largest[part] = l->mean != NULL ? fmax(l->largest[part], sqrt(square)) : l->longest[part];
    }
}

static void copy_part(void *context, size_t part, int thread) {
    (void)thread;
    const look *l = context;
    for (size_t j = part * l->candidates / PARTS; j < (part + 1) * l->candidates / PARTS; j++)
        for (size_t k = 0; k < l->dim; k++) {
            double value = (double)l->values[j * l->dim + k] - (l->mean != NULL ? l->mean[k] : 0.0);
            l->copy[j * l->dim + k] = (float)(value * l->factor);
        }
}

/* A copy whose longest entry has norm 1/2 .. 1. */
static ireneo_error copy_values(look *l, int threads, ireneo_recall_values *v) {
    IRENEO_TRY(IRENEO_ALLOCATE(&v->copy, l->candidates * l->dim, "scaled values"));
    l->copy = v->copy;
    l->factor = ldexp(1.0, -ireneo_exponent(v->largest) - 1);
    ireneo_share(PARTS, threads, copy_part, l);
    v->entries = v->copy;
    v->largest *= l->factor;
    v->longest *= l->factor;
    return IRENEO_OK;
}

ireneo_error ireneo_recall_values_make(const float *values, size_t candidates, size_t dim, int threads,
                                       ireneo_recall_values *v) {
    look l = {.values = values, .candidates = candidates, .dim = dim};
    double *mean = NULL;
    *v = (ireneo_recall_values){.entries = values};
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&mean, dim, "mean value"));
    if (find_mean(&l, mean)) l.mean = mean;
    ireneo_share(PARTS, threads, find_largest, &l);
    for (size_t part = 0; part < PARTS; part++) {
        v->largest = fmax(v->largest, l.largest[part] * (1.0 + 1e-6));
        v->longest = fmax(v->longest, l.longest[part] * (1.0 + 1e-6));
    }
    ireneo_error failed = IRENEO_OK;
    if (l.mean != NULL || !(v->largest >= SHORTEST && v->largest <= LONGEST))
        failed = copy_values(&l, threads, v);
    free(mean);
    return failed;
}

void ireneo_recall_values_free(ireneo_recall_values *v) {
    free(v->copy);
    memset(v, 0, sizeof *v);
}
