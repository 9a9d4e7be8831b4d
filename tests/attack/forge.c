#include "forge.h"

#include "exact.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *const forge_names[FORGE_WAYS] = {
    "random weights",  "exponents -323..308", "all tiny",     "all huge",
    "one pair",        "some pairs",          "not a number", "indices",
    "swapped entries", "pairs many times",    "nearest sum",  "other facts"};

static double pick(ireneo_generator *g, const double *from, size_t count) {
    return from[ireneo_draw_below(g, count)];
}

/* The pair's matrix over its norm, into (dim_out, dim_in); returns the norm. */
static double unit_pair(const ireneo_facts *f, size_t fact, size_t candidate, double *a) {
    float right[KIND_MOST_DIM], wrong[KIND_MOST_DIM];
    size_t target = exact_target(f, fact), entries = f->dim_in * f->dim_out;
    if (f->values == NULL) {
        f->own_candidates(f->own_context, fact, target, 1, right);
        f->own_candidates(f->own_context, fact, candidate, 1, wrong);
    } else {
        memcpy(right, f->values + target * f->dim_out, f->dim_out * sizeof *right);
        memcpy(wrong, f->values + candidate * f->dim_out, f->dim_out * sizeof *wrong);
    }
    double square = 0.0;
    for (size_t e = 0; e < entries; e++) {
        a[e] = ((double)right[e / f->dim_in] - (double)wrong[e / f->dim_in]) *
               (double)f->keys[fact * f->dim_in + e % f->dim_in];
        square += a[e] * a[e];
    }
    for (size_t e = 0; e < entries; e++) a[e] /= sqrt(square);
    return sqrt(square);
}

/* Frank and Wolfe's way to the shortest convex combination of the unit pairs. */
static void find_nearest(forge_material *m) {
    enum { ENTRIES = KIND_MOST_DIM * KIND_MOST_DIM };
    static double units[KIND_MOST * KIND_MOST][ENTRIES];
    size_t entries = m->facts->dim_in * m->facts->dim_out;
    double sum[ENTRIES];
    for (size_t p = 0; p < m->pairs; p++) {
        m->norms[p] = unit_pair(m->facts, (size_t)m->fact[p], (size_t)m->candidate[p], units[p]);
        m->nearest[p] = p == 0 ? 1.0 : 0.0;
    }
    memcpy(sum, units[0], sizeof sum);
    for (int step = 1; step < 200; step++) {
        size_t best = 0;
        double least = INFINITY, share = 1.0 / (step + 1.0);
        for (size_t p = 0; p < m->pairs; p++) {
            double here = 0.0;
            for (size_t e = 0; e < entries; e++) here += sum[e] * units[p][e];
            if (here < least) least = here, best = p;
        }
        for (size_t p = 0; p < m->pairs; p++) m->nearest[p] *= 1.0 - share;
        m->nearest[best] += share;
        for (size_t e = 0; e < entries; e++) sum[e] += share * (units[best][e] - sum[e]);
    }
}

/* The same keys and values with targets that do not fit. */
static void find_other(forge_material *m, const kind_instance *it, ireneo_generator *g) {
    kind_instance other = *it;
    other.facts.keys = other.keys, other.facts.targets = other.targets;
    if (it->facts.values != NULL) other.facts.values = other.values;
    if (it->facts.own_context != NULL) other.facts.own_context = &other.sample;
    for (size_t i = 0; i < it->facts.facts; i++)
        other.targets[i] = (int64_t)ireneo_draw_below(g, it->facts.candidates);
    ireneo_store_settings settings = {.threads = 1, .max_scans = 4};
    ireneo_memory *memory = NULL;
    ireneo_store_result result;
    if (ireneo_store(&other.facts, &settings, &memory, &result, NULL) != IRENEO_OK) return;
    m->other = result.certificate;
    free(result.kept);
    ireneo_memory_free(memory);
}

void forge_prepare(forge_material *m, const kind_instance *it, ireneo_generator *g) {
    const ireneo_facts *f = &it->facts;
    memset(m, 0, sizeof *m);
    m->facts = f;
    for (size_t i = 0; i < f->facts; i++)
        for (size_t j = 0; j < f->candidates; j++) {
            if (j == exact_target(f, i)) continue;
            m->fact[m->pairs] = (int64_t)i;
            m->candidate[m->pairs++] = (int64_t)j;
        }
    find_nearest(m);
    find_other(m, it, g);
}

void forge_release(forge_material *m) {
    ireneo_certificate_free(m->other);
}

