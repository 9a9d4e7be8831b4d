/* The outer loop: scan, minimise, check, and certify when stuck (docs/linear.md, "The solver"). */
#include "base/ram.h"
#include "base/threads.h"
#include "linear/certificate/certify_exact.h"
#include "linear/certificate/certify_newton.h"
#include "linear/certificate/contradiction.h"
#include "linear/certificate/hull.h"
#include "linear/certificate/verify.h"
#include "linear/facts/fingerprint.h"
#include "linear/kernels/vector.h"
#include "linear/memory/memory.h"
#include "linear/scan/check.h"
#include "linear/solver/one_pass.h"
#include "linear/solver/overload.h"
#include "linear/solver/settle.h"
#include "linear/solver/start.h"
#include "linear/solver/store_offsets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What settings that are zero stand for. */
enum { MOST_SCANS = 40, MOST_ITERATIONS = 3000, SETTLE_ENTRIES = 2500 };

/* The first working set only has to find the region: it takes this part of the competitors, and few iterations.
 */
enum { FIRST_ITERATIONS = 5, FIRST_NUMERATOR = 5, FIRST_DENOMINATOR = 8 };

enum {
    MOST_RESTARTS = 8,    /* of a factored memory */
    MOST_HULL_POINTS = 24 /* facts that are looked at when all but a few are recalled */
};

enum { PATIENCE = 30 }; /* iterations after which the working set is made anew; doubles each time */

/* Norm bound at which a proof of impossibility is tried: solvable data stay far below, unless they are within a
 * fraction of a per cent of their limit. After a proof that failed the next one waits for a bound ten times
 * larger. */
static const double SUSPICIOUS_BOUND = 2e4, MORE_SUSPICIOUS = 10.0;

/* With --overload: from this share of the law on trying to store everything first is a waste. */
static const double HOPELESS = 1.02;

typedef enum verdict {
    VERDICT_OPEN,
    VERDICT_STORED,
    VERDICT_IMPOSSIBLE,
    VERDICT_UNDECIDED,
    VERDICT_INTERRUPTED
} verdict;

typedef struct store {
    ireneo_attempt attempt;
    size_t max_scans, max_iterations, settle;
    size_t since_scan, patience; /* iterations since the working set was made, and how many it is good for */
    size_t restarts;             /* of a factored memory that was stuck */
    bool settled;                /* the exact methods had their turn */
    double suspicious;
    ireneo_certificate *certificate; /* that the judge has accepted, or NULL */
    ireneo_verify_report report;     /* of the judge */
    bool hashed;                     /* the fingerprint is known */
    unsigned char hash[IRENEO_HASH_BYTES];
} store;

/* ---- the steps ---- */

/* A small working set, a few iterations to find the region, and the working set for the rest of the way. */
static ireneo_error find_region(store *s, verdict *v) {
    ireneo_attempt *a = &s->attempt;
    size_t keep = ireneo_attempt_keep(a);
    IRENEO_TRY(ireneo_attempt_scan(a, keep * FIRST_NUMERATOR / FIRST_DENOMINATOR, IRENEO_SCAN_KEPT_ROWS));
    for (int k = 0; k < FIRST_ITERATIONS && a->minimiser.violations > 0; k++) {
        if (ireneo_attempt_stop_asked(a)) return *v = VERDICT_INTERRUPTED, IRENEO_OK;
        if (!ireneo_minimiser_iterate(&a->minimiser)) break;
        a->info->iterations++;
    }
    return ireneo_attempt_scan(a, keep, IRENEO_SCAN_KEPT_ROWS);
}

/* After many iterations other competitors may matter than those of the last scan. */
static ireneo_error scan_again(store *s) {
    ireneo_attempt_leave_int16(&s->attempt);
    s->since_scan = 0;
    s->patience *= 2;
    return ireneo_attempt_scan(&s->attempt, IRENEO_HARD_KEEP, IRENEO_SCAN_KEPT_ROWS);
}

/* One iteration; false when no step lowers the loss any more. */
static bool minimise(store *s) {
    s->attempt.info->iterations++;
    s->since_scan++;
    return ireneo_minimiser_iterate(&s->attempt.minimiser);
}

static ireneo_error settle(store *s, verdict *v);

/* Does the memory recall everything? If not, the working set knows more afterwards. */
static ireneo_error check(store *s, verdict *v) {
    bool standing = false;
    s->since_scan = 0;
    s->patience = PATIENCE;
    IRENEO_TRY(ireneo_attempt_check(&s->attempt, &standing));
    if (standing) *v = VERDICT_STORED;
    if (standing || s->attempt.info->scans < s->max_scans) return IRENEO_OK;
    if (s->attempt.settings.max_scans == 0 && !s->settled) return settle(s, v);
    *v = VERDICT_UNDECIDED; /* as asked, or nothing is left to try */
    return IRENEO_OK;
}

