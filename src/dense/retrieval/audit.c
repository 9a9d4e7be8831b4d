/* The audit: what a memory of given patterns does. Which patterns stay put and from which angle queries come back is
 * found by the dynamics themselves; neighbours and ties tell where to look (docs/dense.md, "Real patterns"). */
#include "dense/retrieval/audit.h"
#include "base/clock.h"
#include "base/floats.h"
#include "base/ram.h"
#include "base/random.h"
#include "base/threads.h"
#include "dense/retrieval/neighbours.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    LEAST_SAMPLE = 64,
    MOST_TRIES = 20,      /* of a larger lambda: 1.5^20 = 3300 */
    MOST_NARROWINGS = 30, /* of the random angle */
    STREAM_SAMPLE = 0x61756470
};

static const double WORK = 1e9;      /* multiplications of the audited with all patterns, by default */
static const double LARGER = 1.5;    /* lambda, from one try to the next */
static const double NARROWER = 0.92; /* random angle, from one try to the next */
static const double TWINS = 1e-3;    /* rad: no lambda keeps patterns apart whose tie is nearer */
static const double MISSES = 0.01;   /* share of queries that a random angle may lose */

/* ---- the sample ---- */

static size_t sample_size(size_t wanted, size_t patterns, size_t neurons) {
    double cells = (double)patterns * (double)neurons;
    if (wanted == 0) wanted = (size_t)fmax(LEAST_SAMPLE, WORK / cells);
    return wanted < patterns ? wanted : patterns;
}

/* One pattern from each of `count` equal parts of the list, so that none comes twice. */
static ireneo_error draw_sample(size_t patterns, size_t count, uint64_t seed, size_t **index) {
    ireneo_generator generator = {seed, STREAM_SAMPLE, 0};
    IRENEO_TRY(IRENEO_ALLOCATE(index, count, "sample of patterns"));
    double width = (double)patterns / (double)count;
    for (size_t k = 0; k < count; k++) {
        size_t first = (size_t)((double)k * width), last = (size_t)((double)(k + 1) * width);
        if (last > patterns || k + 1 == count) last = patterns;
        (*index)[k] = first + (last > first + 1 ? (size_t)ireneo_draw_below(&generator, last - first) : 0);
    }
    return IRENEO_OK;
}

/* ---- the dynamics from audited patterns ---- */

static void place_query(const ireneo_prepared *memory, uint64_t seed, size_t own, double angle,
                        float *query) {
    size_t neurons = memory->neurons;
    const float *xi = memory->patterns + own * neurons;
    if (angle > 0.0)
        ireneo_random_direction(memory, seed, own, query);
    else
        memset(query, 0, neurons * sizeof *query);
    double aside = sin(angle) * sqrt(ireneo_square_sum(xi, neurons)), along = cos(angle);
    for (size_t i = 0; i < neurons; i++) query[i] = (float)(along * (double)xi[i] + aside * (double)query[i]);
}

/* back[k] = 1 when a query at this angle from audited pattern k ends there; `back` (count). */
static ireneo_error come_back(const ireneo_audited *a, const ireneo_dense_recall_settings *settings,
                              double angle, unsigned char *back) {
    size_t neurons = a->memory->neurons, *answer = NULL, cells;
    float *queries = NULL;
    ireneo_dense_recall_settings s = *settings;
    ireneo_dense_recall_info info = {0};
    s.top = 1;
    IRENEO_TRY(ireneo_multiply_sizes(a->count, neurons, &cells, "queries"));
    ireneo_error failed = IRENEO_ALLOCATE(&queries, cells, "queries");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&answer, a->count, "answers");
    for (size_t k = 0; failed == IRENEO_OK && k < a->count; k++)
        place_query(a->memory, a->seed, a->index[k], angle, queries + k * neurons);
    ireneo_dense_recall_result result = {.verdict = back, .top_index = answer};
    if (failed == IRENEO_OK)
        failed = ireneo_recall_prepared(a->memory, a->patterns, queries, a->count, neurons, &s, a->threads,
                                        IRENEO_PASS_BLOCK, &result, &info);
    for (size_t k = 0; failed == IRENEO_OK && k < a->count; k++)
        back[k] = back[k] == IRENEO_DENSE_VERDICT_RETRIEVED && answer[k] == a->index[k];
    free(queries);
    free(answer);
    return failed;
}

/* The settings under which patterns are watched: those of a recall, to its end. */
static ireneo_dense_recall_settings watching(const ireneo_dense_recall_settings *settings) {
    ireneo_dense_recall_settings s = *settings;
    s.steps = 100;
    s.tolerance = 1e-5;
    return s;
}

/* ---- the lambda at which patterns stay put ---- */

