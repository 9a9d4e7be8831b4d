/* The working set: for every fact its target and the competitors that matter, with scores along the current
 * search line.
 *
 * Along a step a the scores are score + a slope + a^2 bend; bend is only there for factored memories. Rows
 * are padded to a multiple of 16 slots with score -infinity, so that loops run over whole vectors. */
#ifndef IRENEO_LINEAR_LISTS_H
#define IRENEO_LINEAR_LISTS_H

#include "linear/problem.h"

enum { IRENEO_LIST_PAD = 16 };

typedef struct ireneo_lists {
    size_t rows, capacity, dim;
    bool factored, own;
    uint32_t *count;                                  /* (rows) competitors in use */
    uint32_t *index;                                  /* (rows, capacity) */
    float *score, *slope;                             /* (rows, capacity) */
    float *bend;                                      /* (rows, capacity), or NULL */
    float *target_score, *target_slope, *target_bend; /* (rows) */
    float *level; /* (rows) level of the last projection, where the next one starts */
    float *
        own_values; /* (rows, capacity, dim) the competitors themselves when each fact has its own, or NULL */
    float *own_targets; /* (rows, dim), or NULL */
} ireneo_lists;

ireneo_error ireneo_lists_allocate(const ireneo_problem *problem, size_t capacity, bool factored,
                                   ireneo_lists *lists);
void ireneo_lists_free(ireneo_lists *lists);

/* Slots in use, rounded up to the padding. */
static inline size_t ireneo_list_slots(const ireneo_lists *lists, size_t row) {
    return (lists->count[row] + (size_t)IRENEO_LIST_PAD - 1) / IRENEO_LIST_PAD * IRENEO_LIST_PAD;
}

/* The vector of a slot or of the target. */
static inline const float *ireneo_list_value(const ireneo_lists *lists, const ireneo_problem *problem,
                                             size_t row, size_t slot) {
    if (lists->own) return lists->own_values + (row * lists->capacity + slot) * lists->dim;
    return problem->y + (size_t)lists->index[row * lists->capacity + slot] * lists->dim;
}
static inline const float *ireneo_list_target(const ireneo_lists *lists, const ireneo_problem *problem,
                                              size_t row) {
    if (lists->own) return lists->own_targets + row * lists->dim;
    return problem->y + ireneo_problem_target(problem, row) * lists->dim;
}

/* Replaces a row's competitors by the given (count) ones; count <= capacity. */
void ireneo_list_fill(ireneo_lists *lists, const ireneo_problem *problem, size_t row, const uint32_t *index,
                      const float *score, size_t count);

/* Adds a competitor; when the row is full it takes the place of the lowest one. Returns false when it was
 * there already. */
bool ireneo_list_add(ireneo_lists *lists, const ireneo_problem *problem, size_t row, uint32_t index,
                     float score);

#endif
