/* Facts without drowning scales. */
#include "linear/facts/scaled_facts.h"
#include "base/ram.h"
#include "linear/facts/facts.h"
#include "linear/facts/scale.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Lengths within 2^4 of the typical one carry no harm; typical sizes within 2^20 of one neither: float32 squares of
 * them are far from its limits. */
enum { UNLIKE = 4, FAR = 20, OWN_LOOKED_AT = 64 };

enum { EXPONENTS = 1024 }; /* from -512 on: far more than lengths of float32 vectors have */

/* The same counts on all ranks: of the vectors of all of them. */
static ireneo_error add_counts(ireneo_ranks *ranks, uint64_t *counts) {
    void *all = NULL;
    size_t total = 0;
    if (ranks == NULL || ranks->count == 1) return IRENEO_OK;
    IRENEO_TRY(ireneo_ranks_gather(ranks, IRENEO_ALL_RANKS, counts, EXPONENTS, sizeof *counts, &all, &total));
    memset(counts, 0, EXPONENTS * sizeof *counts);
    for (size_t k = 0; k < total; k++) counts[k % EXPONENTS] += ((const uint64_t *)all)[k];
    free(all);
    return IRENEO_OK;
}

/* Median of the exponents that were counted; 0 when none was. */
static int median_exponent(const uint64_t *counts) {
    uint64_t found = 0, below = 0;
    for (size_t k = 0; k < EXPONENTS; k++) found += counts[k];
    for (size_t k = 0; k < EXPONENTS; k++) {
        below += counts[k];
        if (below > found / 2) return (int)k - EXPONENTS / 2;
    }
    return 0;
}

/* Exponents (count) of the lengths of rows, and the median of all that are not zero, over all ranks. exponents may be
 * NULL. */
static ireneo_error typical_exponent(ireneo_ranks *ranks, const float *rows, size_t count, size_t dim,
                                     int *typical, int *exponents) {
    uint64_t counts[EXPONENTS] = {0};
    for (size_t i = 0; i < count; i++) {
        double norm = ireneo_norm_f32(rows + i * dim, dim);
        int exponent = ireneo_exponent(norm);
        if (exponents != NULL) exponents[i] = exponent;
        if (norm > 0.0) counts[exponent + EXPONENTS / 2]++;
    }
    IRENEO_TRY(add_counts(ranks, counts));
    *typical = median_exponent(counts);
    return IRENEO_OK;
}

/* Keys near the typical length stay as they are when that is near one. */
static void choose_each(ireneo_scaled_facts *s, int typical) {
    bool far = abs(typical) > FAR;
    for (size_t i = 0; i < s->original->facts; i++) {
        bool unlike = abs(s->key_exponent[i] - typical) > UNLIKE;
        if (!unlike)
            s->key_exponent[i] = far ? typical : 0;
        else if (!far)
            s->key_exponent[i] -= typical;
    }
}

static void choose_alike(ireneo_scaled_facts *s) {
    int longest = INT_MIN;
    for (size_t i = 0; i < s->original->facts; i++)
        if (s->key_exponent[i] > longest) longest = s->key_exponent[i];
    longest = (int)ireneo_ranks_largest(ireneo_facts_ranks(s->original), longest);
    for (size_t i = 0; i < s->original->facts; i++) s->key_exponent[i] = abs(longest) > FAR ? longest : 0;
}

/* All ranks scale, or none. */
static bool no_exponents(const ireneo_scaled_facts *s) {
    bool some = false;
    for (size_t i = 0; i < s->original->facts; i++) some |= s->key_exponent[i] != 0;
    return !ireneo_ranks_any(ireneo_facts_ranks(s->original), some);
}

static ireneo_error scale_keys(ireneo_scaled_facts *s, bool alike) {
    const ireneo_facts *f = s->original;
    int typical = 0;
    IRENEO_TRY(IRENEO_ALLOCATE(&s->key_exponent, f->facts, "lengths of keys"));
    IRENEO_TRY(
        typical_exponent(ireneo_facts_ranks(f), f->keys, f->facts, f->dim_in, &typical, s->key_exponent));
    if (alike)
        choose_alike(s);
    else
        choose_each(s, typical);
    if (no_exponents(s)) {
        free(s->key_exponent);
        s->key_exponent = NULL;
        return IRENEO_OK;
    }
    IRENEO_TRY(IRENEO_ALLOCATE(&s->keys, f->facts * f->dim_in, "scaled keys"));
    for (size_t i = 0; i < f->facts; i++) {
        double factor = ldexp(1.0, -s->key_exponent[i]);
        for (size_t k = 0; k < f->dim_in; k++)
            s->keys[i * f->dim_in + k] = (float)((double)f->keys[i * f->dim_in + k] * factor);
    }
    s->facts.keys = s->keys;
    return IRENEO_OK;
}

