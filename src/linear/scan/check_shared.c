/* The check of facts that share their candidates: one scan over all scores that decides every pair.
 *
 * h = W x is made in float64, and each row of it divided by a power of two that brings |h| to 1/2 .. 1. Values have
 * their mean removed, which shifts all scores of a row alike and changes no comparison, and are divided by one power of
 * two that brings the longest to 1/2 .. 1. So no float32 score can overflow, and what vanishes is far below the bound:
 * a float32 inner product of length d of rounded vectors errs by at most (d + 8) 2^-24 |h| |y|, and what float64 does
 * not know of h adds |h - W x| |y|. Target and competitor each err: pairs further apart than twice that are decided, the
 * others go on to ireneo_check_pair. With int8 copies of the values most pairs are decided by integers first. */
#include "base/floats.h"
#include "base/pool.h"
#include "base/ram.h"
#include "base/whiten.h"
#include "linear/facts/facts.h"
#include "linear/facts/scale.h"
#include "linear/kernels/best.h"
#include "linear/kernels/dot8.h"
#include "linear/scan/checker.h"
#include "linear/scan/scan.h"
#include "linear/scan/spread.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { BUFFER = 1024, ROOM = 512, CENTRING_GROUPS = 64 };

/* Gaps up to such a share of the int8 bound are seen by an integer scan. Larger shares find more pairs to score again;
 * smaller ones miss the smallest gap of a memory with much room left, which then takes a second scan. */
static const double SEEN[] = {0.1, 0.6};

/* Far above what float32 loses of entries below its range, far below any bound that matters. */
static const double VANISHING = 1e-35;

/* A row in the units of the scan. */
typedef struct scaled_row {
    ireneo_check_row row;
    double unit;         /* the caller's score units in one of the scan */
    float target, bound; /* score of the target; rounding of a pair */
    float reach;         /* close competitors are wanted up to here */
    float best;          /* of the competitors' scores so far */
} scaled_row;

typedef struct shared_check {
    ireneo_checker *c;
    ireneo_holding holding;
    size_t tile, stride;         /* stride: of h and of the values */
    size_t *begun;               /* (threads) first row of the tile at hand */
    double *h, *scratch;         /* (threads, tile, dim_out), (threads, tile, dim_in + rank) */
    scaled_row *rows;            /* (threads, tile) */
    double *least;               /* (threads, tile, top) smallest gaps of rows; NULL for top = 1 */
    float *scores;               /* (threads, ROOM) of one row's hits */
    float *values;               /* (candidates, stride) centred and scaled */
    ireneo_shared shared_values; /* they */
    int value_exponent;          /* they are 2^-value_exponent times the caller's */
    double largest;              /* of their norms */
    ireneo_int8 int8;
    double share; /* of the int8 bound up to which gaps are seen */
    ireneo_sampled_rows sampled;
} shared_check;

/* Below |h| the bound uses: the true norm of the scaled row is less than one. */
static double pair_bound(const shared_check *s, const ireneo_gap_row *gap, int exponent) {
    double dim = (double)s->c->facts->dim_out, norm = ldexp(gap->norm, -exponent),
           error = ldexp(gap->error, -exponent);
    return (2.0 * ((dim + 8.0) * 0x1p-24 * norm + error) * s->largest + VANISHING) * (1.0 + 1e-6);
}

static float clamped(double value) {
    return (float)fmin(value, FLT_MAX);
}

static void make_h(void *context, int thread, size_t first, size_t count, float *h) {
    shared_check *s = context;
    const ireneo_facts *f = s->c->facts;
    size_t dim = f->dim_out, base = (size_t)thread * s->tile;
    double *f64 = s->h + base * dim;
    s->begun[thread] = first;
    ireneo_memory_f64_apply(&s->c->f64, f->keys + first * f->dim_in, count,
                            s->scratch + base * (f->dim_in + s->c->f64.rank), f64);
    for (size_t i = 0; i < count; i++) {
        scaled_row *r = &s->rows[base + i];
        ireneo_check_begin(s->c, first + i, f64 + i * dim,
                           s->least != NULL ? s->least + (base + i) * s->c->top : NULL, &r->row);
        int exponent = ireneo_exponent(r->row.gap.norm) + 1;
        double factor = ldexp(1.0, -exponent);
        for (size_t k = 0; k < dim; k++) h[i * s->stride + k] = (float)(f64[i * dim + k] * factor);
        r->unit = ldexp(1.0, exponent + s->value_exponent);
        r->bound = clamped(pair_bound(s, &r->row.gap, exponent));
        r->reach = fmaxf(r->bound, clamped(r->row.reach / r->unit));
        r->best = -INFINITY;
    }
}

