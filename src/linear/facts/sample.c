/* Random instances: the original problem shares its candidates, the decoupled one has a set of its own for
 * every fact.
 *
 * Stream 0 holds the keys, stream 1 the shared values, stream 2 + i the candidates of fact i, and the last stream what
 * targets are drawn with. */
#include "base/ram.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>

static const uint64_t TARGET_STREAM = UINT64_MAX;

/* Rows first .. first + count - 1 of a stream, into (count, dim). */
static ireneo_error draw_rows(const ireneo_sample *sample, uint64_t stream, size_t dim, size_t first,
                              size_t count, float *rows) {
    return ireneo_random_normals_float(sample->seed, stream, (uint64_t)first * dim, count * dim, 0, rows);
}

ireneo_error ireneo_sample_keys(const ireneo_sample *sample, size_t first, size_t count, float *keys) {
    IRENEO_REQUIRE(sample != NULL, "a sample of keys needs its description");
    return draw_rows(sample, 0, sample->dim_in, first, count, keys);
}

ireneo_error ireneo_sample_values(const ireneo_sample *sample, size_t first, size_t count, float *values) {
    IRENEO_REQUIRE(sample != NULL, "a sample of values needs its description");
    return draw_rows(sample, 1, sample->dim_out, first, count, values);
}

void ireneo_sample_own_candidates(const void *sample, size_t fact, size_t first, size_t count,
                                  float *values) {
    const ireneo_sample *s = sample;
    if (s == NULL || values == NULL) return;
    ireneo_fill_normal_floats(s->seed, 2 + (uint64_t)fact, (uint64_t)first * s->dim_out, count * s->dim_out,
                              values);
}

/* ---- targets ---- */

/* sums[t] = 1 + 2^-zipf + ... + (t + 1)^-zipf. */
static void sum_powers(double zipf, size_t candidates, double *sums) {
    double sum = 0.0;
    for (size_t t = 0; t < candidates; t++) {
        sum += pow((double)t + 1.0, -zipf);
        sums[t] = sum;
    }
}

/* The first t with sums[t] > level; the last one at most. */
static size_t find_above(const double *sums, size_t candidates, double level) {
    size_t low = 0, high = candidates - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sums[middle] > level)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static ireneo_error draw_by_zipf(const ireneo_sample *sample, double zipf, size_t candidates, size_t first,
                                 size_t count, int64_t *targets) {
    double *sums = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&sums, candidates, "chances of the targets"));
    sum_powers(zipf, candidates, sums);
    for (size_t i = 0; i < count; i++) {
        double u;
        ireneo_fill_uniforms(sample->seed, TARGET_STREAM, (uint64_t)first + i, 1, &u);
        targets[i] = (int64_t)find_above(sums, candidates, u * sums[candidates - 1]);
    }
    free(sums);
    return IRENEO_OK;
}

ireneo_error ireneo_sample_targets(const ireneo_sample *sample, ireneo_targets rule, double zipf,
                                   size_t candidates, size_t first, size_t count, int64_t *targets) {
    IRENEO_REQUIRE(sample != NULL && (targets != NULL || count == 0),
                   "a sample of targets needs its description and a place to be written to");
    if (rule != IRENEO_TARGETS_EACH && rule != IRENEO_TARGETS_ZIPF)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "there is no rule number %d for targets", (int)rule);
    if (candidates < 1) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "targets need candidates");
    if (!(zipf >= 0.0 && zipf <= 10.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "Zipf's exponent must lie between 0 and 10, not %g", zipf);
    if (rule == IRENEO_TARGETS_ZIPF) return draw_by_zipf(sample, zipf, candidates, first, count, targets);
    for (size_t i = 0; i < count; i++) targets[i] = (int64_t)((first + i) % candidates);
    return IRENEO_OK;
}
