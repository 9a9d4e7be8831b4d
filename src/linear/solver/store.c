/* The outer loop: scan, minimise, check, and certify when stuck (docs/linear.md, "The solver"). */
#include "base/ram.h"
#include "base/threads.h"
#include "linear/kernels/vector.h"
#include "linear/memory/memory.h"
#include "linear/scan/check.h"
#include "linear/solver/one_pass.h"
#include "linear/solver/overload.h"
#include "linear/solver/state.h"
#include "linear/solver/store_offsets.h"
#include "linear/solver/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What settings that are zero stand for. */
enum { MOST_SCANS = 200, MOST_ITERATIONS = 3000, SETTLE_ENTRIES = 2500 };

/* The first working set only has to find the region: it takes this part of the competitors, and few iterations.
 */
enum { FIRST_ITERATIONS = 4, FIRST_NUMERATOR = 5, FIRST_DENOMINATOR = 8 };

enum { PATIENCE = 30 }; /* iterations after which the working set is made anew; doubles each time */

/* When a check of a solved working set finds fewer recalled than this share, most competitors were unknown. */
static const double MANY_RECALLED = 0.98;

/* Norm bound at which a proof of impossibility is tried: solvable data stay far below, unless they are within a
 * fraction of a per cent of their limit. */
static const double SUSPICIOUS_BOUND = 2e4;

/* With --overload: from this share of the law on trying to store everything first is a waste. */
static const double HOPELESS = 1.02;

/* ---- the steps ---- */

/* A few iterations on a small working set, to find the region. */
static ireneo_error find_region(ireneo_storing *s, ireneo_verdict *v) {
    ireneo_attempt *a = &s->attempt;
    for (; s->first_iterations < FIRST_ITERATIONS && a->minimiser.violations > 0; s->first_iterations++) {
        if (ireneo_attempt_stop_asked(a)) {
            *v = IRENEO_VERDICT_INTERRUPTED;
            return ireneo_state_save_now(s, IRENEO_STATION_FIRST);
        }
        if (!ireneo_minimiser_iterate(&a->minimiser)) break;
        a->info->iterations++;
    }
    return IRENEO_OK;
}

/* From where the store stands, which is the start unless a file kept it, into the loop: a small working set, a few
 * iterations, and the working set for the rest of the way. */
static ireneo_error enter_loop(ireneo_storing *s, ireneo_station station, ireneo_verdict *v) {
    ireneo_attempt *a = &s->attempt;
    size_t keep = ireneo_attempt_keep(a);
    if (station == IRENEO_STATION_LOOP) return IRENEO_OK;
    if (station == IRENEO_STATION_START) {
        IRENEO_TRY(ireneo_state_save(s, IRENEO_STATION_START));
        IRENEO_TRY(ireneo_attempt_scan(a, keep * FIRST_NUMERATOR / FIRST_DENOMINATOR, IRENEO_SCAN_KEPT_ROWS));
    }
    if (station != IRENEO_STATION_REGION) IRENEO_TRY(find_region(s, v));
    if (*v != IRENEO_VERDICT_OPEN) return IRENEO_OK;
    IRENEO_TRY(ireneo_state_save(s, IRENEO_STATION_REGION));
    return ireneo_attempt_scan(a, keep, IRENEO_SCAN_KEPT_ROWS);
}

/* After many iterations other competitors may matter than those of the last scan. */
static ireneo_error scan_again(ireneo_storing *s) {
    IRENEO_TRY(ireneo_state_save_now(s, IRENEO_STATION_LOOP)); /* the scan will overwrite the working set */
    ireneo_attempt_leave_int16(&s->attempt);
    s->since_scan = 0;
    s->patience *= 2;
    return ireneo_attempt_scan(&s->attempt, IRENEO_HARD_KEEP, IRENEO_SCAN_KEPT_ROWS);
}

/* One iteration; false when no step lowers the loss any more. */
static bool minimise(ireneo_storing *s) {
    s->attempt.info->iterations++;
    s->since_scan++;
    return ireneo_minimiser_iterate(&s->attempt.minimiser);
}

