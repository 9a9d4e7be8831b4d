/* The integer scan with plain NEON, as every 64-bit ARM has it: products of signed bytes in sixteen bits (smlal), eight
 * of them added before they widen (sadalp). Candidates are at most 81 in size; the entries of a row that meet in a lane
 * add up to 404 in size at most: 81 * 404 < 2^15, so that no partial sum overflows. */
#include "linear/kernels/int8_kernel.h"

#if defined(__aarch64__) && defined(__GNUC__)
#include <arm_neon.h>
#include <string.h>

enum { LANE_STEPS = 8, ROWS = 4, COLUMNS = 4 };

/* Sums have names: compilers keep arrays of registers in memory. */
#define FOUR(each) each(0) each(1) each(2) each(3)

static inline int8x16_t spread(const int8_t *row) {
    int32_t four;
    memcpy(&four, row, sizeof four);
    return vreinterpretq_s8_s32(vdupq_n_s32(four));
}

static inline uint64_t bits_above(int32x4_t sums, const float *scale, float bar) {
    static const uint32_t places[COLUMNS] = {1, 2, 4, 8};
    uint32x4_t above = vcgtq_f32(vmulq_f32(vcvtq_f32_s32(sums), vld1q_f32(scale)), vdupq_n_f32(bar));
    return vaddvq_u32(vandq_u32(above, vld1q_u32(places)));
}

/* Of each row: sums of the first two and of the last two candidates, in two halves until the end. */
#define START(r)  int32x4_t a##r = vdupq_n_s32(0), b##r = a##r;
#define NARROW(r) int16x8_t l##r = vdupq_n_s16(0), h##r = l##r;
#define MULTIPLY(r)                                                                                          \
    x = spread(rows + (r)*stride);                                                                           \
    l##r = vmlal_s8(l##r, vget_low_s8(y), vget_low_s8(x));                                                   \
    h##r = vmlal_high_s8(h##r, y, x);
#define WIDEN(r) a##r = vpadalq_s16(a##r, l##r), b##r = vpadalq_s16(b##r, h##r);
#define BITS(r)                                                                                              \
    bits[row + (r)] |= bits_above(vpaddq_s32(a##r, b##r), block->scale + column, block->bar[row + (r)])      \
                       << column;

static inline void tile(const ireneo_int8_block *block, size_t row, size_t column, uint64_t *bits) {
    const size_t stride = 4 * block->steps;
    const int8_t *rows = block->rows + row * stride, *values = (const int8_t *)block->values +
                                                               column / IRENEO_PANEL * block->steps * 64 +
                                                               column % IRENEO_PANEL * 4;
    int8x16_t x;
    FOUR(START)
    for (size_t first = 0; first < block->steps; first += LANE_STEPS) {
        FOUR(NARROW)
        for (size_t k = first; k < block->steps && k < first + LANE_STEPS; k++, values += 64, rows += 4) {
            int8x16_t y = vld1q_s8(values);
            FOUR(MULTIPLY)
        }
        FOUR(WIDEN)
    }
    FOUR(BITS)
}

static void run(const ireneo_int8_block *block, uint64_t bits[IRENEO_KERNEL_ROWS]) {
    for (size_t r = 0; r < IRENEO_KERNEL_ROWS; r++) bits[r] = 0;
    for (size_t column = 0; column < IRENEO_PANEL_GROUP; column += COLUMNS)
        for (size_t row = 0; row < IRENEO_KERNEL_ROWS; row += ROWS) tile(block, row, column, bits);
}

const ireneo_int8_kernel ireneo_int8_neon = {
    .value_limit = 81, .lane_steps = LANE_STEPS, .together = 1, .lane_limit = 202, .run = run};
#endif