static ireneo_error find_fingerprint(store *s) {
    if (!s->hashed) IRENEO_TRY(ireneo_fingerprint(s->attempt.facts, s->attempt.settings.threads, s->hash));
    s->hashed = true;
    return IRENEO_OK;
}

/* Up to so many entries of W impossible means that no real matrix does it; above, the proof carries its angular
 * margin. */
static bool proof_enough(const store *s) {
    const ireneo_facts *f = s->attempt.facts;
    return s->report.accepted && (s->report.exact || f->dim_in * f->dim_out > IRENEO_EXACT_ENTRIES);
}

/* Takes over a certificate, or NULL; it counts only if the independent judge accepts it. */
static ireneo_error judge(store *s, ireneo_certificate *certificate, verdict *v) {
    if (certificate == NULL) return IRENEO_OK;
    ireneo_verify_plan plan = {.threads = s->attempt.settings.threads,
                               .exact_entries = s->attempt.settings.exact ? SIZE_MAX : IRENEO_EXACT_ENTRIES,
                               .progress = s->attempt.settings.progress,
                               .hash = s->hash};
    ireneo_error failed = find_fingerprint(s);
    memcpy(certificate->facts_hash, s->hash, sizeof s->hash);
    if (failed == IRENEO_OK) failed = ireneo_verify_planned(certificate, s->attempt.facts, &plan, &s->report);
    if (failed == IRENEO_OK && proof_enough(s)) {
        *v = VERDICT_IMPOSSIBLE;
        s->certificate = certificate;
    } else {
        ireneo_certificate_free(certificate);
    }
    return failed;
}

/* No memory of norm below this recalls all facts with margin 1: sum of the weights over the norm of what they
 * fail to cancel. */
static double norm_bound(const ireneo_minimiser *m) {
    double norm =
        sqrt(ireneo_dot(m->matrix_gradient, m->matrix_gradient, m->problem->dim_out * m->problem->dim_in, 1));
    return norm > 0.0 ? m->residual_sum / norm : INFINITY;
}

/* Tries to turn the residuals into a certificate. Only of full memories: with a rank the loss is not convex. */
static ireneo_error certify(store *s, verdict *v) {
    double t0 = ireneo_seconds();
    const ireneo_attempt *a = &s->attempt;
    ireneo_certificate *certificate = NULL;
    IRENEO_TRY(ireneo_certify_newton(&a->problem, &a->set, a->minimiser.w, (double)a->minimiser.margin,
                                     a->settings.progress, &certificate));
    if (certificate != NULL) ireneo_scaled_facts_certificate(&a->scaled, certificate);
    ireneo_error failed = judge(s, certificate, v);
    s->suspicious *= MORE_SUSPICIOUS;
    a->info->phases.certificate += ireneo_seconds() - t0;
    return failed;
}

/* A factored memory that no step improves: starting again from where it stands, with its factors balanced and the
 * history forgotten, mostly finds a way on. */
static ireneo_error restart(store *s, verdict *v) {
    ireneo_attempt *a = &s->attempt;
    if (s->restarts++ == MOST_RESTARTS) return *v = VERDICT_UNDECIDED, IRENEO_OK;
    IRENEO_TRY(ireneo_attempt_count(a));
    IRENEO_TRY(ireneo_start(&a->problem, a->memory, a->settings.rank, &a->minimiser));
    ireneo_lbfgs_forget(&a->minimiser.lbfgs);
    ireneo_attempt_leave_int16(a);
    s->since_scan = 0;
    return ireneo_attempt_scan(a, IRENEO_HARD_KEEP, IRENEO_SCAN_KEPT_ROWS);
}

/* Of the few facts that are not recalled, is there one whose value lies among other candidates? */
static ireneo_error find_hull_points(store *s, verdict *v) {
    ireneo_attempt *a = &s->attempt;
    unsigned char *before = a->recalled, *recalled = NULL;
    size_t looked_at = 0;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&recalled, a->facts->facts, "recalled facts"));
    a->recalled = recalled;
    ireneo_error failed = ireneo_attempt_count(a);
    a->recalled = before;
    for (size_t i = 0; failed == IRENEO_OK && *v == VERDICT_OPEN && i < a->facts->facts; i++) {
        ireneo_certificate *certificate = NULL;
        if (recalled[i] || looked_at++ == MOST_HULL_POINTS) continue;
        failed = ireneo_find_hull_point(a->facts, i, &certificate);
        if (certificate != NULL) snprintf(a->info->reason, sizeof a->info->reason, "%s", certificate->reason);
        if (failed == IRENEO_OK) failed = judge(s, certificate, v);
    }
    free(recalled);
    return failed;
}