/* Does the memory recall everything? If not, the working set knows more afterwards. */
ireneo_error ireneo_storing_check(ireneo_storing *s, ireneo_verdict *v) {
    bool standing = false;
    IRENEO_TRY(ireneo_state_save(s, IRENEO_STATION_LOOP));
    s->since_scan = 0;
    s->patience = PATIENCE;
    IRENEO_TRY(ireneo_attempt_check(&s->attempt, &standing));
    if (standing) *v = IRENEO_VERDICT_STORED;
    if ((double)s->attempt.info->recalled < MANY_RECALLED * (double)ireneo_facts_total(s->attempt.facts))
        s->patience =
            s->max_iterations; /* the lists were far too short: a scan would forget what was added */
    if (standing || s->settling || s->attempt.info->scans < s->max_scans) return IRENEO_OK;
    if (s->attempt.settings.max_scans == 0 && !s->settled) return ireneo_storing_settle(s, v);
    *v = IRENEO_VERDICT_UNDECIDED; /* as asked, or nothing is left to try */
    return IRENEO_OK;
}

/* No memory of norm below this recalls all facts with margin 1: sum of the weights over the norm of what they
 * fail to cancel. */
static double norm_bound(const ireneo_minimiser *m) {
    double norm =
        sqrt(ireneo_dot(m->matrix_gradient, m->matrix_gradient, m->problem->dim_out * m->problem->dim_in, 1));
    return norm > 0.0 ? m->residual_sum / norm : INFINITY;
}

/* ---- the loop ---- */

static ireneo_error solve(ireneo_storing *s, ireneo_verdict *v) {
    ireneo_attempt *a = &s->attempt;
    const bool provable = a->settings.rank == 0 && a->settings.top == 1;
    ireneo_station station = IRENEO_STATION_START;
    *v = IRENEO_VERDICT_OPEN;
    if (a->settings.resume) IRENEO_TRY(ireneo_state_load(s, &station));
    IRENEO_TRY(enter_loop(s, station, v));
    while (*v == IRENEO_VERDICT_OPEN) {
        /* ---- check, when the working set has nothing more to say ---- */
        if (a->minimiser.violations == 0) {
            IRENEO_TRY(ireneo_storing_check(s, v));
            continue;
        }
        if (ireneo_attempt_stop_asked(a)) {
            *v = IRENEO_VERDICT_INTERRUPTED;
            IRENEO_TRY(ireneo_state_save_now(s, IRENEO_STATION_LOOP));
            continue;
        }
        if (a->info->iterations >= s->max_iterations) {
            if (a->settings.max_iterations > 0) /* as asked */
                *v = IRENEO_VERDICT_UNDECIDED;
            else
                IRENEO_TRY(ireneo_storing_settle(s, v));
            continue;
        }
        /* ---- scan, when the working set has become old ---- */
        if (s->since_scan >= s->patience && a->info->scans < s->max_scans) {
            IRENEO_TRY(scan_again(s));
            continue;
        }
        /* ---- minimise ---- */
        bool moved = minimise(s);
        if (!moved &&
            ireneo_minimiser_uses_int16(&a->minimiser)) { /* rounding may be what stands in the way */
            IRENEO_TRY(scan_again(s));
            continue;
        }
        /* ---- certify, when stuck or suspicious ---- */
        if (provable && (!moved || norm_bound(&a->minimiser) > s->suspicious))
            IRENEO_TRY(ireneo_storing_certify(s, v));
        if (!moved && *v == IRENEO_VERDICT_OPEN) IRENEO_TRY(ireneo_storing_settle(s, v));
    }
    return IRENEO_OK;
}

/* ---- before and after ---- */

