/* Rounding to sixteen bits and eight integer inner products at a time. */
#include "linear/kernels/int16.h"
#include "base/pool.h"
#include "base/processor.h"
#include "base/ram.h"
#include "base/vectorised.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { VECTOR = 32 };

void ireneo_int16_free(ireneo_int16 *s) {
    ireneo_shared_free(&s->shared);
    memset(s, 0, sizeof *s);
}

IRENEO_VECTORISED
static float round_vector(const float *restrict vector, size_t dim, float limit, int16_t *restrict entries) {
    float largest = 0.0f;
#pragma omp simd reduction(max : largest)
    for (size_t k = 0; k < dim; k++) largest = fabsf(vector[k]) > largest ? fabsf(vector[k]) : largest;
    float inverse = largest > 0.0f ? limit / largest : 0.0f;
    if (!(inverse < INFINITY)) inverse = largest = 0.0f; /* too small to divide by: rounds to zero */
    for (size_t k = 0; k < dim; k++) {
        float scaled = vector[k] * inverse;
        entries[k] = (int16_t)(int32_t)(scaled + (scaled < 0.0f ? -0.5f : 0.5f));
    }
    return largest / limit;
}

float ireneo_int16_round(const ireneo_int16 *s, const float *h, int16_t *entries) {
    memset(entries + s->dim, 0, (s->stride - s->dim) * sizeof *entries);
    return round_vector(h, s->dim, s->limit, entries);
}

typedef struct rounding {
    const float *values;
    size_t stride, first; /* row that this rank begins with */
    ireneo_int16 *out;
} rounding;

static void round_rows(void *context, size_t first, size_t last) {
    const rounding *r = context;
    ireneo_int16 *s = r->out;
    for (size_t j = r->first + first; j < r->first + last; j++)
        s->scale[j] = ireneo_int16_round(s, r->values + j * r->stride, s->entries + j * s->stride);
}

ireneo_error ireneo_int16_make(const float *values, size_t rows, size_t dim, size_t stride, int threads,
                               ireneo_ranks *ranks, ireneo_int16 *s) {
    memset(s, 0, sizeof *s);
    s->rows = rows;
    s->dim = dim;
    s->stride = (dim + VECTOR - 1) / VECTOR * VECTOR;
    /* A 32-bit lane of a 256-bit vector adds stride / 8 products. */
    size_t products = s->stride / 8;
    s->limit = fminf(32767.0f, floorf((float)sqrt(2147483647.0 / (double)products)) - 1.0f);
    enum { GRAIN = 256 };
    size_t each = s->stride * sizeof *s->entries + sizeof *s->scale,
           last; /* stride is in whole cache lines */
    IRENEO_TRY(ireneo_shared_allocate(ranks, rows, each, "values in sixteen bits", &s->shared));
    s->entries = s->shared.bytes;
    s->scale = (float *)(void *)(s->entries + rows * s->stride);
    rounding r = {.values = values, .stride = stride, .out = s};
    ireneo_shared_slice(ranks, rows, &r.first, &last);
    ireneo_share_rows(last - r.first, GRAIN, threads, round_rows, &r);
    ireneo_shared_settle(ranks, &s->shared);
    return IRENEO_OK;
}

/* sums[q] = <h, y[q]> for q = 0..7: exact in every 32-bit lane, lanes added in float32. */
typedef void (*eight_products)(const int16_t *h, const int16_t *const y[8], size_t stride, float *sums);

