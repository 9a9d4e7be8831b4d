/* Products in sixteen bits in plain C. */
#include "linear/kernels/int16_kernel.h"

void ireneo_int16_portable(const ireneo_int16_block *b) {
    enum { PANEL = IRENEO_PRODUCT_PANEL, WIDTH = PANEL * IRENEO_PRODUCT_PANELS };
    for (size_t row = 0; row < IRENEO_PRODUCT_ROWS; row++)
        for (size_t column = 0; column < b->panels * PANEL; column++) {
            const int16_t *left = b->left + 2 * row * b->row_step,
                          *right = b->right + 2 * (column / PANEL * b->pairs * PANEL + column % PANEL);
            int32_t sum = 0;
            for (size_t k = 0; k < b->pairs; k++, left += 2 * b->pair_step, right += 2 * PANEL)
                sum += left[0] * right[0] + left[1] * right[1];
            b->out[row * WIDTH + column] = sum;
        }
}
