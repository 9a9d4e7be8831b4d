/* The best few of many scores: a threshold filter that runs at vector speed, and a selection when its buffer
 * is full. */
#ifndef IRENEO_LINEAR_KERNELS_BEST_H
#define IRENEO_LINEAR_KERNELS_BEST_H

#include <stddef.h>
#include <stdint.h>

typedef struct ireneo_hit {
    float score;
    uint32_t index;
} ireneo_hit;

/* Appends the scores (count) from *position on that exceed the threshold, as (score, column + place). Stops
 * when fewer than sixteen of `room` hits are free; *position tells where. Returns the number appended. */
size_t ireneo_best_collect(const float *scores, size_t count, size_t *position, float threshold,
                           uint32_t column, ireneo_hit *hits, size_t room);

/* Moves the `keep` best of `count` hits to the front, in any order, and returns the lowest of them. 1 <= keep
 * <= count. */
float ireneo_best_select(ireneo_hit *hits, size_t count, size_t keep);

#endif
