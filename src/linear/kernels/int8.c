/* Rounding to eight bits, packing, and the register-blocked integer scan. */
#include "linear/kernels/int8.h"
#include "base/processor.h"
#include "base/ram.h"
#include "base/vectorised.h"

#include <math.h>
#include <string.h>

enum { KERNEL_ROWS = 8, WIDEST = 32768 }; /* 255 * 127 * 32768 < 2^31: sums cannot overflow */

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define TARGET_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,bmi,popcnt")))

/* Which of one row's 48 sums exceed the bar, as bits. */
TARGET_VNNI static inline uint64_t bits_above(__m512i a, __m512i b, __m512i c, const float *scales,
                                              float bar) {
    __m512 least = _mm512_set1_ps(bar), x = _mm512_mul_ps(_mm512_cvtepi32_ps(a), _mm512_loadu_ps(scales)),
           y = _mm512_mul_ps(_mm512_cvtepi32_ps(b), _mm512_loadu_ps(scales + 16)),
           z = _mm512_mul_ps(_mm512_cvtepi32_ps(c), _mm512_loadu_ps(scales + 32));
    return (uint64_t)_mm512_cmp_ps_mask(x, least, _CMP_GT_OQ) |
           (uint64_t)_mm512_cmp_ps_mask(y, least, _CMP_GT_OQ) << 16 |
           (uint64_t)_mm512_cmp_ps_mask(z, least, _CMP_GT_OQ) << 32;
}

/* sums += products of four unsigned and four signed bytes. In assembly, because compilers move and spill sums
 * around the intrinsic (gcc 12: three times slower). */
TARGET_VNNI static inline __m512i multiply_add(__m512i sums, __m512i unsigned_bytes, __m512i signed_bytes) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(unsigned_bytes), "v"(signed_bytes));
    return sums;
}

/* Eight rows times 48 candidates. The twenty-four sums have names, so that they stay in registers. */
#define SUMS(r) __m512i a##r = _mm512_set1_epi32(offset[r]), b##r = a##r, c##r = a##r
#define MULTIPLY(r)                                                                                          \
    x = _mm512_set1_epi32(h[(r)*steps + k]);                                                                 \
    a##r = multiply_add(a##r, ya, x);                                                                        \
    b##r = multiply_add(b##r, yb, x);                                                                        \
    c##r = multiply_add(c##r, yc, x)
#define COMPARE(r) bits[(r)*gap] = bits_above(a##r, b##r, c##r, q->scale + column, tile->bar[row + (r)])

TARGET_VNNI static void kernel_vnni(const ireneo_int8 *q, const ireneo_int8_rows *tile, size_t row,
                                    size_t column, uint64_t *bits, size_t gap) {
    const size_t steps = q->steps, panel = steps * 64;
    const uint8_t *y = q->packed + column / IRENEO_PANEL * panel;
    const int32_t *h =
        (const int32_t *)(const void *)(tile->entries + row * steps * 4); /* fours of entries */
    const int32_t *offset = tile->offset + row;
    __m512i x;
    SUMS(0);
    SUMS(1);
    SUMS(2);
    SUMS(3);
    SUMS(4);
    SUMS(5);
    SUMS(6);
    SUMS(7);
    for (size_t k = 0; k < steps; k++) {
        __m512i ya = _mm512_loadu_si512(y + k * 64), yb = _mm512_loadu_si512(y + panel + k * 64),
                yc = _mm512_loadu_si512(y + 2 * panel + k * 64);
        MULTIPLY(0);
        MULTIPLY(1);
        MULTIPLY(2);
        MULTIPLY(3);
        MULTIPLY(4);
        MULTIPLY(5);
        MULTIPLY(6);
        MULTIPLY(7);
    }
    COMPARE(0);
    COMPARE(1);
    COMPARE(2);
    COMPARE(3);
    COMPARE(4);
    COMPARE(5);
    COMPARE(6);
    COMPARE(7);
}
#else
#define kernel_vnni kernel_portable
#endif

/* The same sums one by one, where there are no such instructions; scans then prefer float32. */
static void kernel_portable(const ireneo_int8 *q, const ireneo_int8_rows *tile, size_t row, size_t column,
                            uint64_t *bits, size_t gap) {
    for (size_t r = 0; r < KERNEL_ROWS; r++) {
        bits[r * gap] = 0;
        for (size_t j = column; j < column + IRENEO_PANEL_GROUP; j++) {
            const uint8_t *y =
                q->packed + (j / IRENEO_PANEL * q->steps * IRENEO_PANEL + j % IRENEO_PANEL) * 4;
            const int8_t *h = tile->entries + (row + r) * q->steps * 4;
            int32_t sum = tile->offset[row + r];
            for (size_t k = 0; k < q->steps; k++, h += 4, y += (size_t)4 * IRENEO_PANEL)
                for (size_t e = 0; e < 4; e++) sum += (int32_t)h[e] * (int32_t)y[e];
            if ((float)sum * q->scale[j] > tile->bar[row + r]) bits[r * gap] |= (uint64_t)1 << (j - column);
        }
    }
}

