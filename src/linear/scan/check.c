/* A full pass that decides every pair: in float32 where a rigorous rounding bound allows it, in float64 where
 * it does not.
 *
 * Scores are taken against values with their mean removed. That shifts all scores of a row alike, so it
 * changes no comparison, and it keeps the bound small when the values share a large offset. A float32 inner
 * product of length d errs by at most (d + 3) 2^-24 |h| |y|; target and competitor each err, so pairs closer
 * than twice that are recomputed from the original numbers in float64. */
#include "linear/scan/check.h"
#include "base/floats.h"
#include "base/ram.h"
#include "base/threads.h"
#include "base/vectorised.h"
#include "linear/facts/facts.h"
#include "linear/kernels/best.h"
#include "linear/kernels/dot8.h"
#include "linear/scan/scan.h"
#include "linear/solver/whiten.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <string.h>

enum { BUFFER = 1024, SAMPLED_ROWS = 64, ROOM = 512, CHUNK = 16 };

/* Gaps up to this share of the eight-bit bound are seen by an integer scan. Larger shares find more pairs to
 * score again; smaller ones miss the smallest gap of a memory with much room left, which then takes a second
 * pass. */
static const double SEEN = 0.1;

typedef struct checker {
    const ireneo_facts *facts;
    ireneo_memory_f64 f64;
    size_t tile, most, stride; /* stride: of h and of centred values */
    double largest;            /* largest |y - mean| */
    double reach;              /* absolute, in score units */
    double *h;                 /* (threads, tile, dim_out) in float64 */
    double *scratch;           /* (threads, tile, dim_in + rank) */
    float *target, *bound;     /* (threads, tile) */
    unsigned char *fails;      /* (threads, tile) */
    float *own;                /* (threads, 2, dim_out) vectors of own candidates */
    uint32_t *near_count;      /* (threads, tile) */
    ireneo_pairs *near;        /* (threads), or NULL */
    size_t *recomputed;        /* (threads) */
    double *gap;               /* (threads) smallest gap */
    double *seen;              /* (threads) every gap up to this one was seen */
    float *scores;             /* (threads, ROOM) of one row's hits */
    float *sampled;            /* (SAMPLED_ROWS, stride) h of sampled rows, for the spread of scores */
    float *centred;            /* (candidates, stride), or NULL with own candidates */
    ireneo_int8 int8;
    unsigned char *recalled; /* (facts) */
} checker;

static void make_h(void *context, int thread, size_t first, size_t count, float *h) {
    checker *p = context;
    size_t dim = p->facts->dim_out;
    double *f64 = p->h + (size_t)thread * p->tile * dim;
    ireneo_memory_f64_apply(&p->f64, p->facts->keys + first * p->facts->dim_in, count,
                            p->scratch + (size_t)thread * p->tile * (p->facts->dim_in + p->f64.rank), f64);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < dim; k++) h[i * p->stride + k] = (float)f64[i * dim + k];
}

/* A candidate as the sweep sees it; own candidates are made in slot `which` of the thread's space. */
static const float *candidate(const checker *p, int thread, size_t fact, size_t index, size_t which) {
    size_t dim = p->facts->dim_out;
    if (p->centred != NULL) return p->centred + index * p->stride;
    float *space = p->own + ((size_t)thread * 2 + which) * dim;
    p->facts->own_candidates(p->facts->own_context, fact, index, 1, space);
    return space;
}

static void begin_tile(void *context, int thread, size_t first, size_t count, const float *h) {
    checker *p = context;
    size_t dim = p->facts->dim_out, base = (size_t)thread * p->tile;
    for (size_t i = 0; i < count; i++) {
        const float *row = h + i * p->stride,
                    *value = candidate(p, thread, first + i, ireneo_target_of(p->facts, first + i), 0);
        double norm = (double)cblas_snrm2((int)dim, row, 1);
        p->target[base + i] = cblas_sdot((int)dim, row, 1, value, 1);
        p->bound[base + i] = (float)(2.0 * ((double)dim + 8.0) * 0x1p-24 * norm * p->largest);
        p->fails[base + i] = 0;
        p->near_count[base + i] = 0;
    }
}

