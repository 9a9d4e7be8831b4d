/* Random instances: the original problem shares its candidates, the decoupled one has a set of its own for
 * every fact.
 *
 * Stream 0 holds the keys, stream 1 the shared values, stream 2 + i the candidates of fact i. */
#include "base/random.h"

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
