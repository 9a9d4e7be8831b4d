/* Philox4x32-10 (Random123) turned into uniform and normal numbers.
 *
 * Counter = (index of the block, stream), key = seed. A block of four 32-bit words gives four float normals,
 * or two double normals, or two double uniforms. Float normals use only operations that IEEE 754 rounds
 * correctly, so they are the same bits on every machine. */
#include "base/random.h"
#include "base/pool.h"
#include "base/threads.h"
#include "base/vectorised.h"

#include <Random123/philox.h>
#include <math.h>
#include <string.h>

static philox4x32_ctr_t philox_block(uint64_t seed, uint64_t stream, uint64_t block) {
    philox4x32_ctr_t counter = {
        {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    return philox4x32(counter, key);
}

/* ---- float normals ---- */

enum {
    LANES = 64
}; /* blocks made at a time: four arrays of 256 bytes stay in registers and first-level cache */

/* The four words of LANES consecutive blocks, word by word, so that the rounds run across vector lanes. */
static inline __attribute__((always_inline)) void
philox_lanes(uint64_t seed, uint64_t stream, uint64_t first_block, uint32_t words[4][LANES]) {
    uint32_t *restrict x0 = words[0], *restrict x1 = words[1], *restrict x2 = words[2],
                       *restrict x3 = words[3];
    for (int i = 0; i < LANES; i++) {
        uint64_t block = first_block + (uint64_t)i;
        x0[i] = (uint32_t)block;
        x1[i] = (uint32_t)(block >> 32);
        x2[i] = (uint32_t)stream;
        x3[i] = (uint32_t)(stream >> 32);
    }
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < LANES; i++) {
            uint64_t product0 = (uint64_t)PHILOX_M4x32_0 * x0[i];
            uint64_t product1 = (uint64_t)PHILOX_M4x32_1 * x2[i];
            uint32_t next0 = (uint32_t)(product1 >> 32) ^ x1[i] ^ key0;
            uint32_t next2 = (uint32_t)(product0 >> 32) ^ x3[i] ^ key1;
            x1[i] = (uint32_t)product1;
            x3[i] = (uint32_t)product0;
            x0[i] = next0;
            x2[i] = next2;
        }
        key0 += PHILOX_W32_0;
        key1 += PHILOX_W32_1;
    }
}

/* -2 log((word + 1/2) / 2^32). Polynomial of degree 8 on [sqrt(1/2), sqrt 2), error below 1e-7 (the classic
 * Cephes one). */
static inline __attribute__((always_inline)) float minus_two_log(uint32_t word) {
    float u = ((float)word + 0.5f) * 0x1p-32f;
    uint32_t bits;
    memcpy(&bits, &u, sizeof bits);
    uint32_t shifted = bits - 0x3f3504f3u; /* bits of sqrt(1/2) */
    int32_t exponent = (int32_t)shifted >> 23;
    bits = (shifted & 0x007fffffu) + 0x3f3504f3u;
    float mantissa;
    memcpy(&mantissa, &bits, sizeof mantissa);
    float x = mantissa - 1.0f, z = x * x;
    float p = 7.0376836292e-2f;
    p = p * x - 1.1514610310e-1f;
    p = p * x + 1.1676998740e-1f;
    p = p * x - 1.2420140846e-1f;
    p = p * x + 1.4249322787e-1f;
    p = p * x - 1.6668057665e-1f;
    p = p * x + 2.0000714765e-1f;
    p = p * x - 2.4999993993e-1f;
    p = p * x + 3.3333331174e-1f;
    float e = (float)exponent;
    float log_u = p * x * z + e * -2.12194440e-4f - 0.5f * z + x + e * 0.693359375f;
    float result = -2.0f * log_u;
    return result > 0.0f ? result : 0.0f;
}

