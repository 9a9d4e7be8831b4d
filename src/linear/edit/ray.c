/* Weights that prove impossibility, from the least squares of what pairs miss.
 *
 * At the minimum of sum (c - <z, D>)_+^2 / 2 the misses v = (c - <z, D>)_+ satisfy sum v_p z_p = 0 and v . c = |v|^2: when some
 * are left, they are the proof. A vanishing ridge leads there; then v is projected on what cancels exactly, in steps
 * v <- v - (Q + e)^-1 Q v whose products are formed anew, so that only their rounding is left. */
#include "base/ram.h"
#include "linear/edit/least_change.h"
#include "linear/edit/pair_newton.h"
#include "linear/kernels/vector.h"

#include <math.h>
#include <string.h>

static const double RIDGES[] = {1e-2, 1e-4, 1e-6, 1e-8}; /* over the mean diagonal of Q */
static const double VANISHED = 1e-6; /* misses this small, over the needs, mean that all can be satisfied */
static const double POLISH_RIDGE = 1e-7, CANCELLED = 1e-11, SUPPORT = 1e-7;
enum { MOST_POLISHING = 12, MOST_DROPS = 20 };

static double largest(const double *v, size_t count) {
    double most = 0.0;
    for (size_t k = 0; k < count; k++) most = fmax(most, fabs(v[k]));
    return most;
}

/* Misses at the least-squares point, in ray. */
static ireneo_error find_misses(ireneo_edit_pairs *p, double *ray) {
    double *kept = NULL;
    size_t steps = 0;
    bool converged;
    IRENEO_TRY(IRENEO_ALLOCATE(&kept, p->count, "multipliers"));
    memcpy(kept, p->weight, p->count * sizeof *kept);
    memset(p->weight, 0, p->count * sizeof *p->weight);
    ireneo_error failed = IRENEO_OK;
    for (size_t k = 0; failed == IRENEO_OK && k < sizeof RIDGES / sizeof RIDGES[0]; k++)
        failed = ireneo_pair_newton(p, RIDGES[k] * p->diagonal, &steps, &converged);
    for (size_t k = 0; k < p->count; k++) ray[k] = fmax(0.0, p->needed[k] - p->gap[k]);
    memcpy(p->weight, kept, p->count * sizeof *kept);
    free(kept);
    return failed;
}

/* |sum v z| over sum v |z|, roughly: |z| is taken to be alike. */
static double uncancelled(const ireneo_edit_pairs *p, const double *v, const double *qv) {
    double sum = 0.0;
    for (size_t k = 0; k < p->count; k++) sum += fabs(v[k]);
    return sqrt(fmax(0.0, ireneo_dot_f64(v, qv, p->count)) / p->diagonal) / sum;
}

/* One projection on what cancels among the pairs with a weight; false when a weight became negative or vanished. */
static ireneo_error polish(ireneo_edit_pairs *p, double *ray, size_t *list, double *space, bool *positive) {
    double *qv = space, *x = space + p->count, floor = SUPPORT * largest(ray, p->count);
    size_t active = 0;
    for (size_t k = 0; k < p->count; k++) {
        if (ray[k] > floor)
            list[active++] = k;
        else
            ray[k] = 0.0;
    }
    for (int step = 0; step < MOST_POLISHING; step++) {
        ireneo_edit_pairs_product(p, ray, qv);
        if (uncancelled(p, ray, qv) < 1e-2 * CANCELLED) break;
        IRENEO_TRY(ireneo_pair_solve(p, list, active, POLISH_RIDGE * p->diagonal, qv, x));
        for (size_t k = 0; k < active; k++) ray[list[k]] -= x[list[k]];
    }
    *positive = true;
    floor = SUPPORT * largest(ray, p->count);
    for (size_t k = 0; k < active; k++) /* what the projection left of pairs that take no part goes, too */
        if (!(ray[list[k]] > floor)) *positive = false, ray[list[k]] = 0.0;
    return IRENEO_OK;
}

ireneo_error ireneo_find_ray(ireneo_edit_pairs *p, double *ray, bool *found) {
    size_t *list = NULL;
    double *space = NULL;
    bool positive = false;
    *found = false;
    ireneo_error failed = find_misses(p, ray);
    if (failed != IRENEO_OK || largest(ray, p->count) <= VANISHED * largest(p->needed, p->count))
        return failed;
    failed = IRENEO_ALLOCATE(&list, p->count, "weights of a proof");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&space, 2 * p->count, "weights of a proof");
    for (int k = 0; failed == IRENEO_OK && k < MOST_DROPS && !positive; k++)
        failed = polish(p, ray, list, space, &positive);
    if (failed == IRENEO_OK && positive) {
        double scale = largest(ray, p->count);
        for (size_t k = 0; k < p->count && scale > 0.0; k++) ray[k] /= scale;
        ireneo_edit_pairs_product(p, ray, space);
        *found = scale > 0.0 && ireneo_dot_f64(ray, p->needed, p->count) > 0.0 &&
                 uncancelled(p, ray, space) < CANCELLED * 100.0;
    }
    free(list), free(space);
    return failed;
}
