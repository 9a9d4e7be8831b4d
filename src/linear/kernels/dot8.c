/* Inner products with shared loads and one reduction for all eight sums. Intrinsics, because a compiler
 * reduces each sum on its own, which for vectors of a hundred entries costs as much as the products. */
#include "linear/kernels/dot8.h"
#include "base/processor.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define TARGET_AVX2   __attribute__((target("avx2,fma")))
#define TARGET_AVX512 __attribute__((target("avx512f,avx512vl,avx2,fma")))

/* Eight sums have eight names: compilers keep arrays of registers in memory. */
#define EIGHT(each) each(0) each(1) each(2) each(3) each(4) each(5) each(6) each(7)

/* Sums of the entries of each of eight vectors. */
TARGET_AVX2 static inline void reduce_eight(__m256 r0, __m256 r1, __m256 r2, __m256 r3, __m256 r4, __m256 r5,
                                            __m256 r6, __m256 r7, float *out) {
    __m256 a = _mm256_hadd_ps(_mm256_hadd_ps(r0, r1), _mm256_hadd_ps(r2, r3));
    __m256 b = _mm256_hadd_ps(_mm256_hadd_ps(r4, r5), _mm256_hadd_ps(r6, r7));
    _mm_storeu_ps(out, _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1)));
    _mm_storeu_ps(out + 4, _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1)));
}

TARGET_AVX512 static inline __m256 fold(__m512 v) {
    return _mm256_add_ps(_mm512_castps512_ps256(v),
                         _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(v), 1)));
}

#define ZERO_256(q)  __m256 s##q = _mm256_setzero_ps();
#define ZERO_512(q)  __m512 s##q = _mm512_setzero_ps();
#define TIMES_256(q) s##q = _mm256_fmadd_ps(x, _mm256_loadu_ps(y[q] + k), s##q);
#define TIMES_512(q) s##q = _mm512_fmadd_ps(x, _mm512_loadu_ps(y[q] + k), s##q);
#define REST_512(q)  s##q = _mm512_fmadd_ps(x, _mm512_maskz_loadu_ps(rest, y[q] + whole), s##q);

TARGET_AVX2 static void dots_avx2(const float *h, const float *const y[8], size_t dim, float *out) {
    size_t whole = dim / 8 * 8;
    EIGHT(ZERO_256)
    for (size_t k = 0; k < whole; k += 8) {
        __m256 x = _mm256_loadu_ps(h + k);
        EIGHT(TIMES_256)
    }
    reduce_eight(s0, s1, s2, s3, s4, s5, s6, s7, out);
    for (size_t k = whole; k < dim; k++)
        for (int q = 0; q < 8; q++) out[q] += h[k] * y[q][k];
}

TARGET_AVX512 static void dots_avx512(const float *h, const float *const y[8], size_t dim, float *out) {
    size_t whole = dim / 16 * 16;
    EIGHT(ZERO_512)
    for (size_t k = 0; k < whole; k += 16) {
        __m512 x = _mm512_loadu_ps(h + k);
        EIGHT(TIMES_512)
    }
    if (whole < dim) {
        __mmask16 rest = (__mmask16)((1u << (dim - whole)) - 1u);
        __m512 x = _mm512_maskz_loadu_ps(rest, h + whole);
        EIGHT(REST_512)
    }
    reduce_eight(fold(s0), fold(s1), fold(s2), fold(s3), fold(s4), fold(s5), fold(s6), fold(s7), out);
}

#else
#define dots_avx2(h, y, dim, out)
#define dots_avx512(h, y, dim, out)
#endif

static void dots_portable(const float *h, const float *const y[8], size_t dim, float *out) {
    for (int q = 0; q < 8; q++) {
        float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (size_t k = 0; k < dim; k++) sum += h[k] * y[q][k];
        out[q] = sum;
    }
}

void ireneo_dot8(const float *h, const float *const y[8], size_t dim, float *out) {
    if (ireneo_has_avx512())
        dots_avx512(h, y, dim, out);
    else if (ireneo_has_avx2())
        dots_avx2(h, y, dim, out);
    else
        dots_portable(h, y, dim, out);
}

void ireneo_dot8_listed(const float *h, const float *values, size_t stride, size_t dim, const uint32_t *list,
                        size_t count, float *out) {
    for (size_t k = 0; k < count; k += 8) {
        const float *y[8];
        float eight[8];
        size_t many = count - k < 8 ? count - k : 8;
        for (size_t q = 0; q < 8; q++) y[q] = values + (size_t)list[k + (q < many ? q : 0)] * stride;
        ireneo_dot8(h, y, dim, eight);
        for (size_t q = 0; q < many; q++) out[k + q] = eight[q];
    }
}
