/* One fact and one pair of a check: float64 decides where its rounding bound allows it, exact arithmetic the rest. */
#include "linear/scan/checker.h"
#include "base/ram.h"
#include "linear/facts/facts.h"
#include "linear/facts/scale.h"

#include <math.h>

size_t ireneo_check_stride(const ireneo_checker *c) {
    return ireneo_facts_total(c->facts) / IRENEO_SAMPLED_FACTS + 1;
}

void ireneo_check_restart(ireneo_checker *c) {
    for (int k = 0; k < c->threads; k++) {
        ireneo_check_thread *t = &c->thread[k];
        t->gap = t->seen = INFINITY;
        t->recomputed = 0;
        t->near.count = 0;
        t->exact_fact = c->facts->facts;
    }
}

void ireneo_check_begin(const ireneo_checker *c, size_t fact, const double *h, double *least,
                        ireneo_check_row *row) {
    const float *key = c->facts->keys + fact * c->facts->dim_in;
    double square = 0.0, key_norm = ireneo_norm_f32(key, c->facts->dim_in);
    for (size_t k = 0; k < c->facts->dim_out; k++) square += h[k] * h[k];
    *row = (ireneo_check_row){.fact = fact, .least = least};
    row->wanted =
        c->near != NULL && (c->near->unwanted == NULL || !c->near->unwanted[fact]) ? c->near->most : 0;
    if (row->wanted > 0)
        row->reach = ldexp(c->near->reach, c->near->exponent != NULL ? c->near->exponent[fact] : 0);
    row->gap = (ireneo_gap_row){.memory = c->memory,
                                .key = key,
                                .h = h,
                                .norm = sqrt(square) * (1.0 + 1e-6),
                                .error = c->error_rate * key_norm * (1.0 + 1e-6)};
}

static void remember_pair(ireneo_pairs *pairs, size_t fact, size_t candidate) {
    if (pairs->count == pairs->capacity) {
        size_t capacity = 2 * pairs->capacity + 256;
        ireneo_pair *items = realloc(pairs->items, capacity * sizeof *items);
        if (items == NULL) {
            pairs->broken = 1;
            return;
        }
        pairs->items = items;
        pairs->capacity = capacity;
    }
    pairs->items[pairs->count++] = (ireneo_pair){(uint32_t)fact, (uint32_t)candidate};
}

/* Keeps a gap among the smallest of its fact and returns the top-th smallest, an upper bound of what it will be in the end;
 * infinite while there are fewer. */
static double keep_least(const ireneo_checker *c, ireneo_check_row *row, double gap) {
    if (row->held == c->top && !(gap < row->least[c->top - 1])) return row->least[c->top - 1];
    size_t at = row->held < c->top ? row->held++ : c->top - 1;
    for (; at > 0 && row->least[at - 1] > gap; at--) row->least[at] = row->least[at - 1];
    row->least[at] = gap;
    return row->held == c->top ? row->least[c->top - 1] : INFINITY;
}

void ireneo_check_keep(const ireneo_checker *c, int thread, ireneo_check_row *row, size_t candidate,
                       double gap) {
    ireneo_check_thread *t = &c->thread[thread];
    double gap_so_far;
    if (!(gap > 0.0) && ++row->beaten >= c->top) row->fails = true;
    gap_so_far = c->top == 1 ? gap : keep_least(c, row, gap);
    if (gap_so_far < t->gap) t->gap = gap_so_far;
    if (row->wanted > 0 && gap <= row->reach) {
        row->wanted--;
        remember_pair(&t->near, row->fact, candidate);
    }
}

void ireneo_check_pair(const ireneo_checker *c, int thread, ireneo_check_row *row, size_t candidate,
                       const float *target, const float *other) {
    ireneo_check_thread *t = &c->thread[thread];
    double error, gap = ireneo_gap_f64(&row->gap, target, other, &error);
    bool decided = fabs(gap) > error;
    if (!decided && !row->fails) { /* of a fact that fails already an estimate is enough */
        row->gap.exact = t->exact;
        row->gap.known = t->exact_fact == row->fact;
        gap = ireneo_gap_exact(&row->gap, target, other);
        t->exact_fact = row->fact;
    }
    ireneo_check_keep(c, thread, row, candidate, gap);
}

void ireneo_check_end(const ireneo_checker *c, const ireneo_check_row *row) {
    c->recalled[row->fact] = !row->fails && row->shown == c->facts->candidates;
}