/* The interior point method, for memories of at most `settle` entries. */
static ireneo_error settle_by_interior_point(store *s, verdict *v) {
    ireneo_attempt *a = &s->attempt;
    ireneo_certificate *certificate = NULL;
    bool solved = false;
    if (a->problem.dim_in * a->problem.dim_out > s->settle) return IRENEO_OK;
    IRENEO_TRY(ireneo_certify_exact(&a->problem, &a->set, a->settings.progress, a->minimiser.point, &solved,
                                    &certificate));
    if (certificate != NULL) ireneo_scaled_facts_certificate(&a->scaled, certificate);
    if (!solved) return judge(s, certificate, v);
    IRENEO_TRY(ireneo_minimiser_restart(&a->minimiser));
    return check(s, v);
}

/* When iterations lead nowhere: full memories get a verdict by exact methods where they are small enough. What is
 * still open afterwards is undecided, unless the interior point method found a better point to go on from. */
static ireneo_error settle(store *s, verdict *v) {
    double t0 = ireneo_seconds();
    ireneo_attempt *a = &s->attempt;
    ireneo_certificate *certificate = NULL;
    bool standing = false;
    if (a->settings.rank > 0) return restart(s, v);
    if (s->settled) return *v = VERDICT_UNDECIDED, IRENEO_OK;
    s->settled = true;
    IRENEO_TRY(find_hull_points(s, v));
    if (*v == VERDICT_OPEN) IRENEO_TRY(ireneo_settle(a, &standing, &certificate));
    if (standing) *v = VERDICT_STORED;
    IRENEO_TRY(judge(s, certificate, v));
    if (*v == VERDICT_OPEN) IRENEO_TRY(settle_by_interior_point(s, v));
    a->info->phases.certificate += ireneo_seconds() - t0;
    if (*v == VERDICT_OPEN && a->minimiser.violations > 0 && a->info->iterations >= s->max_iterations)
        *v = VERDICT_UNDECIDED;
    return IRENEO_OK;
}

/* ---- the loop ---- */

static ireneo_error solve(store *s, verdict *v) {
    ireneo_attempt *a = &s->attempt;
    const bool full = a->settings.rank == 0;
    *v = VERDICT_OPEN;
    IRENEO_TRY(find_region(s, v));
    while (*v == VERDICT_OPEN) {
        /* ---- check, when the working set has nothing more to say ---- */
        if (a->minimiser.violations == 0) {
            IRENEO_TRY(check(s, v));
            continue;
        }
        if (ireneo_attempt_stop_asked(a)) {
            *v = VERDICT_INTERRUPTED;
            continue;
        }
        if (a->info->iterations >= s->max_iterations) {
            if (a->settings.max_iterations > 0) /* as asked */
                *v = VERDICT_UNDECIDED;
            else
                IRENEO_TRY(settle(s, v));
            continue;
        }
        /* ---- scan, when the working set has become old ---- */
        if (s->since_scan >= s->patience && a->info->scans < s->max_scans) {
            IRENEO_TRY(scan_again(s));
            continue;
        }
        /* ---- minimise ---- */
        bool moved = minimise(s);
        /* ---- certify, when stuck or suspicious ---- */
        if (full && (!moved || norm_bound(&a->minimiser) > s->suspicious)) IRENEO_TRY(certify(s, v));
        if (!moved && *v == VERDICT_OPEN) IRENEO_TRY(settle(s, v));
    }
    return IRENEO_OK;
}

/* ---- before and after ---- */

/* Contradictions that can be read off the data end the work before it begins, with the Hebbian memory as the
 * best known. */
static ireneo_error find_contradiction(store *s, verdict *v) {
    ireneo_certificate *certificate = NULL;
    *v = VERDICT_OPEN;
    IRENEO_TRY(ireneo_find_contradiction(s->attempt.facts, &certificate));
    bool found = certificate != NULL;
    IRENEO_TRY(judge(s, certificate, v));
    if (found && *v != VERDICT_IMPOSSIBLE)
        return ireneo_fail(IRENEO_ERROR_NUMERIC, "a contradiction was found but not confirmed: %s",
                           s->report.sentence);
    return IRENEO_OK;
}

static ireneo_error decide(store *s, verdict *v) {
    IRENEO_TRY(find_contradiction(s, v));
    bool hopeless = s->attempt.settings.overload && s->attempt.fraction > HOPELESS;
    if (*v == VERDICT_IMPOSSIBLE || hopeless) return IRENEO_OK;
    ireneo_error failed = solve(s, v);
    if (failed != IRENEO_ERROR_CANCELLED) return failed;
    *v = VERDICT_INTERRUPTED;
    return IRENEO_OK;
}

