/* Retrieval: queries move over streamed patterns until they stand still.
 *
 * Queries are taken in batches; in a batch every step is a grid of tasks (tile of states, segment of
 * patterns) whose shape depends on the sizes only, so that the number of threads changes nothing in the
 * results. Only queries that still move take part in the next step. */
#include "dense/retrieval/retrieval.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "base/ram.h"
#include "base/threads.h"
#include "dense/retrieval/audit.h"
#include "dense/retrieval/verdict.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    BATCH = 2048,            /* queries in flight: bounds the memory of their sums */
    WANTED_TASKS = 32,       /* per step, so that many threads have work when there are few queries */
    SMALLEST_SEGMENT = 8192, /* patterns */
    MOST_TASKS = WANTED_TASKS + BATCH / IRENEO_PASS_ROWS /* segments are rounded up */
};

const char *ireneo_dense_rule_name(ireneo_dense_rule rule) {
    switch (rule) {
    case IRENEO_DENSE_RULE_SOFTMAX:
        return "softmax";
    case IRENEO_DENSE_RULE_POLYNOMIAL:
        return "polynomial";
    case IRENEO_DENSE_RULE_SIGN:
        return "sign";
    }
    return "unknown";
}

/* One batch of queries on its way. */
typedef struct batch {
    const ireneo_pattern_source *source;
    const ireneo_dense_recall_settings *settings;
    ireneo_pass_rule rule;
    const double *self_coupling; /* (neurons): sum_mu xi_mu,i^2, only for the sign rule */
    double pattern_length;       /* root mean square */
    int threads;
    size_t top;     /* weights kept for each query: those that are asked for, and those of a verdict */
    size_t count;   /* queries of the batch */
    float *states;  /* (count, neurons): where every query is now */
    size_t *active; /* (active_count): the queries that still move */
    size_t active_count;
    float *moving;                /* (active_count, neurons): their states, packed */
    ireneo_pass_sums *sums;       /* (MOST_TASKS), of which tiles * segments are in use */
    size_t sums_ready;            /* how many of `sums` exist */
    size_t tile_capacity;         /* states a tile has at most */
    size_t tiles, segments;       /* of the current step */
    int only_scores;              /* the current step leaves the weighted sums out */
    ireneo_pass_scratch *scratch; /* (threads) */
    size_t *steps;                /* (count) */
    double *change, *energy;      /* (count): energy is that of the state before the last step */
    double *energy_before;        /* (count) */
    unsigned char *converged;     /* (count) */
    unsigned char *verdict;       /* (count) */
    size_t *top_index;            /* (count, top) */
    double *top_weight;
} batch;

/* ---- one pass of all moving states ---- */

static size_t tile_rows(const batch *b, size_t tile) {
    size_t left = b->active_count - tile * IRENEO_PASS_ROWS;
    return left < IRENEO_PASS_ROWS ? left : IRENEO_PASS_ROWS;
}

static void choose_grid(batch *b) {
    b->tiles = b->active_count > 0 ? (b->active_count - 1) / IRENEO_PASS_ROWS + 1 : 1;
    size_t wanted = (WANTED_TASKS + b->tiles - 1) / b->tiles, most = b->source->count / SMALLEST_SEGMENT + 1;
    b->segments = wanted < most ? wanted : most;
}

/* Empty sums for every task. Buffers are made when a step first needs them, and stay for the call. */
static ireneo_error prepare_sums(batch *b) {
    choose_grid(b);
    for (size_t task = 0; task < b->tiles * b->segments; task++) {
        if (task == b->sums_ready) {
            IRENEO_TRY(ireneo_pass_sums_create(&b->sums[task], b->tile_capacity, b->source->neurons, b->top));
            b->sums_ready++;
        }
        b->sums[task].rows = tile_rows(b, task / b->segments);
        ireneo_pass_sums_reset(&b->sums[task]);
    }
    return IRENEO_OK;
}