static ireneo_error scale_values(ireneo_scaled_facts *s) {
    const ireneo_facts *f = s->original;
    ireneo_ranks *ranks = ireneo_facts_ranks(f);
    ireneo_holding mine = ireneo_holding_spread(ranks, f->candidates);
    int typical = 0;
    size_t first, last;
    IRENEO_TRY(
        typical_exponent(ranks, f->values + mine.first * f->dim_out, mine.rows, f->dim_out, &typical, NULL));
    if (abs(typical) <= FAR) return IRENEO_OK;
    IRENEO_TRY(ireneo_shared_allocate(ranks, f->candidates * f->dim_out, sizeof(float), "scaled values",
                                      &s->values));
    double factor = ldexp(1.0, -typical);
    float *scaled = s->values.bytes;
    ireneo_shared_slice(ranks, f->candidates * f->dim_out, &first, &last);
    for (size_t k = first; k < last; k++) scaled[k] = (float)((double)f->values[k] * factor);
    ireneo_shared_settle(ranks, &s->values);
    s->facts.values = scaled;
    s->value_exponent = typical;
    return IRENEO_OK;
}

static void scaled_candidates(const void *context, size_t fact, size_t first, size_t count, float *values) {
    const ireneo_scaled_facts *s = context;
    double factor = ldexp(1.0, -s->value_exponent);
    s->original->own_candidates(s->original->own_context, fact, first, count, values);
    for (size_t k = 0; k < count * s->original->dim_out; k++) values[k] = (float)((double)values[k] * factor);
}

/* Own candidates are known by a few of the first fact. */
static ireneo_error scale_own(ireneo_scaled_facts *s) {
    const ireneo_facts *f = s->original;
    size_t looked_at = f->candidates < OWN_LOOKED_AT ? f->candidates : OWN_LOOKED_AT;
    float *values = NULL;
    int typical = 0;
    IRENEO_TRY(IRENEO_ALLOCATE(&values, looked_at * f->dim_out, "own candidates"));
    f->own_candidates(f->own_context, 0, 0, looked_at, values);
    ireneo_error failed = typical_exponent(NULL, values, looked_at, f->dim_out, &typical, NULL);
    ireneo_ranks_broadcast(ireneo_facts_ranks(f), 0, &typical, sizeof typical);
    free(values);
    if (failed != IRENEO_OK || abs(typical) <= FAR) return failed;
    s->value_exponent = typical;
    s->facts.own_candidates = scaled_candidates;
    s->facts.own_context = s;
    return IRENEO_OK;
}

static ireneo_error make(const ireneo_facts *facts, bool alike, ireneo_scaled_facts *s) {
    *s = (ireneo_scaled_facts){.facts = *facts, .original = facts};
    ireneo_error failed = scale_keys(s, alike);
    if (failed == IRENEO_OK) failed = facts->values != NULL ? scale_values(s) : scale_own(s);
    if (failed != IRENEO_OK) ireneo_scaled_facts_free(s);
    return failed;
}

ireneo_error ireneo_scaled_facts_make(const ireneo_facts *facts, ireneo_scaled_facts *scaled) {
    return make(facts, false, scaled);
}

ireneo_error ireneo_scaled_facts_make_alike(const ireneo_facts *facts, ireneo_scaled_facts *scaled) {
    return make(facts, true, scaled);
}

void ireneo_scaled_facts_free(ireneo_scaled_facts *s) {
    free(s->keys), free(s->key_exponent);
    ireneo_shared_free(&s->values);
    memset(s, 0, sizeof *s);
}

void ireneo_scaled_facts_certificate(const ireneo_scaled_facts *s, ireneo_certificate *c) {
    for (size_t k = 0; s->key_exponent != NULL && k < c->count; k++)
        c->weights[k] = ldexp(c->weights[k], -s->key_exponent[c->facts[k]]);
}
