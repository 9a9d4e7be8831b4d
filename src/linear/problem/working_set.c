/* Arrays of the working set and changes to it. */
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

static ireneo_error allocate_arrays(const ireneo_problem *problem, ireneo_working_set *set) {
    size_t slots;
    IRENEO_TRY(ireneo_multiply_sizes(set->rows, set->capacity, &slots, "working set"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&set->count, set->rows, "working set"));
    IRENEO_TRY(IRENEO_ALLOCATE(&set->index, slots, "working set"));
    IRENEO_TRY(IRENEO_ALLOCATE(&set->score, slots, "working set"));
    IRENEO_TRY(IRENEO_ALLOCATE(&set->slope, slots, "working set"));
    if (set->factored) IRENEO_TRY(IRENEO_ALLOCATE(&set->bend, slots, "working set"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&set->target_score, set->rows, "working set"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&set->target_slope, set->rows, "working set"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&set->target_bend, set->rows, "working set"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&set->level, set->rows, "working set"));
    if (!set->own) return IRENEO_OK;
    IRENEO_TRY(
        IRENEO_ALLOCATE_ZEROED(&set->own_values, slots * set->dim, "own candidates of the working set"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&set->own_targets, set->rows * set->dim, "own targets"));
    for (size_t i = 0; i < set->rows; i++) {
        const float *value = ireneo_problem_target_value(problem, i, set->own_targets + i * set->dim);
        if (value != set->own_targets + i * set->dim)
            memcpy(set->own_targets + i * set->dim, value, problem->dim_out * sizeof *value);
    }
    return IRENEO_OK;
}

ireneo_error ireneo_working_set_allocate(const ireneo_problem *problem, size_t capacity, bool factored,
                                         ireneo_working_set *set) {
    memset(set, 0, sizeof *set);
    set->rows = problem->rows;
    if (capacity > IRENEO_MOST_SLOTS) capacity = IRENEO_MOST_SLOTS;
    set->capacity = (capacity + IRENEO_LIST_PAD - 1) / IRENEO_LIST_PAD * IRENEO_LIST_PAD;
    set->dim = problem->stride;
    set->factored = factored;
    set->own = problem->y == NULL;
    ireneo_error failed = allocate_arrays(problem, set);
    if (failed != IRENEO_OK) ireneo_working_set_free(set);
    return failed;
}

static void pad_row(ireneo_working_set *set, size_t row) {
    size_t base = row * set->capacity, slots = ireneo_working_set_slots(set, row);
    for (size_t k = set->count[row]; k < slots; k++) {
        set->index[base + k] = 0;
        set->score[base + k] = -INFINITY;
        set->slope[base + k] = 0.0f;
        if (set->factored) set->bend[base + k] = 0.0f;
    }
}

static void set_slot(ireneo_working_set *set, const ireneo_problem *problem, size_t row, size_t slot,
                     uint32_t index, float score) {
    size_t at = row * set->capacity + slot;
    set->index[at] = index;
    set->score[at] = score;
    set->slope[at] = 0.0f;
    if (set->factored) set->bend[at] = 0.0f;
    if (set->own)
        problem->facts->own_candidates(problem->facts->own_context, row, index, 1,
                                       set->own_values + at * set->dim);
}

void ireneo_working_set_fill(ireneo_working_set *set, const ireneo_problem *problem, size_t row,
                             const uint32_t *index, const float *score, size_t count) {
    for (size_t k = 0; k < count; k++) set_slot(set, problem, row, k, index[k], score[k]);
    set->count[row] = (uint32_t)count;
    pad_row(set, row);
}

bool ireneo_working_set_add(ireneo_working_set *set, const ireneo_problem *problem, size_t row,
                            uint32_t index, float score) {
    size_t base = row * set->capacity, count = set->count[row], lowest = 0;
    for (size_t k = 0; k < count; k++) {
        if (set->index[base + k] == index) return false;
        if (set->score[base + k] < set->score[base + lowest]) lowest = k;
    }
    if (count < set->capacity) {
        set->count[row]++;
        pad_row(set, row);
        lowest = count;
    }
    set_slot(set, problem, row, lowest, index, score);
    return true;
}
