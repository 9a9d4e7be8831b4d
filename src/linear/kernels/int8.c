/* Rounding to eight bits, packing, and the scan over kernels. */
#include "linear/kernels/int8.h"
#include "base/pool.h"
#include "base/ram.h"
#include "base/vectorised.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROWS = IRENEO_KERNEL_ROWS, GROUP = IRENEO_PANEL_GROUP, ROW_LIMIT = 127 };

/* Errors that are independent of the data have a typical size; a search looks this many of them below its threshold. */
static const double LIKELY_SIZES = 4.0;

bool ireneo_int8_useful(size_t rows, size_t columns, size_t dim) {
    return rows >= 32 && columns >= 256 && dim >= 16 && dim <= IRENEO_INT8_WIDEST &&
           ireneo_processor() != IRENEO_PROCESSOR_PORTABLE; /* plain C is slower than BLAS in float32 */
}

/* ---- Rounding ---- */

/* Largest sum of one sign in a lane of sixteen bits; docs/integers.md. */
static float largest_lane(const float *vector, size_t dim, const ireneo_int8_kernel *kernel) {
    float largest = 0.0f;
    for (size_t first = 0; first < dim; first += 4 * kernel->lane_steps) {
        float up[4] = {0}, down[4] = {0};
        size_t end = dim - first < 4 * kernel->lane_steps ? dim : first + 4 * kernel->lane_steps, k = first;
        for (; k + 4 <= end; k += 4)
            for (size_t e = 0; e < 4; e++) {
                float entry = vector[k + e];
                up[e] += entry > 0.0f ? entry : 0.0f;
                down[e] += entry < 0.0f ? -entry : 0.0f;
            }
        for (size_t e = 0; k < end; k++, e++) *(vector[k] > 0.0f ? &up[e] : &down[e]) += fabsf(vector[k]);
        for (size_t e = 0; kernel->together == 2 && e < 4; e += 2) up[e] += up[e + 1], down[e] += down[e + 1];
        for (size_t e = 0; e < 4; e++) largest = fmaxf(largest, fmaxf(up[e], down[e]));
    }
    return largest;
}

/* Rounding adds half a unit an entry at most; a little more is for rounding in this very sum. */
static float lane_step(const float *vector, size_t dim, const ireneo_int8_kernel *kernel) {
    if (kernel->lane_steps == 0) return 0.0f;
    float entries = (float)(kernel->lane_steps * kernel->together), limit = (float)kernel->lane_limit;
    return largest_lane(vector, dim, kernel) * (1.0f + 1e-5f) / (limit - 0.5f * entries);
}

/* Rounds a vector to multiples of its largest entry / limit, or of the step if that is larger. Returns the step used;
 * *square is |v|^2, *missed |v - v̂|^2. */
