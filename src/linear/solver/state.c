/* The state is a .safetensors file: the memory as W, or U and V, for whoever wants to look; "point", "gradient" and the
 * history of L-BFGS; of every row its level and, in the loop, its competitors with their scores, which along a line drift
 * from W in the last digits and cannot be made again; and the counters of the loop as "numbers". */
#include "linear/solver/state.h"
#include "base/array.h"
#include "base/digest.h"
#include "base/ram.h"
#include "base/seal.h"
#include "linear/memory/memory.h"
#include "linear/solver/factors.h"

#include <math.h>
#include <string.h>

static const double SOON = 2.0; /* seconds of work that are not worth a file, in one process */

enum { MOST_TENSORS = 16 };

/* ---- counters ---- */

/* Everything in float64, which holds whole numbers up to 2^53. */
typedef struct numbers {
    double version, station, facts, candidates, dim_in, dim_out, rank, top, wanted_margin, capacity;
    double scans, iterations, first_iterations, since_scan, patience, restarts, settled, suspicious,
        first_gradient;
    double margin, required, int16, loss, gradient_norm, residual_sum, violations;
    double used, next, scale;
} numbers;

static numbers numbers_of(const ireneo_storing *s, ireneo_station station) {
    const ireneo_attempt *a = &s->attempt;
    const ireneo_minimiser *m = &a->minimiser;
    return (numbers){.version = 1.0,
                     .station = (double)station,
                     .facts = (double)ireneo_facts_total(a->facts),
                     .candidates = (double)a->facts->candidates,
                     .dim_in = (double)a->problem.dim_in,
                     .dim_out = (double)a->problem.dim_out,
                     .rank = (double)a->settings.rank,
                     .top = (double)a->settings.top,
                     .wanted_margin = a->settings.margin,
                     .capacity = (double)a->set.capacity,
                     .scans = (double)a->info->scans,
                     .iterations = (double)a->info->iterations,
                     .first_iterations = (double)s->first_iterations,
                     .since_scan = (double)s->since_scan,
                     .patience = (double)s->patience,
                     .restarts = (double)s->restarts,
                     .settled = s->settled,
                     .suspicious = s->suspicious,
                     .first_gradient = a->first_gradient,
                     .margin = (double)m->margin,
                     .required = (double)m->required,
                     .int16 = ireneo_minimiser_uses_int16(m),
                     .loss = m->loss,
                     .gradient_norm = m->gradient_norm,
                     .residual_sum = m->residual_sum,
                     .violations = (double)m->violations,
                     .used = (double)m->lbfgs.used,
                     .next = (double)m->lbfgs.next,
                     .scale = m->lbfgs.scale};
}

static void take_numbers(const numbers *n, ireneo_storing *s) {
    ireneo_attempt *a = &s->attempt;
    ireneo_minimiser *m = &a->minimiser;
    a->info->scans = (size_t)n->scans;
    a->info->iterations = (size_t)n->iterations;
    s->first_iterations = (size_t)n->first_iterations;
    s->since_scan = (size_t)n->since_scan;
    s->patience = (size_t)n->patience;
    s->restarts = (size_t)n->restarts;
    s->settled = n->settled != 0.0;
    s->suspicious = n->suspicious;
    a->first_gradient = n->first_gradient;
    if (n->int16 == 0.0) ireneo_minimiser_leave_int16(m);
    m->margin = (float)n->margin;
    m->required = (float)n->required;
    m->loss = n->loss;
    m->gradient_norm = n->gradient_norm;
    m->residual_sum = n->residual_sum;
    m->violations = (size_t)n->violations;
    m->lbfgs.used = (size_t)n->used;
    m->lbfgs.next = (size_t)n->next;
    m->lbfgs.scale = n->scale;
}

