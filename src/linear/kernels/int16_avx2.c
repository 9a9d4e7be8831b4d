/* Products in sixteen bits with AVX2: two products of sixteen bits added in 32 (vpmaddwd), four rows times sixteen columns at a
 * time. */
#include "linear/kernels/int16_kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx2")))

/* The sums have names, so that they stay in registers. */
#define FOUR(each) each(0) each(1) each(2) each(3)

TARGET static inline __m256i load(const int16_t *from) {
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

/* One pair, for all columns. */
TARGET static inline __m256i spread(const int16_t *pair) {
    int32_t both;
    memcpy(&both, pair, sizeof both);
    return _mm256_set1_epi32(both);
}

TARGET static inline void store(int32_t *to, __m256i sums) {
    _mm256_storeu_si256((__m256i *)(void *)to, sums);
}

#define START(r) __m256i a##r = _mm256_setzero_si256(), b##r = a##r;
#define MULTIPLY(r)                                                                                          \
    x = spread(left + (r)*step);                                                                             \
    a##r = _mm256_add_epi32(a##r, _mm256_madd_epi16(x, ya));                                                 \
    b##r = _mm256_add_epi32(b##r, _mm256_madd_epi16(x, yb));
#define STORE(r) store(out + (r)*WIDTH, a##r), store(out + (r)*WIDTH + 8, b##r);

/* Four rows of one panel. */
TARGET static void panel(const ireneo_int16_block *block, const int16_t *left, const int16_t *right,
                         int32_t *out) {
    enum { WIDTH = IRENEO_PRODUCT_PANEL * IRENEO_PRODUCT_PANELS };
    const size_t step = 2 * block->row_step, next = 2 * block->pair_step;
    __m256i x;
    FOUR(START)
    for (size_t k = 0; k < block->pairs; k++, left += next, right += 32) {
        __m256i ya = load(right), yb = load(right + 16);
        FOUR(MULTIPLY)
    }
    FOUR(STORE)
}

TARGET void ireneo_int16_avx2(const ireneo_int16_block *block) {
    enum { WIDTH = IRENEO_PRODUCT_PANEL * IRENEO_PRODUCT_PANELS };
    for (size_t p = 0; p < block->panels; p++)
        for (size_t row = 0; row < IRENEO_PRODUCT_ROWS; row += 4)
            panel(block, block->left + 2 * row * block->row_step, block->right + p * block->pairs * 32,
                  block->out + row * WIDTH + p * IRENEO_PRODUCT_PANEL);
}
#endif