/* One tile of states over one segment of the patterns. */
static ireneo_error run_task(void *context, size_t task, int thread) {
    const batch *b = context;
    size_t tile = task / b->segments, segment = task % b->segments, patterns = b->source->count;
    size_t first = patterns / b->segments * segment,
           last = segment + 1 == b->segments ? patterns : patterns / b->segments * (segment + 1);
    ireneo_pass_add(b->source, first, last, &b->rule,
                    b->moving + tile * IRENEO_PASS_ROWS * b->source->neurons, b->only_scores,
                    &b->scratch[thread], &b->sums[task]);
    return IRENEO_OK;
}

/* Sums of all patterns for every moving state, in the first segment of each tile. */
static ireneo_error pass(batch *b, int only_scores) {
    size_t neurons = b->source->neurons;
    for (size_t k = 0; k < b->active_count; k++)
        memcpy(b->moving + k * neurons, b->states + b->active[k] * neurons, neurons * sizeof *b->moving);
    IRENEO_TRY(prepare_sums(b));
    b->only_scores = only_scores;
    ireneo_error failed =
        ireneo_parallel(b->tiles * b->segments, b->threads, b->settings->progress, "recall", run_task, b);
    if (failed != IRENEO_OK) return failed;
    for (size_t tile = 0; tile < b->tiles; tile++)
        for (size_t segment = 1; segment < b->segments; segment++)
            ireneo_pass_merge(&b->rule, &b->sums[tile * b->segments + segment], &b->sums[tile * b->segments]);
    return IRENEO_OK;
}

/* ---- what a pass tells about one state ---- */

static double energy_of(const batch *b, const ireneo_pass_sums *sums, size_t row, const float *state) {
    double square = 0.0, own = 0.0;
    size_t neurons = b->source->neurons;
    for (size_t i = 0; i < neurons; i++) {
        double x2 = (double)state[i] * (double)state[i];
        square += x2;
        if (b->self_coupling != NULL) own += b->self_coupling[i] * x2;
    }
    switch (b->rule.rule) {
    case IRENEO_DENSE_RULE_SOFTMAX:
        return 0.5 * square - ireneo_pass_log_partition(&b->rule, sums, row) / b->rule.lambda;
    case IRENEO_DENSE_RULE_POLYNOMIAL:
        return 0.5 * log(square) - ireneo_pass_log_partition(&b->rule, sums, row) / b->rule.degree;
    case IRENEO_DENSE_RULE_SIGN:
        break;
    }
    return -0.5 * (sums->powers[row] - own) / (double)neurons;
}

static void keep_top(const batch *b, const ireneo_pass_sums *sums, size_t row, size_t query) {
    double scale = b->rule.rule == IRENEO_DENSE_RULE_SIGN ? 1.0 / (double)b->source->neurons : 1.0;
    for (size_t k = 0; k < sums->top; k++) {
        size_t from = row * sums->top + k, to = query * sums->top + k;
        b->top_index[to] = sums->top_index[from];
        b->top_weight[to] = sums->top_index[from] == SIZE_MAX
                                ? 0.0
                                : scale * ireneo_pass_weight(&b->rule, sums, row, sums->top_score[from]);
    }
}

/* The next state in place of `state`; returns the length of the step. */
static double move(const batch *b, const ireneo_pass_sums *sums, size_t row, float *state) {
    size_t neurons = b->source->neurons;
    const double *sum = sums->sum + row * neurons;
    double square = 0.0, total = sums->total[row];
    bool sign = b->rule.rule == IRENEO_DENSE_RULE_SIGN;
    if (!sign && !(total > 0.0)) return 0.0; /* no pattern has a positive score: nowhere to go */
    for (size_t i = 0; i < neurons; i++) {
        double now = (double)state[i], field = sign ? sum[i] - b->self_coupling[i] * now : sum[i] / total;
        double next = field;
        if (sign) next = field > 0.0 || (field == 0.0 && now >= 0.0) ? 1.0 : -1.0;
        state[i] = (float)next;
        square += ((double)state[i] - now) * ((double)state[i] - now);
    }
    return sqrt(square);
}

/* ---- steps ---- */