/* Nothing in a file is trusted: counters in their range, and of the very problem at hand. */
static bool belongs(const numbers *n, const ireneo_storing *s) {
    numbers mine = numbers_of(s, IRENEO_STATION_START);
    const double *counts[] = {&n->scans, &n->iterations, &n->since_scan, &n->patience,        &n->restarts,
                              &n->used,  &n->next,       &n->violations, &n->first_iterations};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        if (!(*counts[k] >= 0.0 && *counts[k] < 0x1p52 && *counts[k] == floor(*counts[k]))) return false;
    double history = (double)s->attempt.minimiser.lbfgs.history;
    bool finite = isfinite(n->suspicious) && isfinite(n->first_gradient) && isfinite(n->margin) &&
                  isfinite(n->required) && isfinite(n->loss) && isfinite(n->gradient_norm) &&
                  isfinite(n->residual_sum) && isfinite(n->scale);
    return finite && n->version == 1.0 && n->station >= 0.0 && n->station <= IRENEO_STATION_LOOP &&
           n->facts == mine.facts && n->candidates == mine.candidates && n->dim_in == mine.dim_in &&
           n->dim_out == mine.dim_out && n->rank == mine.rank && n->top == mine.top &&
           n->wanted_margin == mine.wanted_margin && n->capacity == mine.capacity && n->used <= history &&
           n->next < fmax(history, 1.0);
}

/* ---- rows ---- */

/* Before a scan the working set does not matter: it is made anew. */
static bool has_competitors(ireneo_station station) {
    return station == IRENEO_STATION_FIRST || station == IRENEO_STATION_LOOP;
}

/* What belongs to single rows, of all ranks, on rank 0. */
typedef struct row_state {
    void *level, *target, *count; /* (facts) */
    void *index, *score;          /* competitors of all rows, one after the other */
    size_t facts, entries;
} row_state;

static void free_rows(row_state *r) {
    free(r->level), free(r->target), free(r->count), free(r->index), free(r->score);
    memset(r, 0, sizeof *r);
}

static ireneo_ranks *ranks_of(const ireneo_attempt *a) {
    return ireneo_facts_ranks(a->facts);
}

/* (count, size) of all ranks, on rank 0; a copy in one process. */
static ireneo_error bring(const ireneo_attempt *a, const void *mine, size_t count, size_t size, void **all,
                          size_t *total) {
    if (ranks_of(a) != NULL) return ireneo_ranks_gather(ranks_of(a), 0, mine, count, size, all, total);
    IRENEO_TRY(ireneo_allocate(all, count, size, "state"));
    if (count > 0 && mine != NULL) memcpy(*all, mine, count * size);
    *total = count;
    return IRENEO_OK;
}

/* The competitors of the rows held here, without the gaps between rows. */
static ireneo_error bring_entries(const ireneo_attempt *a, row_state *r) {
    const ireneo_working_set *l = &a->set;
    uint32_t *index = NULL;
    float *score = NULL;
    size_t entries = 0, at = 0;
    for (size_t i = 0; i < l->rows; i++) entries += l->count[i];
    ireneo_error failed = IRENEO_ALLOCATE(&index, entries, "state");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&score, entries, "state");
    for (size_t i = 0; failed == IRENEO_OK && i < l->rows; at += l->count[i++]) {
        memcpy(index + at, l->index + i * l->capacity, l->count[i] * sizeof *index);
        memcpy(score + at, l->score + i * l->capacity, l->count[i] * sizeof *score);
    }
    failed = ireneo_ranks_agree(ranks_of(a), failed);
    if (failed == IRENEO_OK) failed = bring(a, index, entries, sizeof *index, &r->index, &r->entries);
    if (failed == IRENEO_OK) failed = bring(a, score, entries, sizeof *score, &r->score, &r->entries);
    free(index), free(score);
    return failed;
}

