/* Recall from noisy keys: the full check, once for every draw of the noise. */
#include "base/pool.h"
#include "base/ram.h"
#include "base/random.h"
#include "base/threads.h"
#include "base/tree_sum.h"
#include "linear/facts/facts.h"
#include "linear/memory/memory.h"
#include "linear/scan/check.h"

#include <math.h>
#include <string.h>

/* Stream of the noise: far from the streams of samples, so that equal seeds do not repeat their numbers. */
static const uint64_t STREAM = 0x6e6f6973650000;

/* A sum over facts that does not depend on who holds them. */
typedef double (*fact_sum)(const void *context, size_t fact);

static ireneo_error sum_over_facts(const ireneo_facts *facts, fact_sum of, const void *context, double *sum) {
    ireneo_holding h = ireneo_facts_holding(facts);
    double *groups = NULL;
    IRENEO_TRY(ireneo_ranks_agree(
        h.ranks, IRENEO_ALLOCATE_ZEROED(&groups, h.last_group - h.first_group + 1, "sums over facts")));
    for (size_t g = h.first_group; g < h.last_group; g++) {
        size_t first, last;
        ireneo_group_rows(&h, g, &first, &last);
        for (size_t i = first; i < last; i++) groups[g - h.first_group] += of(context, i);
    }
    ireneo_sum_groups(&h, 1, groups, sum);
    free(groups);
    return IRENEO_OK;
}

static double key_square(const void *context, size_t fact) {
    const ireneo_facts *facts = context;
    const float *key = facts->keys + fact * facts->dim_in;
    double square = 0.0;
    for (size_t k = 0; k < facts->dim_in; k++) square += (double)key[k] * (double)key[k];
    return square;
}

static ireneo_error rms_entry(const ireneo_facts *facts, double *rms) {
    double square = 0.0;
    IRENEO_TRY(sum_over_facts(facts, key_square, facts, &square));
    *rms = sqrt(square / ((double)ireneo_facts_total(facts) * (double)facts->dim_in));
    return IRENEO_OK;
}

typedef struct shaking {
    const float *keys;
    double deviation;
    float *noisy;
} shaking;

static void shake(void *context, size_t first, size_t last) {
    const shaking *s = context;
    for (size_t k = first; k < last; k++)
        s->noisy[k] = (float)((double)s->keys[k] + s->deviation * (double)s->noisy[k]);
}

/* noisy (facts, dim_in) = keys + deviation * N(0, 1). */
static void add_noise(const ireneo_facts *facts, const ireneo_noise *noise, size_t draw, double deviation,
                      int threads, float *noisy) {
    size_t count = facts->facts * facts->dim_in, before = ireneo_fact_number(facts, 0) * facts->dim_in;
    ireneo_random_normals_float(noise->seed, STREAM + draw, before, count, threads, noisy);
    enum { GRAIN = 1 << 14 };
    shaking s = {facts->keys, deviation, noisy};
    ireneo_share_rows(count, GRAIN, threads, shake, &s);
}

/* How often each fact was recalled. */
typedef struct hit_list {
    const uint32_t *hits;
    double draws;
} hit_list;

static double hit_variance(const void *context, size_t fact) {
    const hit_list *l = context;
    double p = (double)l->hits[fact] / l->draws;
    return p * (1.0 - p) * l->draws / (l->draws - 1.0);
}

/* The noise of different facts and draws is independent, so the variance of the mean is the sum over facts of
 * p (1 - p) / (facts^2 draws); each p (1 - p) is estimated without bias from the fact's own draws. One draw
 * says nothing about single facts: then the share of all stands for each, which can only be too large. */
static ireneo_error standard_error(const ireneo_facts *facts, const hit_list *list, double recall,
                                   double *error) {
    double n = (double)ireneo_facts_total(facts), r = list->draws, sum = n * recall * (1.0 - recall);
    if (r > 1.0) IRENEO_TRY(sum_over_facts(facts, hit_variance, list, &sum));
    *error = fmax(sqrt(sum / r) / n, 1.0 / (n * r));
    return IRENEO_OK;
}

