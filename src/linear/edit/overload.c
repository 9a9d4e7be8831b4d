/* When not all new facts fit: which to give up.
 *
 * Of facts about one position with different answers the first stays. Then the facts that weigh most in the proof that they do not fit, or whose multipliers are largest, go first, a twentieth at a
 * time; when the rest fits, halves of those given up are tried again, the lightest first. */
#include "base/ram.h"
#include "linear/edit/edit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DROPPED_SHARE = 20, MOST_RETURNS = 6 };

typedef struct burden {
    double weight;
    size_t fact;
} burden;

typedef struct choice {
    edit_work *e;
    double *margins; /* (facts) of the new ones, as asked */
    burden *dropped; /* (facts) in the order in which they went */
    size_t count;
} choice;

static int heaviest_first(const void *a, const void *b) {
    const burden *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return x->fact < y->fact ? -1 : 1;
}

/* What every new fact that is still in weighs. */
static size_t weigh(const choice *s, const ireneo_least_change *c, burden *all) {
    const ireneo_edit_pairs *p = &c->pairs;
    size_t held = 0;
    for (size_t i = 0; i < s->e->facts->facts; i++) {
        double weight = 0.0;
        if (!(s->e->problem.margins[i] > 0.0)) continue;
        for (int64_t k = p->head[i]; k != IRENEO_NO_PAIR; k = p->next[k])
            weight += c->impossible ? c->ray[k] : p->weight[k];
        all[held++] = (burden){weight, i};
    }
    qsort(all, held, sizeof *all, heaviest_first);
    return held;
}

static ireneo_error solve(choice *s, ireneo_least_change *c, bool *reached, bool *stopped) {
    ireneo_error failed = ireneo_edit_least_change(s->e, c, stopped);
    *reached = failed == IRENEO_OK && c->reached;
    return failed;
}

static void drop(choice *s, burden b) {
    s->e->problem.margins[b.fact] = -INFINITY;
    s->dropped[s->count++] = b;
}

/* Gives up a twentieth of what is left, at least one. */
static ireneo_error drop_some(choice *s, const ireneo_least_change *c) {
    burden *all = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&all, s->e->facts->facts, "facts to give up"));
    size_t held = weigh(s, c, all), going = held / DROPPED_SHARE + 1;
    for (size_t k = 0; k < going && k < held; k++) drop(s, all[k]);
    free(all);
    return IRENEO_OK;
}

/* Tries to take the lighter half of those given up back; *tried: the matrix may be that of a failed attempt. */
static ireneo_error take_back(choice *s, bool *tried, bool *stopped) {
    for (int k = 0; k < MOST_RETURNS && s->count > 0 && !*stopped; k++) {
        ireneo_least_change c = {.reached = false};
        bool reached = false;
        qsort(s->dropped, s->count, sizeof *s->dropped, heaviest_first);
        size_t stay = s->count / 2;
        while (stay < s->count && isinf(s->dropped[stay].weight)) stay++;
        if (stay == s->count) break;
        for (size_t q = stay; q < s->count; q++)
            s->e->problem.margins[s->dropped[q].fact] = s->margins[s->dropped[q].fact];
        ireneo_error failed = solve(s, &c, &reached, stopped);
        *tried = true;
        ireneo_least_change_free(&c);
        IRENEO_TRY(failed);
        if (reached) {
            s->count = stay;
            continue;
        }
        for (size_t q = stay; q < s->count; q++) { /* twice refused is twice as heavy */
            s->e->problem.margins[s->dropped[q].fact] = -INFINITY;
            s->dropped[q].weight = 2.0 * s->dropped[q].weight + 1.0;
        }
    }
    return IRENEO_OK;
}

/* Contested positions: heavier than anything that may come back. */
static void drop_contested(choice *s) {
    for (size_t i = 1; i < s->e->facts->facts; i++)
        for (size_t k = 0; k < i; k++) {
            if (!(s->e->problem.margins[k] > 0.0) || !ireneo_edit_contested(&s->e->result.all, k, i))
                continue;
            drop(s, (burden){INFINITY, i});
            break;
        }
}

static ireneo_error choose(choice *s, bool *stopped) {
    bool reached = false;
    size_t n = s->e->facts->facts;
    drop_contested(s);
    while (!reached && !*stopped && s->count <= n) {
        ireneo_least_change c = {.reached = false};
        ireneo_error failed = solve(s, &c, &reached, stopped);
        if (failed == IRENEO_OK && !reached && s->count < n) failed = drop_some(s, &c);
        ireneo_least_change_free(&c);
        IRENEO_TRY(failed);
        if (!reached && s->count == n) break;
    }
    bool returned = false;
    if (reached) IRENEO_TRY(take_back(s, &returned, stopped));
    if (!returned) return IRENEO_OK; /* the matrix is the one of the last solve */
    ireneo_least_change last = {.reached = false};
    ireneo_error failed = solve(s, &last, &reached, stopped);
    ireneo_least_change_free(&last);
    return failed;
}

ireneo_error ireneo_edit_overload(edit_work *e) {
    size_t n = e->facts->facts;
    bool stopped = false;
    choice s = {.e = e};
    ireneo_error failed = IRENEO_ALLOCATE(&s.margins, n, "margins");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&s.dropped, n + 1, "facts to give up");
    if (failed == IRENEO_OK) {
        memcpy(s.margins, e->problem.margins, n * sizeof *s.margins);
        failed = choose(&s, &stopped);
    }
    e->info->status = stopped ? IRENEO_STATUS_INTERRUPTED : IRENEO_STATUS_PARTIAL;
    snprintf(e->info->reason, sizeof e->info->reason, "%zu new facts were given up", s.count);
    free(s.margins), free(s.dropped);
    return failed;
}
