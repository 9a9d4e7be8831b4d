/* Wolfe's algorithm for the point nearest to the origin in the convex hull of z_j = y_j - y_target.
 *
 * A corral is a small set of points of which the nearest point is a mean with positive weights. A step adds the z_j that
 * lies lowest along the nearest point x; if none lies lower than x itself, x is the answer. Otherwise the point nearest
 * to the origin in the affine hull of the corral is found; where its weights are not positive, points leave. The
 * answer is zero, or the target sticks out of the hull of the others along -x. */
#include "linear/certificate/hull.h"
#include "base/ram.h"
#include "linear/certificate/certificate.h"
#include "linear/certificate/scaled_pairs.h"
#include "linear/facts/facts.h"
#include "linear/facts/scale.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST_STEPS = 2000, NAMED = 3 };

/* Distances below this share of the longest z are zero, and steps that gain less are none. */
static const double VANISHED = 1e-13, GAIN = 1e-12;

typedef struct corral {
    const ireneo_facts *f;
    size_t fact, target, dim, size, room;
    int exponent;      /* of the values: z are divided by 2^exponent */
    size_t *candidate; /* (room) */
    double *point;     /* (room, dim) z of each */
    double *weight;    /* (room) */
    double *trial;     /* (room + 1) weights in the affine hull */
    double *gram;      /* (room + 1, room + 1) */
    int *pivot;        /* (room + 1) */
    double *x;         /* (dim) nearest point */
    double *z;         /* (dim) scratch */
    float *space;      /* (2, dim) own candidates */
    double longest;
} corral;

static void difference(corral *c, size_t candidate, double *z) {
    const ireneo_facts *f = c->f;
    const float *other = c->space + c->dim, *target = c->space;
    if (f->values != NULL) {
        other = f->values + candidate * c->dim;
        target = f->values + c->target * c->dim;
    } else {
        f->own_candidates(f->own_context, c->fact, candidate, 1, c->space + c->dim);
        f->own_candidates(f->own_context, c->fact, c->target, 1, c->space);
    }
    double factor = ldexp(1.0, -c->exponent);
    for (size_t a = 0; a < c->dim; a++) z[a] = ((double)other[a] - (double)target[a]) * factor;
}

static void find_nearest(corral *c) {
    memset(c->x, 0, c->dim * sizeof *c->x);
    for (size_t k = 0; k < c->size; k++)
        cblas_daxpy((int)c->dim, c->weight[k], c->point + k * c->dim, 1, c->x, 1);
}

/* The candidate lowest along x that is not in the corral; *height receives <z, x>. */
static size_t lowest(corral *c, double *height) {
    size_t best = c->f->candidates;
    *height = INFINITY;
    for (size_t j = 0; j < c->f->candidates; j++) {
        if (j == c->target) continue;
        difference(c, j, c->z);
        double at = cblas_ddot((int)c->dim, c->z, 1, c->x, 1), length = ireneo_norm_f64(c->z, c->dim);
        if (length > c->longest) c->longest = length;
        if (at < *height) *height = at, best = j;
    }
    return best;
}

static void join(corral *c, size_t candidate, double weight) {
    c->candidate[c->size] = candidate;
    difference(c, candidate, c->point + c->size * c->dim);
    c->weight[c->size++] = weight;
}

static void leave(corral *c, size_t place) {
    c->size--;
    c->candidate[place] = c->candidate[c->size];
    c->weight[place] = c->weight[c->size];
    memmove(c->point + place * c->dim, c->point + c->size * c->dim, c->dim * sizeof *c->point);
}

/* Weights that sum to one of the point nearest to the origin in the affine hull: (G 1; 1^T 0) (l; m) = (0; 1). */
static bool solve_affine(corral *c) {
    int n = (int)c->size + 1;
    for (size_t i = 0; i < c->size; i++)
        for (size_t j = 0; j < c->size; j++)
            c->gram[i * (c->size + 1) + j] =
                cblas_ddot((int)c->dim, c->point + i * c->dim, 1, c->point + j * c->dim, 1);
    for (size_t i = 0; i <= c->size; i++) {
        c->gram[i * (c->size + 1) + c->size] = c->gram[c->size * (c->size + 1) + i] = i < c->size ? 1.0 : 0.0;
        c->trial[i] = i < c->size ? 0.0 : 1.0;
    }
    return LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, 1, c->gram, n, c->pivot, c->trial, 1) == 0;
}

