/* The inner loop of an integer scan, once for each kind of processor: eight rows times 48 candidates, sums and
 * comparison in registers, one bit a score written.
 *
 * All kernels read the same layout and find the same bits for the same integers; they differ in how large the
 * integers may be (docs/integers.md). Instructions that multiply bytes want one factor
 * without sign: then candidates are stored as q + shift, and each row brings -shift sum q to take it off again. Some add
 * products in sixteen bits before they widen: then rows keep the sums of a lane within bounds. */
#ifndef IRENEO_LINEAR_KERNELS_INT8_KERNEL_H
#define IRENEO_LINEAR_KERNELS_INT8_KERNEL_H

#include "base/processor.h"

#include <stddef.h>
#include <stdint.h>

enum {
    IRENEO_KERNEL_ROWS = 8,
    IRENEO_PANEL = 16,      /* candidates side by side in memory */
    IRENEO_PANEL_GROUP = 48 /* candidates a kernel takes */
};

/* What one call of a kernel sees. */
typedef struct ireneo_int8_block {
    size_t steps;          /* width in groups of four entries */
    const uint8_t *values; /* (3, steps, 16, 4): q + shift of 48 candidates */
    const float *scale;    /* (48) of the candidates */
    const int8_t *rows;    /* (8, 4 steps) */
    const int32_t *offset; /* (8) -shift times the sum of the row */
    const float *bar;      /* (8) */
} ireneo_int8_block;

typedef struct ireneo_int8_kernel {
    int value_limit; /* largest |q| of candidates */
    int shift;       /* 0, or at least value_limit */
    /* A lane of sixteen bits adds `together` neighbouring entries out of each of `lane_steps` groups of four. The
     * positive ones of a row's q among them add up to lane_limit at most, and so do the negative ones. lane_steps 0: sums
     * are in 32 bits throughout. */
    size_t lane_steps, together;
    int lane_limit;
    /* Bit j of bits[i]: (offset_i + sum of products of row i and candidate j) scale_j > bar_i, in float32. */
    void (*run)(const ireneo_int8_block *block, uint64_t bits[IRENEO_KERNEL_ROWS]);
} ireneo_int8_kernel;

/* The kernel of a path; NULL: none was compiled for it. */
const ireneo_int8_kernel *ireneo_int8_kernel_of(ireneo_processor_path path);

/* One file each. */
extern const ireneo_int8_kernel ireneo_int8_portable, ireneo_int8_avx2, ireneo_int8_avxvnni,
    ireneo_int8_avx512, ireneo_int8_avx512vnni, ireneo_int8_neon, ireneo_int8_sdot;

#endif