static ireneo_error step(batch *b, bool first) {
    size_t neurons = b->source->neurons, still = 0;
    IRENEO_TRY(pass(b, 0));
    for (size_t k = 0; k < b->active_count; k++) {
        const ireneo_pass_sums *sums = &b->sums[k / IRENEO_PASS_ROWS * b->segments];
        size_t row = k % IRENEO_PASS_ROWS, query = b->active[k];
        float *state = b->states + query * neurons;
        if (first && b->energy_before != NULL) b->energy_before[query] = energy_of(b, sums, row, state);
        keep_top(b, sums, row, query);
        b->change[query] = move(b, sums, row, state) / b->pattern_length;
        b->steps[query]++;
        b->converged[query] = b->change[query] <= b->settings->tolerance;
        if (!b->converged[query]) b->active[still++] = query;
    }
    b->active_count = still;
    return IRENEO_OK;
}

/* Energies (and, when no step was made, weights) of the states as they are. */
static ireneo_error look(batch *b, double *energy, bool weights) {
    for (size_t k = 0; k < b->count; k++) b->active[k] = k;
    b->active_count = b->count;
    IRENEO_TRY(pass(b, b->rule.rule != IRENEO_DENSE_RULE_SIGN));
    for (size_t k = 0; k < b->count; k++) {
        const ireneo_pass_sums *sums = &b->sums[k / IRENEO_PASS_ROWS * b->segments];
        size_t row = k % IRENEO_PASS_ROWS;
        energy[k] = energy_of(b, sums, row, b->states + k * b->source->neurons);
        if (weights) keep_top(b, sums, row, k);
    }
    return IRENEO_OK;
}

static void judge(batch *b) {
    for (size_t k = 0; k < b->count; k++)
        b->verdict[k] =
            (unsigned char)ireneo_judge_state(b->source, b->rule.rule, b->states + k * b->source->neurons,
                                              b->top_index + k * b->top, b->top_weight + k * b->top);
}

static ireneo_error run_batch(batch *b, double *energy_after) {
    for (size_t k = 0; k < b->count; k++) {
        b->active[k] = k;
        b->steps[k] = 0;
        b->change[k] = 0.0;
        b->converged[k] = 0;
    }
    b->active_count = b->count;
    for (size_t s = 0; s < b->settings->steps && b->active_count > 0; s++) IRENEO_TRY(step(b, s == 0));
    if (b->settings->steps == 0) {
        IRENEO_TRY(look(b, b->energy, true));
        if (b->energy_before != NULL) memcpy(b->energy_before, b->energy, b->count * sizeof *b->energy);
        if (energy_after != NULL) memcpy(energy_after, b->energy, b->count * sizeof *b->energy);
        return IRENEO_OK;
    }
    return energy_after != NULL ? look(b, energy_after, false) : IRENEO_OK;
}

/* ---- all queries ---- */

static void free_batch(batch *b) {
    while (b->sums_ready > 0) ireneo_pass_sums_free(&b->sums[--b->sums_ready]);
    for (int t = 0; b->scratch != NULL && t < b->threads; t++) ireneo_pass_scratch_free(&b->scratch[t]);
    free(b->sums);
    free(b->scratch);
    free(b->states);
    free(b->active);
    free(b->moving);
    free(b->steps);
    free(b->change);
    free(b->energy);
    free(b->converged);
    free(b->verdict);
    free(b->top_index);
    free(b->top_weight);
}

