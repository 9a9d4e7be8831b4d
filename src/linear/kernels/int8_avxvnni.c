/* The integer scan with AVX-VNNI: 256-bit vectors, four products of bytes added to a sum of 32 bits (vpdpbusd). */
#include "linear/kernels/int8_kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx2")))

/* Four rows times 24 candidates: twelve sums with names, so that they stay in registers. Two instructions a cycle with
 * five cycles to wait for each want ten. */
#define FOUR(each) each(0) each(1) each(2) each(3)

/* In assembly, because compilers move and spill sums around the intrinsic. */
TARGET static inline __m256i multiply_add(__m256i sums, __m256i values, __m256i row) {
#ifdef IRENEO_EMULATE_VNNI /* in tests */
    return IRENEO_EMULATE_VNNI(sums, values, row);
#else
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sums) : "x"(values), "x"(row));
    return sums;
#endif
}

TARGET static inline __m256i load(const uint8_t *from) {
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

TARGET static inline __m256i spread(const int8_t *row) {
    int32_t four;
    memcpy(&four, row, sizeof four);
    return _mm256_set1_epi32(four);
}

TARGET static inline uint64_t bits_above(__m256i sums, const float *scale, float bar) {
    __m256 scores = _mm256_mul_ps(_mm256_cvtepi32_ps(sums), _mm256_loadu_ps(scale));
    return (uint64_t)_mm256_movemask_ps(_mm256_cmp_ps(scores, _mm256_set1_ps(bar), _CMP_GT_OQ));
}

#define START(r) __m256i a##r = _mm256_set1_epi32(block->offset[row + (r)]), b##r = a##r, c##r = a##r;
#define MULTIPLY(r)                                                                                          \
    x = spread(rows + (r)*stride);                                                                           \
    a##r = multiply_add(a##r, ya, x);                                                                        \
    b##r = multiply_add(b##r, yb, x);                                                                        \
    c##r = multiply_add(c##r, yc, x);
#define BITS(r)                                                                                              \
    bits[row + (r)] |= (bits_above(a##r, scale, block->bar[row + (r)]) |                                     \
                        bits_above(b##r, scale + 8, block->bar[row + (r)]) << 8 |                            \
                        bits_above(c##r, scale + 16, block->bar[row + (r)]) << 16)                           \
                       << column;

/* Where eight candidates begin. */
static inline const uint8_t *eight_from(const ireneo_int8_block *block, size_t column) {
    return block->values + column / IRENEO_PANEL * block->steps * 64 + column % IRENEO_PANEL * 4;
}

TARGET static inline void tile(const ireneo_int8_block *block, size_t row, size_t column, uint64_t *bits) {
    const size_t stride = 4 * block->steps;
    const uint8_t *first = eight_from(block, column), *second = eight_from(block, column + 8),
                  *third = eight_from(block, column + 16);
    const int8_t *rows = block->rows + row * stride;
    const float *scale = block->scale + column;
    __m256i x;
    FOUR(START)
    for (size_t k = 0; k < block->steps; k++, rows += 4) {
        __m256i ya = load(first + k * 64), yb = load(second + k * 64), yc = load(third + k * 64);
        FOUR(MULTIPLY)
    }
    FOUR(BITS)
}

TARGET static void run(const ireneo_int8_block *block, uint64_t bits[IRENEO_KERNEL_ROWS]) {
    for (size_t r = 0; r < IRENEO_KERNEL_ROWS; r++) bits[r] = 0;
    for (size_t column = 0; column < IRENEO_PANEL_GROUP; column += 24)
        for (size_t row = 0; row < IRENEO_KERNEL_ROWS; row += 4) tile(block, row, column, bits);
}

const ireneo_int8_kernel ireneo_int8_avxvnni = {.value_limit = 127, .shift = 128, .run = run};
#endif