static ireneo_error bring_rows(const ireneo_attempt *a, ireneo_station station, row_state *r) {
    const ireneo_working_set *l = &a->set;
    memset(r, 0, sizeof *r);
    ireneo_error failed = bring(a, l->level, l->rows, sizeof *l->level, &r->level, &r->facts);
    if (failed != IRENEO_OK || !has_competitors(station)) return failed;
    failed = bring(a, l->target_score, l->rows, sizeof *l->target_score, &r->target, &r->facts);
    if (failed == IRENEO_OK) failed = bring(a, l->count, l->rows, sizeof *l->count, &r->count, &r->facts);
    if (failed == IRENEO_OK) failed = bring_entries(a, r);
    return failed;
}

/* ---- writing ---- */

typedef struct tensor_list {
    ireneo_tensor items[MOST_TENSORS];
    size_t count;
} tensor_list;

static void add_vector(tensor_list *l, const char *name, ireneo_dtype dtype, size_t length,
                       const void *data) {
    l->items[l->count++] = (ireneo_tensor){name, dtype, 1, {length}, data};
}

static void add_memory(tensor_list *l, const ireneo_memory *m) {
    if (m->rank == 0) {
        l->items[l->count++] =
            (ireneo_tensor){"W", IRENEO_DTYPE_FLOAT32, 2, {m->dim_out, m->dim_in}, m->matrix};
        return;
    }
    l->items[l->count++] = (ireneo_tensor){"U", IRENEO_DTYPE_FLOAT32, 2, {m->dim_out, m->rank}, m->left};
    l->items[l->count++] = (ireneo_tensor){"V", IRENEO_DTYPE_FLOAT32, 2, {m->dim_in, m->rank}, m->right};
}

static ireneo_error write_file(const ireneo_storing *s, ireneo_station station, const row_state *r) {
    const ireneo_attempt *a = &s->attempt;
    const ireneo_minimiser *m = &a->minimiser;
    const ireneo_lbfgs *b = &m->lbfgs;
    numbers n = numbers_of(s, station);
    tensor_list l = {.count = 0};
    char hash[IRENEO_DIGEST_TEXT];
    ireneo_digest_write(s->hash, hash);
    const char *metadata[] = {"format",         "ireneo-memory-2",
                              "ireneo_version", ireneo_version(),
                              "facts_hash",     hash,
                              "status",         ireneo_status_name(IRENEO_STATUS_INTERRUPTED)};
    add_vector(&l, "numbers", IRENEO_DTYPE_FLOAT64, sizeof n / sizeof(double), &n);
    add_vector(&l, "products", IRENEO_DTYPE_FLOAT64, b->used, b->products);
    add_memory(&l, a->memory);
    add_vector(&l, "point", IRENEO_DTYPE_FLOAT32, m->length, m->point);
    add_vector(&l, "gradient", IRENEO_DTYPE_FLOAT32, m->length, m->gradient);
    add_vector(&l, "steps", IRENEO_DTYPE_FLOAT32, b->used * b->length, b->steps);
    add_vector(&l, "changes", IRENEO_DTYPE_FLOAT32, b->used * b->length, b->changes);
    add_vector(&l, "level", IRENEO_DTYPE_FLOAT32, r->facts, r->level);
    if (has_competitors(station)) {
        add_vector(&l, "target_score", IRENEO_DTYPE_FLOAT32, r->facts, r->target);
        add_vector(&l, "count", IRENEO_DTYPE_UINT32, r->facts, r->count);
        add_vector(&l, "index", IRENEO_DTYPE_UINT32, r->entries, r->index);
        add_vector(&l, "score", IRENEO_DTYPE_FLOAT32, r->entries, r->score);
    }
    return ireneo_save_sealed(a->settings.state, l.items, l.count, metadata,
                              sizeof metadata / sizeof *metadata / 2);
}

