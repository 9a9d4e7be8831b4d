/* What ends a store besides success: contradictions, certificates, exact methods. They look at all rows at once; over ranks
 * rank 0 has those, and tells the others. */
#include "linear/solver/verdict.h"
#include "base/ram.h"
#include "linear/certificate/certify_exact.h"
#include "linear/certificate/certify_newton.h"
#include "linear/certificate/contradiction.h"
#include "linear/certificate/hull.h"
#include "linear/certificate/verify.h"
#include "linear/facts/fingerprint.h"
#include "linear/solver/settle.h"
#include "linear/solver/start.h"
#include "linear/solver/whole.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_RESTARTS = 8,    /* of a factored memory */
    MOST_ROUNDS = 12,     /* of the interior point method */
    MOST_HULL_POINTS = 24 /* facts that are looked at when all but a few are recalled */
};

/* After a proof that failed the next one waits for a norm bound so many times larger. */
static const double MORE_SUSPICIOUS = 10.0;

ireneo_error ireneo_storing_fingerprint(ireneo_storing *s) {
    if (!s->hashed) IRENEO_TRY(ireneo_fingerprint(s->attempt.facts, s->attempt.settings.threads, s->hash));
    s->hashed = true;
    return IRENEO_OK;
}

/* Up to so many entries of W impossible means that no real matrix does it; above, the proof carries its angular
 * margin. */
static bool proof_enough(const ireneo_storing *s) {
    const ireneo_facts *f = s->attempt.facts;
    return s->report.accepted && (s->report.exact || f->dim_in * f->dim_out > IRENEO_EXACT_ENTRIES);
}

/* Takes over a certificate, or NULL; it counts only if the independent judge accepts it for the facts, which are all
 * here. */
static ireneo_error judge(ireneo_storing *s, const ireneo_facts *facts, ireneo_certificate *certificate,
                          ireneo_verdict *v) {
    if (certificate == NULL) return IRENEO_OK;
    ireneo_verify_plan plan = {.threads = s->attempt.settings.threads,
                               .exact_entries = s->attempt.settings.exact ? SIZE_MAX : IRENEO_EXACT_ENTRIES,
                               .progress = s->attempt.settings.progress,
                               .hash = s->hash};
    memcpy(certificate->facts_hash, s->hash, sizeof s->hash);
    ireneo_error failed = ireneo_verify_planned(certificate, facts, &plan, &s->report);
    if (failed == IRENEO_OK && proof_enough(s)) {
        *v = IRENEO_VERDICT_IMPOSSIBLE;
        s->certificate = certificate;
        snprintf(s->attempt.info->reason, sizeof s->attempt.info->reason, "%s", certificate->reason);
    } else {
        ireneo_certificate_free(certificate);
    }
    return failed;
}

/* A step that looks at all rows at once, with the attempt that has them. */
typedef ireneo_error (*whole_step)(ireneo_storing *s, ireneo_attempt *whole, void *context,
                                   ireneo_verdict *v);

/* What such a step changes, told by rank 0 to the others; but the certificate stays there. */
static void tell_all(ireneo_storing *s, ireneo_verdict *v) {
    ireneo_attempt *a = &s->attempt;
    ireneo_ranks *ranks = ireneo_facts_ranks(a->facts);
    ireneo_ranks_broadcast(ranks, 0, v, sizeof *v);
    ireneo_ranks_broadcast(ranks, 0, &s->report, sizeof s->report);
    ireneo_ranks_broadcast(ranks, 0, &a->info->recalled, sizeof a->info->recalled);
    ireneo_ranks_broadcast(ranks, 0, &a->info->margin, sizeof a->info->margin);
    ireneo_ranks_broadcast(ranks, 0, a->info->reason, sizeof a->info->reason);
    if (a->memory != NULL && a->memory->matrix != NULL)
        ireneo_ranks_broadcast(ranks, 0, a->memory->matrix,
                               a->facts->dim_in * a->facts->dim_out * sizeof *a->memory->matrix);
}

/* Takes the step where all rows are, and sees to it that all ranks know its outcome. */
static ireneo_error take_whole(ireneo_storing *s, whole_step step, void *context, ireneo_verdict *v) {
    ireneo_whole whole;
    IRENEO_TRY(ireneo_storing_fingerprint(s));
    IRENEO_TRY(ireneo_whole_gather(&s->attempt, &whole));
    ireneo_error failed = whole.view != NULL ? step(s, whole.view, context, v) : IRENEO_OK;
    failed = ireneo_ranks_agree(ireneo_facts_ranks(s->attempt.facts), failed);
    if (failed == IRENEO_OK) tell_all(s, v);
    ireneo_whole_free(&whole);
    return failed;
}

/* Tries to turn the residuals into a certificate. Only of full memories: with a rank the loss is not convex. `context`:
 * whether to be patient. */
