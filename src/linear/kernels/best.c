/* Filter and selection behind every "k best". */
#include "linear/kernels/best.h"
#include "base/processor.h"

#include <math.h>

/* Sixteen scores at most, one by one. */
static size_t collect_few(const float *scores, size_t count, float threshold, uint32_t column,
                          ireneo_hit *hits) {
    size_t found = 0;
    for (size_t k = 0; k < count; k++) {
        hits[found] = (ireneo_hit){scores[k], column + (uint32_t)k};
        if (scores[k] > threshold) found++;
    }
    return found;
}

/* A filter looks at whole groups of sixteen from *position to `end` and stops when less than sixteen of
 * `room` are left. */
typedef size_t (*filter)(const float *scores, size_t end, size_t *position, float threshold, uint32_t column,
                         ireneo_hit *hits, size_t room);

static size_t filter_portable(const float *scores, size_t end, size_t *position, float threshold,
                              uint32_t column, ireneo_hit *hits, size_t room) {
    size_t found = 0, j = *position;
    for (; j + 16 <= end && room - found >= 16; j += 16)
        found += collect_few(scores + j, 16, threshold, column + (uint32_t)j, hits + found);
    *position = j;
    return found;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* Hits are rare: a mask tells whether there are any, and its bits where. */
__attribute__((target("avx2,bmi"))) static size_t filter_avx2(const float *scores, size_t end,
                                                              size_t *position, float threshold,
                                                              uint32_t column, ireneo_hit *hits,
                                                              size_t room) {
    size_t found = 0, j = *position;
    __m256 bar = _mm256_set1_ps(threshold);
    for (; j + 16 <= end && room - found >= 16; j += 16) {
        unsigned low =
            (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(scores + j), bar, _CMP_GT_OQ));
        unsigned high =
            (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(scores + j + 8), bar, _CMP_GT_OQ));
        for (unsigned mask = low | high << 8; mask != 0; mask &= mask - 1) {
            size_t k = j + (size_t)__builtin_ctz(mask);
            hits[found++] = (ireneo_hit){scores[k], column + (uint32_t)k};
        }
    }
    *position = j;
    return found;
}

__attribute__((target("avx512f,bmi"))) static size_t filter_avx512(const float *scores, size_t end,
                                                                   size_t *position, float threshold,
                                                                   uint32_t column, ireneo_hit *hits,
                                                                   size_t room) {
    size_t found = 0, j = *position;
    __m512 bar = _mm512_set1_ps(threshold);
    for (; j + 64 <= end && room - found >= 64;
         j += 64) { /* one branch for sixty-four scores: most groups have no hit */
        uint64_t mask = 0;
        for (unsigned k = 0; k < 4; k++)
            mask |= (uint64_t)_mm512_cmp_ps_mask(_mm512_loadu_ps(scores + j + 16 * k), bar, _CMP_GT_OQ)
                    << (16 * k);
        for (; mask != 0; mask &= mask - 1) {
            size_t k = j + (size_t)__builtin_ctzll(mask);
            hits[found++] = (ireneo_hit){scores[k], column + (uint32_t)k};
        }
    }
    for (; j + 16 <= end && room - found >= 16; j += 16) {
        unsigned mask = _mm512_cmp_ps_mask(_mm512_loadu_ps(scores + j), bar, _CMP_GT_OQ);
        for (; mask != 0; mask &= mask - 1) {
            size_t k = j + (size_t)__builtin_ctz(mask);
            hits[found++] = (ireneo_hit){scores[k], column + (uint32_t)k};
        }
    }
    *position = j;
    return found;
}

static filter best_filter(void) {
    if (ireneo_has_avx512()) return filter_avx512;
    if (ireneo_has_avx2()) return filter_avx2;
    return filter_portable;
}
#else
static filter best_filter(void) {
    return filter_portable;
}
#endif

size_t ireneo_best_collect(const float *scores, size_t count, size_t *position, float threshold,
                           uint32_t column, ireneo_hit *hits, size_t room) {
    size_t found = best_filter()(scores, count, position, threshold, column, hits, room),
           rest = count - *position;
    if (rest > 0 && rest < 16 && room - found >= rest) {
        found += collect_few(scores + *position, rest, threshold, column + (uint32_t)*position, hits + found);
        *position = count;
    }
    return found;
}

static void swap_hits(ireneo_hit *a, ireneo_hit *b) {
    ireneo_hit held = *a;
    *a = *b;
    *b = held;
}

/* Quickselect with a three-way partition: equal scores do not slow it down. */
float ireneo_best_select(ireneo_hit *hits, size_t count, size_t keep) {
    size_t low = 0, high = count;
    while (high - low > 1) {
        float pivot = hits[low + (high - low) / 2].score;
        size_t better = low, k = low, worse = high;
        while (k < worse) {
            if (hits[k].score > pivot)
                swap_hits(&hits[better++], &hits[k++]);
            else if (hits[k].score < pivot)
                swap_hits(&hits[k], &hits[--worse]);
            else
                k++;
        }
        if (keep <= better)
            high = better;
        else if (keep >= worse)
            low = worse;
        else
            break;
    }
    float lowest = hits[0].score;
    for (size_t k = 1; k < keep; k++) lowest = fminf(lowest, hits[k].score);
    return lowest;
}