static ireneo_error decide(ireneo_storing *s, ireneo_verdict *v) {
    if (s->attempt.settings.top == 1) IRENEO_TRY(ireneo_storing_contradiction(s, v));
    bool hopeless = s->attempt.settings.overload && s->attempt.fraction > HOPELESS;
    if (*v == IRENEO_VERDICT_IMPOSSIBLE || hopeless) return IRENEO_OK;
    ireneo_error failed = solve(s, v);
    if (failed != IRENEO_ERROR_CANCELLED) return failed;
    *v = IRENEO_VERDICT_INTERRUPTED;
    return s->attempt.info->state_kept ? IRENEO_OK : ireneo_state_save_now(s, s->station);
}

static ireneo_status status_of(ireneo_verdict v) {
    switch (v) {
    case IRENEO_VERDICT_STORED:
        return IRENEO_STATUS_STORED;
    case IRENEO_VERDICT_IMPOSSIBLE:
        return IRENEO_STATUS_IMPOSSIBLE;
    case IRENEO_VERDICT_INTERRUPTED:
        return IRENEO_STATUS_INTERRUPTED;
    case IRENEO_VERDICT_OPEN:
    case IRENEO_VERDICT_UNDECIDED:
        break;
    }
    return IRENEO_STATUS_UNDECIDED;
}

static void report_work(const ireneo_storing *s) {
    const ireneo_minimiser *m = &s->attempt.minimiser;
    ireneo_store_info *info = s->attempt.info;
    info->loss = m->loss;
    info->gradient_ratio =
        s->attempt.first_gradient > 0.0 ? m->gradient_norm / s->attempt.first_gradient : 0.0;
    info->phases.direction = m->seconds_direction;
    info->phases.line_search = m->seconds_line;
    info->phases.gradient += m->seconds_gradient;
    info->phases.history = m->seconds_history;
    if (info->status == IRENEO_STATUS_STORED || info->status == IRENEO_STATUS_PARTIAL) info->reason[0] = '\0';
    if (info->status != IRENEO_STATUS_IMPOSSIBLE) return;
    info->certificate_norm_bound = s->report.norm_bound;
    info->angular_margin_bound = s->report.angular_margin_bound;
    info->exact = s->report.exact;
}

/* Every rank of a node takes its part of one RAM. */
static ireneo_error require_ram(const ireneo_facts *facts, size_t top, int threads, double more) {
    ireneo_ranks *ranks = ireneo_facts_ranks(facts);
    double sharers = ranks != NULL ? (double)ranks->ranks_in_node : 1.0;
    return ireneo_ranks_agree(ranks,
                              ireneo_ram_require(sharers * (more + ireneo_attempt_bytes(facts, top, threads)),
                                                 "storing these facts"));
}

static ireneo_error run(ireneo_storing *s) {
    ireneo_attempt *a = &s->attempt;
    ireneo_verdict v = IRENEO_VERDICT_OPEN;
    IRENEO_TRY(require_ram(a->facts, a->settings.top, a->settings.threads, 0.0));
    IRENEO_TRY(ireneo_attempt_prepare(a));
    IRENEO_TRY(decide(s, &v));
    a->info->status = status_of(v);
    if (a->settings.overload && v != IRENEO_VERDICT_STORED && v != IRENEO_VERDICT_INTERRUPTED)
        IRENEO_TRY(ireneo_overload(a, &a->info->status));
    else if (v != IRENEO_VERDICT_STORED)
        IRENEO_TRY(ireneo_attempt_count(a));
    report_work(s);
    return IRENEO_OK;
}

/* A thread that gets less than about half a millisecond of work a pass costs more than it brings. Results do
 * not depend on the number. */
static int useful_threads(const ireneo_facts *facts, int threads) {
    static const double WORTH_A_THREAD = 5e7; /* operations */
    double flops = 2.0 * (double)facts->facts * (double)facts->candidates * (double)facts->dim_out,
           most = 1.0 + flops / WORTH_A_THREAD;
    return most < (double)threads ? (int)most : threads;
}