static ireneo_error certify_whole(ireneo_storing *s, ireneo_attempt *a, void *context, ireneo_verdict *v) {
    const bool *patient = context;
    ireneo_certificate *certificate = NULL;
    IRENEO_TRY(ireneo_certify_newton(&a->problem, &a->set, a->minimiser.w, (double)a->minimiser.margin,
                                     *patient, a->settings.progress, &certificate));
    if (certificate != NULL) ireneo_scaled_facts_certificate(&a->scaled, certificate);
    return judge(s, a->facts, certificate, v);
}

ireneo_error ireneo_storing_certify(ireneo_storing *s, ireneo_verdict *v) {
    double t0 = ireneo_seconds();
    bool patient = false;
    ireneo_error failed = take_whole(s, certify_whole, &patient, v);
    s->suspicious *= MORE_SUSPICIOUS;
    s->attempt.info->phases.certificate += ireneo_seconds() - t0;
    return failed;
}

/* A factored memory that no step improves: starting again from where it stands, with its factors balanced and the
 * history forgotten, mostly finds a way on. */
static ireneo_error restart(ireneo_storing *s, ireneo_verdict *v) {
    ireneo_attempt *a = &s->attempt;
    if (s->restarts++ == MOST_RESTARTS) return *v = IRENEO_VERDICT_UNDECIDED, IRENEO_OK;
    IRENEO_TRY(ireneo_attempt_count(a));
    IRENEO_TRY(ireneo_start(&a->problem, a->memory, a->settings.rank, &a->minimiser));
    ireneo_lbfgs_forget(&a->minimiser.lbfgs);
    ireneo_attempt_leave_int16(a);
    s->since_scan = 0;
    return ireneo_attempt_scan(a, IRENEO_HARD_KEEP, IRENEO_SCAN_KEPT_ROWS);
}

/* Among the K best the loss has minima that are not the lowest, and nothing proves that a memory does not exist: what came
 * to rest is tried again from another working set and without history, a few times. */
static ireneo_error try_again(ireneo_storing *s, ireneo_verdict *v) {
    ireneo_attempt *a = &s->attempt;
    if (s->restarts++ == MOST_RESTARTS || a->info->iterations >= s->max_iterations)
        return *v = IRENEO_VERDICT_UNDECIDED, IRENEO_OK;
    ireneo_lbfgs_forget(&a->minimiser.lbfgs);
    ireneo_attempt_leave_int16(a);
    s->since_scan = 0;
    return ireneo_attempt_scan(a, IRENEO_HARD_KEEP, IRENEO_SCAN_KEPT_ROWS);
}

/* Of the few facts that are not recalled, is there one whose value lies among other candidates? `context` tells which are
 * recalled. */
static ireneo_error find_hull_points(ireneo_storing *s, ireneo_attempt *a, void *context, ireneo_verdict *v) {
    const unsigned char *recalled = context;
    size_t looked_at = 0;
    ireneo_error failed = IRENEO_OK;
    for (size_t i = 0; failed == IRENEO_OK && *v == IRENEO_VERDICT_OPEN && i < a->facts->facts; i++) {
        ireneo_certificate *certificate = NULL;
        if (recalled[i] || looked_at++ == MOST_HULL_POINTS) continue;
        failed = ireneo_find_hull_point(a->facts, i, &certificate);
        if (certificate != NULL) snprintf(a->info->reason, sizeof a->info->reason, "%s", certificate->reason);
        if (failed == IRENEO_OK) failed = judge(s, a->facts, certificate, v);
    }
    return failed;
}

/* The rational simplex, for the smallest memories. `context` is the list for hull points. */
static ireneo_error settle_whole(ireneo_storing *s, ireneo_attempt *a, void *context, ireneo_verdict *v) {
    ireneo_certificate *certificate = NULL;
    bool standing = false;
    IRENEO_TRY(find_hull_points(s, a, context, v));
    if (*v == IRENEO_VERDICT_OPEN) IRENEO_TRY(ireneo_settle(a, &standing, &certificate));
    if (standing) *v = IRENEO_VERDICT_STORED;
    return judge(s, a->facts, certificate, v);
}

/* Which facts the memory recalls, where all rows are; freed by the caller. */
static ireneo_error list_recalled(ireneo_storing *s, void **all) {
    ireneo_attempt *a = &s->attempt;
    ireneo_ranks *ranks = ireneo_facts_ranks(a->facts);
    unsigned char *before = a->recalled, *recalled = NULL;
    size_t total;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&recalled, a->facts->facts, "recalled facts"));
    a->recalled = recalled;
    ireneo_error failed = ireneo_attempt_count(a);
    a->recalled = before;
    *all = recalled;
    if (failed == IRENEO_OK && ranks != NULL) {
        failed = ireneo_ranks_gather(ranks, 0, recalled, a->facts->facts, sizeof *recalled, all, &total);
        free(recalled);
    }
    return failed;
}