static void remember_pair(ireneo_pairs *pairs, size_t fact, uint32_t index) {
    if (pairs->count == pairs->capacity) {
        size_t capacity = 2 * pairs->capacity + 256;
        ireneo_pair *items = realloc(pairs->items, capacity * sizeof *items);
        if (items == NULL) {
            pairs->broken = 1;
            return;
        }
        pairs->items = items;
        pairs->capacity = capacity;
    }
    pairs->items[pairs->count++] = (ireneo_pair){(uint32_t)fact, index};
}

/* (y_target - y_j)^T h from the caller's own numbers, in float64. */
static double exact_gap(const checker *p, int thread, size_t fact, size_t i, uint32_t index) {
    size_t dim = p->facts->dim_out;
    const double *h = p->h + ((size_t)thread * p->tile + i) * dim;
    const float *a, *b;
    if (p->facts->values != NULL) {
        a = p->facts->values + ireneo_target_of(p->facts, fact) * dim;
        b = p->facts->values + (size_t)index * dim;
    } else {
        a = candidate(p, thread, fact, ireneo_target_of(p->facts, fact), 0);
        b = candidate(p, thread, fact, index, 1);
    }
    double sum = 0.0;
    for (size_t k = 0; k < dim; k++) sum += h[k] * ((double)a[k] - (double)b[k]);
    return sum;
}

static void judge(checker *p, int thread, size_t first, size_t i, const ireneo_hit *hits, size_t found) {
    size_t at = (size_t)thread * p->tile + i, fact = first + i, target = ireneo_target_of(p->facts, fact);
    for (size_t k = 0; k < found; k++) {
        if (hits[k].index == target) continue;
        float lead = hits[k].score - p->target[at], bound = p->bound[at];
        double gap = -(double)lead;
        if (fabsf(lead) <= bound) p->recomputed[thread]++;
        if (fabsf(lead) <= bound ||
            gap - (double)bound < p->gap[thread]) /* the smallest gap is told exactly */
            gap = exact_gap(p, thread, fact, i, hits[k].index);
        if (!(gap > 0.0)) p->fails[at] = 1;
        if (gap < p->gap[thread]) p->gap[thread] = gap;
        if (p->near != NULL && gap <= p->reach && p->near_count[at] < p->most) {
            p->near_count[at]++;
            remember_pair(&p->near[thread], fact, hits[k].index);
        }
    }
}

/* Best competitor among the scores (columns), leaving out the target if its place is among them. */
static float best_competitor(const float *scores, size_t column, size_t columns, size_t target) {
    if (target < column || target >= column + columns) return ireneo_largest_float(scores, columns);
    size_t place = target - column;
    return fmaxf(ireneo_largest_float(scores, place),
                 ireneo_largest_float(scores + place + 1, columns - place - 1));
}

static void scan_block(void *context, int thread, size_t first, size_t count, size_t column, size_t columns,
                       const float *scores) {
    checker *p = context;
    size_t base = (size_t)thread * p->tile;
    ireneo_hit hits[BUFFER];
    for (size_t i = 0; i < count; i++) {
        const float *row = scores + i * columns;
        float target = p->target[base + i],
              reach = fmaxf(p->bound[base + i], p->near != NULL ? (float)p->reach : 0.0f);
        float best = best_competitor(row, column, columns, ireneo_target_of(p->facts, first + i));
        double lead = (double)target - (double)best, bound = (double)p->bound[base + i];
        if (best < target - reach && lead - bound >= p->gap[thread])
            continue; /* nobody in this block comes near */
        reach = fmaxf(reach, (float)(lead + bound));
        size_t position = 0;
        while (position < columns) {
            size_t found = ireneo_best_collect(row, columns, &position, nextafterf(target - reach, -INFINITY),
                                               (uint32_t)column, hits, BUFFER);
            judge(p, thread, first, i, hits, found);
        }
    }
}

static size_t sample_stride(const checker *p) {
    return p->facts->facts / SAMPLED_ROWS + 1;
}

static void finish_tile(void *context, int thread, size_t first, size_t count, const float *h) {
    checker *p = context;
    for (size_t i = 0; i < count; i++) {
        p->recalled[first + i] = !p->fails[(size_t)thread * p->tile + i];
        if ((first + i) % sample_stride(p) == 0)
            memcpy(p->sampled + (first + i) / sample_stride(p) * p->stride, h + i * p->stride,
                   p->stride * sizeof *h);
    }
}