/* What does not go together with more than one best answer. */
static ireneo_error check_top(const ireneo_facts *facts, const ireneo_store_settings *s) {
    if (s->top < 2) return IRENEO_OK;
    IRENEO_TRY(ireneo_facts_check_top(facts, s->top));
    const char *other = s->overload                ? "overload, which chooses by the best answer"
                        : s->exact                 ? "exact, since it has no proofs of impossibility"
                        : facts->residuals != NULL ? "residuals"
                                                   : NULL;
    if (other != NULL)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "storing for the %zu best excludes %s", s->top, other);
    return IRENEO_OK;
}

static ireneo_error check_settings(const ireneo_facts *facts, const ireneo_store_settings *s) {
    IRENEO_TRY(ireneo_check_reserved(s->reserved, "the store settings"));
    if ((unsigned)s->solver > IRENEO_SOLVER_LEAST_SQUARES)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "there is no solver number %d", (int)s->solver);
    IRENEO_TRY(ireneo_one_pass_check(facts, s));
    size_t smaller = facts->dim_in < facts->dim_out ? facts->dim_in : facts->dim_out;
    if (s->rank > smaller)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "rank %zu is more than the smaller dimension, %zu", s->rank,
                           smaller);
    IRENEO_REQUIRE(!s->resume || s->state != NULL, "going on with a store needs the file of its state");
    IRENEO_TRY(check_top(facts, s));
    if (!(s->margin >= 0.0)) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the margin must not be negative");
    if (s->initial != NULL && (s->initial->dim_in != facts->dim_in || s->initial->dim_out != facts->dim_out))
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "the memory to start from is %zu x %zu, but the facts need %zu x %zu",
                           s->initial->dim_out, s->initial->dim_in, facts->dim_out, facts->dim_in);
    return s->initial != NULL ? ireneo_memory_check(s->initial) : IRENEO_OK;
}

/* What a store over ranks does not do. */
static ireneo_error check_spread(const ireneo_facts *facts, const ireneo_store_settings *s) {
    const char *what = NULL;
    if (facts->facts == ireneo_facts_total(facts)) return IRENEO_OK;
    if (facts->residuals != NULL) what = "facts with offsets are stored";
    if (s->solver != IRENEO_SOLVER_PROJECT) what = "rules of one pass run";
    if (what == NULL) return IRENEO_OK;
    return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s in one process only; start one", what);
}

/* The list of what is kept, of all ranks, on rank 0. */
static ireneo_error bring_kept(const ireneo_attempt *a, unsigned char **kept) {
    ireneo_ranks *ranks = ireneo_facts_ranks(a->facts);
    void *all = NULL;
    size_t total;
    if (*kept == NULL || ranks == NULL) return IRENEO_OK;
    IRENEO_TRY(ireneo_ranks_gather(ranks, 0, *kept, a->facts->facts, sizeof **kept, &all, &total));
    free(*kept);
    *kept = all;
    return IRENEO_OK;
}

/* Facts that turn out to be recalled are stored, whatever the verdict on the way. */
static ireneo_error finish(ireneo_storing *s, ireneo_store_result *result) {
    ireneo_attempt *a = &s->attempt;
    ireneo_check_report report;
    IRENEO_TRY(ireneo_storing_fingerprint(s));
    memcpy(a->memory->facts_hash, s->hash, sizeof s->hash);
    a->info->peak_bytes = ireneo_ram_peak();
    if (a->info->status != IRENEO_STATUS_INTERRUPTED) a->info->state_kept = 0;
    if (a->info->recalled == ireneo_facts_total(a->facts)) {
        a->info->status = IRENEO_STATUS_STORED;
        a->info->certificate_norm_bound = 0.0;
        if (a->kept != NULL) memset(a->kept, 1, a->facts->facts);
    }
    if (a->kept != NULL &&
        a->info->status == IRENEO_STATUS_INTERRUPTED) /* before overload mode came to choose */
        IRENEO_TRY(
            ireneo_check_near(a->memory, a->facts, 1, a->settings.threads, NULL, NULL, a->kept, &report));
    if (result == NULL) return IRENEO_OK;
    if (a->info->status == IRENEO_STATUS_IMPOSSIBLE) {
        result->certificate = s->certificate;
        s->certificate = NULL;
    }
    IRENEO_TRY(bring_kept(a, &a->kept));
    result->kept = a->kept;
    a->kept = NULL;
    return IRENEO_OK;
}