/* Drops from index (count) the patterns marked in `gone`; returns how many are left. */
static size_t drop(size_t *index, size_t count, const unsigned char *gone) {
    size_t left = 0;
    for (size_t k = 0; k < count; k++)
        if (!gone[k]) index[left++] = index[k];
    return left;
}

/* Marks patterns that no lambda keeps: equal to another, or with a larger score at another than at themselves. */
static ireneo_error mark_hopeless(const ireneo_audited *a, unsigned char *hopeless) {
    ireneo_neighbour *found;
    IRENEO_TRY(IRENEO_ALLOCATE(&found, a->count, "neighbours"));
    ireneo_error failed = ireneo_find_neighbours(a, found);
    for (size_t k = 0; failed == IRENEO_OK && k < a->count; k++) hopeless[k] = found[k].worst_angle < TWINS;
    free(found);
    return failed;
}

/* Raises lambda until all patterns of the sample that can stay do. */
static ireneo_error raise_lambda(ireneo_audited *a, size_t *index, unsigned char *mark,
                                 ireneo_dense_recall_settings *s) {
    for (int attempt = 0; attempt < MOST_TRIES; attempt++) {
        IRENEO_TRY(come_back(a, s, 0.0, mark));
        a->count = drop(index, a->count, mark);
        if (a->count > 0 && attempt == 0) {
            IRENEO_TRY(mark_hopeless(a, mark));
            a->count = drop(index, a->count, mark);
        }
        if (a->count == 0) return IRENEO_OK;
        s->lambda *= LARGER;
    }
    return IRENEO_OK;
}

ireneo_error ireneo_recall_choose_lambda(const ireneo_prepared *memory, size_t count,
                                         ireneo_dense_recall_settings *settings, int threads) {
    IRENEO_TRY(ireneo_recall_theory_lambda(count, memory->neurons, memory->power, &settings->lambda));
    if (settings->rule != IRENEO_DENSE_RULE_SOFTMAX || settings->unaudited || count < 2) return IRENEO_OK;
    size_t *index = NULL, chosen = sample_size(0, count, memory->neurons);
    unsigned char *mark = NULL;
    ireneo_dense_recall_settings s = watching(settings);
    ireneo_error failed = draw_sample(count, chosen, 1, &index);
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&mark, chosen, "marks");
    ireneo_audited a = {memory, count, chosen, index, 1, threads, settings->progress};
    if (failed == IRENEO_OK) failed = raise_lambda(&a, index, mark, &s);
    settings->lambda = s.lambda;
    free(index);
    free(mark);
    return failed;
}

/* ---- the report ---- */

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What the parts of an audit share. */
typedef struct study {
    ireneo_audited audited;
    ireneo_dense_recall_settings settings;
    ireneo_neighbour *found;     /* (count) */
    unsigned char *stays, *back; /* (count) */
    double *values;              /* (count), for sorting */
    ireneo_dense_audit_report *report;
} study;