/* ---- integer scans ---- */

/* Below this level the rounded score of nobody who matters can lie. */
static bool set_levels(void *context, int thread, size_t first, size_t count, const ireneo_int8_rows *rows,
                       float *level) {
    (void)first;
    checker *p = context;
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)thread * p->tile + i;
        double bound = ireneo_int8_bound(&p->int8, rows, i),
               seen = fmax(2.0 * (double)p->bound[at], SEEN * bound);
        if (p->near != NULL) seen = fmax(seen, p->reach);
        p->seen[thread] = fmin(p->seen[thread], seen);
        level[i] =
            nextafterf((float)((double)p->target[at] - seen - (double)p->bound[at] - bound), -INFINITY);
    }
    return true;
}

static void take_hits(void *context, int thread, size_t first, size_t count, const float *h,
                      const uint32_t *hits, size_t room, const uint32_t *found) {
    checker *p = context;
    float *scores = p->scores + (size_t)thread * ROOM;
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)thread * p->tile + i, target = ireneo_target_of(p->facts, first + i);
        const uint32_t *mine = hits + i * room;
        float reach = fmaxf(p->bound[at], p->near != NULL ? (float)p->reach : 0.0f);
        ireneo_dot8_listed(h + i * p->stride, p->centred, p->stride, p->stride, mine, found[i], scores);
        for (size_t k = 0; k < found[i]; k++) {
            if (mine[k] == target) continue;
            double gap = (double)p->target[at] - (double)scores[k];
            if (gap <= (double)reach || gap - (double)p->bound[at] < p->gap[thread])
                judge(p, thread, first, i, &(ireneo_hit){scores[k], mine[k]}, 1);
        }
    }
}

/* ---- values and spread ---- */

/* Values minus their mean, in float32, rows padded with zeros, and the largest norm among them. */
static ireneo_error centre_values(checker *p, int threads) {
    const ireneo_facts *f = p->facts;
    double *mean = NULL, largest = 0.0;
    p->stride = (f->dim_out + 15) / 16 * 16;
    ireneo_error failed = IRENEO_ALLOCATE(&mean, f->dim_out, "mean value");
    if (failed == IRENEO_OK)
        failed = IRENEO_ALLOCATE_ZEROED(&p->centred, f->candidates * p->stride, "centred values");
    if (failed == IRENEO_OK) failed = ireneo_mean_row(f->values, f->candidates, f->dim_out, threads, mean);
    if (failed == IRENEO_OK) {
#pragma omp parallel for num_threads(threads) schedule(static) reduction(max : largest)
        for (size_t j = 0; j < f->candidates; j++) {
            double square = 0.0;
            for (size_t k = 0; k < f->dim_out; k++) {
                double value = (double)f->values[j * f->dim_out + k] - mean[k];
                p->centred[j * p->stride + k] = (float)value;
                square += value * value;
            }
            largest = fmax(largest, sqrt(square));
        }
        p->largest = largest;
        if (ireneo_int8_useful(f->facts, f->candidates, f->dim_out))
            failed = ireneo_int8_make(p->centred, f->candidates, f->dim_out, p->stride, threads, &p->int8);
    }
    free(mean);
    return failed;
}

/* Own candidates are only seen when they are made: the largest norm of a few facts, doubled, stands for all.
 */
static ireneo_error bound_own_values(checker *p) {
    const ireneo_facts *f = p->facts;
    float *value = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&value, f->dim_out, "own candidate"));
    size_t facts = f->facts < 8 ? f->facts : 8, candidates = f->candidates < 256 ? f->candidates : 256;
    for (size_t i = 0; i < facts; i++)
        for (size_t j = 0; j < candidates; j++) {
            f->own_candidates(f->own_context, i, j, 1, value);
            p->largest = fmax(p->largest, 2.0 * (double)cblas_snrm2((int)f->dim_out, value, 1));
        }
    free(value);
    return IRENEO_OK;
}

IRENEO_VECTORISED
static double variance_of(const float *scores, size_t count) {
    double first = 0.0, second = 0.0, columns = (double)count;
#pragma omp simd reduction(+ : first, second)
    for (size_t j = 0; j < count; j++) {
        first += (double)scores[j];
        second += (double)scores[j] * (double)scores[j];
    }
    return fmax(0.0, second / columns - first / columns * first / columns);
}