/* One Box-Muller pair from two words: radius from the first, a whole turn from the second. */
static inline __attribute__((always_inline)) void normal_pair(uint32_t radius_word, uint32_t angle_word,
                                                              float *a, float *b) {
    float radius = sqrtf(minus_two_log(radius_word));
    uint32_t quadrant = (angle_word + 0x20000000u) >> 30;
    int32_t rest = (int32_t)(angle_word - (quadrant << 30)); /* in [-2^29, 2^29) */
    float x = (float)rest * 1.46291807926716e-9f;            /* times pi / 2^31 */
    float z = x * x;
    float sine = ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * x + x;
    float cosine = ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z -
                   0.5f * z + 1.0f;
    float c = (quadrant & 1u) ? -sine : cosine;
    float s = (quadrant & 1u) ? cosine : sine;
    float sign = (quadrant & 2u) ? -radius : radius;
    *a = c * sign;
    *b = s * sign;
}

/* LANES blocks, that is 4 * LANES normals, into (4 * LANES) values. */
static inline __attribute__((always_inline)) void normal_lanes(uint64_t seed, uint64_t stream,
                                                               uint64_t first_block, float *restrict values) {
    uint32_t words[4][LANES];
    float normals[4][LANES];
    philox_lanes(seed, stream, first_block, words);
    for (int i = 0; i < LANES; i++) normal_pair(words[0][i], words[1][i], &normals[0][i], &normals[1][i]);
    for (int i = 0; i < LANES; i++) normal_pair(words[2][i], words[3][i], &normals[2][i], &normals[3][i]);
    for (int i = 0; i < LANES; i++)
        for (int k = 0; k < 4; k++) values[4 * i + k] = normals[k][i];
}

IRENEO_VECTORISED
void ireneo_fill_normal_floats(uint64_t seed, uint64_t stream, uint64_t first, size_t count, float *values) {
    float piece[4 * LANES];
    uint64_t block = first / 4;
    size_t skip = (size_t)(first % 4), done = 0;
    while (done < count) {
        size_t take = 4 * LANES - skip < count - done ? 4 * LANES - skip : count - done;
        if (take == 4 * LANES) {
            normal_lanes(seed, stream, block, values + done);
        } else {
            normal_lanes(seed, stream, block, piece);
            memcpy(values + done, piece + skip, take * sizeof *values);
        }
        done += take;
        block += LANES;
        skip = 0;
    }
}

/* ---- doubles ---- */

static double uniform_from_words(uint32_t high, uint32_t low) {
    uint64_t bits =
        ((uint64_t)high << 32 | low) >> 12; /* 52 bits: the half below fits, and 1 is never reached */
    return ((double)bits + 0.5) * 0x1p-52;
}

void ireneo_fill_uniforms(uint64_t seed, uint64_t stream, uint64_t first, size_t count, double *values) {
    for (size_t i = 0; i < count; i++) {
        uint64_t index = first + i;
        philox4x32_ctr_t r = philox_block(seed, stream, index / 2);
        size_t half = (size_t)(index % 2) * 2;
        values[i] = uniform_from_words(r.v[half], r.v[half + 1]);
        if (half == 0 && i + 1 < count) values[++i] = uniform_from_words(r.v[2], r.v[3]);
    }
}

void ireneo_fill_normals(uint64_t seed, uint64_t stream, uint64_t first, size_t count, double *values) {
    for (size_t i = 0; i < count; i++) {
        uint64_t index = first + i;
        philox4x32_ctr_t r = philox_block(seed, stream, index / 2);
        double radius = sqrt(-2.0 * log(uniform_from_words(r.v[0], r.v[1])));
        double angle = 2.0 * M_PI * uniform_from_words(r.v[2], r.v[3]);
        if (index % 2 == 1) {
            values[i] = radius * sin(angle);
        } else {
            values[i] = radius * cos(angle);
            if (i + 1 < count) values[++i] = radius * sin(angle);
        }
    }
}