IRENEO_VECTORISED
static float round_vector(const float *restrict vector, size_t dim, float limit, float step,
                          int8_t *restrict entries, float *square, float *missed) {
    float largest = 0.0f, norm = 0.0f, error = 0.0f;
#pragma omp simd reduction(max : largest)
    for (size_t k = 0; k < dim; k++) largest = fabsf(vector[k]) > largest ? fabsf(vector[k]) : largest;
    if (step < largest / limit) step = largest / limit;
    float inverse = step > 0.0f ? 1.0f / step : 0.0f;
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

/* |v - v̂| from the sum of squares, with what float32 may have lost of it. */
static float error_above(float missed, float square, size_t dim) {
    return rounded_up(sqrtf(missed), dim) + 3e-7f * rounded_up(sqrtf(square), dim);
}

/* ---- Candidates ---- */

void ireneo_int8_free(ireneo_int8 *q) {
    ireneo_shared_free(&q->shared);
    memset(q, 0, sizeof *q);
}

static void pack_column(const int8_t *entries, size_t column, ireneo_int8 *q) {
    uint8_t *out = q->packed + (column / IRENEO_PANEL * q->steps * IRENEO_PANEL + column % IRENEO_PANEL) * 4;
    for (size_t k = 0; k < q->steps; k++, out += (size_t)4 * IRENEO_PANEL)
        for (size_t e = 0; e < 4; e++) out[e] = (uint8_t)(entries[4 * k + e] + q->kernel->shift);
}

/* Values (columns, stride) that are being packed. */
typedef struct packing {
    const float *values;
    size_t stride, first; /* group that this rank begins with */
    ireneo_int8 *q;
} packing;

static void pack_group(void *context, size_t index, int thread) {
    (void)thread;
    const packing *p = context;
    ireneo_int8 *q = p->q;
    size_t group = p->first + index;
    int8_t entries[IRENEO_INT8_WIDEST + 4];
    memset(entries, 0, q->steps * 4);
    for (size_t j = group * GROUP; j < (group + 1) * GROUP; j++) {
        float square = 0.0f, missed = 0.0f;
        if (j < q->columns)
            q->scale[j] = round_vector(p->values + j * p->stride, q->dim, (float)q->kernel->value_limit, 0.0f,
                                       entries, &square, &missed);
        else
            memset(entries, 0, q->steps * 4);
        pack_column(entries, j, q);
        q->largest[group] = fmaxf(q->largest[group], rounded_up(sqrtf(square), q->dim));
        q->error[group] = fmaxf(q->error[group], error_above(missed, square, q->dim));
    }
}

/* One block for all arrays, which the ranks of a node share. */
static ireneo_error allocate_columns(ireneo_ranks *ranks, ireneo_int8 *q) {
    size_t packed = q->groups * GROUP * q->steps * 4, floats = q->groups * (GROUP + 2), bytes;
    packed = (packed + 63) / 64 * 64;
    IRENEO_TRY(ireneo_multiply_sizes(floats, sizeof(float), &bytes, "values in eight bits"));
    IRENEO_TRY(ireneo_shared_allocate(ranks, packed + bytes, 1, "values in eight bits", &q->shared));
    q->packed = q->shared.bytes;
    q->scale = (float *)(void *)(q->packed + packed);
    q->largest = q->scale + q->groups * GROUP;
    q->error = q->largest + q->groups;
    return IRENEO_OK;
}

ireneo_error ireneo_int8_make(const float *values, size_t columns, size_t dim, size_t stride, int threads,
                              ireneo_ranks *ranks, ireneo_int8 *q) {
    *q = (ireneo_int8){.kernel = ireneo_int8_kernel_of(ireneo_processor()),
                       .columns = columns,
                       .dim = dim,
                       .steps = (dim + 3) / 4,
                       .groups = (columns + GROUP - 1) / GROUP};
    IRENEO_TRY(allocate_columns(ranks, q));
    packing p = {.values = values, .stride = stride, .q = q};
    size_t last;
    ireneo_shared_slice(ranks, q->groups, &p.first, &last);
    ireneo_share(last - p.first, threads, pack_group, &p);
    ireneo_shared_settle(ranks, &q->shared);
    for (size_t group = 0; group < q->groups; group++) {
        q->usual_largest += (double)q->largest[group] / (double)q->groups;
        q->usual_error += (double)q->error[group] / (double)q->groups;
    }
    return IRENEO_OK;
}

/* ---- Rows ---- */

/* The room is rounded up to whole kernels, and what lies beyond the rows in use is zero or finds nothing. */
static size_t whole_kernels(size_t rows) {
    return (rows + ROWS - 1) / ROWS * ROWS;
}

ireneo_error ireneo_int8_rows_allocate(const ireneo_int8 *q, size_t rows, size_t columns,
                                       ireneo_int8_rows *t) {
    memset(t, 0, sizeof *t);
    t->groups = (columns + GROUP - 1) / GROUP;
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
        const float *row = h + i * stride;
        int8_t *entries = t->entries + i * q->steps * 4;
        float square = 0.0f, missed = 0.0f;
        t->scale[i] = round_vector(row, q->dim, ROW_LIMIT, lane_step(row, q->dim, q->kernel), entries,
                                   &square, &missed);
        t->norm[i] = rounded_up(sqrtf(square), q->dim);
        t->error[i] = error_above(missed, square, q->dim);
        int32_t sum = 0;
        for (size_t k = 0; k < q->dim; k++) sum += entries[k];
        t->offset[i] = -q->kernel->shift * sum;
    }
}

/* ---- How far rounding may be off ---- */

/* |h - ĥ| |y| + |ĥ| |y - ŷ|, and a little for the comparison itself, which is made in float32. */
static inline double certain_bound(double norm, double error, double largest, double missed) {
    return (error * largest + (norm + error) * missed) * (1.0 + 1e-6) + 1e-6 * norm * largest;
}