/* rms spread of the scores of a row, over a few rows. */
static ireneo_error score_spread(const checker *p, int threads, double *spread) {
    const ireneo_facts *f = p->facts;
    size_t rows = (f->facts + sample_stride(p) - 1) / sample_stride(p), columns = f->candidates;
    size_t chunks = (rows + CHUNK - 1) / CHUNK;
    float *scores = NULL, *own = NULL;
    double total = 0.0, variance[SAMPLED_ROWS + 1] = {0};
    ireneo_error failed = IRENEO_ALLOCATE(&scores, (size_t)threads * CHUNK * columns, "scores of a few rows");
    if (failed == IRENEO_OK && p->centred == NULL)
        failed = IRENEO_ALLOCATE(&own, (size_t)threads * f->dim_out, "own candidate");
    if (failed == IRENEO_OK) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (size_t chunk = 0; chunk < chunks; chunk++) {
            size_t thread = (size_t)omp_get_thread_num(), first = chunk * CHUNK,
                   many = rows - first < CHUNK ? rows - first : CHUNK;
            const float *h = p->sampled + first * p->stride;
            float *mine = scores + thread * CHUNK * columns;
            if (p->centred != NULL)
                cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)many, (int)columns, (int)p->stride,
                            1.0f, h, (int)p->stride, p->centred, (int)p->stride, 0.0f, mine, (int)columns);
            for (size_t k = 0; p->centred == NULL && k < many * columns; k++) {
                float *value = own + thread * f->dim_out;
                f->own_candidates(f->own_context, (first + k / columns) * sample_stride(p), k % columns, 1,
                                  value);
                mine[k] = cblas_sdot((int)f->dim_out, value, 1, h + k / columns * p->stride, 1);
            }
            for (size_t k = 0; k < many; k++) variance[first + k] = variance_of(mine + k * columns, columns);
        }
        for (size_t k = 0; k < rows; k++) total += variance[k];
        *spread = sqrt(total / (double)rows);
    }
    free(scores);
    free(own);
    return failed;
}

static ireneo_error allocate_checker(checker *p, int threads) {
    size_t dim = p->facts->dim_out, slots = (size_t)threads * p->tile;
    IRENEO_TRY(IRENEO_ALLOCATE(&p->h, slots * dim, "check tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&p->scratch, slots * (p->facts->dim_in + p->f64.rank), "check tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&p->target, slots, "check tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&p->bound, slots, "check tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&p->fails, slots, "check tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&p->own, (size_t)threads * 2 * dim, "check tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&p->near_count, slots, "check tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&p->recomputed, (size_t)threads, "check tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&p->gap, (size_t)threads, "check tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&p->seen, (size_t)threads, "check tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&p->scores, (size_t)threads * ROOM, "check tiles"));
    IRENEO_TRY(IRENEO_ALLOCATE(&p->sampled, (SAMPLED_ROWS + 1) * p->stride, "check tiles"));
    return IRENEO_OK;
}

static void free_checker(checker *p) {
    ireneo_memory_f64_free(&p->f64);
    free(p->h), free(p->scratch), free(p->target), free(p->bound), free(p->fails), free(p->own);
    free(p->near_count), free(p->recomputed), free(p->gap), free(p->seen);
    free(p->scores), free(p->sampled), free(p->centred);
    ireneo_int8_free(&p->int8);
}

static void free_near(checker *p, int threads) {
    for (int k = 0; p->near != NULL && k < threads; k++) free(p->near[k].items);
    free(p->near);
    p->near = NULL;
}

static ireneo_error gather_pairs(checker *p, int threads, ireneo_pairs *near) {
    for (int k = 0; k < threads; k++) {
        if (p->near[k].broken)
            return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for the list of close competitors");
        for (size_t j = 0; j < p->near[k].count; j++)
            remember_pair(near, p->near[k].items[j].fact, p->near[k].items[j].candidate);
    }
    return near->broken
               ? ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for the list of close competitors")
               : IRENEO_OK;
}

