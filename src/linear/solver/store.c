/* The outer loop: search scan, inner iterations, proof scan (docs/linear.md, "The solver"). */
#include "base/ram.h"
#include "base/threads.h"
#include "linear/certificate/certificate.h"
#include "linear/solver/attempt.h"

#include <math.h>
#include <string.h>

/* Norm bound at which a proof of impossibility is tried: solvable data stay far below, unless they are within
 * a fraction of a per cent of their limit. After a failed proof the next one waits for a bound ten times
 * larger. */
static const double SUSPICIOUS_BOUND = 2e4;

/* No memory of norm below this recalls all facts with margin 1: sum of the weights over the norm of what they
 * fail to cancel. */
static double norm_bound(const ireneo_minimiser *minimiser) {
    double norm = sqrt(ireneo_dot(minimiser->matrix_gradient, minimiser->matrix_gradient,
                                  minimiser->problem->dim_out * minimiser->problem->dim_in, 1));
    return norm > 0.0 ? minimiser->residual_sum / norm : INFINITY;
}

/* Takes over a certificate, or NULL; it counts only if the independent check accepts it. */
static ireneo_error judge(ireneo_attempt *s, ireneo_certificate *certificate, bool *proved) {
    ireneo_error failed = IRENEO_OK;
    *proved = false;
    if (certificate != NULL) failed = ireneo_verify(certificate, s->facts, s->settings.threads, &s->verdict);
    if (failed == IRENEO_OK && certificate != NULL && s->verdict.accepted) {
        *proved = true;
        s->certificate = certificate;
    } else {
        ireneo_certificate_free(certificate);
    }
    return failed;
}

/* Tries to turn the residuals into a certificate. */
static ireneo_error prove_impossible(ireneo_attempt *s, bool *proved) {
    double t0 = ireneo_seconds();
    ireneo_certificate *certificate = NULL;
    IRENEO_TRY(ireneo_certify_newton(&s->minimiser, s->settings.progress, &certificate));
    ireneo_error failed = judge(s, certificate, proved);
    s->info->phases.certificate += ireneo_seconds() - t0;
    return failed;
}

/* The exact method for small memories, when iterations lead nowhere. */
static ireneo_error settle(ireneo_attempt *s, bool *proved, bool *solved) {
    double t0 = ireneo_seconds();
    ireneo_certificate *certificate = NULL;
    IRENEO_TRY(ireneo_certify_exact(&s->minimiser, s->settle, s->settings.progress, &certificate, solved));
    ireneo_error failed = judge(s, certificate, proved);
    s->info->phases.certificate += ireneo_seconds() - t0;
    return failed;
}

/* Iterates on the lists until they show no violation or something else ends it. *status is set when the work
 * is over. */
static ireneo_error solve_lists(ireneo_attempt *s, bool *over, ireneo_status *status) {
    size_t since_scan = 0, patience = IRENEO_PATIENCE;
    *over = true;
    while (s->minimiser.violations > 0) {
        if (ireneo_attempt_stop_asked(s)) return *status = IRENEO_STATUS_INTERRUPTED, IRENEO_OK;
        bool spent = s->info->iterations >= s->max_iterations;
        if (spent && s->settings.max_iterations > 0)
            return *status = IRENEO_STATUS_UNDECIDED, IRENEO_OK; /* as asked */
        if (!spent && since_scan >= patience && s->info->scans < s->max_scans) {
            ireneo_attempt_leave_int16(s);
            IRENEO_TRY(ireneo_attempt_scan(s, IRENEO_HARD_KEEP));
            since_scan = 0;
            patience *= 2;
            continue;
        }
        bool moved = !spent && ireneo_minimiser_iterate(&s->minimiser), proved = false;
        s->info->iterations += !spent;
        since_scan++;
        if (!spent && s->settings.rank == 0 && (!moved || norm_bound(&s->minimiser) > s->suspicious)) {
            IRENEO_TRY(prove_impossible(s, &proved));
            if (proved) return *status = IRENEO_STATUS_IMPOSSIBLE, IRENEO_OK;
            s->suspicious *= 10.0;
        }
        if (moved) continue;
        bool solved = false;
        IRENEO_TRY(settle(s, &proved, &solved));
        if (proved) return *status = IRENEO_STATUS_IMPOSSIBLE, IRENEO_OK;
        if (!solved) return *status = IRENEO_STATUS_UNDECIDED, IRENEO_OK;
        break;
    }
    *over = false;
    return IRENEO_OK;
}