static ireneo_error find_interior_point(ireneo_storing *s, ireneo_attempt *a, void *context,
                                        ireneo_verdict *v) {
    bool *solved = context;
    ireneo_certificate *certificate = NULL;
    IRENEO_TRY(ireneo_certify_exact(&a->problem, &a->set, a->settings.progress, a->minimiser.point, solved,
                                    &certificate));
    if (certificate != NULL) ireneo_scaled_facts_certificate(&a->scaled, certificate);
    return *solved ? IRENEO_OK : judge(s, a->facts, certificate, v);
}

/* The interior point method, for memories of at most `settle` entries. It solves the pairs of the working set; what the
 * check of its memory finds besides is taken in, and it is asked again. */
static ireneo_error settle_by_interior_point(ireneo_storing *s, ireneo_verdict *v) {
    ireneo_attempt *a = &s->attempt;
    ireneo_ranks *ranks = ireneo_facts_ranks(a->facts);
    for (int round = 0; round < MOST_ROUNDS && *v == IRENEO_VERDICT_OPEN; round++) {
        bool solved = false;
        IRENEO_TRY(take_whole(s, find_interior_point, &solved, v));
        ireneo_ranks_broadcast(ranks, 0, &solved, sizeof solved);
        if (!solved) return IRENEO_OK;
        ireneo_ranks_broadcast(ranks, 0, a->minimiser.point,
                               a->minimiser.length * sizeof *a->minimiser.point);
        IRENEO_TRY(ireneo_minimiser_restart(&a->minimiser));
        IRENEO_TRY(ireneo_storing_check(s, v));
    }
    return IRENEO_OK;
}

/* Larger memories get a patient search for a certificate, unless nothing at all is to be settled. */
static ireneo_error settle_large(ireneo_storing *s, ireneo_verdict *v) {
    bool patient = true;
    return s->settle > 1 ? take_whole(s, certify_whole, &patient, v) : IRENEO_OK;
}

/* When iterations lead nowhere: full memories get a verdict by exact methods where they are small enough. What is
 * still open afterwards is undecided, unless the interior point method found a better point to go on from. */
ireneo_error ireneo_storing_settle(ireneo_storing *s, ireneo_verdict *v) {
    double t0 = ireneo_seconds();
    ireneo_attempt *a = &s->attempt;
    void *recalled = NULL;
    if (a->settings.rank > 0) return restart(s, v);
    if (a->settings.top > 1) return try_again(s, v);
    if (s->settled) return *v = IRENEO_VERDICT_UNDECIDED, IRENEO_OK;
    s->settled = true;
    ireneo_error failed = list_recalled(s, &recalled);
    if (failed == IRENEO_OK) failed = take_whole(s, settle_whole, recalled, v);
    free(recalled);
    s->settling = true;
    bool small = a->problem.dim_in * a->problem.dim_out <= s->settle;
    if (failed == IRENEO_OK && *v == IRENEO_VERDICT_OPEN)
        failed = small ? settle_by_interior_point(s, v) : settle_large(s, v);
    s->settling = false;
    a->info->phases.certificate += ireneo_seconds() - t0;
    bool spent = a->info->iterations >= s->max_iterations || a->info->scans >= s->max_scans;
    if (*v == IRENEO_VERDICT_OPEN && a->minimiser.violations > 0 && spent) *v = IRENEO_VERDICT_UNDECIDED;
    return failed;
}

static ireneo_error judge_whole(ireneo_storing *s, ireneo_attempt *a, void *context, ireneo_verdict *v) {
    return judge(s, a->facts, context, v);
}

/* Contradictions that can be read off the data end the work before it begins, with the Hebbian memory as the
 * best known. All ranks find the same one, and rank 0 has it judged. */
ireneo_error ireneo_storing_contradiction(ireneo_storing *s, ireneo_verdict *v) {
    ireneo_certificate *certificate = NULL;
    const ireneo_ranks *ranks = ireneo_facts_ranks(s->attempt.facts);
    *v = IRENEO_VERDICT_OPEN;
    IRENEO_TRY(ireneo_find_contradiction(s->attempt.facts, &certificate));
    if (certificate == NULL) return IRENEO_OK;
    ireneo_error failed = take_whole(s, judge_whole, certificate, v);
    if (ranks != NULL && ranks->rank > 0) ireneo_certificate_free(certificate);
    IRENEO_TRY(failed);
    if (*v != IRENEO_VERDICT_IMPOSSIBLE)
        return ireneo_fail(IRENEO_ERROR_NUMERIC, "a contradiction was found but not confirmed: %s",
                           s->report.sentence);
    return IRENEO_OK;
}
