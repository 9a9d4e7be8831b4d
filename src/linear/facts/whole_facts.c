/* Rows go from every rank to the first rank of every node, which puts them into the memory of the node. */
#include "linear/facts/whole_facts.h"
#include "base/ram.h"
#include "linear/facts/facts.h"

#include <string.h>

/* Who receives, and how many rows every rank has. */
typedef struct gathering {
    ireneo_ranks *ranks;
    uint64_t *shares; /* (ranks, 2): rows of each, and whether it is the first of its node */
} gathering;

static ireneo_error plan(const ireneo_facts *f, gathering *g) {
    uint64_t mine[2] = {f->facts, g->ranks->rank_in_node == 0};
    void *all = NULL;
    size_t total = 0;
    IRENEO_TRY(ireneo_ranks_gather(g->ranks, IRENEO_ALL_RANKS, mine, 1, sizeof mine, &all, &total));
    g->shares = all;
    return IRENEO_OK;
}

/* rows (facts, each bytes) of all ranks, into the shared memory. */
static ireneo_error gather_rows(const gathering *g, const void *rows, size_t each, const char *what,
                                ireneo_shared *shared) {
    ireneo_ranks *r = g->ranks;
    size_t total = 0, at = 0;
    for (size_t k = 0; k < r->count; k++) total += g->shares[2 * k];
    IRENEO_TRY(ireneo_shared_allocate(r, total, each, what, shared));
    const void **out = NULL;
    void **in = NULL;
    size_t *sizes = NULL;
    ireneo_error failed = IRENEO_ALLOCATE(&out, r->count, what);
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&in, r->count, what);
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&sizes, 2 * r->count, what);
    failed = ireneo_ranks_agree(r, failed);
    if (failed == IRENEO_OK) {
        size_t *out_sizes = sizes, *in_sizes = sizes + r->count;
        for (size_t k = 0; k < r->count; k++) {
            out[k] = rows;
            if (g->shares[2 * k + 1]) out_sizes[k] = g->shares[2 * r->rank] * each;
            in[k] = (char *)shared->bytes + at;
            if (r->rank_in_node == 0) in_sizes[k] = g->shares[2 * k] * each;
            at += g->shares[2 * k] * each;
        }
        ireneo_ranks_exchange(r, out, out_sizes, in, in_sizes);
        ireneo_shared_settle(r, shared);
    }
    free((void *)out), free((void *)in), free(sizes);
    return failed;
}

static void copy_own(const void *context, size_t fact, size_t first, size_t count, float *values) {
    const ireneo_whole_facts *whole = context;
    size_t dim = whole->facts.dim_out;
    const float *own = whole->own.bytes;
    memcpy(values, own + (fact * whole->facts.candidates + first) * dim, count * dim * sizeof *values);
}

/* Own candidates are made here and sent like the other rows. */
static ireneo_error gather_own(const gathering *g, const ireneo_facts *f, ireneo_whole_facts *whole) {
    size_t set = 0;
    float *made = NULL;
    ireneo_error failed = ireneo_multiply_sizes(f->candidates, f->dim_out, &set, "own candidates");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&made, f->facts * set, "own candidates");
    failed = ireneo_ranks_agree(g->ranks, failed);
    for (size_t i = 0; failed == IRENEO_OK && i < f->facts; i++)
        f->own_candidates(f->own_context, i, 0, f->candidates, made + i * set);
    if (failed == IRENEO_OK) failed = gather_rows(g, made, set * sizeof *made, "own candidates", &whole->own);
    free(made);
    whole->facts.own_candidates = copy_own;
    whole->facts.own_context = whole;
    return failed;
}

static ireneo_error gather(const gathering *g, const ireneo_facts *f, ireneo_whole_facts *whole) {
    IRENEO_TRY(gather_rows(g, f->keys, f->dim_in * sizeof *f->keys, "all keys", &whole->keys));
    whole->facts.keys = whole->keys.bytes;
    if (f->targets != NULL)
        IRENEO_TRY(gather_rows(g, f->targets, sizeof *f->targets, "all targets", &whole->targets));
    whole->facts.targets = whole->targets.bytes;
    if (f->residuals != NULL)
        IRENEO_TRY(gather_rows(g, f->residuals, f->dim_out * sizeof *f->residuals, "all offsets",
                               &whole->residuals));
    whole->facts.residuals = whole->residuals.bytes;
    return f->own_candidates != NULL ? gather_own(g, f, whole) : IRENEO_OK;
}

ireneo_error ireneo_whole_facts_make(const ireneo_facts *facts, ireneo_whole_facts *whole) {
    gathering g = {.ranks = ireneo_facts_ranks(facts)};
    *whole = (ireneo_whole_facts){.facts = *facts};
    whole->facts.holding = NULL;
    if (g.ranks == NULL || g.ranks->count == 1) return IRENEO_OK;
    whole->facts.facts = ireneo_facts_total(facts);
    IRENEO_TRY(plan(facts, &g));
    ireneo_error failed = gather(&g, facts, whole);
    free(g.shares);
    if (failed != IRENEO_OK) ireneo_whole_facts_free(whole);
    return failed;
}

void ireneo_whole_facts_free(ireneo_whole_facts *whole) {
    ireneo_shared_free(&whole->keys);
    ireneo_shared_free(&whole->targets);
    ireneo_shared_free(&whole->residuals);
    ireneo_shared_free(&whole->own);
    *whole = (ireneo_whole_facts){0};
}
