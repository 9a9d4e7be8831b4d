/* Recall from noisy keys: the full check, once for every draw of the noise. */
#include "base/pool.h"
#include "base/ram.h"
#include "base/random.h"
#include "base/threads.h"
#include "linear/memory/memory.h"
#include "linear/scan/check.h"

#include <math.h>
#include <string.h>

/* Stream of the noise: far from the streams of samples, so that equal seeds do not repeat their numbers. */
static const uint64_t STREAM = 0x6e6f6973650000;

static double rms_entry(const ireneo_facts *facts) {
    double square = 0.0;
    size_t count = facts->facts * facts->dim_in;
    for (size_t k = 0; k < count; k++) square += (double)facts->keys[k] * (double)facts->keys[k];
    return sqrt(square / (double)count);
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
    size_t count = facts->facts * facts->dim_in;
    ireneo_random_normals_float(noise->seed, STREAM + draw, 0, count, threads, noisy);
    enum { GRAIN = 1 << 14 };
    shaking s = {facts->keys, deviation, noisy};
    ireneo_share_rows(count, GRAIN, threads, shake, &s);
}

/* The noise of different facts and draws is independent, so the variance of the mean is the sum over facts of
 * p (1 - p) / (facts^2 draws); each p (1 - p) is estimated without bias from the fact's own draws. One draw
 * says nothing about single facts: then the share of all stands for each, which can only be too large. */
static double standard_error(const uint32_t *hits, size_t facts, size_t draws, double recall) {
    double n = (double)facts, r = (double)draws, sum = 0.0;
    for (size_t i = 0; i < facts && draws > 1; i++) {
        double p = (double)hits[i] / r;
        sum += p * (1.0 - p) * r / (r - 1.0);
    }
    if (draws == 1) sum = n * recall * (1.0 - recall);
    return fmax(sqrt(sum / r) / n, 1.0 / (n * r));
}

static ireneo_error count_hits(const ireneo_memory *memory, const ireneo_facts *facts,
                               const ireneo_noise *noise, size_t draws, double deviation, int threads,
                               const ireneo_progress *progress, float *noisy, unsigned char *recalled,
                               uint32_t *hits) {
    ireneo_facts shaken = *facts;
    ireneo_check_report report;
    shaken.keys = noisy;
    for (size_t draw = 0; draw < draws; draw++) {
        if (ireneo_report(progress, "recalling from noisy keys", (double)draw, (double)draws))
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped after %zu of %zu draws of noise", draw,
                               draws);
        add_noise(facts, noise, draw, deviation, threads, noisy);
        IRENEO_TRY(ireneo_check_near(memory, &shaken, threads, progress, NULL, recalled, &report));
        for (size_t i = 0; i < facts->facts; i++) hits[i] += recalled[i];
    }
    return IRENEO_OK;
}

static ireneo_error check_arguments(const ireneo_memory *memory, const ireneo_facts *facts,
                                    const ireneo_noise *noise) {
    IRENEO_TRY(ireneo_memory_check_facts(memory, facts));
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
    double deviation = noise->strength * rms_entry(facts);
    IRENEO_TRY(ireneo_enter_run(settings, &threads, &progress));
    ireneo_error failed = IRENEO_ALLOCATE(&noisy, facts->facts * facts->dim_in, "noisy keys");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&recalled, facts->facts, "recalled facts");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&hits, facts->facts, "recalled facts");
    if (failed == IRENEO_OK)
        failed = count_hits(memory, facts, noise, draws, deviation, threads, progress, noisy, recalled, hits);
    if (failed == IRENEO_OK) {
        double total = 0.0;
        for (size_t i = 0; i < facts->facts; i++) total += (double)hits[i];
        *report = (ireneo_noise_report){.facts = facts->facts, .draws = draws, .deviation = deviation};
        report->recall = total / ((double)facts->facts * (double)draws);
        report->error = standard_error(hits, facts->facts, draws, report->recall);
    }
    free(noisy), free(recalled), free(hits);
    return ireneo_leave(failed);
}
