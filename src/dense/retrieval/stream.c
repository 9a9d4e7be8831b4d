/* Streaming over patterns with running peaks. The two matrix products of a tile are BLAS's; what is between
 * them touches each score twice, once for the peak and once for the weight. */
#include "dense/retrieval/stream.h"
#include "base/floats.h"
#include "base/ram.h"
#include "dense/retrieval/weights.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* ---- memory ---- */

ireneo_error ireneo_pass_sums_create(ireneo_pass_sums *sums, size_t rows, size_t neurons, size_t top) {
    memset(sums, 0, sizeof *sums);
    sums->rows = rows;
    sums->neurons = neurons;
    sums->top = top;
    size_t cells, places;
    ireneo_error failed = ireneo_multiply_sizes(rows, neurons, &cells, "states");
    if (failed == IRENEO_OK) failed = ireneo_multiply_sizes(rows, top, &places, "top list");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&sums->peak, rows, "score peaks");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&sums->total, rows, "weight totals");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&sums->powers, rows, "power totals");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&sums->sum, cells, "weighted sums");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&sums->top_score, places, "top scores");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&sums->top_index, places, "top indices");
    if (failed != IRENEO_OK)
        ireneo_pass_sums_free(sums);
    else
        ireneo_pass_sums_reset(sums);
    return failed;
}

void ireneo_pass_sums_reset(ireneo_pass_sums *sums) {
    for (size_t r = 0; r < sums->rows; r++) {
        sums->peak[r] = -INFINITY;
        sums->total[r] = sums->powers[r] = 0.0;
    }
    memset(sums->sum, 0, sums->rows * sums->neurons * sizeof *sums->sum);
    for (size_t i = 0; i < sums->rows * sums->top; i++) {
        sums->top_score[i] = -INFINITY;
        sums->top_index[i] = SIZE_MAX;
    }
}

void ireneo_pass_sums_free(ireneo_pass_sums *sums) {
    free(sums->peak);
    free(sums->total);
    free(sums->powers);
    free(sums->sum);
    free(sums->top_score);
    free(sums->top_index);
    memset(sums, 0, sizeof *sums);
}

ireneo_error ireneo_pass_scratch_create(ireneo_pass_scratch *scratch, size_t neurons, size_t block,
                                        int made) {
    memset(scratch, 0, sizeof *scratch);
    scratch->block = block;
    size_t part, patterns;
    ireneo_error failed = ireneo_multiply_sizes(IRENEO_PASS_ROWS, neurons, &part, "tile");
    if (failed == IRENEO_OK) failed = ireneo_multiply_sizes(block, neurons, &patterns, "pattern block");
    if (failed == IRENEO_OK)
        failed = IRENEO_ALLOCATE(&scratch->scores, IRENEO_PASS_ROWS * block, "score tile");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&scratch->part, part, "tile");
    if (failed == IRENEO_OK && made) failed = IRENEO_ALLOCATE(&scratch->made, patterns, "pattern block");
    if (failed != IRENEO_OK) ireneo_pass_scratch_free(scratch);
    return failed;
}

void ireneo_pass_scratch_free(ireneo_pass_scratch *scratch) {
    free(scratch->scores);
    free(scratch->part);
    free(scratch->made);
    memset(scratch, 0, sizeof *scratch);
}

/* ---- the list of largest scores ---- */

/* Puts a score into a falling list (top); equal scores keep the order in which they came. */
static void insert_top(float *scores, size_t *indices, size_t top, float score, size_t index) {
    size_t place = top - 1;
    if (!(score > scores[place])) return;
    while (place > 0 && score > scores[place - 1]) {
        scores[place] = scores[place - 1];
        indices[place] = indices[place - 1];
        place--;
    }
    scores[place] = score;
    indices[place] = index;
}

static void update_top(ireneo_pass_sums *sums, size_t row, const float *scores, size_t count, size_t first) {
    float *list = sums->top_score + row * sums->top;
    size_t *indices = sums->top_index + row * sums->top;
    for (size_t i = 0; i < count; i++)
        if (scores[i] > list[sums->top - 1]) insert_top(list, indices, sums->top, scores[i], first + i);
}

/* ---- the peak ---- */

static double lambda_of(const ireneo_pass_rule *rule, size_t row) {
    return rule->lambdas != NULL ? rule->lambdas[row] : rule->lambda;
}

/* What sums relative to an old peak are multiplied with to be relative to a new one. */
static double shrink_factor(const ireneo_pass_rule *rule, size_t row, float old_peak, float new_peak,
                            double *power_factor) {
    if (!(new_peak > old_peak) || old_peak == -INFINITY) return *power_factor = 1.0;
    if (rule->rule == IRENEO_DENSE_RULE_SOFTMAX)
        return *power_factor = exp(lambda_of(rule, row) * ((double)old_peak - (double)new_peak));
    double ratio = old_peak > 0.0f ? (double)old_peak / (double)new_peak : 0.0;
    *power_factor = pow(ratio, rule->degree);
    return pow(ratio, rule->degree - 1);
}