static void begin_tile(void *context, int thread, size_t first, size_t count, const float *h) {
    shared_check *s = context;
    for (size_t i = 0; i < count; i++) {
        size_t target = ireneo_target_of(s->c->facts, first + i);
        s->rows[(size_t)thread * s->tile + i].target =
            cblas_sdot((int)s->stride, h + i * s->stride, 1, s->values + target * s->stride, 1);
    }
}

/* Could a pair with this float32 gap be the smallest? */
static bool may_be_smallest(const shared_check *s, int thread, const scaled_row *r, double gap) {
    return (gap - (double)r->bound) * r->unit < s->c->thread[thread].gap;
}

/* Is the pair decided by its float32 gap, and of no further interest? Then so are all with a larger one. */
static bool plainly_lower(const shared_check *s, int thread, const scaled_row *r, double gap) {
    return gap > (double)r->reach && !may_be_smallest(s, thread, r, gap);
}

/* Is the fact known to fail, and all of it known that is wanted? Then only the smallest gap of all is looked for. */
static bool is_settled(const scaled_row *r) {
    return r->row.fails && r->row.wanted == 0;
}

static void look_at(shared_check *s, int thread, scaled_row *r, uint32_t candidate, float score) {
    const ireneo_facts *f = s->c->facts;
    double gap = (double)r->target - (double)score;
    size_t target = ireneo_target_of(f, r->row.fact);
    if (candidate == target) return;
    r->best = fmaxf(r->best, score);
    if (plainly_lower(s, thread, r, gap)) return;
    if (is_settled(r) && !may_be_smallest(s, thread, r, gap)) return;
    if (!is_settled(r) && !(fabs(gap) > (double)r->bound)) s->c->thread[thread].recomputed++;
    ireneo_check_pair(s->c, thread, &r->row, candidate, f->values + target * f->dim_out,
                      f->values + (size_t)candidate * f->dim_out);
}

/* Best competitor among the scores (columns), leaving out the target if its place is among them. */
static float best_competitor(const float *scores, size_t column, size_t columns, size_t target) {
    if (target < column || target >= column + columns) return ireneo_largest_float(scores, columns);
    size_t place = target - column;
    return fmaxf(ireneo_largest_float(scores, place),
                 ireneo_largest_float(scores + place + 1, columns - place - 1));
}

/* How far the target is above the top-th best competitor among the scores (columns); infinite when there are fewer. */
static double lead_over_top(const shared_check *s, const scaled_row *r, const float *scores, size_t column,
                            size_t columns) {
    ireneo_hit all[IRENEO_SCAN_BLOCK];
    size_t target = ireneo_target_of(s->c->facts, r->row.fact), count = 0;
    for (size_t k = 0; k < columns; k++)
        if (column + k != target) all[count++] = (ireneo_hit){scores[k], (uint32_t)(column + k)};
    if (count < s->c->top) return INFINITY;
    return (double)r->target - (double)ireneo_best_select(all, count, s->c->top);
}

static void scan_block(void *context, int thread, size_t first, size_t count, size_t column, size_t columns,
                       const float *scores) {
    shared_check *s = context;
    ireneo_hit hits[BUFFER];
    for (size_t i = 0; i < count; i++) {
        scaled_row *r = &s->rows[(size_t)thread * s->tile + first + i - s->begun[thread]];
        const float *row = scores + i * columns;
        float best = best_competitor(row, column, columns, ireneo_target_of(s->c->facts, first + i));
        double lead = (double)r->target - (double)best;
        r->row.shown += columns;
        r->best = fmaxf(r->best, best);
        if (plainly_lower(s, thread, r, lead)) continue;
        if (is_settled(r) && !may_be_smallest(s, thread, r, lead)) continue;
        if (s->c->top > 1) lead = lead_over_top(s, r, row, column, columns);
        float from = nextafterf(r->target - fmaxf(r->reach, (float)lead + r->bound), -INFINITY);
        for (size_t position = 0; position < columns;) {
            size_t found = ireneo_best_collect(row, columns, &position, from, (uint32_t)column, hits, BUFFER);
            for (size_t k = 0; k < found; k++) look_at(s, thread, r, hits[k].index, hits[k].score);
        }
    }
}

static void finish_tile(void *context, int thread, size_t first, size_t count, const float *h) {
    shared_check *s = context;
    for (size_t i = 0; i < count; i++) {
        const scaled_row *r = &s->rows[(size_t)thread * s->tile + i];
        ireneo_check_end(s->c, &r->row);
        ireneo_sampled_rows_offer(&s->sampled, ireneo_fact_number(s->c->facts, first + i), h + i * s->stride,
                                  r->unit);
    }
}

