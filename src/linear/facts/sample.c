/* Random instances: the original problem shares its candidates, the decoupled one has a set of its own for
 * every fact.
 *
 * Stream 0 holds the keys, stream 1 the shared values, stream 2 + i the candidates of fact i. */
#include "base/random.h"

void ireneo_sample_keys(const ireneo_sample *sample, size_t first, size_t count, float *keys) {
    ireneo_random_normals_float(sample->seed, 0, (uint64_t)first * sample->dim_in, count * sample->dim_in, 0,
                                keys);
}

void ireneo_sample_values(const ireneo_sample *sample, size_t first, size_t count, float *values) {
    ireneo_random_normals_float(sample->seed, 1, (uint64_t)first * sample->dim_out, count * sample->dim_out,
                                0, values);
}

void ireneo_sample_own_candidates(const void *sample, size_t fact, size_t first, size_t count,
                                  float *values) {
    const ireneo_sample *s = sample;
    ireneo_fill_normal_floats(s->seed, 2 + (uint64_t)fact, (uint64_t)first * s->dim_out, count * s->dim_out,
                              values);
}