/* Moves the weights towards those of the affine hull until one vanishes, and lets it leave; false when it got there. */
static bool shrink(corral *c) {
    double step = 1.0;
    size_t first = c->size;
    for (size_t k = 0; k < c->size; k++) {
        if (c->trial[k] > 0.0) continue;
        double until = c->weight[k] / (c->weight[k] - c->trial[k]);
        if (until <= step) step = until, first = k;
    }
    for (size_t k = 0; k < c->size; k++) c->weight[k] += step * (c->trial[k] - c->weight[k]);
    bool left = first < c->size;
    if (left) leave(c, first);
    return left;
}

/* *inside: the origin lies in the hull. */
static bool run(corral *c) {
    double height;
    c->x[0] = 1.0; /* any direction will do for the first point */
    join(c, lowest(c, &height), 1.0);
    for (int step = 0; step < MOST_STEPS; step++) {
        find_nearest(c);
        double square = cblas_ddot((int)c->dim, c->x, 1, c->x, 1);
        if (sqrt(square) <= VANISHED * c->longest) return true;
        size_t next = lowest(c, &height);
        if (!(height < square - GAIN * c->longest * c->longest) || c->size == c->room) return false;
        for (size_t k = 0; k < c->size; k++)
            if (c->candidate[k] == next) return false; /* rounding: nothing new to gain */
        join(c, next, 0.0);
        do {
            if (!solve_affine(c)) return false;
        } while (shrink(c) && c->size > 1);
        if (c->size == 1) c->weight[0] = 1.0;
    }
    return false;
}

static ireneo_error make_certificate(const corral *c, ireneo_certificate **out) {
    char names[96] = "";
    IRENEO_TRY(ireneo_certificate_allocate(c->size, out));
    for (size_t k = 0; k < c->size; k++) {
        (*out)->facts[k] = (int64_t)c->fact;
        (*out)->candidates[k] = (int64_t)c->candidate[k];
        (*out)->weights[k] = c->weight[k];
        size_t used = strlen(names);
        if (k < NAMED)
            snprintf(names + used, sizeof names - used, "%s%zu", k > 0 ? ", " : "", c->candidate[k]);
    }
    snprintf((*out)->reason, sizeof(*out)->reason,
             "the value of fact %zu lies among other candidates (%s%s), so it can never win", c->fact, names,
             c->size > NAMED ? ", ..." : "");
    return IRENEO_OK;
}

static ireneo_error allocate(corral *c) {
    IRENEO_TRY(IRENEO_ALLOCATE(&c->candidate, c->room, "hull of candidates"));
    IRENEO_TRY(IRENEO_ALLOCATE(&c->point, c->room * c->dim, "hull of candidates"));
    IRENEO_TRY(IRENEO_ALLOCATE(&c->weight, c->room, "hull of candidates"));
    IRENEO_TRY(IRENEO_ALLOCATE(&c->trial, c->room + 1, "hull of candidates"));
    IRENEO_TRY(IRENEO_ALLOCATE(&c->gram, (c->room + 1) * (c->room + 1), "hull of candidates"));
    IRENEO_TRY(IRENEO_ALLOCATE(&c->pivot, c->room + 1, "hull of candidates"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&c->x, c->dim, "hull of candidates"));
    IRENEO_TRY(IRENEO_ALLOCATE(&c->z, c->dim, "hull of candidates"));
    return IRENEO_ALLOCATE(&c->space, 2 * c->dim, "hull of candidates");
}

ireneo_error ireneo_find_hull_point(const ireneo_facts *facts, size_t fact,
                                    ireneo_certificate **certificate) {
    corral c = {.f = facts,
                .fact = fact,
                .target = ireneo_target_of(facts, fact),
                .dim = facts->dim_out,
                .room = facts->dim_out + 2};
    *certificate = NULL;
    if (facts->values != NULL)
        c.exponent = ireneo_exponent(ireneo_norm_f32(facts->values + c.target * c.dim, c.dim));
    ireneo_error failed = allocate(&c);
    if (failed == IRENEO_OK && run(&c)) failed = make_certificate(&c, certificate);
    free(c.candidate), free(c.point), free(c.weight), free(c.trial), free(c.gram), free(c.pivot), free(c.x),
        free(c.z);
    free(c.space);
    return failed;
}