static ireneo_status status_of(verdict v) {
    switch (v) {
    case VERDICT_STORED:
        return IRENEO_STATUS_STORED;
    case VERDICT_IMPOSSIBLE:
        return IRENEO_STATUS_IMPOSSIBLE;
    case VERDICT_INTERRUPTED:
        return IRENEO_STATUS_INTERRUPTED;
    case VERDICT_OPEN:
    case VERDICT_UNDECIDED:
        break;
    }
    return IRENEO_STATUS_UNDECIDED;
}

static void report_work(const store *s) {
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
    snprintf(info->reason, sizeof info->reason, "%s", s->certificate->reason);
}

static ireneo_error run(store *s) {
    ireneo_attempt *a = &s->attempt;
    verdict v = VERDICT_OPEN;
    IRENEO_TRY(
        ireneo_ram_require(ireneo_attempt_bytes(a->facts, a->settings.threads), "storing these facts"));
    IRENEO_TRY(ireneo_attempt_prepare(a));
    IRENEO_TRY(decide(s, &v));
    a->info->status = status_of(v);
    if (a->settings.overload && v != VERDICT_STORED && v != VERDICT_INTERRUPTED)
        IRENEO_TRY(ireneo_overload(a, &a->info->status));
    else if (v != VERDICT_STORED)
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

static ireneo_error check_settings(const ireneo_facts *facts, const ireneo_store_settings *s) {
    IRENEO_TRY(ireneo_check_reserved(s->reserved, "the store settings"));
    if ((unsigned)s->solver > IRENEO_SOLVER_LEAST_SQUARES)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "there is no solver number %d", (int)s->solver);
    IRENEO_TRY(ireneo_one_pass_check(facts, s));
    size_t smaller = facts->dim_in < facts->dim_out ? facts->dim_in : facts->dim_out;
    if (s->rank > smaller)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "rank %zu is more than the smaller dimension, %zu", s->rank,
                           smaller);
    if (!(s->margin >= 0.0)) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the margin must not be negative");
    if (s->initial != NULL && (s->initial->dim_in != facts->dim_in || s->initial->dim_out != facts->dim_out))
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "the memory to start from is %zu x %zu, but the facts need %zu x %zu",
                           s->initial->dim_out, s->initial->dim_in, facts->dim_out, facts->dim_in);
    return s->initial != NULL ? ireneo_memory_check(s->initial) : IRENEO_OK;
}

/* Facts that turn out to be recalled are stored, whatever the verdict on the way. */
static ireneo_error finish(store *s, ireneo_store_result *result) {
    ireneo_attempt *a = &s->attempt;
    ireneo_check_report report;
    IRENEO_TRY(find_fingerprint(s));
    memcpy(a->memory->facts_hash, s->hash, sizeof s->hash);
    a->info->peak_bytes = ireneo_ram_peak();
    if (a->info->recalled == a->facts->facts) {
        a->info->status = IRENEO_STATUS_STORED;
        a->info->certificate_norm_bound = 0.0;
        if (a->kept != NULL) memset(a->kept, 1, a->facts->facts);
    }
    if (a->kept != NULL &&
        a->info->status == IRENEO_STATUS_INTERRUPTED) /* before overload mode came to choose */
        IRENEO_TRY(ireneo_check_near(a->memory, a->facts, a->settings.threads, NULL, NULL, a->kept, &report));
    if (result == NULL) return IRENEO_OK;
    if (a->info->status == IRENEO_STATUS_IMPOSSIBLE) {
        result->certificate = s->certificate;
        s->certificate = NULL;
    }
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
    return ireneo_ram_require(arrays + ireneo_attempt_bytes(facts, threads), "storing these facts");
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
static ireneo_error store_facts(store *s, ireneo_store_result *result) {
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
    store s = {.attempt = {.facts = facts, .info = info != NULL ? info : &ignored},
               .patience = PATIENCE,
               .suspicious = SUSPICIOUS_BOUND};
    ireneo_attempt *a = &s.attempt;
    if (memory != NULL) *memory = NULL;
    if (result != NULL) *result = (ireneo_store_result){0};
    memset(a->info, 0, sizeof *a->info);
    IRENEO_REQUIRE(memory != NULL, "store needs a place for the memory");
    IRENEO_TRY(ireneo_facts_check(facts));
    if (settings != NULL) a->settings = *settings;
    IRENEO_TRY(check_settings(facts, &a->settings));
    if (facts->residuals != NULL) return ireneo_store_offsets(facts, &a->settings, memory, result, a->info);
    s.max_scans = or_default(a->settings.max_scans, MOST_SCANS);
    s.max_iterations = or_default(a->settings.max_iterations, MOST_ITERATIONS);
    s.settle = or_default(a->settings.settle, SETTLE_ENTRIES);
    a->info->facts = facts->facts;
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
