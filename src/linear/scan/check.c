/* The check as users call it, and its report. */
#include "linear/scan/check.h"
#include "base/ram.h"
#include "base/threads.h"
#include "linear/facts/facts.h"
#include "linear/memory/extended.h"
#include "linear/memory/memory.h"
#include "linear/scan/checker.h"

#include <math.h>
#include <string.h>

static ireneo_error make_checker(ireneo_checker *c) {
    IRENEO_TRY(ireneo_memory_check(c->memory));
    c->error_rate = ireneo_gap_error_rate(c->memory);
    IRENEO_TRY(ireneo_memory_f64_make(c->memory, &c->f64));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&c->thread, (size_t)c->threads, "check"));
    for (int k = 0; k < c->threads; k++)
        IRENEO_TRY(
            IRENEO_ALLOCATE(&c->thread[k].exact, c->memory->dim_out + c->memory->rank, "exact scores"));
    if (c->recalled == NULL) return IRENEO_ALLOCATE_ZEROED(&c->recalled, c->facts->facts, "recalled facts");
    memset(c->recalled, 0, c->facts->facts);
    return IRENEO_OK;
}

static void free_checker(ireneo_checker *c) {
    for (int k = 0; c->thread != NULL && k < c->threads; k++)
        free(c->thread[k].exact), free(c->thread[k].near.items);
    free(c->thread);
    ireneo_memory_f64_free(&c->f64);
}

static int by_fact_then_candidate(const void *a, const void *b) {
    const ireneo_pair *x = a, *y = b;
    if (x->fact != y->fact) return x->fact < y->fact ? -1 : 1;
    return x->candidate < y->candidate ? -1 : x->candidate > y->candidate;
}

/* All threads' close pairs in one list, in an order that does not depend on the threads. */
static ireneo_error gather_pairs(const ireneo_checker *c, ireneo_pairs *near) {
    size_t total = 0;
    int broken = 0;
    for (int k = 0; k < c->threads; k++) total += c->thread[k].near.count, broken |= c->thread[k].near.broken;
    if (broken)
        return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for the list of close competitors");
    IRENEO_TRY(IRENEO_ALLOCATE(&near->items, total > 0 ? total : 1, "list of close competitors"));
    near->capacity = total;
    for (int k = 0; k < c->threads; k++) {
        const ireneo_pairs *mine = &c->thread[k].near;
        if (mine->count > 0)
            memcpy(near->items + near->count, mine->items, mine->count * sizeof *mine->items);
        near->count += mine->count;
    }
    qsort(near->items, near->count, sizeof *near->items, by_fact_then_candidate);
    return IRENEO_OK;
}

static void report_check(const ireneo_checker *c, ireneo_check_report *report) {
    ireneo_ranks *ranks = ireneo_facts_ranks(c->facts);
    double gap = INFINITY;
    size_t recalled = 0, recomputed = 0;
    memset(report, 0, sizeof *report);
    report->facts = ireneo_facts_total(c->facts);
    for (int k = 0; k < c->threads; k++) {
        gap = fmin(gap, c->thread[k].gap);
        recomputed += c->thread[k].recomputed;
    }
    for (size_t i = 0; i < c->facts->facts; i++) recalled += c->recalled[i];
    gap = ireneo_ranks_smallest(ranks, gap);
    report->recalled = ireneo_ranks_sum(ranks, recalled);
    report->recomputed = ireneo_ranks_sum(ranks, recomputed);
    report->gap = gap;
    report->margin = c->spread > 0.0 ? gap / c->spread : (gap > 0.0 ? INFINITY : 0.0);
}

static ireneo_error check_plain(const ireneo_memory *memory, const ireneo_facts *facts, size_t top,
                                int threads, const ireneo_progress *progress, ireneo_near *near,
                                unsigned char *recalled, ireneo_check_report *report) {
    ireneo_checker c = {.memory = memory,
                        .facts = facts,
                        .top = top,
                        .threads = threads,
                        .progress = progress,
                        .near = near,
                        .recalled = recalled};
    ireneo_error failed = make_checker(&c);
    if (failed == IRENEO_OK) failed = facts->values != NULL ? ireneo_check_shared(&c) : ireneo_check_own(&c);
    if (failed == IRENEO_OK && near != NULL) failed = gather_pairs(&c, &near->pairs);
    if (failed == IRENEO_OK) report_check(&c, report);
    if (recalled == NULL) free(c.recalled);
    free_checker(&c);
    return failed;
}

/* Offsets become a part of the keys. */
ireneo_error ireneo_check_near(const ireneo_memory *memory, const ireneo_facts *facts, size_t top,
                               int threads, const ireneo_progress *progress, ireneo_near *near,
                               unsigned char *recalled, ireneo_check_report *report) {
    if (facts->residuals == NULL)
        return check_plain(memory, facts, top, threads, progress, near, recalled, report);
    ireneo_extended e;
    ireneo_facts longer = *facts;
    IRENEO_TRY(ireneo_memory_check(memory));
    IRENEO_TRY(ireneo_extended_make(memory, facts->keys, facts->residuals, facts->facts, &e));
    longer.keys = e.keys, longer.dim_in = e.memory.dim_in, longer.residuals = NULL;
    ireneo_error failed = check_plain(&e.memory, &longer, top, threads, progress, near, recalled, report);
    ireneo_extended_free(&e);
    return failed;
}

ireneo_error ireneo_check_top(const ireneo_memory *memory, const ireneo_facts *facts, size_t top,
                              const ireneo_run_settings *settings, unsigned char *recalled,
                              ireneo_check_report *report) {
    int threads;
    const ireneo_progress *progress;
    IRENEO_REQUIRE(report != NULL, "check needs a memory and a report");
    *report = (ireneo_check_report){0};
    IRENEO_TRY(ireneo_memory_check_held(memory, facts));
    IRENEO_TRY(ireneo_facts_check_top(facts, top));
    IRENEO_TRY(ireneo_enter_run(settings, &threads, &progress));
    return ireneo_leave(ireneo_check_near(memory, facts, top, threads, progress, NULL, recalled, report));
}

ireneo_error ireneo_check(const ireneo_memory *memory, const ireneo_facts *facts,
                          const ireneo_run_settings *settings, unsigned char *recalled,
                          ireneo_check_report *report) {
    return ireneo_check_top(memory, facts, 1, settings, recalled, report);
}