/* Sorts the first `count` values; the middle one, or the mean of the two. */
static double sort_median(double *values, size_t count) {
    if (count == 0) return NAN;
    qsort(values, count, sizeof *values, compare_doubles);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static void report_nearest(const study *s) {
    ireneo_dense_audit_report *r = s->report;
    size_t best = 0, count = s->audited.count;
    r->nearest_least = r->nearest_median = NAN;
    r->nearest_pair[0] = r->nearest_pair[1] = SIZE_MAX;
    if (s->found[0].nearest == SIZE_MAX) return;
    for (size_t k = 0; k < count; k++) {
        s->values[k] = s->found[k].angle;
        if (s->found[k].angle < s->found[best].angle) best = k;
    }
    r->nearest_median = sort_median(s->values, count);
    r->nearest_least = s->values[0];
    r->nearest_pair[0] = s->audited.index[best];
    r->nearest_pair[1] = s->found[best].nearest;
}

static size_t count_marks(const unsigned char *marks, size_t count) {
    size_t sum = 0;
    for (size_t k = 0; k < count; k++) sum += marks[k];
    return sum;
}

/* Narrows the angle until the dynamics bring back all but MISSES of `staying`; these are the patterns that stay. */
static ireneo_error narrow(study *s, const ireneo_audited *staying, double angle, size_t misses) {
    ireneo_dense_audit_report *r = s->report;
    for (int attempt = 0; attempt < MOST_NARROWINGS; attempt++, angle *= NARROWER) {
        IRENEO_TRY(come_back(staying, &s->settings, angle, s->back));
        size_t returned = count_marks(s->back, staying->count);
        r->random_angle = angle;
        r->random_share = (double)returned / (double)staying->count;
        if (returned + misses >= staying->count) return IRENEO_OK;
    }
    r->random_angle = 0.0; /* they stay where they are, and that is all */
    r->random_share = 1.0;
    return IRENEO_OK;
}

/* The random angle, from the ties downwards. */
static ireneo_error measure_random_angle(study *s) {
    ireneo_dense_audit_report *r = s->report;
    size_t misses = (size_t)(MISSES * (double)r->staying), many = 0, *index;
    r->random_angle = r->random_share = NAN;
    if (r->staying == 0) return IRENEO_OK;
    IRENEO_TRY(IRENEO_ALLOCATE(&index, r->staying, "patterns that stay"));
    for (size_t k = 0; k < s->audited.count; k++)
        if (s->stays[k]) {
            index[many] = s->audited.index[k];
            s->values[many++] = s->found[k].random_angle;
        }
    sort_median(s->values, many);
    ireneo_audited staying = s->audited;
    staying.count = many;
    staying.index = index;
    ireneo_error failed = narrow(s, &staying, s->values[misses], misses);
    free(index);
    return failed;
}

static void report_worst(const study *s) {
    ireneo_dense_audit_report *r = s->report;
    size_t many = 0;
    for (size_t k = 0; k < s->audited.count; k++)
        if (s->stays[k]) s->values[many++] = fmin(s->found[k].worst_angle, r->random_angle);
    r->worst_median = sort_median(s->values, many);
    r->worst_least = many > 0 ? s->values[0] : NAN;
}

static ireneo_error carry_out(study *s) {
    ireneo_dense_audit_report *r = s->report;
    size_t count = s->audited.count;
    IRENEO_TRY(IRENEO_ALLOCATE(&s->found, count, "neighbours"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->stays, count, "marks"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->back, count, "marks"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->values, count, "angles"));
    IRENEO_TRY(ireneo_find_neighbours(&s->audited, s->found));
    IRENEO_TRY(come_back(&s->audited, &s->settings, 0.0, s->stays));
    r->staying = count_marks(s->stays, count);
    r->stay = (double)r->staying / (double)count;
    report_nearest(s);
    IRENEO_TRY(measure_random_angle(s));
    report_worst(s);
    return IRENEO_OK;
}

static ireneo_error audit_prepared(const ireneo_prepared *memory, size_t count,
                                   const ireneo_dense_audit_settings *given,
                                   ireneo_dense_recall_settings *settings, int threads,
                                   ireneo_dense_audit_report *report) {
    if (settings->lambda == 0.0) IRENEO_TRY(ireneo_recall_choose_lambda(memory, count, settings, threads));
    report->lambda = settings->rule == IRENEO_DENSE_RULE_SOFTMAX ? settings->lambda : NAN;
    report->patterns = count;
    report->audited = sample_size(given->sample, count, memory->neurons);
    size_t *index = NULL;
    uint64_t seed = given->seed != 0 ? given->seed : 1;
    IRENEO_TRY(draw_sample(count, report->audited, seed, &index));
    study s = {.audited = {memory, count, report->audited, index, seed, threads, given->progress},
               .settings = watching(settings),
               .report = report};
    ireneo_error failed = carry_out(&s);
    free(index);
    free(s.found);
    free(s.stays);
    free(s.back);
    free(s.values);
    return failed;
}

ireneo_error ireneo_dense_audit(const float *patterns, size_t count, size_t neurons,
                                const ireneo_dense_audit_settings *settings,
                                ireneo_dense_audit_report *report) {
    ireneo_dense_audit_settings given = settings != NULL ? *settings : (ireneo_dense_audit_settings){0};
    ireneo_dense_recall_settings filled, asked = {.rule = given.rule,
                                                  .preparation = given.preparation,
                                                  .lambda = given.lambda,
                                                  .degree = given.degree,
                                                  .progress = given.progress};
    IRENEO_REQUIRE(patterns != NULL && report != NULL, "an audit needs patterns and a report");
    memset(report, 0, sizeof *report);
    double start = ireneo_seconds(), power;
    int threads;
    ireneo_prepared memory = {0};
    IRENEO_TRY(ireneo_check_reserved(given.reserved, "the audit settings"));
    IRENEO_TRY(ireneo_recall_fill_settings(&asked, &filled));
    IRENEO_TRY(ireneo_recall_check_settings(&filled, count, neurons));
    IRENEO_TRY(ireneo_enter(given.threads, &threads));
    ireneo_error failed = ireneo_recall_check_data(patterns, count, NULL, 0, neurons, threads, &power,
                                                   &report->shortest_pattern, &report->longest_pattern);
    if (failed == IRENEO_OK)
        failed =
            ireneo_prepare(given.preparation, patterns, count, NULL, 0, neurons, power, threads, &memory);
    if (failed == IRENEO_OK) failed = audit_prepared(&memory, count, &given, &filled, threads, report);
    ireneo_prepared_free(&memory);
    report->seconds = ireneo_seconds() - start;
    return ireneo_leave(failed);
}