static ireneo_error run_proof(checker *p, int threads, bool integers, const ireneo_progress *progress) {
    ireneo_scan scan = {.rows = p->facts->facts,
                        .columns = p->facts->candidates,
                        .dim = p->facts->dim_out,
                        .stride = p->stride,
                        .values = p->centred,
                        .own_candidates = p->facts->own_candidates,
                        .own_context = p->facts->own_context,
                        .threads = threads,
                        .progress = progress,
                        .stage = "checking every fact",
                        .make = make_h,
                        .begin = begin_tile,
                        .block = scan_block,
                        .finish = finish_tile,
                        .context = p,
                        .int8 = integers && p->int8.packed != NULL ? &p->int8 : NULL,
                        .room = ROOM,
                        .levels = set_levels,
                        .hits = take_hits};
    for (int k = 0; k < threads; k++) p->gap[k] = p->seen[k] = INFINITY, p->recomputed[k] = 0;
    return ireneo_scan_run(&scan);
}

static double least(const double *values, int threads) {
    double smallest = INFINITY;
    for (int k = 0; k < threads; k++) smallest = fmin(smallest, values[k]);
    return smallest;
}

static ireneo_error prove(checker *p, int threads, const ireneo_progress *progress, ireneo_pairs *near,
                          ireneo_check_report *report) {
    IRENEO_TRY(run_proof(p, threads, true, progress));
    if (near != NULL) IRENEO_TRY(gather_pairs(p, threads, near));
    if (least(p->gap, threads) > least(p->seen, threads)) { /* the smallest gap may be one nobody saw */
        free_near(p, threads);
        IRENEO_TRY(run_proof(p, threads, false, progress));
    }
    double gap = least(p->gap, threads), spread = 0.0;
    IRENEO_TRY(score_spread(p, threads, &spread));
    memset(report, 0, sizeof *report);
    report->facts = p->facts->facts;
    for (int k = 0; k < threads; k++) report->recomputed += p->recomputed[k];
    for (size_t i = 0; i < p->facts->facts; i++) report->recalled += p->recalled[i];
    report->gap = gap;
    report->margin = spread > 0.0 ? gap / spread : (gap > 0.0 ? INFINITY : 0.0);
    return IRENEO_OK;
}

ireneo_error ireneo_check_near(const ireneo_memory *memory, const ireneo_facts *facts, int threads,
                               const ireneo_progress *progress, double reach, size_t most, ireneo_pairs *near,
                               unsigned char *recalled, ireneo_check_report *report) {
    checker p = {.facts = facts,
                 .tile = ireneo_scan_tile_rows(facts->facts),
                 .stride = facts->dim_out,
                 .reach = reach,
                 .most = most,
                 .recalled = recalled};
    ireneo_error failed = ireneo_memory_f64_make(memory, &p.f64);
    if (failed == IRENEO_OK)
        failed = facts->values != NULL ? centre_values(&p, threads) : bound_own_values(&p);
    if (failed == IRENEO_OK) failed = allocate_checker(&p, threads);
    if (failed == IRENEO_OK && recalled == NULL)
        failed = IRENEO_ALLOCATE(&p.recalled, facts->facts, "recalled facts");
    if (failed == IRENEO_OK && near != NULL)
        failed = IRENEO_ALLOCATE_ZEROED(&p.near, (size_t)threads, "close competitors");
    if (failed == IRENEO_OK) failed = prove(&p, threads, progress, near, report);
    free_near(&p, threads);
    if (recalled == NULL) free(p.recalled);
    free_checker(&p);
    return failed;
}

ireneo_error ireneo_check(const ireneo_memory *memory, const ireneo_facts *facts, int threads,
                          const ireneo_progress *progress, unsigned char *recalled,
                          ireneo_check_report *report) {
    if (memory == NULL || report == NULL)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "check needs a memory and a report");
    IRENEO_TRY(ireneo_facts_check(facts));
    if (memory->dim_in != facts->dim_in || memory->dim_out != facts->dim_out)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "the memory is %zu x %zu, but keys have %zu dimensions and values %zu",
                           memory->dim_out, memory->dim_in, facts->dim_in, facts->dim_out);
    int before = ireneo_blas_threads(1);
    ireneo_error failed = ireneo_check_near(memory, facts, ireneo_thread_count(threads), progress, 0.0, 0,
                                            NULL, recalled, report);
    ireneo_blas_threads(before);
    return failed;
}
