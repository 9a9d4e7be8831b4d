/* Loops over one row's list, written for vectors: sums may be taken in any order, as the pragmas say. */
#include "linear/kernels/row_projection.h"
#include "base/vectorised.h"

#include <math.h>
#include <string.h>

/* Every instruction set has its own copy inside its own loops: a call costs as much as a short list. */
#define ALWAYS_HERE static inline __attribute__((always_inline))

enum { MOST_STEPS = 64 }; /* of the search for the level, against rounding that goes in circles */

/* The function t - s_a - sum (s_j + mu - t)_+ is concave and rises, so Newton's step lands left of the root
 * and from there climbs to it; the set of active competitors settles after two to four steps, and then the
 * step is exact. */
ALWAYS_HERE float find_level(const float *score, size_t slots, float target, float margin, float start) {
    float t = start, active_before = -1.0f;
    for (int step = 0; step < MOST_STEPS; step++) {
        float sum = 0.0f, active = 0.0f, bar = t - margin;
#pragma omp simd reduction(+ : sum, active)
        for (size_t k = 0; k < slots; k++) {
            int above = score[k] > bar;
            sum += above ? score[k] : 0.0f;
            active += above ? 1.0f : 0.0f;
        }
        float next = (target + sum + active * margin) / (1.0f + active);
        if (active == active_before && next == t) break;
        active_before = active;
        t = next;
    }
    return t;
}

/* Slots come in whole vectors. */
ALWAYS_HERE float find_largest(const float *score, size_t slots) {
    float largest = -INFINITY;
#pragma omp simd reduction(max : largest)
    for (size_t k = 0; k < slots; k++) largest = score[k] > largest ? score[k] : largest;
    return largest;
}

IRENEO_VECTORISED
float ireneo_row_level(const float *score, size_t slots, float target, float margin, float start) {
    return find_level(score, slots, target, margin, start);
}

/* The value of the `rank`-th largest of the numbers (count), which are moved; 1 <= rank <= count. */
static float select_largest(float *numbers, size_t count, size_t rank) {
    size_t low = 0, high = count;
    while (high - low > 1) {
        float pivot = numbers[low + (high - low) / 2];
        size_t better = low, k = low, worse = high;
        while (k < worse) {
            float x = numbers[k];
            if (x > pivot) {
                numbers[k++] = numbers[better];
                numbers[better++] = x;
            } else if (x < pivot) {
                numbers[k] = numbers[--worse];
                numbers[worse] = x;
            } else {
                k++;
            }
        }
        if (rank <= better)
            high = better;
        else if (rank > worse)
            low = worse;
        else
            return pivot;
    }
    return numbers[low];
}

void ireneo_row_excuse(float *score, size_t slots, size_t excused) {
    float moved[IRENEO_MOST_SLOTS];
    if (excused == 0 || slots == 0) return;
    if (excused > slots) excused = slots;
    memcpy(moved, score, slots * sizeof *moved);
    float lowest = select_largest(moved, slots, excused);
    size_t above = 0;
    for (size_t k = 0; k < slots; k++) above += score[k] > lowest;
    for (size_t k = 0; k < slots; k++) { /* of equal ones the first */
        if (score[k] < lowest || (score[k] == lowest && above == excused)) continue;
        above += score[k] == lowest;
        score[k] = -INFINITY;
    }
}

IRENEO_VECTORISED
void ireneo_row_advance(float *score, const float *slope, const float *bend, size_t slots, float step) {
    if (bend == NULL) {
        for (size_t k = 0; k < slots; k++) score[k] += step * slope[k];
        return;
    }
    for (size_t k = 0; k < slots; k++) score[k] += step * (slope[k] + step * bend[k]);
}

IRENEO_VECTORISED
void ireneo_row_project(const ireneo_row *row, float step, float margin, float required, float *level,
                        ireneo_row_sums *sums) {
    float score[IRENEO_MOST_SLOTS], slope[IRENEO_MOST_SLOTS];
    size_t slots = row->slots;
    float target = row->target + step * (row->target_slope + step * row->target_bend);
    float target_slope = row->target_slope + 2.0f * step * row->target_bend;
    if (row->bend == NULL) {
        for (size_t k = 0; k < slots; k++) score[k] = row->score[k] + step * row->slope[k];
    } else {
        for (size_t k = 0; k < slots; k++) {
            score[k] = row->score[k] + step * (row->slope[k] + step * row->bend[k]);
            slope[k] = row->slope[k] + 2.0f * step * row->bend[k];
        }
    }
    ireneo_row_excuse(score, slots, row->excused);
    const float *tangent = row->bend == NULL ? row->slope : slope;
    float best = find_largest(score, slots);
    if (!(best + required < target)) sums->violations += 1.0;
    if (best + margin <= target) {
        *level = target;
        return;
    }
    float t = find_level(score, slots, target, margin, *level);
    *level = t;
    float squares = 0.0f, along = 0.0f, active = 0.0f, first = 0.0f, second = 0.0f, turn = 0.0f;
#pragma omp simd reduction(+ : squares, along, active, first, second)
    for (size_t k = 0; k < slots; k++) {
        float r = score[k] + margin - t, on = r > 0.0f ? 1.0f : 0.0f;
        r = r > 0.0f ? r : 0.0f;
        float s = on != 0.0f ? tangent[k] : 0.0f;
        squares += r * r;
        along += r * s;
        active += on;
        first += s;
        second += s * s;
    }
    float r_target = target - t;
    if (row->bend != NULL) {
#pragma omp simd reduction(+ : turn)
        for (size_t k = 0; k < slots; k++) {
            float r = score[k] + margin - t;
            turn += r > 0.0f ? r * row->bend[k] : 0.0f;
        }
        turn += r_target * row->target_bend;
    }
    first += target_slope;
    second += target_slope * target_slope;
    sums->loss += 0.5 * ((double)squares + (double)r_target * (double)r_target);
    sums->slope += (double)along + (double)r_target * (double)target_slope;
    sums->curvature +=
        (double)second - (double)first * (double)first / (1.0 + (double)active) + 2.0 * (double)turn;
}