static void raise_peak(const ireneo_pass_rule *rule, ireneo_pass_sums *sums, size_t row, float peak) {
    double power_factor, factor = shrink_factor(rule, row, sums->peak[row], peak, &power_factor);
    if (peak > sums->peak[row]) sums->peak[row] = peak;
    if (factor == 1.0) return;
    sums->total[row] *= factor;
    sums->powers[row] *= power_factor;
    double *sum = sums->sum + row * sums->neurons;
    for (size_t i = 0; i < sums->neurons; i++) sum[i] *= factor;
}

/* ---- one tile ---- */

/* Scores of one state with `count` patterns become weights; the state's totals grow. */
static void weigh_row(const ireneo_pass_rule *rule, ireneo_pass_sums *sums, size_t row, float *scores,
                      size_t count, size_t first) {
    if (rule->rule == IRENEO_DENSE_RULE_SIGN) {
        if (sums->top > 0) update_top(sums, row, scores, count, first);
        sums->powers[row] += ireneo_square_sum(scores, count);
        return;
    }
    float peak = ireneo_largest_float(scores, count);
    if (sums->top > 0 && peak > sums->top_score[row * sums->top + sums->top - 1])
        update_top(sums, row, scores, count, first);
    raise_peak(rule, sums, row, peak);
    if (rule->rule == IRENEO_DENSE_RULE_SOFTMAX) {
        sums->total[row] +=
            ireneo_softmax_weights(scores, count, (float)lambda_of(rule, row), sums->peak[row]);
    } else if (sums->peak[row] > 0.0f) {
        double powers;
        sums->total[row] += ireneo_polynomial_weights(scores, count, rule->degree, sums->peak[row], &powers);
        sums->powers[row] += powers;
    } else {
        memset(scores, 0, count * sizeof *scores);
    }
}

static void add_part(ireneo_pass_sums *sums, const float *part) {
    for (size_t i = 0; i < sums->rows * sums->neurons; i++) sums->sum[i] += (double)part[i];
}

void ireneo_pass_add(const ireneo_pattern_source *source, size_t first, size_t last,
                     const ireneo_pass_rule *rule, const float *states, int only_scores,
                     ireneo_pass_scratch *scratch, ireneo_pass_sums *sums) {
    size_t neurons = source->neurons;
    int rows = (int)sums->rows, width = (int)neurons;
    for (size_t begin = first; begin < last; begin += scratch->block) {
        size_t count = last - begin < scratch->block ? last - begin : scratch->block;
        const float *patterns = source->stored != NULL ? source->stored + begin * neurons : scratch->made;
        if (source->stored == NULL) source->make(source->context, begin, count, scratch->made);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, (int)count, width, 1.0f, states, width,
                    patterns, width, 0.0f, scratch->scores, (int)count);
        for (size_t r = 0; r < sums->rows; r++)
            weigh_row(rule, sums, r, scratch->scores + r * count, count, begin);
        if (only_scores) continue;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, width, (int)count, 1.0f, scratch->scores,
                    (int)count, patterns, width, 0.0f, scratch->part, width);
        add_part(sums, scratch->part);
    }
}

/* ---- after the pass ---- */

static void merge_row(const ireneo_pass_rule *rule, const ireneo_pass_sums *other, ireneo_pass_sums *sums,
                      size_t row) {
    double power_factor = 1.0, factor = 1.0;
    if (rule->rule != IRENEO_DENSE_RULE_SIGN) {
        raise_peak(rule, sums, row, other->peak[row]);
        factor = shrink_factor(rule, row, other->peak[row], sums->peak[row], &power_factor);
    }
    sums->total[row] += factor * other->total[row];
    sums->powers[row] += power_factor * other->powers[row];
    const double *from = other->sum + row * sums->neurons;
    double *to = sums->sum + row * sums->neurons;
    for (size_t i = 0; i < sums->neurons; i++) to[i] += factor * from[i];
    for (size_t k = 0; k < sums->top; k++) {
        size_t place = row * sums->top;
        if (other->top_index[place + k] != SIZE_MAX)
            insert_top(sums->top_score + place, sums->top_index + place, sums->top,
                       other->top_score[place + k], other->top_index[place + k]);
    }
}

void ireneo_pass_merge(const ireneo_pass_rule *rule, const ireneo_pass_sums *other, ireneo_pass_sums *sums) {
    for (size_t row = 0; row < sums->rows; row++) merge_row(rule, other, sums, row);
}

double ireneo_pass_log_partition(const ireneo_pass_rule *rule, const ireneo_pass_sums *sums, size_t row) {
    double peak = (double)sums->peak[row];
    if (rule->rule == IRENEO_DENSE_RULE_SOFTMAX) return lambda_of(rule, row) * peak + log(sums->total[row]);
    return peak > 0.0 ? rule->degree * log(peak) + log(sums->powers[row]) : -INFINITY;
}

double ireneo_pass_weight(const ireneo_pass_rule *rule, const ireneo_pass_sums *sums, size_t row,
                          float score) {
    double peak = (double)sums->peak[row], s = (double)score;
    switch (rule->rule) {
    case IRENEO_DENSE_RULE_SOFTMAX:
        return exp(lambda_of(rule, row) * (s - peak)) / sums->total[row];
    case IRENEO_DENSE_RULE_POLYNOMIAL:
        return s > 0.0 ? pow(s / peak, rule->degree - 1) / sums->total[row] : 0.0;
    case IRENEO_DENSE_RULE_SIGN:
        break;
    }
    return s;
}