/* Of a settled row only what may be better than its best so far. This depends on the row alone, as everything must that decides
 * which scores are made by integers: results do not depend on threads. */
static double settled_threshold(const shared_check *s, const scaled_row *r) {
    return s->c->top == 1 ? (double)r->best - (double)r->bound : -INFINITY;
}

/* Candidates below this threshold are lower than the target, and further than is seen. */
static bool set_thresholds(void *context, int thread, size_t first, size_t count,
                           const ireneo_int8_rows *rows, float *threshold) {
    (void)first;
    shared_check *s = context;
    for (size_t i = 0; i < count; i++) {
        const scaled_row *r = &s->rows[(size_t)thread * s->tile + i];
        double bound = ireneo_int8_usual_bound(&s->int8, rows, i),
               seen = fmax(fmax(2.0 * (double)r->bound, s->share * bound), (double)r->reach);
        s->c->thread[thread].seen = fmin(s->c->thread[thread].seen, seen * r->unit);
        double from = (double)r->target - seen - (double)r->bound;
        if (is_settled(r)) from = fmax(from, settled_threshold(s, r));
        threshold[i] = nextafterf((float)from, -INFINITY);
    }
    return true;
}

static void take_hits(void *context, int thread, size_t first, size_t count, size_t columns, const float *h,
                      const uint32_t *hits, size_t room, const uint32_t *found) {
    shared_check *s = context;
    float *scores = s->scores + (size_t)thread * ROOM;
    for (size_t i = 0; i < count; i++) {
        scaled_row *r = &s->rows[(size_t)thread * s->tile + first + i - s->begun[thread]];
        const uint32_t *mine = hits + i * room;
        r->row.shown += columns;
        ireneo_dot8_listed(h + i * s->stride, s->values, s->stride, s->stride, mine, found[i], scores);
        for (size_t k = 0; k < found[i]; k++) look_at(s, thread, r, mine[k], scores[k]);
    }
}

/* The values while they are centred and scaled. */
typedef struct centring {
    const shared_check *s;
    const double *mean;
    double factor, largest[CENTRING_GROUPS]; /* norm of a value minus the mean, in each group */
    size_t first, last;                      /* the values that this rank makes for its node */
} centring;

static void find_largest(void *context, size_t group, int thread) {
    (void)thread;
    centring *c = context;
    const ireneo_facts *f = c->s->c->facts;
    size_t many = c->last - c->first, last = c->first + (group + 1) * many / CENTRING_GROUPS;
    for (size_t j = c->first + group * many / CENTRING_GROUPS; j < last; j++) {
        double square = 0.0;
        for (size_t k = 0; k < f->dim_out; k++) {
            double value = (double)f->values[j * f->dim_out + k] - c->mean[k];
            square += value * value;
        }
        c->largest[group] = fmax(c->largest[group], sqrt(square));
    }
}

static void centre_rows(void *context, size_t first, size_t last) {
    const centring *c = context;
    const ireneo_facts *f = c->s->c->facts;
    for (size_t j = c->first + first; j < c->first + last; j++)
        for (size_t k = 0; k < f->dim_out; k++)
            c->s->values[j * c->s->stride + k] =
                (float)(((double)f->values[j * f->dim_out + k] - c->mean[k]) * c->factor);
}

/* Every node centres the values once, its ranks a part each. */
static void centre_values(shared_check *s, const double *mean) {
    enum { GRAIN = 256 };
    ireneo_ranks *ranks = s->holding.ranks;
    centring c = {.s = s, .mean = mean};
    double largest = 0.0;
    ireneo_shared_slice(ranks, s->c->facts->candidates, &c.first, &c.last);
    ireneo_share(CENTRING_GROUPS, s->c->threads, find_largest, &c);
    for (size_t group = 0; group < CENTRING_GROUPS; group++) largest = fmax(largest, c.largest[group]);
    largest = ireneo_ranks_largest(ranks, largest) * (1.0 + 1e-6);
    s->value_exponent = ireneo_exponent(largest) + 1;
    c.factor = ldexp(1.0, -s->value_exponent);
    s->largest = largest * c.factor;
    ireneo_share_rows(c.last - c.first, GRAIN, s->c->threads, centre_rows, &c);
    ireneo_shared_settle(ranks, &s->shared_values);
}

