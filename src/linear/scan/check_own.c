/* The check of facts with own candidates: they are made block by block, and every gap is taken in float64. Making them
 * costs more than looking at them. */
#include "base/parallel.h"
#include "base/ram.h"
#include "linear/facts/facts.h"
#include "linear/scan/checker.h"

#include <math.h>

enum { BLOCK = 256 };

/* Space of one thread. */
typedef struct workplace {
    double *h, *scratch;   /* (dim_out), (dim_in + rank) */
    double *least;         /* (top) */
    float *target, *block; /* (dim_out), (BLOCK, dim_out) */
} workplace;

/* Sums of a fact's gaps, for the spread of its scores. */
typedef struct moments {
    double first, second;
} moments;

static void check_block(const ireneo_checker *c, int thread, const workplace *w, ireneo_check_row *row,
                        size_t first, size_t count, moments *sums) {
    const ireneo_facts *f = c->facts;
    ireneo_check_thread *t = &c->thread[thread];
    size_t target = ireneo_target_of(f, row->fact);
    f->own_candidates(f->own_context, row->fact, first, count, w->block);
    for (size_t k = 0; k < count; k++) {
        const float *other = w->block + k * f->dim_out;
        double error, gap = ireneo_gap_f64(&row->gap, w->target, other, &error);
        sums->first += gap;
        sums->second += gap * gap;
        row->shown++;
        if (first + k == target) continue;
        if (!isfinite(gap)) t->infinite = 1;
        if (gap > error)
            ireneo_check_keep(c, thread, row, first + k, gap);
        else
            ireneo_check_pair(c, thread, row, first + k, w->target, other);
    }
}

static void check_fact(const ireneo_checker *c, int thread, const workplace *w, size_t fact,
                       double *variance) {
    const ireneo_facts *f = c->facts;
    ireneo_check_row row;
    moments sums = {0};
    ireneo_memory_f64_apply(&c->f64, f->keys + fact * f->dim_in, 1, w->scratch, w->h);
    ireneo_check_begin(c, fact, w->h, w->least, &row);
    f->own_candidates(f->own_context, fact, ireneo_target_of(f, fact), 1, w->target);
    for (size_t first = 0; first < f->candidates; first += BLOCK)
        check_block(c, thread, w, &row, first, f->candidates - first < BLOCK ? f->candidates - first : BLOCK,
                    &sums);
    ireneo_check_end(c, &row);
    double mean = sums.first / (double)f->candidates;
    size_t number = ireneo_fact_number(f, fact);
    if (number % ireneo_check_stride(c) == 0)
        variance[number / ireneo_check_stride(c)] =
            fmax(0.0, sums.second / (double)f->candidates - mean * mean);
}

static ireneo_error make_workplace(const ireneo_checker *c, workplace *w) {
    IRENEO_TRY(IRENEO_ALLOCATE(&w->h, c->facts->dim_out, "check"));
    IRENEO_TRY(IRENEO_ALLOCATE(&w->scratch, c->facts->dim_in + c->memory->rank, "check"));
    IRENEO_TRY(IRENEO_ALLOCATE(&w->least, c->top, "check"));
    IRENEO_TRY(IRENEO_ALLOCATE(&w->target, c->facts->dim_out, "check"));
    return IRENEO_ALLOCATE(&w->block, BLOCK * c->facts->dim_out, "own candidates");
}

static void free_workplaces(workplace *all, int threads) {
    for (int k = 0; all != NULL && k < threads; k++)
        free(all[k].h), free(all[k].scratch), free(all[k].least), free(all[k].target), free(all[k].block);
    free(all);
}

typedef struct own_check {
    ireneo_checker *c;
    workplace *places; /* (threads) */
    double variance[IRENEO_SAMPLED_FACTS + 1];
} own_check;

static ireneo_error run_fact(void *context, size_t fact, int thread) {
    own_check *s = context;
    check_fact(s->c, thread, &s->places[thread], fact, s->variance);
    return s->c->thread[thread].infinite
               ? ireneo_fail(IRENEO_ERROR_DATA, "an own candidate of fact %zu is not finite",
                             ireneo_fact_number(s->c->facts, fact))
               : IRENEO_OK;
}

ireneo_error ireneo_check_own(ireneo_checker *c) {
    own_check s = {.c = c};
    size_t sampled = (ireneo_facts_total(c->facts) + ireneo_check_stride(c) - 1) / ireneo_check_stride(c);
    double total = 0.0;
    ireneo_ranks *ranks = ireneo_facts_ranks(c->facts);
    ireneo_check_restart(c);
    ireneo_error failed = IRENEO_ALLOCATE_ZEROED(&s.places, (size_t)c->threads, "check");
    for (int k = 0; failed == IRENEO_OK && k < c->threads; k++) failed = make_workplace(c, &s.places[k]);
    if (failed == IRENEO_OK)
        failed =
            ireneo_parallel(c->facts->facts, c->threads, c->progress, "checking every fact", run_fact, &s);
    free_workplaces(s.places, c->threads);
    failed = ireneo_ranks_agree(ranks, failed);
    if (failed != IRENEO_OK) return failed;
    for (size_t k = 0; k < sampled; k++) /* of a fact one rank knows it, and the others have zero */
        total += ireneo_ranks_largest(ranks, s.variance[k]);
    c->spread = sqrt(total / (double)sampled);
    return IRENEO_OK;
}