static ireneo_error create_batch(batch *b, size_t queries, size_t block) {
    size_t rows = queries < BATCH ? queries : BATCH, cells, places;
    b->tile_capacity = rows < IRENEO_PASS_ROWS ? rows : IRENEO_PASS_ROWS;
    IRENEO_TRY(ireneo_multiply_sizes(rows, b->source->neurons, &cells, "states"));
    IRENEO_TRY(ireneo_multiply_sizes(rows, b->top, &places, "top list"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&b->sums, MOST_TASKS, "tile list"));
    IRENEO_TRY(IRENEO_ALLOCATE(&b->states, cells, "states"));
    IRENEO_TRY(IRENEO_ALLOCATE(&b->moving, cells, "states"));
    IRENEO_TRY(IRENEO_ALLOCATE(&b->active, rows, "query list"));
    IRENEO_TRY(IRENEO_ALLOCATE(&b->steps, rows, "step counts"));
    IRENEO_TRY(IRENEO_ALLOCATE(&b->change, rows, "step lengths"));
    IRENEO_TRY(IRENEO_ALLOCATE(&b->energy, rows, "energies"));
    IRENEO_TRY(IRENEO_ALLOCATE(&b->converged, rows, "flags"));
    IRENEO_TRY(IRENEO_ALLOCATE(&b->verdict, rows, "verdicts"));
    IRENEO_TRY(IRENEO_ALLOCATE(&b->top_index, places, "top indices"));
    IRENEO_TRY(IRENEO_ALLOCATE(&b->top_weight, places, "top weights"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&b->scratch, (size_t)b->threads, "scratch"));
    for (int t = 0; t < b->threads; t++)
        IRENEO_TRY(ireneo_pass_scratch_create(&b->scratch[t], b->source->neurons, block, 0));
    return IRENEO_OK;
}

/* States (count, neurons) as rows of `width`; what the memory leaves out is 0. */
static void keep_states(const batch *b, size_t width, float *states) {
    size_t neurons = b->source->neurons;
    for (size_t k = 0; k < b->count; k++) {
        memcpy(states + k * width, b->states + k * neurons, neurons * sizeof *states);
        for (size_t i = neurons; i < width; i++) states[k * width + i] = 0.0f;
    }
}

static void keep_tops(const batch *b, size_t first, const ireneo_dense_recall_result *result) {
    size_t top = b->settings->top;
    for (size_t k = 0; k < b->count; k++) {
        const size_t *index = b->top_index + k * b->top;
        const double *weight = b->top_weight + k * b->top;
        if (result->top_index != NULL)
            memcpy(result->top_index + (first + k) * top, index, top * sizeof *index);
        if (result->top_weight != NULL)
            memcpy(result->top_weight + (first + k) * top, weight, top * sizeof *weight);
    }
}

static void count_results(const batch *b, ireneo_dense_recall_info *info) {
    for (size_t k = 0; k < b->count; k++) {
        info->converged += b->converged[k];
        info->retrieved += b->verdict[k] == IRENEO_DENSE_VERDICT_RETRIEVED;
        info->mixtures += b->verdict[k] == IRENEO_DENSE_VERDICT_MIXTURE;
        info->lost += b->verdict[k] == IRENEO_DENSE_VERDICT_LOST;
        info->steps += b->steps[k];
        if (b->steps[k] > info->longest) info->longest = b->steps[k];
    }
}

static void keep_results(const batch *b, size_t first, size_t width,
                         const ireneo_dense_recall_result *result) {
    size_t count = b->count;
    if (result->states != NULL) keep_states(b, width, result->states + first * width);
    if (result->steps != NULL) memcpy(result->steps + first, b->steps, count * sizeof *b->steps);
    if (result->change != NULL) memcpy(result->change + first, b->change, count * sizeof *b->change);
    if (result->converged != NULL) memcpy(result->converged + first, b->converged, count);
    if (result->verdict != NULL) memcpy(result->verdict + first, b->verdict, count);
    keep_tops(b, first, result);
}

static ireneo_error run_batches(batch *b, const float *queries, size_t query_count, size_t width,
                                const ireneo_dense_recall_result *result, ireneo_dense_recall_info *info) {
    size_t neurons = b->source->neurons;
    for (size_t first = 0; first < query_count; first += BATCH) {
        b->count = query_count - first < BATCH ? query_count - first : BATCH;
        memcpy(b->states, queries + first * neurons, b->count * neurons * sizeof *queries);
        b->energy_before = result->energy_before != NULL ? result->energy_before + first : NULL;
        IRENEO_TRY(run_batch(b, result->energy_after != NULL ? result->energy_after + first : NULL));
        judge(b);
        keep_results(b, first, width, result);
        count_results(b, info);
    }
    return IRENEO_OK;
}