static ireneo_error report_hits(const ireneo_facts *facts, const hit_list *list,
                                ireneo_noise_report *report) {
    uint64_t mine = 0;
    for (size_t i = 0; i < facts->facts; i++) mine += list->hits[i];
    double total = (double)ireneo_ranks_sum(ireneo_facts_ranks(facts), mine);
    report->recall = total / ((double)report->facts * list->draws);
    return standard_error(facts, list, report->recall, &report->error);
}

static ireneo_error count_hits(const ireneo_memory *memory, const ireneo_facts *facts,
                               const ireneo_noise *noise, size_t draws, double deviation, int threads,
                               const ireneo_progress *progress, float *noisy, unsigned char *recalled,
                               uint32_t *hits) {
    ireneo_facts shaken = *facts;
    ireneo_check_report report;
    shaken.keys = noisy;
    for (size_t draw = 0; draw < draws; draw++) {
        if (ireneo_ranks_any(ireneo_facts_ranks(facts), ireneo_report(progress, "recalling from noisy keys",
                                                                      (double)draw, (double)draws) != 0))
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped after %zu of %zu draws of noise", draw,
                               draws);
        add_noise(facts, noise, draw, deviation, threads, noisy);
        IRENEO_TRY(ireneo_check_near(memory, &shaken, 1, threads, progress, NULL, recalled, &report));
        for (size_t i = 0; i < facts->facts; i++) hits[i] += recalled[i];
    }
    return IRENEO_OK;
}

static ireneo_error check_arguments(const ireneo_memory *memory, const ireneo_facts *facts,
                                    const ireneo_noise *noise) {
    IRENEO_TRY(ireneo_memory_check_held(memory, facts));
    IRENEO_REQUIRE(noise != NULL, "a check with noise needs the noise");
    IRENEO_TRY(ireneo_check_reserved(noise->reserved, "the noise"));
    if (!(noise->strength >= 0.0 && noise->strength <= 1e6))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the noise must lie between 0 and 1e6, not %g",
                           noise->strength);
    if (noise->draws > UINT32_MAX)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "at most 2^32 - 1 draws of noise can be made");
    return IRENEO_OK;
}

ireneo_error ireneo_check_noise(const ireneo_memory *memory, const ireneo_facts *facts,
                                const ireneo_noise *noise, const ireneo_run_settings *settings,
                                ireneo_noise_report *report) {
    int threads;
    const ireneo_progress *progress;
    IRENEO_REQUIRE(report != NULL, "a check with noise needs a memory, the noise and a report");
    *report = (ireneo_noise_report){0};
    IRENEO_TRY(check_arguments(memory, facts, noise));
    size_t draws = noise->draws > 0 ? noise->draws : 10;
    float *noisy = NULL;
    unsigned char *recalled = NULL;
    uint32_t *hits = NULL;
    double deviation = 0.0;
    IRENEO_TRY(rms_entry(facts, &deviation));
    deviation *= noise->strength;
    IRENEO_TRY(ireneo_enter_run(settings, &threads, &progress));
    ireneo_error failed = IRENEO_ALLOCATE(&noisy, facts->facts * facts->dim_in, "noisy keys");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&recalled, facts->facts, "recalled facts");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&hits, facts->facts, "recalled facts");
    failed = ireneo_ranks_agree(ireneo_facts_ranks(facts), failed);
    if (failed == IRENEO_OK)
        failed = count_hits(memory, facts, noise, draws, deviation, threads, progress, noisy, recalled, hits);
    if (failed == IRENEO_OK) {
        *report =
            (ireneo_noise_report){.facts = ireneo_facts_total(facts), .draws = draws, .deviation = deviation};
        failed = report_hits(facts, &(hit_list){hits, (double)draws}, report);
    }
    free(noisy), free(recalled), free(hits);
    return ireneo_leave(failed);
}
