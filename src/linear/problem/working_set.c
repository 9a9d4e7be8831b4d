/* Memory of the working set and changes to it. */
#include "linear/problem/working_set.h"
#include "base/ram.h"

#include <math.h>
#include <string.h>

void ireneo_working_set_free(ireneo_working_set *set) {
    free(set->count);
    free(set->index);
    free(set->score);
    free(set->slope);
    free(set->bend);
    free(set->target_score);
    free(set->target_slope);
    free(set->target_bend);
    free(set->level);
    free(set->own_values);
    free(set->own_targets);
    memset(set, 0, sizeof *set);
}

static ireneo_error allocate_arrays(const ireneo_problem *problem, ireneo_working_set *l) {
    size_t slots;
    IRENEO_TRY(ireneo_multiply_sizes(l->rows, l->capacity, &slots, "working set"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&l->count, l->rows, "working set"));
    IRENEO_TRY(IRENEO_ALLOCATE(&l->index, slots, "working set"));
    IRENEO_TRY(IRENEO_ALLOCATE(&l->score, slots, "working set"));
    IRENEO_TRY(IRENEO_ALLOCATE(&l->slope, slots, "working set"));
    if (l->factored) IRENEO_TRY(IRENEO_ALLOCATE(&l->bend, slots, "working set"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&l->target_score, l->rows, "working set"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&l->target_slope, l->rows, "working set"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&l->target_bend, l->rows, "working set"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&l->level, l->rows, "working set"));
    if (!l->own) return IRENEO_OK;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&l->own_values, slots * l->dim, "own candidates of the working set"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&l->own_targets, l->rows * l->dim, "own targets"));
    for (size_t i = 0; i < l->rows; i++) {
        const float *value = ireneo_problem_target_value(problem, i, l->own_targets + i * l->dim);
        if (value != l->own_targets + i * l->dim)
            memcpy(l->own_targets + i * l->dim, value, problem->dim_out * sizeof *value);
    }
    return IRENEO_OK;
}

ireneo_error ireneo_working_set_allocate(const ireneo_problem *problem, size_t capacity, bool factored,
                                         ireneo_working_set *set) {
    memset(set, 0, sizeof *set);
    set->rows = problem->rows;
    set->capacity = (capacity + IRENEO_LIST_PAD - 1) / IRENEO_LIST_PAD * IRENEO_LIST_PAD;
    set->dim = problem->stride;
    set->factored = factored;
    set->own = problem->y == NULL;
    ireneo_error failed = allocate_arrays(problem, set);
    if (failed != IRENEO_OK) ireneo_working_set_free(set);
    return failed;
}

static void pad_row(ireneo_working_set *l, size_t row) {
    size_t base = row * l->capacity, slots = ireneo_working_set_slots(l, row);
    for (size_t k = l->count[row]; k < slots; k++) {
        l->index[base + k] = 0;
        l->score[base + k] = -INFINITY;
        l->slope[base + k] = 0.0f;
        if (l->factored) l->bend[base + k] = 0.0f;
    }
}

static void set_slot(ireneo_working_set *l, const ireneo_problem *problem, size_t row, size_t slot,
                     uint32_t index, float score) {
    size_t at = row * l->capacity + slot;
    l->index[at] = index;
    l->score[at] = score;
    l->slope[at] = 0.0f;
    if (l->factored) l->bend[at] = 0.0f;
    if (l->own)
        problem->facts->own_candidates(problem->facts->own_context, row, index, 1,
                                       l->own_values + at * l->dim);
}

void ireneo_working_set_fill(ireneo_working_set *l, const ireneo_problem *problem, size_t row,
                             const uint32_t *index, const float *score, size_t count) {
    for (size_t k = 0; k < count; k++) set_slot(l, problem, row, k, index[k], score[k]);
    l->count[row] = (uint32_t)count;
    pad_row(l, row);
}

bool ireneo_working_set_add(ireneo_working_set *l, const ireneo_problem *problem, size_t row, uint32_t index,
                            float score) {
    size_t base = row * l->capacity, count = l->count[row], lowest = 0;
    for (size_t k = 0; k < count; k++) {
        if (l->index[base + k] == index) return false;
        if (l->score[base + k] < l->score[base + lowest]) lowest = k;
    }
    if (count < l->capacity) {
        l->count[row]++;
        pad_row(l, row);
        lowest = count;
    }
    set_slot(l, problem, row, lowest, index, score);
    return true;
}