bool ireneo_int8_useful(size_t rows, size_t columns, size_t dim) {
    return rows >= 32 && columns >= 256 && dim >= 16 && dim <= WIDEST && ireneo_has_vnni();
}

void ireneo_int8_free(ireneo_int8 *q) {
    free(q->packed);
    free(q->scale);
    memset(q, 0, sizeof *q);
}

/* Rounds a vector to multiples of its largest entry / 127. Returns the step; *square is |v|^2, *missed |v -
 * v̂|^2.
 */
IRENEO_VECTORISED
static float round_vector(const float *restrict vector, size_t dim, int8_t *restrict entries, float *square,
                          float *missed) {
    float largest = 0.0f, norm = 0.0f, error = 0.0f;
#pragma omp simd reduction(max : largest)
    for (size_t k = 0; k < dim; k++) largest = fabsf(vector[k]) > largest ? fabsf(vector[k]) : largest;
    float inverse = largest > 0.0f ? 127.0f / largest : 0.0f, step = largest / 127.0f;
    if (!(inverse < INFINITY)) inverse = step = 0.0f; /* too small to divide by: rounds to zero */
#pragma omp simd reduction(+ : norm, error)
    for (size_t k = 0; k < dim; k++) {
        float scaled = vector[k] * inverse;
        int32_t rounded = (int32_t)(scaled + (scaled < 0.0f ? -0.5f : 0.5f));
        float difference = vector[k] - step * (float)rounded;
        entries[k] = (int8_t)rounded;
        norm += vector[k] * vector[k];
        error += difference * difference;
    }
    *square = norm;
    *missed = error;
    return step;
}

/* Sums of d float squares err by less than this factor; so does a square root of them. */
static float rounded_up(float root, size_t dim) {
    return root * (1.0f + 1e-6f + 1.2e-7f * (float)dim) + 1e-37f;
}

static void pack_column(const int8_t *entries, size_t column, ireneo_int8 *q) {
    uint8_t *out = q->packed + (column / IRENEO_PANEL * q->steps * IRENEO_PANEL + column % IRENEO_PANEL) * 4;
    for (size_t k = 0; k < q->steps; k++, out += (size_t)4 * IRENEO_PANEL)
        for (size_t e = 0; e < 4; e++) out[e] = (uint8_t)(entries[4 * k + e] + 128);
}

/* |v - v̂| from the sum of squares, with what float32 may have lost of it. */
static float error_above(float missed, float square, size_t dim) {
    return rounded_up(sqrtf(missed), dim) + 3e-7f * rounded_up(sqrtf(square), dim);
}

static ireneo_error pack_values(const float *values, size_t stride, int threads, ireneo_int8 *q) {
    size_t panels =
        (q->columns + IRENEO_PANEL_GROUP - 1) / IRENEO_PANEL_GROUP * (IRENEO_PANEL_GROUP / IRENEO_PANEL);
    IRENEO_TRY(IRENEO_ALLOCATE(&q->packed, panels * IRENEO_PANEL * q->steps * 4, "values in eight bits"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&q->scale, panels * IRENEO_PANEL, "scales of values"));
    float largest = 0.0f, error = 0.0f;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(max : largest, error)
    for (size_t panel = 0; panel < panels; panel++) {
        int8_t entries[WIDEST + 4];
        memset(entries, 0, q->steps * 4);
        for (size_t j = panel * IRENEO_PANEL; j < (panel + 1) * IRENEO_PANEL; j++) {
            float square = 0.0f, missed = 0.0f;
            if (j < q->columns)
                q->scale[j] = round_vector(values + j * stride, q->dim, entries, &square, &missed);
            else
                memset(entries, 0, q->steps * 4);
            pack_column(entries, j, q);
            largest = fmaxf(largest, rounded_up(sqrtf(square), q->dim));
            error = fmaxf(error, error_above(missed, square, q->dim));
        }
    }
    q->largest = (double)largest;
    q->error = (double)error;
    return IRENEO_OK;
}

ireneo_error ireneo_int8_make(const float *values, size_t columns, size_t dim, size_t stride, int threads,
                              ireneo_int8 *q) {
    memset(q, 0, sizeof *q);
    q->columns = columns;
    q->dim = dim;
    q->steps = (dim + 3) / 4;
    ireneo_error failed = pack_values(values, stride, threads, q);
    if (failed != IRENEO_OK) ireneo_int8_free(q);
    return failed;
}