static ireneo_error solve(ireneo_attempt *s, ireneo_status *status) {
    bool over = false, standing = false;
    IRENEO_TRY(ireneo_attempt_scan(s, ireneo_attempt_keep(s) * 5 / 8));
    for (int k = 0; k < IRENEO_FIRST_ITERATIONS && s->minimiser.violations > 0; k++) {
        if (ireneo_attempt_stop_asked(s)) return *status = IRENEO_STATUS_INTERRUPTED, IRENEO_OK;
        if (!ireneo_minimiser_iterate(&s->minimiser)) break;
        s->info->iterations++;
    }
    IRENEO_TRY(ireneo_attempt_scan(s, ireneo_attempt_keep(s)));
    while (!over) {
        IRENEO_TRY(solve_lists(s, &over, status));
        if (over) break;
        IRENEO_TRY(ireneo_attempt_check(s, &standing));
        if (standing) return *status = IRENEO_STATUS_STORED, IRENEO_OK;
        if (s->info->scans >= s->max_scans) return *status = IRENEO_STATUS_UNDECIDED, IRENEO_OK;
    }
    return IRENEO_OK;
}

/* Contradictions that can be read off the data end the work before it begins, with the Hebbian memory as the
 * best known. */
static ireneo_error refuse_contradictions(ireneo_attempt *s, bool *refused) {
    IRENEO_TRY(ireneo_find_contradiction(s->facts, &s->certificate));
    *refused = s->certificate != NULL;
    if (!*refused) return IRENEO_OK;
    IRENEO_TRY(ireneo_verify(s->certificate, s->facts, s->settings.threads, &s->verdict));
    if (!s->verdict.accepted)
        return ireneo_fail(IRENEO_ERROR_NUMERIC, "a contradiction was found but not confirmed: %s",
                           s->verdict.sentence);
    return IRENEO_OK;
}

static ireneo_error decide(ireneo_attempt *s, ireneo_status *status) {
    bool refused = false;
    *status = IRENEO_STATUS_UNDECIDED;
    if (s->settings.solver == IRENEO_SOLVER_HEBBIAN) return ireneo_attempt_hebbian(s);
    if (s->settings.solver == IRENEO_SOLVER_HEBBIAN_WHITE)
        return ireneo_attempt_count(s); /* the start itself */
    IRENEO_TRY(refuse_contradictions(s, &refused));
    bool hopeless = refused || s->info->fraction_of_capacity > 1.02;
    if (s->settings.overload && hopeless) return ireneo_overload(s, status);
    if (refused) return *status = IRENEO_STATUS_IMPOSSIBLE, ireneo_attempt_count(s);
    ireneo_error failed = solve(s, status);
    if (failed == IRENEO_ERROR_CANCELLED)
        *status = IRENEO_STATUS_INTERRUPTED;
    else if (failed != IRENEO_OK)
        return failed;
    if (s->settings.overload && *status != IRENEO_STATUS_INTERRUPTED && *status != IRENEO_STATUS_STORED)
        return ireneo_overload(s, status);
    return *status == IRENEO_STATUS_STORED ? IRENEO_OK : ireneo_attempt_count(s);
}