double ireneo_draw_uniform(ireneo_generator *generator) {
    double value;
    ireneo_fill_uniforms(generator->seed, generator->stream, generator->next++, 1, &value);
    return value;
}

double ireneo_draw_normal(ireneo_generator *generator) {
    /* A cursor mixes kinds of numbers: take a whole block's worth so that no bits are shared with a
     * neighbour. */
    double value;
    generator->next += generator->next % 2;
    ireneo_fill_normals(generator->seed, generator->stream, generator->next, 1, &value);
    generator->next += 2;
    return value;
}

double ireneo_draw_exponential(ireneo_generator *generator) {
    return -log(ireneo_draw_uniform(generator));
}

uint64_t ireneo_draw_below(ireneo_generator *generator, uint64_t bound) {
    if (bound <= 1) return 0;
    uint64_t usable =
        UINT64_MAX -
        UINT64_MAX % bound; /* a multiple of bound: rejection keeps every remainder equally likely */
    for (;;) {
        uint64_t index = generator->next++;
        philox4x32_ctr_t r = philox_block(generator->seed, generator->stream, index / 2);
        size_t half = (size_t)(index % 2) * 2;
        uint64_t bits = (uint64_t)r.v[half] << 32 | r.v[half + 1];
        if (bits < usable) return bits % bound;
    }
}

void ireneo_draw_permutation(ireneo_generator *generator, size_t count, size_t *order) {
    for (size_t i = 0; i < count; i++) order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)ireneo_draw_below(generator, i);
        size_t swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
}

/* ---- bulk, over threads ---- */

enum { CHUNK = 1 << 16 };

typedef void (*fill_function)(uint64_t seed, uint64_t stream, uint64_t first, size_t count, void *values);

static void fill_normal_floats(uint64_t seed, uint64_t stream, uint64_t first, size_t count, void *values) {
    ireneo_fill_normal_floats(seed, stream, first, count, values);
}
static void fill_normals(uint64_t seed, uint64_t stream, uint64_t first, size_t count, void *values) {
    ireneo_fill_normals(seed, stream, first, count, values);
}
static void fill_uniforms(uint64_t seed, uint64_t stream, uint64_t first, size_t count, void *values) {
    ireneo_fill_uniforms(seed, stream, first, count, values);
}

typedef struct filling {
    fill_function fill;
    uint64_t seed, stream, first;
    void *values;
    size_t size; /* of a value */
} filling;

static void fill_chunk(void *context, size_t begin, size_t end) {
    const filling *f = context;
    f->fill(f->seed, f->stream, f->first + begin, end - begin, (char *)f->values + begin * f->size);
}

static ireneo_error fill_in_chunks(fill_function fill, uint64_t seed, uint64_t stream, uint64_t first,
                                   size_t count, void *values, size_t size, int threads) {
    filling f = {fill, seed, stream, first, values, size};
    if (values == NULL)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "random numbers need a place to be written to");
    IRENEO_TRY(ireneo_enter(threads, &threads));
    ireneo_share_rows(count, CHUNK, threads, fill_chunk, &f);
    return ireneo_leave(IRENEO_OK);
}

ireneo_error ireneo_random_normals_float(uint64_t seed, uint64_t stream, uint64_t first, size_t count,
                                         int threads, float *values) {
    return fill_in_chunks(fill_normal_floats, seed, stream, first, count, values, sizeof *values, threads);
}

ireneo_error ireneo_random_normals(uint64_t seed, uint64_t stream, uint64_t first, size_t count, int threads,
                                   double *values) {
    return fill_in_chunks(fill_normals, seed, stream, first, count, values, sizeof *values, threads);
}

ireneo_error ireneo_random_uniforms(uint64_t seed, uint64_t stream, uint64_t first, size_t count, int threads,
                                    double *values) {
    return fill_in_chunks(fill_uniforms, seed, stream, first, count, values, sizeof *values, threads);
}