ireneo_error ireneo_recall_prepared(const ireneo_prepared *memory, size_t count, const float *queries,
                                    size_t query_count, size_t width,
                                    const ireneo_dense_recall_settings *settings, int threads, size_t block,
                                    const ireneo_dense_recall_result *result,
                                    ireneo_dense_recall_info *info) {
    double *coupling = NULL;
    ireneo_pattern_source source = {count, memory->neurons, memory->patterns, NULL, NULL};
    if (settings->rule == IRENEO_DENSE_RULE_SIGN)
        IRENEO_TRY(ireneo_recall_self_coupling(memory->patterns, count, memory->neurons, &coupling));
    batch b = {.source = &source,
               .settings = settings,
               .rule = {settings->rule, settings->lambda, NULL, settings->degree},
               .self_coupling = coupling,
               .pattern_length = sqrt(memory->power * (double)memory->neurons),
               .threads = threads,
               .top = settings->top > IRENEO_VERDICT_WEIGHTS ? settings->top : IRENEO_VERDICT_WEIGHTS};
    ireneo_error failed = create_batch(&b, query_count, block);
    if (failed == IRENEO_OK) failed = run_batches(&b, queries, query_count, width, result, info);
    free_batch(&b);
    free(coupling);
    return failed;
}

/* Recall with checked settings and data; lambda is chosen if it was not given. */
static ireneo_error recall_checked(const ireneo_prepared *memory, size_t count, size_t query_count,
                                   size_t width, ireneo_dense_recall_settings *chosen, int threads,
                                   size_t block, const ireneo_dense_recall_result *result,
                                   ireneo_dense_recall_info *info) {
    info->pattern_power = memory->power;
    if (chosen->lambda == 0.0) IRENEO_TRY(ireneo_recall_choose_lambda(memory, count, chosen, threads));
    info->lambda = chosen->rule == IRENEO_DENSE_RULE_SOFTMAX ? chosen->lambda : NAN;
    return ireneo_recall_prepared(memory, count, memory->queries, query_count, width, chosen, threads, block,
                                  result, info);
}

ireneo_error ireneo_dense_recall_blocked(const float *patterns, size_t count, size_t neurons,
                                         const float *queries, size_t query_count,
                                         const ireneo_dense_recall_settings *settings, size_t block,
                                         const ireneo_dense_recall_result *result,
                                         ireneo_dense_recall_info *info) {
    ireneo_dense_recall_settings chosen;
    ireneo_dense_recall_result nothing = {0};
    ireneo_dense_recall_info ignored;
    if (info == NULL) info = &ignored;
    memset(info, 0, sizeof *info);
    double start = ireneo_seconds(), power;
    int threads;
    ireneo_prepared memory = {0};
    IRENEO_REQUIRE(patterns != NULL && queries != NULL, "recall needs patterns and queries");
    IRENEO_TRY(ireneo_recall_fill_settings(settings, &chosen));
    if (query_count == 0) return ireneo_fail(IRENEO_ERROR_DATA, "there are no queries");
    IRENEO_TRY(ireneo_recall_check_settings(&chosen, count, neurons));
    if (result != NULL) IRENEO_TRY(ireneo_check_reserved(result->reserved, "the results"));
    IRENEO_TRY(ireneo_enter(chosen.threads, &threads));
    ireneo_error failed = ireneo_recall_check_data(patterns, count, queries, query_count, neurons, threads,
                                                   &power, &info->shortest_pattern, &info->longest_pattern);
    if (failed == IRENEO_OK)
        failed = ireneo_prepare(chosen.preparation, patterns, count, queries, query_count, neurons, power,
                                threads, &memory);
    if (failed == IRENEO_OK)
        failed = recall_checked(&memory, count, query_count, neurons, &chosen, threads, block,
                                result != NULL ? result : &nothing, info);
    ireneo_prepared_free(&memory);
    info->seconds = ireneo_seconds() - start;
    return ireneo_leave(failed);
}

ireneo_error ireneo_dense_recall(const float *patterns, size_t count, size_t neurons, const float *queries,
                                 size_t query_count, const ireneo_dense_recall_settings *settings,
                                 const ireneo_dense_recall_result *result, ireneo_dense_recall_info *info) {
    return ireneo_dense_recall_blocked(patterns, count, neurons, queries, query_count, settings,
                                       IRENEO_PASS_BLOCK, result, info);
}
