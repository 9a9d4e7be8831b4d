/* The integer scan in plain C: what the other kernels are compared with. */
#include "linear/kernels/int8_kernel.h"

/* Sums of one row with the sixteen candidates of a panel; compilers make vectors of the inner loop. */
static void panel_sums(const uint8_t *values, const int8_t *row, size_t steps, int32_t start, int32_t *sums) {
    for (size_t j = 0; j < IRENEO_PANEL; j++) sums[j] = start;
    for (size_t k = 0; k < 4 * steps; k += 4, values += (size_t)4 * IRENEO_PANEL)
        for (size_t j = 0; j < IRENEO_PANEL; j++)
            sums[j] += row[k] * values[4 * j] + row[k + 1] * values[4 * j + 1] +
                       row[k + 2] * values[4 * j + 2] + row[k + 3] * values[4 * j + 3];
}

static void run(const ireneo_int8_block *b, uint64_t bits[IRENEO_KERNEL_ROWS]) {
    for (size_t r = 0; r < IRENEO_KERNEL_ROWS; r++) {
        bits[r] = 0;
        for (size_t first = 0; first < IRENEO_PANEL_GROUP; first += IRENEO_PANEL) {
            int32_t sums[IRENEO_PANEL];
            panel_sums(b->values + first * 4 * b->steps, b->rows + r * 4 * b->steps, b->steps, b->offset[r],
                       sums);
            for (size_t j = 0; j < IRENEO_PANEL; j++)
                bits[r] |= (uint64_t)((float)sums[j] * b->scale[first + j] > b->bar[r]) << (first + j);
        }
    }
}

const ireneo_int8_kernel ireneo_int8_portable = {.value_limit = 127, .shift = 128, .run = run};