double ireneo_int8_bound(const ireneo_int8 *q, const ireneo_int8_rows *t, size_t row, size_t group) {
    return certain_bound((double)t->norm[row], (double)t->error[row], (double)q->largest[group],
                         (double)q->error[group]);
}

double ireneo_int8_usual_bound(const ireneo_int8 *q, const ireneo_int8_rows *t, size_t row) {
    return certain_bound((double)t->norm[row], (double)t->error[row], q->usual_largest, q->usual_error);
}

/* The same when the errors point anywhere: sqrt(d) times smaller, and added as squares. */
static inline double likely_bound(double norm, double error, double largest, double missed, double dim) {
    double of_row = error * largest, of_value = norm * missed;
    return LIKELY_SIZES * sqrt((of_row * of_row + of_value * of_value) / dim);
}

/* ---- The scan ---- */

/* Bars of all rows (count) for one group: (threshold - bound) / scale. A row that rounds to zero has sums of zero.
 * FLT_MIN covers products that vanish in float32. */
IRENEO_VECTORISED
static void set_bars(const ireneo_int8 *q, const ireneo_int8_rows *t, size_t count, size_t group,
                     const float *threshold, ireneo_int8_care care) {
    const float *restrict norm = t->norm, *restrict error = t->error, *restrict scale = t->scale;
    float *restrict bar = t->bar;
    double largest = (double)q->largest[group], missed = (double)q->error[group], dim = (double)q->dim;
    if (care == IRENEO_INT8_CERTAIN) {
        for (size_t i = 0; i < count; i++) {
            double unit = scale[i] > 0.0f ? (double)scale[i] : 1.0;
            double bound = certain_bound((double)norm[i], (double)error[i], largest, missed);
            bar[i] = (float)(((double)threshold[i] - bound) / unit - (double)FLT_MIN);
        }
    } else {
        for (size_t i = 0; i < count; i++) {
            double unit = scale[i] > 0.0f ? (double)scale[i] : 1.0;
            double bound = likely_bound((double)norm[i], (double)error[i], largest, missed, dim);
            bar[i] = (float)(((double)threshold[i] - bound) / unit - (double)FLT_MIN);
        }
    }
}

static void scan_group(const ireneo_int8 *q, const ireneo_int8_rows *t, size_t count, size_t group,
                       uint64_t *bits) {
    ireneo_int8_block block = {.steps = q->steps,
                               .values = q->packed + group * GROUP * q->steps * 4,
                               .scale = q->scale + group * GROUP};
    for (size_t i = 0; i < count; i += ROWS) {
        uint64_t found[ROWS];
        block.rows = t->entries + i * q->steps * 4;
        block.offset = t->offset + i;
        block.bar = t->bar + i;
        q->kernel->run(&block, found);
        for (size_t r = 0; r < ROWS; r++) bits[(i + r) * t->groups] = found[r];
    }
}

/* Places of the bits of one row; IRENEO_TOO_MANY when there are more than `room`. */
static uint32_t list_hits(const uint64_t *bits, size_t groups, size_t column, uint32_t *hits, size_t room) {
    uint32_t found = 0;
    for (size_t g = 0; g < groups; g++, column += GROUP) {
        uint64_t mask = bits[g];
        if (mask == 0) continue;
        if (found + GROUP > room) return IRENEO_TOO_MANY;
        for (; mask != 0; mask &= mask - 1)
            hits[found++] = (uint32_t)column + (uint32_t)__builtin_ctzll(mask);
    }
    return found;
}

void ireneo_int8_scan(const ireneo_int8 *q, ireneo_int8_rows *t, size_t count, size_t column, size_t columns,
                      const float *threshold, ireneo_int8_care care, uint32_t *hits, size_t room,
                      uint32_t *found) {
    size_t groups = (columns + GROUP - 1) / GROUP;
    for (size_t i = count; i < whole_kernels(count); i++) t->bar[i] = INFINITY;
    for (size_t g = 0; g < groups; g++) {
        set_bars(q, t, count, column / GROUP + g, threshold, care);
        scan_group(q, t, count, column / GROUP + g, t->bits + g);
    }
    for (size_t i = 0; i < count; i++) {
        found[i] = list_hits(t->bits + i * t->groups, groups, column, hits + i * room, room);
        while (found[i] != IRENEO_TOO_MANY && found[i] > 0 && hits[i * room + found[i] - 1] >= q->columns)
            found[i]--; /* padding scores zero, which a negative threshold lets through */
    }
}
