/* Gathering of white keys and working set. */
#include "linear/solver/whole.h"
#include "linear/facts/facts.h"

#include <stdlib.h>
#include <string.h>

static bool alone(const ireneo_attempt *a) {
    return a->problem.holding.ranks == NULL || a->problem.holding.ranks->count == 1;
}

/* (rows, size) of all ranks, on rank 0. */
static ireneo_error bring(const ireneo_attempt *a, const void *rows, size_t size, void **all) {
    size_t total;
    return ireneo_ranks_gather(a->problem.holding.ranks, 0, rows, a->problem.rows, size, all, &total);
}

/* Scores along the search line are not brought. */
static ireneo_error bring_set(const ireneo_attempt *a, ireneo_working_set *to) {
    const ireneo_working_set *l = &a->set;
    *to =
        (ireneo_working_set){.capacity = l->capacity, .dim = l->dim, .factored = l->factored, .own = l->own};
    to->rows = ireneo_facts_total(a->facts);
    IRENEO_TRY(bring(a, l->count, sizeof *l->count, (void **)&to->count));
    IRENEO_TRY(bring(a, l->index, l->capacity * sizeof *l->index, (void **)&to->index));
    IRENEO_TRY(bring(a, l->score, l->capacity * sizeof *l->score, (void **)&to->score));
    IRENEO_TRY(bring(a, l->target_score, sizeof *l->target_score, (void **)&to->target_score));
    if (!l->own) return IRENEO_OK;
    IRENEO_TRY(
        bring(a, l->own_values, l->capacity * l->dim * sizeof *l->own_values, (void **)&to->own_values));
    return bring(a, l->own_targets, l->dim * sizeof *l->own_targets, (void **)&to->own_targets);
}

static ireneo_error bring_problem(const ireneo_attempt *a, ireneo_problem *to) {
    *to = a->problem;
    to->x = NULL;
    to->holding = ireneo_holding_whole(ireneo_facts_total(a->facts));
    to->rows = to->holding.total;
    return bring(a, a->problem.x, a->problem.dim_in * sizeof *a->problem.x, (void **)&to->x);
}

static ireneo_error bring_all(const ireneo_attempt *a, ireneo_whole *w) {
    ireneo_attempt *g = &w->gathered;
    IRENEO_TRY(ireneo_whole_facts_make(a->facts, &w->facts));
    IRENEO_TRY(bring_problem(a, &g->problem));
    IRENEO_TRY(bring_set(a, &g->set));
    if (a->problem.holding.ranks->rank != 0) return IRENEO_OK;
    IRENEO_TRY(ireneo_scaled_facts_make(&w->facts.facts, &g->scaled));
    g->facts = &w->facts.facts;
    g->problem.facts = &g->scaled.facts;
    w->view = g;
    return IRENEO_OK;
}

ireneo_error ireneo_whole_gather(ireneo_attempt *a, ireneo_whole *w) {
    *w = (ireneo_whole){.view = alone(a) ? a : NULL};
    if (w->view != NULL) return IRENEO_OK;
    w->gathered = *a;
    w->gathered.recalled = w->gathered.given_up = w->gathered.kept = NULL;
    w->gathered.problem = (ireneo_problem){0};
    w->gathered.set = (ireneo_working_set){0};
    w->gathered.scaled = (ireneo_scaled_facts){0};
    ireneo_error failed = ireneo_ranks_agree(a->problem.holding.ranks, bring_all(a, w));
    if (failed != IRENEO_OK) ireneo_whole_free(w);
    return failed;
}

void ireneo_whole_free(ireneo_whole *w) {
    ireneo_whole_facts_free(&w->facts);
    free(w->gathered.problem.x);
    ireneo_working_set_free(&w->gathered.set);
    ireneo_scaled_facts_free(&w->gathered.scaled);
    memset(w, 0, sizeof *w);
}