static ireneo_error scale_values(shared_check *s) {
    const ireneo_facts *f = s->c->facts;
    double *mean = NULL;
    s->stride = (f->dim_out + 15) / 16 * 16;
    ireneo_holding spread = ireneo_holding_spread(s->holding.ranks, f->candidates);
    IRENEO_TRY(ireneo_shared_allocate(s->holding.ranks, f->candidates * s->stride, sizeof *s->values,
                                      "centred values", &s->shared_values));
    s->values = s->shared_values.bytes;
    IRENEO_TRY(IRENEO_ALLOCATE(&mean, f->dim_out, "mean value"));
    ireneo_error failed =
        ireneo_mean_held(f->values + spread.first * f->dim_out, &spread, f->dim_out, s->c->threads, mean);
    if (failed == IRENEO_OK) {
        centre_values(s, mean);
        if (ireneo_int8_useful(s->holding.total, f->candidates, f->dim_out))
            failed = ireneo_int8_make(s->values, f->candidates, f->dim_out, s->stride, s->c->threads,
                                      s->holding.ranks, &s->int8);
    }
    free(mean);
    return failed;
}

static ireneo_error allocate_tiles(shared_check *s) {
    const ireneo_facts *f = s->c->facts;
    size_t threads = (size_t)s->c->threads, slots = threads * s->tile;
    IRENEO_TRY(IRENEO_ALLOCATE(&s->h, slots * f->dim_out, "check tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->scratch, slots * (f->dim_in + s->c->f64.rank), "check tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->rows, slots, "check tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->scores, threads * ROOM, "check tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&s->begun, threads, "check tiles"));
    if (s->c->top > 1) IRENEO_TRY(IRENEO_ALLOCATE(&s->least, slots * s->c->top, "check tiles"));
    return ireneo_sampled_rows_make(s->holding.total, ireneo_check_stride(s->c), s->stride, &s->sampled);
}

static ireneo_error run(shared_check *s, bool integers) {
    ireneo_scan scan = {.rows = s->c->facts->facts,
                        .holding = &s->holding,
                        .columns = s->c->facts->candidates,
                        .dim = s->c->facts->dim_out,
                        .stride = s->stride,
                        .values = s->values,
                        .threads = s->c->threads,
                        .progress = s->c->progress,
                        .stage = "checking every fact",
                        .make = make_h,
                        .begin = begin_tile,
                        .block = scan_block,
                        .finish = finish_tile,
                        .context = s,
                        .int8 = integers && s->int8.packed != NULL ? &s->int8 : NULL,
                        .room = ROOM,
                        .thresholds = set_thresholds,
                        .hits = take_hits};
    ireneo_check_restart(s->c);
    return ireneo_ranks_agree(s->holding.ranks, ireneo_scan_run(&scan));
}

/* Have the threads of all ranks looked at the smallest gap? */
static bool has_seen_smallest(const shared_check *s) {
    double gap = INFINITY, seen = INFINITY;
    for (int k = 0; k < s->c->threads; k++) {
        gap = fmin(gap, s->c->thread[k].gap);
        seen = fmin(seen, s->c->thread[k].seen);
    }
    return !(ireneo_ranks_smallest(s->holding.ranks, gap) > ireneo_ranks_smallest(s->holding.ranks, seen));
}

/* Integers decide every pair but need not have looked at the smallest gap: then they look further, and at last float32
 * looks everywhere. */
static ireneo_error run_until_seen(shared_check *s) {
    for (size_t k = 0; k < sizeof SEEN / sizeof *SEEN; k++) {
        s->share = SEEN[k];
        IRENEO_TRY(run(s, true));
        if (has_seen_smallest(s)) return IRENEO_OK;
    }
    return run(s, false);
}

ireneo_error ireneo_check_shared(ireneo_checker *c) {
    shared_check s = {.c = c, .holding = ireneo_facts_holding(c->facts)};
    s.tile = ireneo_scan_tile_rows(s.holding.total);
    ireneo_error failed = scale_values(&s);
    if (failed == IRENEO_OK) failed = allocate_tiles(&s);
    if (failed == IRENEO_OK) failed = run_until_seen(&s);
    if (failed == IRENEO_OK) failed = ireneo_sampled_rows_gather(&s.sampled, &s.holding);
    if (failed == IRENEO_OK)
        failed =
            ireneo_sampled_rows_spread(&s.sampled, s.values, c->facts->candidates, c->threads, &c->spread);
    free(s.h), free(s.scratch), free(s.rows), free(s.scores), free(s.begun), free(s.least);
    ireneo_shared_free(&s.shared_values);
    ireneo_int8_free(&s.int8);
    ireneo_sampled_rows_free(&s.sampled);
    return failed;
}