static ireneo_error run_store(ireneo_attempt *s) {
    ireneo_status status;
    s->suspicious = SUSPICIOUS_BOUND;
    IRENEO_TRY(ireneo_attempt_prepare(s));
    IRENEO_TRY(decide(s, &status));
    if (s->info->recalled == s->facts->facts) {
        status = IRENEO_STATUS_STORED;
        if (s->settings.overload && s->settings.kept != NULL) memset(s->settings.kept, 1, s->facts->facts);
    }
    s->info->status = status;
    s->info->loss = s->minimiser.loss;
    s->info->gradient_ratio = s->first_gradient > 0.0 ? s->minimiser.gradient_norm / s->first_gradient : 0.0;
    s->info->certificate_norm_bound = status == IRENEO_STATUS_IMPOSSIBLE ? s->verdict.norm_bound : 0.0;
    s->info->phases.direction = s->minimiser.seconds_direction;
    s->info->phases.line_search = s->minimiser.seconds_line;
    s->info->phases.gradient += s->minimiser.seconds_gradient;
    s->info->phases.history = s->minimiser.seconds_history;
    return IRENEO_OK;
}

/* A thread that gets less than about half a millisecond of work a pass costs more than it brings. Results do
 * not depend on the number. */
static int useful_threads(const ireneo_facts *facts, int threads) {
    double flops = 2.0 * (double)facts->facts * (double)facts->candidates * (double)facts->dim_out,
           most = 1.0 + flops / 5e7;
    return most < (double)threads ? (int)most : threads;
}

static ireneo_error check_settings(const ireneo_facts *facts, const ireneo_store_settings *s) {
    size_t smaller = facts->dim_in < facts->dim_out ? facts->dim_in : facts->dim_out;
    if (s->rank > smaller)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "rank %zu is more than the smaller dimension, %zu", s->rank,
                           smaller);
    if (!(s->margin >= 0.0)) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the margin must not be negative");
    if (s->initial != NULL && (s->initial->dim_in != facts->dim_in || s->initial->dim_out != facts->dim_out))
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "the memory to start from is %zu x %zu, but the facts need %zu x %zu",
                           s->initial->dim_out, s->initial->dim_in, facts->dim_out, facts->dim_in);
    return IRENEO_OK;
}

ireneo_error ireneo_store(const ireneo_facts *facts, const ireneo_store_settings *settings,
                          ireneo_memory **memory, ireneo_store_info *info) {
    if (memory == NULL) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "store needs a place for the memory");
    *memory = NULL;
    double begin = ireneo_seconds();
    ireneo_store_info ignored = {0};
    ireneo_attempt s = {.facts = facts, .info = info != NULL ? info : &ignored};
    memset(s.info, 0, sizeof *s.info);
    IRENEO_TRY(ireneo_facts_check(facts));
    if (settings != NULL) s.settings = *settings;
    IRENEO_TRY(check_settings(facts, &s.settings));
    s.settings.threads = useful_threads(facts, ireneo_thread_count(s.settings.threads));
    s.max_scans = s.settings.max_scans > 0 ? s.settings.max_scans : 40;
    s.settle = s.settings.settle > 0 ? s.settings.settle : 2500;
    s.max_iterations = s.settings.max_iterations > 0 ? s.settings.max_iterations : 3000;
    if (s.settings.certificate != NULL) *s.settings.certificate = NULL;
    s.info->facts = facts->facts;
    IRENEO_TRY(ireneo_attempt_estimate(facts, s.settings.threads));

    int before = ireneo_blas_threads(1);
    ireneo_error failed = run_store(&s);
    ireneo_blas_threads(before);
    if (failed == IRENEO_OK) {
        s.memory->facts_hash = ireneo_facts_hash(facts);
        if (s.settings.certificate != NULL && s.info->status == IRENEO_STATUS_IMPOSSIBLE) {
            *s.settings.certificate = s.certificate;
            s.certificate = NULL;
        }
        s.info->seconds = ireneo_seconds() - begin;
        s.info->peak_bytes = ireneo_ram_peak();
        *memory = s.memory;
    } else {
        ireneo_memory_free(s.memory);
    }
    ireneo_attempt_free(&s);
    return failed;
}
