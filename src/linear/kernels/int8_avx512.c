/* The integer scan with AVX-512 but without VNNI: as int8_avx2.c, sixteen candidates at a time. */
#include "linear/kernels/int8_kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))

#define EIGHT(each) each(0) each(1) each(2) each(3) each(4) each(5) each(6) each(7)

TARGET static inline __m512i products(__m512i values, const int8_t *row) {
    int32_t four;
    memcpy(&four, row, sizeof four);
    return _mm512_maddubs_epi16(values, _mm512_set1_epi32(four));
}

TARGET static inline __m512i load(const uint8_t *from) {
    return _mm512_loadu_si512((const void *)from);
}

TARGET static inline uint64_t bits_above(__m512i sums, __m512 scale, float bar) {
    __m512 scores = _mm512_mul_ps(_mm512_cvtepi32_ps(sums), scale);
    return (uint64_t)_mm512_cmp_ps_mask(scores, _mm512_set1_ps(bar), _CMP_GT_OQ);
}

#define START(r) __m512i s##r = _mm512_set1_epi32(b->offset[r]);
#define SIXTEEN(r)                                                                                           \
    {                                                                                                        \
        const int8_t *x = rows + (r)*stride;                                                                 \
        __m512i low = _mm512_add_epi16(products(y0, x), products(y1, x + 4));                                \
        __m512i high = _mm512_add_epi16(products(y2, x + 8), products(y3, x + 12));                          \
        s##r = _mm512_add_epi32(s##r, _mm512_madd_epi16(_mm512_add_epi16(low, high), ones));                 \
    }
#define FOUR(r) s##r = _mm512_add_epi32(s##r, _mm512_madd_epi16(products(y0, rows + (r)*stride), ones));
#define BITS(r) bits[r] |= bits_above(s##r, scale, b->bar[r]) << column;

/* Eight rows times a panel. */
TARGET static inline void tile(const ireneo_int8_block *b, size_t column, uint64_t *bits) {
    const size_t stride = 4 * b->steps;
    const uint8_t *y = b->values + column * stride;
    const int8_t *rows = b->rows;
    const __m512i ones = _mm512_set1_epi16(1);
    size_t k = 0;
    EIGHT(START)
    for (; k + 4 <= b->steps; k += 4, y += 256, rows += 16) {
        __m512i y0 = load(y), y1 = load(y + 64), y2 = load(y + 128), y3 = load(y + 192);
        EIGHT(SIXTEEN)
    }
    for (; k < b->steps; k++, y += 64, rows += 4) {
        __m512i y0 = load(y);
        EIGHT(FOUR)
    }
    __m512 scale = _mm512_loadu_ps(b->scale + column);
    EIGHT(BITS)
}

TARGET static void run(const ireneo_int8_block *b, uint64_t bits[IRENEO_KERNEL_ROWS]) {
    for (size_t r = 0; r < IRENEO_KERNEL_ROWS; r++) bits[r] = 0;
    for (size_t column = 0; column < IRENEO_PANEL_GROUP; column += IRENEO_PANEL) tile(b, column, bits);
}

const ireneo_int8_kernel ireneo_int8_avx512 = {
    .value_limit = 81, .shift = 81, .lane_steps = 4, .together = 2, .lane_limit = 202, .run = run};
#endif
