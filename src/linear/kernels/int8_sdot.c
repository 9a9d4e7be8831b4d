/* The integer scan with ARM's dot products: four products of signed bytes added to a sum of 32 bits (sdot). */
#include "linear/kernels/int8_kernel.h"

#if defined(__ARM_FEATURE_DOTPROD) && defined(__GNUC__) /* CMakeLists.txt sees to it where the compiler can */
#include <arm_neon.h>
#include <string.h>

enum { ROWS = 4 };

/* Four rows times the sixteen candidates of a panel: sixteen sums with names, so that they stay in registers. */
#define FOUR(each) each(0) each(1) each(2) each(3)

static inline int8x16_t spread(const int8_t *row) {
    int32_t four;
    memcpy(&four, row, sizeof four);
    return vreinterpretq_s8_s32(vdupq_n_s32(four));
}

static inline uint64_t bits_above(int32x4_t sums, const float *scale, float bar) {
    static const uint32_t places[4] = {1, 2, 4, 8};
    uint32x4_t above = vcgtq_f32(vmulq_f32(vcvtq_f32_s32(sums), vld1q_f32(scale)), vdupq_n_f32(bar));
    return vaddvq_u32(vandq_u32(above, vld1q_u32(places)));
}

#define START(r)   int32x4_t a##r = vdupq_n_s32(0), b##r = a##r, c##r = a##r, d##r = a##r;
#define ROW(r)     int8x16_t x##r = vld1q_s8(rows + (r)*stride);
#define ONE_ROW(r) int8x16_t x##r = spread(rows + (r)*stride);
#define LOAD(place)                                                                                          \
    int8x16_t ya = vld1q_s8(y + (place)*64), yb = vld1q_s8(y + (place)*64 + 16),                             \
              yc = vld1q_s8(y + (place)*64 + 32), yd = vld1q_s8(y + (place)*64 + 48);
#define MULTIPLY(r, lane)                                                                                    \
    a##r = vdotq_laneq_s32(a##r, ya, x##r, lane), b##r = vdotq_laneq_s32(b##r, yb, x##r, lane);              \
    c##r = vdotq_laneq_s32(c##r, yc, x##r, lane), d##r = vdotq_laneq_s32(d##r, yd, x##r, lane);
#define STEP(lane)                                                                                           \
    { LOAD(lane) MULTIPLY(0, lane) MULTIPLY(1, lane) MULTIPLY(2, lane) MULTIPLY(3, lane) }
#define BITS(r)                                                                                              \
    bits[row + (r)] |= (bits_above(a##r, scale, block->bar[row + (r)]) |                                     \
                        bits_above(b##r, scale + 4, block->bar[row + (r)]) << 4 |                            \
                        bits_above(c##r, scale + 8, block->bar[row + (r)]) << 8 |                            \
                        bits_above(d##r, scale + 12, block->bar[row + (r)]) << 12)                           \
                       << column;

static inline void tile(const ireneo_int8_block *block, size_t row, size_t column, uint64_t *bits) {
    const size_t stride = 4 * block->steps;
    const int8_t *rows = block->rows + row * stride, *y = (const int8_t *)block->values + column * stride;
    const float *scale = block->scale + column;
    size_t k = 0;
    FOUR(START)
    for (; k + 4 <= block->steps; k += 4, y += 256, rows += 16) {
        FOUR(ROW)
        FOUR(STEP)
    }
    for (; k < block->steps; k++, y += 64, rows += 4) {
        FOUR(ONE_ROW)
        STEP(0)
    }
    FOUR(BITS)
}

static void run(const ireneo_int8_block *block, uint64_t bits[IRENEO_KERNEL_ROWS]) {
    for (size_t r = 0; r < IRENEO_KERNEL_ROWS; r++) bits[r] = 0;
    for (size_t column = 0; column < IRENEO_PANEL_GROUP; column += IRENEO_PANEL)
        for (size_t row = 0; row < IRENEO_KERNEL_ROWS; row += ROWS) tile(block, row, column, bits);
}

const ireneo_int8_kernel ireneo_int8_sdot = {.value_limit = 127, .run = run};
#endif
