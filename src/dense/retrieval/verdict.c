/* Verdicts on states. A state of softmax is its weighted mean of patterns, so that the weights tell how many patterns
 * it is made of, and its distance from the first whether it stands there; simulation counts by that distance, too
 * (docs/dense.md, "Retrieved, mixture, lost"). */
#include "dense/retrieval/verdict.h"

#include <math.h>
#include <stdbool.h>

static const double CLOSENESS = 0.1; /* |x - xi|^2 over |xi|^2 */
static const double SAME_WAY = 0.95; /* cos(x, xi) where lengths mean nothing: as near, on a sphere */
static const double ALONE = 0.75;    /* of the weight: two patterns that merged have about half each */
static const double MOST = 0.5;      /* of the weight */

const char *ireneo_dense_verdict_name(ireneo_dense_verdict verdict) {
    static const char *const names[] = {"retrieved", "mixture", "lost"};
    return (unsigned)verdict < sizeof names / sizeof *names ? names[verdict] : "unknown";
}

static bool stands_at(ireneo_dense_rule rule, const float *state, const float *pattern, size_t neurons) {
    double inner = 0.0, own = 0.0, square = 0.0;
    for (size_t i = 0; i < neurons; i++) {
        double x = (double)state[i], xi = (double)pattern[i];
        inner += x * xi;
        own += x * x;
        square += xi * xi;
    }
    if (rule == IRENEO_DENSE_RULE_SOFTMAX) return own - 2.0 * inner + square < CLOSENESS * square;
    return inner > SAME_WAY * sqrt(own * square);
}

/* The share of a state that its largest weights make; overlaps of the sign rule count by their squares. */
static double share_of_few(ireneo_dense_rule rule, size_t few, const size_t *index, const double *weight) {
    double sum = 0.0;
    for (size_t k = 0; k < few && index[k] != SIZE_MAX; k++)
        sum += rule == IRENEO_DENSE_RULE_SIGN ? weight[k] * weight[k] : weight[k];
    return sum;
}

/* How many patterns are few: of a small memory not half of all, or the average of all would be called a mixture. */
static size_t few_of(size_t count) {
    size_t quarter = count / 4;
    return quarter < 2 ? 2 : quarter < IRENEO_VERDICT_WEIGHTS ? quarter : IRENEO_VERDICT_WEIGHTS;
}

ireneo_dense_verdict ireneo_judge_state(const ireneo_pattern_source *source, ireneo_dense_rule rule,
                                        const float *state, const size_t *index, const double *weight) {
    if (index[0] != SIZE_MAX && weight[0] > ALONE &&
        stands_at(rule, state, source->stored + index[0] * source->neurons, source->neurons))
        return IRENEO_DENSE_VERDICT_RETRIEVED;
    bool few = share_of_few(rule, few_of(source->count), index, weight) >= MOST;
    return few ? IRENEO_DENSE_VERDICT_MIXTURE : IRENEO_DENSE_VERDICT_LOST;
}
