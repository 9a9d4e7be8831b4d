/* Random numbers: functions of (seed, stream, index). */
#ifndef IRENEO_RANDOM_H
#define IRENEO_RANDOM_H

#include "ireneo/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number `index` of stream `stream` under `seed` is a fixed function of the three (Philox4x32-10), so that
 * data do not depend on the number of threads or on the order in which they are made. Each function writes
 * the numbers first .. first + count - 1 to values (count), over `threads` threads (0: all cores). */

/** N(0, 1) in float32; the same bits on every machine. Tails reach 6.7. */
IRENEO_API ireneo_error ireneo_random_normals_float(uint64_t seed, uint64_t stream, uint64_t first,
                                                    size_t count, int threads, float *values);

/** N(0, 1) in float64. */
IRENEO_API ireneo_error ireneo_random_normals(uint64_t seed, uint64_t stream, uint64_t first, size_t count,
                                              int threads, double *values);

/** Uniform on (0, 1), 52 bits, in float64. */
IRENEO_API ireneo_error ireneo_random_uniforms(uint64_t seed, uint64_t stream, uint64_t first, size_t count,
                                               int threads, double *values);

#ifdef __cplusplus
}
#endif

#endif
