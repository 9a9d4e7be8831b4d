/* The integer scan with AVX-512 VNNI: 512-bit vectors, four products of bytes added to a sum of 32 bits (vpdpbusd). */
#include "linear/kernels/int8_kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

/* The twenty-four sums have names, so that they stay in registers. */
#define EIGHT(each) each(0) each(1) each(2) each(3) each(4) each(5) each(6) each(7)

/* In assembly, because compilers move and spill sums around the intrinsic (gcc 12: three times slower). */
TARGET static inline __m512i multiply_add(__m512i sums, __m512i values, __m512i row) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(values), "v"(row));
    return sums;
}

/* Which of one row's 48 sums exceed the bar, as bits. */
TARGET static inline uint64_t bits_above(__m512i a, __m512i b, __m512i c, const float *scale, float bar) {
    __m512 least = _mm512_set1_ps(bar), x = _mm512_mul_ps(_mm512_cvtepi32_ps(a), _mm512_loadu_ps(scale)),
           y = _mm512_mul_ps(_mm512_cvtepi32_ps(b), _mm512_loadu_ps(scale + 16)),
           z = _mm512_mul_ps(_mm512_cvtepi32_ps(c), _mm512_loadu_ps(scale + 32));
    return (uint64_t)_mm512_cmp_ps_mask(x, least, _CMP_GT_OQ) |
           (uint64_t)_mm512_cmp_ps_mask(y, least, _CMP_GT_OQ) << 16 |
           (uint64_t)_mm512_cmp_ps_mask(z, least, _CMP_GT_OQ) << 32;
}

#define START(r) __m512i a##r = _mm512_set1_epi32(block->offset[r]), b##r = a##r, c##r = a##r;
#define MULTIPLY(r)                                                                                          \
    x = _mm512_set1_epi32(rows[(r)*steps + k]);                                                              \
    a##r = multiply_add(a##r, ya, x);                                                                        \
    b##r = multiply_add(b##r, yb, x);                                                                        \
    c##r = multiply_add(c##r, yc, x);
#define BITS(r) bits[r] = bits_above(a##r, b##r, c##r, block->scale, block->bar[r]);

TARGET static void run(const ireneo_int8_block *block, uint64_t bits[IRENEO_KERNEL_ROWS]) {
    const size_t steps = block->steps, panel = steps * 64;
    const uint8_t *y = block->values;
    const int32_t *rows = (const int32_t *)(const void *)block->rows; /* fours of entries */
    __m512i x;
    EIGHT(START)
    for (size_t k = 0; k < steps; k++) {
        __m512i ya = _mm512_loadu_si512(y + k * 64), yb = _mm512_loadu_si512(y + panel + k * 64),
                yc = _mm512_loadu_si512(y + 2 * panel + k * 64);
        EIGHT(MULTIPLY)
    }
    EIGHT(BITS)
}

const ireneo_int8_kernel ireneo_int8_avx512vnni = {.value_limit = 127, .shift = 128, .run = run};
#endif