static void add(forgery *out, int64_t fact, int64_t candidate, double weight) {
    size_t k = out->certificate.count;
    if (k == FORGE_MOST) return;
    out->facts[k] = fact, out->candidates[k] = candidate, out->weights[k] = weight;
    out->certificate.count++;
}

static double weight_of(int way, double nearest, ireneo_generator *g) {
    static const double tiny[] = {5e-324, 1e-320, DBL_MIN, 1e-200, 1e-165, 1e-150},
                        huge[] = {DBL_MAX, 1.7e308, 1e300, 1e200, 1e155};
    switch (way) {
    case 1:
        return pow(10.0, 631.0 * ireneo_draw_uniform(g) - 323.0);
    case 2:
        return pick(g, tiny, sizeof tiny / sizeof *tiny);
    case 3:
        return pick(g, huge, sizeof huge / sizeof *huge);
    case 10:
        return nearest;
    default:
        return ireneo_draw_uniform(g);
    }
}

/* One entry spoiled, or two exchanged. */
static void spoil(forgery *out, int way, ireneo_generator *g) {
    static const double numbers[] = {NAN, INFINITY, -INFINITY, -1.0, 0.0, -0.0, -1e-300};
    static const int64_t indices[] = {-1, INT64_MIN, INT64_MAX, 1000000, 12};
    size_t count = out->certificate.count, k = ireneo_draw_below(g, count), l = ireneo_draw_below(g, count);
    if (way == 6) out->weights[k] = pick(g, numbers, sizeof numbers / sizeof *numbers);
    if (way == 7)
        (ireneo_draw_below(g, 2) == 0 ? out->facts : out->candidates)[k] = indices[ireneo_draw_below(g, 5)];
    if (way == 8) {
        int64_t fact = out->facts[k], candidate = out->candidates[k];
        out->facts[k] = out->facts[l], out->facts[l] = fact;
        out->candidates[k] = out->candidates[l], out->candidates[l] = candidate;
    }
}

/* Scaled as a whole, one weight changed, or as it is. */
static void disguise(forgery *out, ireneo_generator *g) {
    size_t count = out->certificate.count;
    int exponent = (int)kind_between(g, 0, 2000) - 1000;
    switch (ireneo_draw_below(g, 4)) {
    case 0:
        for (size_t k = 0; k < count; k++) out->weights[k] = ldexp(out->weights[k], exponent);
        break;
    case 1:
        out->weights[ireneo_draw_below(g, count)] *= pow(10.0, 40.0 * ireneo_draw_uniform(g) - 20.0);
        break;
    default:
        break;
    }
}

static void take_other(forgery *out, const forge_material *m, ireneo_generator *g) {
    const ireneo_certificate *other = m->other;
    for (size_t k = 0; other != NULL && k < other->count; k++) {
        int64_t candidate = other->candidates[k];
        if ((size_t)candidate ==
            exact_target(m->facts, (size_t)other->facts[k])) { /* would be refused at sight */
            if (ireneo_draw_below(g, 2) == 0) continue;
            candidate = (candidate + 1) % (int64_t)m->facts->candidates;
        }
        add(out, other->facts[k], candidate, other->weights[k]);
    }
}

void forge(forgery *out, const forge_material *m, int way, ireneo_generator *g) {
    memset(&out->certificate, 0, sizeof out->certificate);
    size_t only = ireneo_draw_below(g, m->pairs), repeats = way == 9 ? 7 : 1;
    bool raw =
        way == 10 && ireneo_draw_below(g, 2) == 0; /* weights of the pairs as they are, or of unit pairs */
    if (way == 11)
        take_other(out, m, g);
    else
        for (size_t p = 0; p < m->pairs; p++) {
            bool left_out = (way == 4 && p != only) ||
                            (way >= 5 && way <= 8 && ireneo_draw_below(g, 2) == 0) ||
                            (way == 10 && m->nearest[p] == 0.0);
            for (size_t r = 0; r < repeats && !left_out; r++)
                add(out, m->fact[p], m->candidate[p],
                    weight_of(way, m->nearest[p], g) / (raw ? m->norms[p] : 1.0));
        }
    if (out->certificate.count == 0) add(out, m->fact[only], m->candidate[only], 1.0);
    spoil(out, way, g);
    if (way >= 9 || way == 4 || way == 0) disguise(out, g);
    out->certificate.facts = out->facts, out->certificate.candidates = out->candidates;
    out->certificate.weights = out->weights;
    if (ireneo_facts_hash(m->facts, out->certificate.facts_hash) != IRENEO_OK) abort();
}