/* Kernels take eight rows: the room is rounded up, and what lies beyond the rows in use is zero. */
static size_t whole_kernels(size_t rows) {
    return (rows + KERNEL_ROWS - 1) / KERNEL_ROWS * KERNEL_ROWS;
}

ireneo_error ireneo_int8_rows_allocate(const ireneo_int8 *q, size_t rows, size_t columns,
                                       ireneo_int8_rows *t) {
    memset(t, 0, sizeof *t);
    t->groups = (columns + IRENEO_PANEL_GROUP - 1) / IRENEO_PANEL_GROUP;
    rows = whole_kernels(rows);
    ireneo_error failed = IRENEO_ALLOCATE_ZEROED(&t->entries, rows * q->steps * 4, "rows in eight bits");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&t->offset, rows, "rows in eight bits");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&t->scale, rows, "rows in eight bits");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&t->norm, rows, "rows in eight bits");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&t->error, rows, "rows in eight bits");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&t->bar, rows, "rows in eight bits");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&t->bits, rows * t->groups, "rows in eight bits");
    if (failed != IRENEO_OK) ireneo_int8_rows_free(t);
    return failed;
}

void ireneo_int8_rows_free(ireneo_int8_rows *t) {
    free(t->entries);
    free(t->offset);
    free(t->scale);
    free(t->norm);
    free(t->error);
    free(t->bar);
    free(t->bits);
    memset(t, 0, sizeof *t);
}

void ireneo_int8_rows_set(const ireneo_int8 *q, const float *h, size_t count, size_t stride,
                          ireneo_int8_rows *t) {
    for (size_t i = 0; i < count; i++) {
        int8_t *entries = t->entries + i * q->steps * 4;
        float square = 0.0f, missed = 0.0f;
        t->scale[i] = round_vector(h + i * stride, q->dim, entries, &square, &missed);
        t->norm[i] = rounded_up(sqrtf(square), q->dim);
        t->error[i] = error_above(missed, square, q->dim);
        int32_t sum = 0;
        for (size_t k = 0; k < q->dim; k++) sum += entries[k];
        t->offset[i] = -128 * sum;
    }
}

/* |h - ĥ| |y| + |ĥ| |y - ŷ|, and a little for the comparison itself, which is made in float32. */
double ireneo_int8_bound(const ireneo_int8 *q, const ireneo_int8_rows *t, size_t row) {
    double norm = (double)t->norm[row], error = (double)t->error[row];
    return (error * q->largest + (norm + error) * q->error) * (1.0 + 1e-6) + 1e-6 * norm * q->largest;
}

double ireneo_int8_spread(const ireneo_int8 *q, const ireneo_int8_rows *t, size_t row) {
    double of_values = q->error * (double)t->norm[row] / sqrt((double)q->dim), of_row = (double)t->error[row];
    return sqrt(of_values * of_values + of_row * of_row);
}

/* Places of the bits of one row; IRENEO_TOO_MANY when there are more than `room`. */
static uint32_t list_hits(const uint64_t *bits, size_t groups, size_t column, uint32_t *hits, size_t room) {
    uint32_t found = 0;
    for (size_t g = 0; g < groups; g++, column += IRENEO_PANEL_GROUP) {
        uint64_t mask = bits[g];
        if (mask == 0) continue;
        if (found + IRENEO_PANEL_GROUP > room) return IRENEO_TOO_MANY;
        for (; mask != 0; mask &= mask - 1)
            hits[found++] = (uint32_t)column + (uint32_t)__builtin_ctzll(mask);
    }
    return found;
}

void ireneo_int8_scan(const ireneo_int8 *q, ireneo_int8_rows *t, size_t count, size_t column, size_t columns,
                      const float *threshold, uint32_t *hits, size_t room, uint32_t *found) {
    void (*kernel)(const ireneo_int8 *, const ireneo_int8_rows *, size_t, size_t, uint64_t *, size_t) =
        ireneo_has_vnni() ? kernel_vnni : kernel_portable;
    size_t groups = (columns + IRENEO_PANEL_GROUP - 1) / IRENEO_PANEL_GROUP;
    for (size_t i = 0; i < count; i++) t->bar[i] = threshold[i] / t->scale[i];
    for (size_t i = count; i < whole_kernels(count); i++) t->bar[i] = INFINITY; /* these find nothing */
    for (size_t g = 0; g < groups; g++)
        for (size_t i = 0; i < count; i += KERNEL_ROWS)
            kernel(q, t, i, column + g * IRENEO_PANEL_GROUP, t->bits + i * t->groups + g, t->groups);
    for (size_t i = 0; i < count; i++) {
        found[i] = list_hits(t->bits + i * t->groups, groups, column, hits + i * room, room);
        while (found[i] != IRENEO_TOO_MANY && found[i] > 0 && hits[i * room + found[i] - 1] >= q->columns)
            found[i]--; /* padding scores zero, which a negative threshold lets through */
    }
}
