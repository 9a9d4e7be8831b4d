/* The inner loop of a product of two matrices in sixteen bits, once for each kind of processor: eight rows times up to 48
 * columns, sums in 32 bits, which the caller has made sure cannot overflow (docs/integers.md).
 *
 * Entries are multiplied in pairs, two neighbours along the dimension that is summed over. The left factor gives one pair at a
 * time to all columns, from wherever its two steps lead; the right one lies in panels of sixteen columns. All kernels
 * give the same integers. */
#ifndef IRENEO_LINEAR_KERNELS_INT16_KERNEL_H
#define IRENEO_LINEAR_KERNELS_INT16_KERNEL_H

#include "base/processor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    IRENEO_PRODUCT_ROWS = 8,
    IRENEO_PRODUCT_PANEL = 16, /* columns side by side in memory */
    IRENEO_PRODUCT_PANELS = 3  /* that a kernel takes at most */
};

/* What one call of a kernel sees. */
typedef struct ireneo_int16_block {
    size_t pairs;               /* products a sum has, halved */
    const int16_t *left;        /* pair k of row r is at left + 2 (r row_step + k pair_step) */
    size_t row_step, pair_step; /* in pairs */
    const int16_t *right;       /* (panels, pairs, 16, 2) */
    size_t panels;              /* 1 .. 3 */
    int32_t *out;               /* (8, 48) of which 16 panels columns are written */
} ireneo_int16_block;

typedef void (*ireneo_int16_kernel)(const ireneo_int16_block *block);

/* The kernel of a path; NULL: none was compiled for it. */
ireneo_int16_kernel ireneo_int16_kernel_of(ireneo_processor_path path);

/* Is the path's kernel faster than float32? Plain C is not, nor are vectors of 512 bits without VNNI, which multiply as
 * many floats. */
bool ireneo_int16_kernel_pays(ireneo_processor_path path);

/* One file each. */
void ireneo_int16_portable(const ireneo_int16_block *block);
void ireneo_int16_avx2(const ireneo_int16_block *block);
void ireneo_int16_avx512vnni(const ireneo_int16_block *block);

#endif
