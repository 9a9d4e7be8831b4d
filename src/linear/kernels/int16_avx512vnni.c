/* Products in sixteen bits with AVX-512 VNNI: two products added to a sum of 32 bits (vpdpwssd), eight rows times 48 columns at
 * a time. */
#include "linear/kernels/int16_kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

/* The twenty-four sums have names, so that they stay in registers. */
#define EIGHT(each) each(0) each(1) each(2) each(3) each(4) each(5) each(6) each(7)

enum { PANEL = IRENEO_PRODUCT_PANEL, WIDTH = IRENEO_PRODUCT_PANEL * IRENEO_PRODUCT_PANELS };

/* In assembly for the reason given in int8_avx512vnni.c. */
TARGET static inline __m512i multiply_add(__m512i sums, __m512i a, __m512i b) {
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sums) : "v"(a), "v"(b));
    return sums;
}

/* One pair, for all columns. */
TARGET static inline __m512i spread(const int16_t *pair) {
    int32_t both;
    memcpy(&both, pair, sizeof both);
    return _mm512_set1_epi32(both);
}

#define START(r) __m512i a##r = _mm512_setzero_si512(), b##r = a##r, c##r = a##r;
#define MULTIPLY_3(r)                                                                                        \
    x = spread(left + (r)*step);                                                                             \
    a##r = multiply_add(a##r, ya, x);                                                                        \
    b##r = multiply_add(b##r, yb, x);                                                                        \
    c##r = multiply_add(c##r, yc, x);
#define STORE_3(r)                                                                                           \
    _mm512_storeu_si512(out + (r)*WIDTH, a##r);                                                              \
    _mm512_storeu_si512(out + (r)*WIDTH + PANEL, b##r);                                                      \
    _mm512_storeu_si512(out + (r)*WIDTH + 2 * PANEL, c##r);

TARGET static void three_panels(const ireneo_int16_block *block) {
    const size_t step = 2 * block->row_step, next = 2 * block->pair_step, panel = block->pairs * 32;
    const int16_t *left = block->left, *right = block->right;
    int32_t *out = block->out;
    __m512i x;
    EIGHT(START)
    for (size_t k = 0; k < block->pairs; k++, left += next, right += 32) {
        __m512i ya = _mm512_loadu_si512(right), yb = _mm512_loadu_si512(right + panel),
                yc = _mm512_loadu_si512(right + 2 * panel);
        EIGHT(MULTIPLY_3)
    }
    EIGHT(STORE_3)
}

#define START_1(r)    __m512i a##r = _mm512_setzero_si512();
#define MULTIPLY_1(r) a##r = multiply_add(a##r, y, spread(left + (r)*step));
#define STORE_1(r)    _mm512_storeu_si512(out + (r)*WIDTH, a##r);

TARGET static void one_panel(const ireneo_int16_block *block, size_t p) {
    const size_t step = 2 * block->row_step, next = 2 * block->pair_step;
    const int16_t *left = block->left, *right = block->right + p * block->pairs * 32;
    int32_t *out = block->out + p * PANEL;
    EIGHT(START_1)
    for (size_t k = 0; k < block->pairs; k++, left += next, right += 32) {
        __m512i y = _mm512_loadu_si512(right);
        EIGHT(MULTIPLY_1)
    }
    EIGHT(STORE_1)
}

TARGET void ireneo_int16_avx512vnni(const ireneo_int16_block *block) {
    if (block->panels == IRENEO_PRODUCT_PANELS)
        three_panels(block);
    else
        for (size_t p = 0; p < block->panels; p++) one_panel(block, p);
}
#endif
