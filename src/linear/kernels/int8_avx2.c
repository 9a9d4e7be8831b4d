/* The integer scan with AVX2, which multiplies bytes and adds pairs in sixteen bits (vpmaddubsw).
 *
 * Four such products are added in sixteen bits before they widen: nine instructions for 128 products. Candidates are at
 * most 81 in size, stored as 0 .. 162; eight entries of a row meet in a lane, and their positive ones add up to 202 at
 * most, their negative ones too: 162 * 202 < 2^15, so that no partial sum overflows. */
#include "linear/kernels/int8_kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx2")))

/* Eight sums have eight names: compilers keep arrays of registers in memory. */
#define EIGHT(each) each(0) each(1) each(2) each(3) each(4) each(5) each(6) each(7)

/* sums += products of sixteen entries of a row with those of eight candidates. In assembly, because two registers are
 * enough for it beside eight sums, four times values and the ones, and compilers use more, which they do not have. */
TARGET static inline __m256i add_sixteen(__m256i sums, const int8_t *row, __m256i y0, __m256i y1, __m256i y2,
                                         __m256i y3, __m256i ones) {
    typedef int8_t sixteen[16];
    __m256i t, u;
    __asm__("vpbroadcastd (%3), %1\n\t"
            "vpbroadcastd 4(%3), %2\n\t"
            "vpmaddubsw %1, %4, %1\n\t"
            "vpmaddubsw %2, %5, %2\n\t"
            "vpaddw %2, %1, %1\n\t"
            "vpbroadcastd 8(%3), %2\n\t"
            "vpmaddubsw %2, %6, %2\n\t"
            "vpaddw %2, %1, %1\n\t"
            "vpbroadcastd 12(%3), %2\n\t"
            "vpmaddubsw %2, %7, %2\n\t"
            "vpaddw %2, %1, %1\n\t"
            "vpmaddwd %8, %1, %1\n\t"
            "vpaddd %1, %0, %0"
            : "+x"(sums), "=&x"(t), "=&x"(u)
            : "r"(row), "x"(y0), "x"(y1), "x"(y2), "x"(y3), "x"(ones),
              "m"(*(const sixteen *)(const void *)row));
    return sums;
}

TARGET static inline __m256i add_four(__m256i sums, const int8_t *row, __m256i y, __m256i ones) {
    int32_t four;
    memcpy(&four, row, sizeof four);
    return _mm256_add_epi32(sums, _mm256_madd_epi16(_mm256_maddubs_epi16(y, _mm256_set1_epi32(four)), ones));
}

TARGET static inline __m256i load(const uint8_t *from) {
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

TARGET static inline uint64_t bits_above(__m256i sums, __m256 scale, float bar) {
    __m256 scores = _mm256_mul_ps(_mm256_cvtepi32_ps(sums), scale);
    return (uint64_t)_mm256_movemask_ps(_mm256_cmp_ps(scores, _mm256_set1_ps(bar), _CMP_GT_OQ));
}

#define START(r)   __m256i s##r = _mm256_set1_epi32(b->offset[r]);
#define SIXTEEN(r) s##r = add_sixteen(s##r, rows + (r)*stride, y0, y1, y2, y3, ones);
#define FOUR(r)    s##r = add_four(s##r, rows + (r)*stride, y0, ones);
#define BITS(r)    bits[r] |= bits_above(s##r, scale, b->bar[r]) << column;

/* Eight rows times eight candidates. */
TARGET static inline void tile(const ireneo_int8_block *b, const uint8_t *y, size_t column, uint64_t *bits) {
    const size_t stride = 4 * b->steps;
    const int8_t *rows = b->rows;
    const __m256i ones = _mm256_set1_epi16(1);
    size_t k = 0;
    EIGHT(START)
    for (; k + 4 <= b->steps; k += 4, y += 256, rows += 16) {
        __m256i y0 = load(y), y1 = load(y + 64), y2 = load(y + 128), y3 = load(y + 192);
        EIGHT(SIXTEEN)
    }
    for (; k < b->steps; k++, y += 64, rows += 4) {
        __m256i y0 = load(y);
        EIGHT(FOUR)
    }
    __m256 scale = _mm256_loadu_ps(b->scale + column);
    EIGHT(BITS)
}

TARGET static void run(const ireneo_int8_block *b, uint64_t bits[IRENEO_KERNEL_ROWS]) {
    for (size_t r = 0; r < IRENEO_KERNEL_ROWS; r++) bits[r] = 0;
    for (size_t column = 0; column < IRENEO_PANEL_GROUP; column += 8)
        tile(b, b->values + column / IRENEO_PANEL * b->steps * 64 + column % IRENEO_PANEL * 4, column, bits);
}

const ireneo_int8_kernel ireneo_int8_avx2 = {
    .value_limit = 81, .shift = 81, .lane_steps = 4, .together = 2, .lane_limit = 202, .run = run};
#endif
