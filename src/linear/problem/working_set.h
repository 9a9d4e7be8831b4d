/* The working set: for every fact its target and the competitors that matter, with scores along the current
 * search line.
 *
 * Along a step a the scores are score + a slope + a^2 bend; bend is only there for factored memories. Rows
 * are padded to a multiple of 16 slots with score -infinity, so that loops run over whole vectors. */
#ifndef IRENEO_LINEAR_PROBLEM_WORKING_SET_H
#define IRENEO_LINEAR_PROBLEM_WORKING_SET_H

#include "linear/kernels/row_projection.h"
#include "linear/problem/problem.h"

enum { IRENEO_LIST_PAD = 16 };

/* Rows hold at most IRENEO_MOST_SLOTS competitors: a larger capacity is cut down to that. */

typedef struct ireneo_working_set {
    size_t rows, capacity, dim;
    bool factored, own;
    uint32_t *count;                                  /* (rows) competitors in use */
    uint32_t *index;                                  /* (rows, capacity) */
    float *score, *slope;                             /* (rows, capacity) */
    float *bend;                                      /* (rows, capacity), or NULL */
    float *target_score, *target_slope, *target_bend; /* (rows) */
    float *level;       /* (rows) level of the last projection, where the next one starts */
    float *own_values;  /* (rows, capacity, dim) the competitors when each fact has its own, or NULL */
    float *own_targets; /* (rows, dim), or NULL */
} ireneo_working_set;

ireneo_error ireneo_working_set_allocate(const ireneo_problem *problem, size_t capacity, bool factored,
                                         ireneo_working_set *set);
void ireneo_working_set_free(ireneo_working_set *set);

/* Slots in use, rounded up to the padding. */
static inline size_t ireneo_working_set_slots(const ireneo_working_set *set, size_t row) {
    return (set->count[row] + (size_t)IRENEO_LIST_PAD - 1) / IRENEO_LIST_PAD * IRENEO_LIST_PAD;
}

/* The vector of a slot or of the target. */
static inline const float *ireneo_working_set_value(const ireneo_working_set *set,
                                                    const ireneo_problem *problem, size_t row, size_t slot) {
    if (set->own) return set->own_values + (row * set->capacity + slot) * set->dim;
    return problem->y + (size_t)set->index[row * set->capacity + slot] * set->dim;
}
static inline const float *ireneo_working_set_target(const ireneo_working_set *set,
                                                     const ireneo_problem *problem, size_t row) {
    if (set->own) return set->own_targets + row * set->dim;
    return problem->y + ireneo_problem_target(problem, row) * set->dim;
}

/* Replaces a row's competitors by the given (count) ones; count <= capacity. */
void ireneo_working_set_fill(ireneo_working_set *set, const ireneo_problem *problem, size_t row,
                             const uint32_t *index, const float *score, size_t count);

/* Adds a competitor; when the row is full it takes the place of the lowest one. Returns false when it was
 * there already. */
bool ireneo_working_set_add(ireneo_working_set *set, const ireneo_problem *problem, size_t row,
                            uint32_t index, float score);

#endif