/* While there are fewer pairs than the history holds, the next one goes behind them: the first `used` are all. */
ireneo_error ireneo_state_save_now(ireneo_storing *s, ireneo_station station) {
    ireneo_attempt *a = &s->attempt;
    const ireneo_ranks *ranks = ranks_of(a);
    row_state rows;
    int exponent;
    s->station = station;
    a->info->state_kept = 0;
    if (a->settings.state == NULL) return IRENEO_OK;
    double t0 = ireneo_seconds();
    IRENEO_TRY(ireneo_storing_fingerprint(s));
    IRENEO_TRY(ireneo_attempt_export(a, &exponent));
    ireneo_error failed = bring_rows(a, station, &rows);
    if (failed == IRENEO_OK && (ranks == NULL || ranks->rank == 0)) failed = write_file(s, station, &rows);
    free_rows(&rows);
    failed = ireneo_ranks_agree(ranks_of(a), failed);
    a->info->state_kept = failed == IRENEO_OK;
    a->info->phases.check += ireneo_seconds() - t0;
    return failed;
}

ireneo_error ireneo_state_save(ireneo_storing *s, ireneo_station station) {
    bool apart = ranks_of(&s->attempt) == NULL;
    s->station = station;
    s->attempt.info->state_kept = 0;
    if (apart && ireneo_seconds() - s->begun < SOON) return IRENEO_OK;
    return ireneo_state_save_now(s, station);
}

/* ---- reading ---- */

/* Elements first .. first + count - 1 of a vector in the state. */
static ireneo_error read_vector(const ireneo_attempt *a, const char *name, ireneo_dtype dtype, size_t first,
                                size_t count, void *to) {
    char *location = NULL;
    ireneo_source source = {.file.descriptor = -1};
    IRENEO_TRY(ireneo_memory_tensor_location(a->settings.state, name, &location));
    ireneo_error failed = ireneo_source_open(location, &source);
    size_t size = ireneo_dtype_size(dtype);
    if (failed == IRENEO_OK && count > 0 &&
        (source.layout.dtype != dtype || source.layout.axes != 1 || first > source.layout.shape[0] ||
         count > source.layout.shape[0] - first || !ireneo_source_cut(&source, first, count)))
        failed = ireneo_fail(IRENEO_ERROR_DATA, "%s is not the state of a store of these facts (%s)",
                             a->settings.state, name);
    if (failed == IRENEO_OK && count > 0) failed = ireneo_source_read(&source, to, count * size);
    ireneo_source_close(&source);
    free(location);
    return failed;
}

static bool all_finite(const float *values, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!isfinite(values[k])) return false;
    return true;
}

static ireneo_error broken(const ireneo_attempt *a, const char *what) {
    return ireneo_fail(IRENEO_ERROR_DATA, "%s is broken: %s", a->settings.state, what);
}

static ireneo_error read_point(ireneo_storing *s) {
    ireneo_minimiser *m = &s->attempt.minimiser;
    ireneo_lbfgs *b = &m->lbfgs;
    const ireneo_attempt *a = &s->attempt;
    IRENEO_TRY(read_vector(a, "point", IRENEO_DTYPE_FLOAT32, 0, m->length, m->point));
    IRENEO_TRY(read_vector(a, "gradient", IRENEO_DTYPE_FLOAT32, 0, m->length, m->gradient));
    IRENEO_TRY(read_vector(a, "steps", IRENEO_DTYPE_FLOAT32, 0, b->used * b->length, b->steps));
    IRENEO_TRY(read_vector(a, "changes", IRENEO_DTYPE_FLOAT32, 0, b->used * b->length, b->changes));
    IRENEO_TRY(read_vector(a, "products", IRENEO_DTYPE_FLOAT64, 0, b->used, b->products));
    if (!all_finite(m->point, m->length) || !all_finite(m->gradient, m->length))
        return broken(a, "a number is not finite");
    ireneo_factors_compose(m);
    return IRENEO_OK;
}