ireneo_error ireneo_store_require_ram(const ireneo_facts *facts, int threads) {
    IRENEO_REQUIRE(facts != NULL, "an estimate of RAM needs the sizes of the facts");
    double n = (double)facts->facts, p = (double)facts->candidates;
    double arrays = 4.0 * n * (double)facts->dim_in + 8.0 * n;
    if (facts->own_candidates == NULL) arrays += 4.0 * p * (double)facts->dim_out;
    threads = useful_threads(facts, ireneo_thread_count(threads));
    return require_ram(facts, 1, threads, arrays);
}

void ireneo_store_result_free(ireneo_store_result *result) {
    if (result == NULL) return;
    ireneo_certificate_free(result->certificate);
    free(result->kept);
    *result = (ireneo_store_result){0};
}

static size_t or_default(size_t setting, size_t usual) {
    return setting > 0 ? setting : usual;
}

/* The work between the first and the last line of the public call. */
static ireneo_error store_facts(ireneo_storing *s, ireneo_store_result *result) {
    ireneo_attempt *a = &s->attempt;
    if (a->settings.overload && result != NULL)
        IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&a->kept, a->facts->facts, "kept facts"));
    if (a->settings.solver == IRENEO_SOLVER_PROJECT)
        IRENEO_TRY(run(s));
    else
        IRENEO_TRY(ireneo_one_pass_store(a->facts, &a->settings, &a->memory, a->info));
    return finish(s, result);
}

ireneo_error ireneo_store(const ireneo_facts *facts, const ireneo_store_settings *settings,
                          ireneo_memory **memory, ireneo_store_result *result, ireneo_store_info *info) {
    double begin = ireneo_seconds();
    ireneo_store_info ignored = {0};
    ireneo_storing s = {.attempt = {.facts = facts, .info = info != NULL ? info : &ignored},
                        .patience = PATIENCE,
                        .begun = begin,
                        .suspicious = SUSPICIOUS_BOUND};
    ireneo_attempt *a = &s.attempt;
    if (memory != NULL) *memory = NULL;
    if (result != NULL) *result = (ireneo_store_result){0};
    memset(a->info, 0, sizeof *a->info);
    IRENEO_REQUIRE(memory != NULL, "store needs a place for the memory");
    IRENEO_TRY(ireneo_facts_check_held(facts));
    if (settings != NULL) a->settings = *settings;
    IRENEO_TRY(check_settings(facts, &a->settings));
    IRENEO_TRY(check_spread(facts, &a->settings));
    if (a->settings.top == 0) a->settings.top = 1;
    if (facts->residuals != NULL) return ireneo_store_offsets(facts, &a->settings, memory, result, a->info);
    s.max_scans = or_default(a->settings.max_scans, MOST_SCANS);
    s.max_iterations = or_default(a->settings.max_iterations, MOST_ITERATIONS);
    s.settle = or_default(a->settings.settle, SETTLE_ENTRIES);
    a->info->facts = ireneo_facts_total(facts);
    a->info->status = IRENEO_STATUS_UNDECIDED;
    IRENEO_TRY(ireneo_enter(a->settings.threads, &a->settings.threads));
    a->settings.threads = useful_threads(facts, a->settings.threads);
    ireneo_error failed = store_facts(&s, result);
    a->info->seconds = ireneo_seconds() - begin;
    if (failed == IRENEO_OK)
        *memory = a->memory;
    else
        ireneo_memory_free(a->memory);
    free(a->kept);
    ireneo_certificate_free(s.certificate);
    ireneo_attempt_free(a);
    return ireneo_leave(failed);
}