static void products_portable(const int16_t *h, const int16_t *const y[8], size_t stride, float *sums) {
    for (int q = 0; q < 8; q++) {
        int64_t sum = 0; /* only lanes are sure to fit into 32 bits */
        for (size_t k = 0; k < stride; k++) sum += (int32_t)h[k] * (int32_t)y[q][k];
        sums[q] = (float)sum;
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* Eight sums have eight names: compilers keep arrays of registers in memory. */
#define EIGHT(each) each(0) each(1) each(2) each(3) each(4) each(5) each(6) each(7)

__attribute__((target("avx2"))) static inline void reduce_eight(__m256i r0, __m256i r1, __m256i r2,
                                                                __m256i r3, __m256i r4, __m256i r5,
                                                                __m256i r6, __m256i r7, float *sums) {
    __m256 f0 = _mm256_cvtepi32_ps(r0), f1 = _mm256_cvtepi32_ps(r1), f2 = _mm256_cvtepi32_ps(r2),
           f3 = _mm256_cvtepi32_ps(r3), f4 = _mm256_cvtepi32_ps(r4), f5 = _mm256_cvtepi32_ps(r5),
           f6 = _mm256_cvtepi32_ps(r6), f7 = _mm256_cvtepi32_ps(r7);
    __m256 a = _mm256_hadd_ps(_mm256_hadd_ps(f0, f1), _mm256_hadd_ps(f2, f3));
    __m256 b = _mm256_hadd_ps(_mm256_hadd_ps(f4, f5), _mm256_hadd_ps(f6, f7));
    __m256 low = _mm256_permute2f128_ps(a, b, 0x20), high = _mm256_permute2f128_ps(a, b, 0x31);
    _mm256_storeu_ps(sums, _mm256_add_ps(low, high));
}

#define LOAD_256(from) _mm256_loadu_si256((const __m256i *)(const void *)(from))
#define ZERO_256(q)    __m256i s##q = _mm256_setzero_si256();
#define TIMES_256(q)   s##q = _mm256_add_epi32(s##q, _mm256_madd_epi16(x, LOAD_256(y[q] + k)));

__attribute__((target("avx2"))) static void products_avx2(const int16_t *h, const int16_t *const y[8],
                                                          size_t stride, float *sums) {
    EIGHT(ZERO_256)
    for (size_t k = 0; k < stride; k += 16) {
        __m256i x = LOAD_256(h + k);
        EIGHT(TIMES_256)
    }
    reduce_eight(s0, s1, s2, s3, s4, s5, s6, s7, sums);
}

#define TARGET_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx2")))

/* In assembly for the reason given in int8_avx512vnni.c. */
TARGET_VNNI static inline __m512i multiply_add(__m512i sums, __m512i a, const int16_t *b) {
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sums) : "v"(a), "m"(*(const __m512i *)(const void *)b));
    return sums;
}
TARGET_VNNI static inline __m256i fold(__m512i v) {
    return _mm256_add_epi32(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
}

#define ZERO_512(q)  __m512i s##q = _mm512_setzero_si512();
#define TIMES_512(q) s##q = multiply_add(s##q, x, y[q] + k);

TARGET_VNNI static void products_vnni(const int16_t *h, const int16_t *const y[8], size_t stride,
                                      float *sums) {
    EIGHT(ZERO_512)
    for (size_t k = 0; k < stride; k += 32) {
        __m512i x = _mm512_loadu_si512(h + k);
        EIGHT(TIMES_512)
    }
    reduce_eight(fold(s0), fold(s1), fold(s2), fold(s3), fold(s4), fold(s5), fold(s6), fold(s7), sums);
}

static eight_products best_products(void) {
    if (ireneo_processor() == IRENEO_PROCESSOR_AVX512VNNI) return products_vnni;
    return ireneo_has_avx2() ? products_avx2 : products_portable;
}
#else
static eight_products best_products(void) {
    return products_portable;
}
#endif

/* Rows come in no order a processor could foresee: the next eight are asked for while these are multiplied.
 */
static void fetch_row(const ireneo_int16 *s, size_t row) {
    const int16_t *entries = s->entries + row * s->stride;
    for (size_t k = 0; k < s->stride; k += 32) __builtin_prefetch(entries + k);
}

void ireneo_int16_dots(const ireneo_int16 *s, const int16_t *h, float scale, const uint32_t *list,
                       size_t count, float *out) {
    eight_products products = best_products();
    for (size_t k = 0; k < count; k += 8) {
        const int16_t *y[8];
        float sums[8];
        size_t many = count - k < 8 ? count - k : 8;
        for (size_t q = k + 8; q < count && q < k + 16; q++) fetch_row(s, list[q]);
        for (size_t q = 0; q < 8; q++) y[q] = s->entries + (size_t)list[k + (q < many ? q : 0)] * s->stride;
        products(h, y, s->stride, sums);
        for (size_t q = 0; q < many; q++) out[k + q] = scale * s->scale[list[k + q]] * sums[q];
    }
}
