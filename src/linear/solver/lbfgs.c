/* The two-loop recursion (Nocedal 1980). */
#include "linear/solver/lbfgs.h"
#include "base/ram.h"
#include "linear/kernels/vector.h"

#include <math.h>
#include <string.h>

enum { MOST_HISTORY = 64 };
static const double LEAST_CURVATURE = 1e-12; /* <s, y> / <y, y> below which a pair is rounding noise */

ireneo_error ireneo_lbfgs_allocate(size_t length, size_t history, int threads, ireneo_lbfgs *lbfgs) {
    memset(lbfgs, 0, sizeof *lbfgs);
    lbfgs->length = length;
    lbfgs->history = history < MOST_HISTORY ? history : MOST_HISTORY;
    lbfgs->threads = threads;
    size_t count;
    IRENEO_TRY(ireneo_multiply_sizes(lbfgs->history, length, &count, "L-BFGS history"));
    ireneo_error failed = IRENEO_ALLOCATE(&lbfgs->steps, count, "L-BFGS history");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&lbfgs->changes, count, "L-BFGS history");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&lbfgs->products, lbfgs->history, "L-BFGS history");
    if (failed != IRENEO_OK) ireneo_lbfgs_free(lbfgs);
    return failed;
}

void ireneo_lbfgs_free(ireneo_lbfgs *lbfgs) {
    free(lbfgs->steps);
    free(lbfgs->changes);
    free(lbfgs->products);
    memset(lbfgs, 0, sizeof *lbfgs);
}

void ireneo_lbfgs_forget(ireneo_lbfgs *lbfgs) {
    lbfgs->used = lbfgs->next = 0;
}

static size_t newest(const ireneo_lbfgs *l, size_t age) {
    return (l->next + l->history - 1 - age) % l->history;
}

void ireneo_lbfgs_direction(const ireneo_lbfgs *l, const float *gradient, float *direction) {
    double weight[MOST_HISTORY], product;
    size_t n = l->length;
    for (size_t k = 0; k < n; k++) direction[k] = -gradient[k];
    if (l->used == 0) return;
    product = ireneo_dot(l->steps + newest(l, 0) * n, direction, n, l->threads);
    for (size_t age = 0; age < l->used; age++) { /* from the newest to the oldest */
        size_t at = newest(l, age), older = newest(l, age + 1);
        weight[at] = product * l->products[at];
        if (age + 1 < l->used)
            product = ireneo_axpy_dot(-weight[at], l->changes + at * n, direction, l->steps + older * n, n,
                                      l->threads);
        else
            ireneo_axpy(-weight[at], l->changes + at * n, direction, n, l->threads);
    }
    for (size_t k = 0; k < n; k++) direction[k] *= (float)l->scale;
    product = ireneo_dot(l->changes + newest(l, l->used - 1) * n, direction, n, l->threads);
    for (size_t age = l->used; age-- > 0;) { /* and back */
        size_t at = newest(l, age);
        double by = weight[at] - product * l->products[at];
        if (age > 0)
            product = ireneo_axpy_dot(by, l->steps + at * n, direction, l->changes + newest(l, age - 1) * n,
                                      n, l->threads);
        else
            ireneo_axpy(by, l->steps + at * n, direction, n, l->threads);
    }
}

void ireneo_lbfgs_remember(ireneo_lbfgs *l, double scale, const float *direction, const float *old_gradient,
                           const float *new_gradient) {
    float *step = l->steps + l->next * l->length, *change = l->changes + l->next * l->length,
          factor = (float)scale;
    for (size_t k = 0; k < l->length; k++) {
        step[k] = factor * direction[k];
        change[k] = new_gradient[k] - old_gradient[k];
    }
    double product = ireneo_dot(step, change, l->length, l->threads),
           square = ireneo_dot(change, change, l->length, l->threads);
    if (!(product > LEAST_CURVATURE * square) || square == 0.0) return;
    l->products[l->next] = 1.0 / product;
    l->scale = product / square;
    l->next = (l->next + 1) % l->history;
    if (l->used < l->history) l->used++;
}
