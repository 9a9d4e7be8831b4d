/* Projection of one row's scores on its recall cone, and what the loss makes of it.
 *
 * The cone with margin mu is { u : u_a >= u_j + mu }. The projection lowers competitors above t - mu to it and
 * lifts the target to the level t:
 *     t - s_a = sum_j (s_j + mu - t)_+ ,     r_j = (s_j + mu - t)_+ ,     r_a = s_a - t .
 * The loss of a row is |r|^2 / 2; along a search line its slope is <r, s'> and its curvature that of the active
 * set.
 *
 * When the target need only be among the K best, the K - 1 best competitors are excused: the nearest scores for which it is
 * leave those where they are (docs/linear.md, "Among the K best"). */
#ifndef IRENEO_LINEAR_KERNELS_ROW_PROJECTION_H
#define IRENEO_LINEAR_KERNELS_ROW_PROJECTION_H

#include <stddef.h>

/* Slots of a row, a multiple of 16: loops over one row keep this many numbers on the stack. */
enum { IRENEO_MOST_SLOTS = 512 };

/* A row on the search line at step a: scores score + a slope + a^2 bend (bend NULL: 0), padded to a multiple
 * of 16. */
typedef struct ireneo_row {
    const float *score, *slope, *bend;
    size_t slots, excused;
    float target, target_slope, target_bend;
} ireneo_row;

typedef struct ireneo_row_sums {
    double loss, slope, curvature;
    double violations; /* rows of which a competitor comes within `required` of the target, or above it */
} ireneo_row_sums;

/* Adds the row's loss, slope and curvature at step a to sums, and itself if it is violated. *level is the start of the
 * search for t and receives it. */
void ireneo_row_project(const ireneo_row *row, float step, float margin, float required, float *level,
                        ireneo_row_sums *sums);

/* Level t of the scores (slots) and the target. */
float ireneo_row_level(const float *score, size_t slots, float target, float margin, float start);

/* The `excused` largest scores become -infinity. */
void ireneo_row_excuse(float *score, size_t slots, size_t excused);

/* score += a slope + a^2 bend. */
void ireneo_row_advance(float *score, const float *slope, const float *bend, size_t slots, float step);

#endif
