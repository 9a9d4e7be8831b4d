/* Random numbers as functions of (seed, stream, index); see ireneo.h, section 3, for the bulk functions. */
#ifndef IRENEO_BASE_RANDOM_H
#define IRENEO_BASE_RANDOM_H

#include "base/error.h"

/* Float normals first .. first + count - 1 of a stream, in the calling thread. The bulk function of ireneo.h
 * splits its range over threads and calls this; code that is already parallel calls it directly. */
void ireneo_fill_normal_floats(uint64_t seed, uint64_t stream, uint64_t first, size_t count, float *values);

/* Double normals and uniforms, in the calling thread. */
void ireneo_fill_normals(uint64_t seed, uint64_t stream, uint64_t first, size_t count, double *values);
void ireneo_fill_uniforms(uint64_t seed, uint64_t stream, uint64_t first, size_t count, double *values);

/* A cursor over one stream, for code that draws one number after another (rejection samplers). */
typedef struct ireneo_generator {
    uint64_t seed, stream, next;
} ireneo_generator;

double ireneo_draw_uniform(ireneo_generator *generator);     /* in (0, 1) */
double ireneo_draw_normal(ireneo_generator *generator);      /* N(0, 1) */
double ireneo_draw_exponential(ireneo_generator *generator); /* mean 1 */

/* A whole number in [0, bound), without bias. */
uint64_t ireneo_draw_below(ireneo_generator *generator, uint64_t bound);

/* A random order of 0 .. count - 1 (Fisher-Yates). */
void ireneo_draw_permutation(ireneo_generator *generator, size_t count, size_t *order);

#endif