/* Competitors of the rows held here; those of rows before them are as many as the counts say. */
static ireneo_error fill_rows(ireneo_attempt *a, const uint32_t *counts, size_t before, size_t entries,
                              uint32_t *index, float *score) {
    ireneo_working_set *l = &a->set;
    size_t at = 0;
    IRENEO_TRY(read_vector(a, "index", IRENEO_DTYPE_UINT32, before, entries, index));
    IRENEO_TRY(read_vector(a, "score", IRENEO_DTYPE_FLOAT32, before, entries, score));
    for (size_t k = 0; k < entries; k++)
        if (index[k] >= a->facts->candidates || !isfinite(score[k])) return broken(a, "no such candidate");
    for (size_t i = 0; i < l->rows; at += counts[i++])
        ireneo_working_set_fill(l, &a->problem, i, index + at, score + at, counts[i]);
    return IRENEO_OK;
}

static ireneo_error read_competitors(ireneo_attempt *a) {
    ireneo_working_set *l = &a->set;
    size_t first = a->problem.holding.first, total = a->problem.holding.total, before = 0, entries = 0;
    uint32_t *counts = NULL, *index = NULL;
    float *score = NULL;
    IRENEO_TRY(read_vector(a, "target_score", IRENEO_DTYPE_FLOAT32, first, l->rows, l->target_score));
    IRENEO_TRY(IRENEO_ALLOCATE(&counts, total, "state"));
    ireneo_error failed = read_vector(a, "count", IRENEO_DTYPE_UINT32, 0, total, counts);
    for (size_t i = 0; failed == IRENEO_OK && i < total; i++) {
        if (counts[i] > l->capacity) failed = broken(a, "a fact has too many competitors");
        before += i < first ? counts[i] : 0;
        entries += i >= first && i < first + l->rows ? counts[i] : 0;
    }
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&index, entries, "state");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&score, entries, "state");
    if (failed == IRENEO_OK) failed = fill_rows(a, counts + first, before, entries, index, score);
    free(counts), free(index), free(score);
    return failed;
}

static ireneo_error check_file(const ireneo_storing *s) {
    bool sealed = false;
    char *hash = NULL;
    unsigned char found[IRENEO_DIGEST_BYTES];
    IRENEO_TRY(ireneo_check_seal(s->attempt.settings.state, &sealed));
    if (!sealed) return broken(&s->attempt, "it has no checksum");
    IRENEO_TRY(ireneo_safetensors_metadata(s->attempt.settings.state, "facts_hash", &hash));
    bool same = ireneo_digest_read(hash, found) && memcmp(found, s->hash, sizeof found) == 0;
    ireneo_free(hash);
    if (same) return IRENEO_OK;
    return ireneo_fail(IRENEO_ERROR_DATA, "%s belongs to other facts than these", s->attempt.settings.state);
}

static ireneo_error read_file(ireneo_storing *s, ireneo_station *station) {
    ireneo_attempt *a = &s->attempt;
    numbers n;
    IRENEO_TRY(read_vector(a, "numbers", IRENEO_DTYPE_FLOAT64, 0, sizeof n / sizeof(double), &n));
    if (!belongs(&n, s))
        return ireneo_fail(
            IRENEO_ERROR_DATA,
            "%s is the state of another store: of other sizes, rank, margin or best answers than asked for",
            a->settings.state);
    take_numbers(&n, s);
    *station = (ireneo_station)(int)n.station;
    IRENEO_TRY(read_point(s));
    IRENEO_TRY(
        read_vector(a, "level", IRENEO_DTYPE_FLOAT32, a->problem.holding.first, a->set.rows, a->set.level));
    return has_competitors(*station) ? read_competitors(a) : IRENEO_OK;
}

ireneo_error ireneo_state_load(ireneo_storing *s, ireneo_station *station) {
    ireneo_ranks *ranks = ranks_of(&s->attempt);
    IRENEO_TRY(ireneo_storing_fingerprint(s));
    IRENEO_TRY(ireneo_ranks_agree(ranks, ranks == NULL || ranks->rank == 0 ? check_file(s) : IRENEO_OK));
    return ireneo_ranks_agree(ranks, read_file(s, station));
}
