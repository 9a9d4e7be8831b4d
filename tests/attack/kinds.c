#include "kinds.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

const char *const kind_names[KIND_COUNT] = {
    "gaussian",        "small integers", "copies",           "zero keys",   "one long key", "one short key",
    "all 1e30, 1e-30", "denormals",      "nearly dependent", "offset 1e4",  "hull points",  "opposite keys",
    "rank-deficient",  "identity 1e-30", "mixed columns",    "many to one", "decoupled"};

size_t kind_between(ireneo_generator *g, size_t least, size_t most) {
    return least + (size_t)ireneo_draw_below(g, most - least + 1);
}

static void scale(float *numbers, size_t count, double factor) {
    for (size_t k = 0; k < count; k++) numbers[k] = (float)((double)numbers[k] * factor);
}

static void normals(ireneo_generator *g, float *numbers, size_t count) {
    for (size_t k = 0; k < count; k++) numbers[k] = (float)ireneo_draw_normal(g);
}

static void integers(ireneo_generator *g, float *numbers, size_t count, size_t most) {
    for (size_t k = 0; k < count; k++) numbers[k] = (float)kind_between(g, 0, 2 * most) - (float)most;
}

static float *key(kind_instance *it, size_t i) {
    return it->keys + i * it->facts.dim_in;
}

static float *value(kind_instance *it, size_t j) {
    return it->values + j * it->facts.dim_out;
}

static float *random_key(kind_instance *it, ireneo_generator *g) {
    return key(it, kind_between(g, 0, it->facts.facts - 1));
}

static void copies(kind_instance *it, ireneo_generator *g) {
    ireneo_facts *f = &it->facts;
    size_t from = kind_between(g, 0, f->facts - 1), to = kind_between(g, 0, f->facts - 1);
    if (ireneo_draw_below(g, 2) == 0) {
        memmove(key(it, to), key(it, from), f->dim_in * sizeof(float));
        if (ireneo_draw_below(g, 2) == 0) it->targets[to] = it->targets[from];
        return;
    }
    from = kind_between(g, 0, f->candidates - 1), to = kind_between(g, 0, f->candidates - 1);
    memmove(value(it, to), value(it, from), f->dim_out * sizeof(float));
    for (size_t i = 0; i < f->facts; i++)
        if (ireneo_draw_below(g, 2) == 0 && it->targets[i] == (int64_t)to && f->candidates > 2)
            it->targets[i] = (int64_t)((to + 1) % f->candidates);
}

/* (1000, 1001), (1001, 1002), ...: angles of 1e-6. */
static void nearly_dependent(kind_instance *it, ireneo_generator *g) {
    double size = pow(10.0, (double)kind_between(g, 2, 6));
    for (size_t i = 0; i < it->facts.facts; i++)
        for (size_t b = 0; b < it->facts.dim_in; b++)
            key(it, i)[b] = (float)(size + (double)(i + b) + (double)ireneo_draw_below(g, 2));
}

/* A target that is the mean of two others, or inside a triangle, exactly: it can never win. Or only next to it. */
static void hull_point(kind_instance *it, ireneo_generator *g) {
    ireneo_facts *f = &it->facts;
    size_t corners = f->candidates > 3 ? kind_between(g, 2, 3) : 2,
           first = kind_between(g, 0, f->candidates - 1);
    integers(g, it->values, f->candidates * f->dim_out, 1000);
    if (f->candidates < 3) return;
    float *inside = value(it, first);
    for (size_t a = 0; a < f->dim_out; a++) {
        float sum = 0.0F;
        for (size_t c = 1; c <= corners; c++) {
            float *corner = value(it, (first + c) % f->candidates) + a;
            *corner *= corners == 2 ? 2.0F : 4.0F;
            sum += corners == 3 && c == 1 ? 2.0F * *corner : *corner;
        }
        inside[a] = sum / (corners == 2 ? 2.0F : 4.0F);
    }
    it->targets[0] = (int64_t)first;
    if (ireneo_draw_below(g, 4) == 0) inside[0] += 0.0009765625F;
}

static void opposite_keys(kind_instance *it, ireneo_generator *g) {
    for (size_t i = 1; i < it->facts.facts; i += 2) {
        memcpy(key(it, i), key(it, i - 1), it->facts.dim_in * sizeof(float));
        scale(key(it, i), it->facts.dim_in, -(double)kind_between(g, 1, 3));
    }
}

/* Few candidates, or few keys, or all of them in a plane. */
static void rank_deficient(kind_instance *it, ireneo_generator *g) {
    ireneo_facts *f = &it->facts;
    bool keys = ireneo_draw_below(g, 2) == 0;
    float *rows = keys ? it->keys : it->values;
    size_t count = keys ? f->facts : f->candidates, dim = keys ? f->dim_in : f->dim_out, rank = dim / 2 + 1;
    integers(g, rows, count * dim, 20);
    for (size_t r = rank; r < count; r++)
        for (size_t k = 0; k < dim; k++)
            rows[r * dim + k] = rows[(r % rank) * dim + k] + rows[k] * (float)(r / rank);
}

static void identity(kind_instance *it) {
    ireneo_facts *f = &it->facts;
    if (f->dim_in < 2) f->dim_in = 2;
    f->dim_out = f->dim_in, f->facts = f->candidates = f->dim_in;
    memset(it->keys, 0, sizeof it->keys);
    memset(it->values, 0, sizeof it->values);
    for (size_t i = 0; i < f->facts; i++) {
        key(it, i)[i] = value(it, i)[i] = 1e-30F;
        it->targets[i] = (int64_t)i;
    }
}

static void mixed_columns(kind_instance *it, ireneo_generator *g) {
    ireneo_facts *f = &it->facts;
    for (size_t b = 0; b < f->dim_in; b++) {
        double factor = pow(10.0, 30.0 * ireneo_draw_uniform(g) - 15.0);
        for (size_t i = 0; i < f->facts; i++) scale(key(it, i) + b, 1, factor);
    }
    for (size_t a = 0; a < f->dim_out && ireneo_draw_below(g, 2) == 0; a++) {
        double factor = pow(10.0, 30.0 * ireneo_draw_uniform(g) - 15.0);
        for (size_t j = 0; j < f->candidates; j++) scale(value(it, j) + a, 1, factor);
    }
}

static void all_scaled(kind_instance *it, ireneo_generator *g, double up, double down) {
    size_t which = kind_between(g, 1, 3);
    double factor = ireneo_draw_below(g, 2) == 0 ? up : down;
    if (which & 1) scale(it->keys, it->facts.facts * it->facts.dim_in, factor);
    if (which & 2) scale(it->values, it->facts.candidates * it->facts.dim_out, factor);
}

static void spoil(kind_instance *it, ireneo_generator *g) {
    static const double long_factors[] = {1e6, 1e7, 1e25};
    ireneo_facts *f = &it->facts;
    switch (it->kind) {
    case 1:
        integers(g, it->keys, f->facts * f->dim_in, 3);
        integers(g, it->values, f->candidates * f->dim_out, 3);
        break;
    case 2:
        for (size_t times = kind_between(g, 1, 3); times > 0; times--) copies(it, g);
        break;
    case 3:
        memset(random_key(it, g), 0, f->dim_in * sizeof(float));
        break;
    case 4:
        scale(random_key(it, g), f->dim_in, long_factors[ireneo_draw_below(g, 3)]);
        break;
    case 5:
        scale(random_key(it, g), f->dim_in, 1e-30);
        break;
    case 6:
        all_scaled(it, g, 1e30, 1e-30);
        break;
    case 7:
        all_scaled(it, g, 1e-40, 1e-42);
        break;
    case 8:
        nearly_dependent(it, g);
        break;
    case 9:
        for (size_t k = 0; k < f->facts * f->dim_in; k++) it->keys[k] += 1e4F;
        for (size_t k = 0; k < f->candidates * f->dim_out; k++) it->values[k] += 1e4F;
        break;
    case 10:
        hull_point(it, g);
        break;
    case 11:
        opposite_keys(it, g);
        break;
    case 12:
        rank_deficient(it, g);
        break;
    case 13:
        identity(it);
        break;
    case 14:
        mixed_columns(it, g);
        break;
    case 15:
        for (size_t i = 0; i < f->facts; i++)
            it->targets[i] = (int64_t)ireneo_draw_below(g, (f->candidates + 2) / 3);
        break;
    case 16:
        f->values = NULL;
        f->own_candidates = ireneo_sample_own_candidates;
        f->own_context = &it->sample;
        break;
    default:
        break;
    }
}

void kind_make(kind_instance *it, uint64_t seed, uint64_t number) {
    ireneo_generator g = {.seed = seed, .stream = number};
    memset(it, 0, sizeof *it);
    it->kind = (int)(number % KIND_COUNT);
    it->facts = (ireneo_facts){.facts = kind_between(&g, 1, KIND_MOST),
                               .candidates = kind_between(&g, 2, KIND_MOST),
                               .dim_in = kind_between(&g, 1, KIND_MOST_DIM),
                               .dim_out = kind_between(&g, 1, KIND_MOST_DIM),
                               .keys = it->keys,
                               .values = it->values,
                               .targets = it->targets};
    it->sample = (ireneo_sample){seed + number, it->facts.dim_in, it->facts.dim_out};
    normals(&g, it->keys, it->facts.facts * it->facts.dim_in);
    normals(&g, it->values, it->facts.candidates * it->facts.dim_out);
    for (size_t i = 0; i < it->facts.facts; i++)
        it->targets[i] = (int64_t)ireneo_draw_below(&g, it->facts.candidates);
    spoil(it, &g);
}
