/* The outer loop: search scan, inner iterations, proof scan (docs/linear.md, "The solver"). */
#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "linear/certificate.h"
#include "linear/cone.h"
#include "linear/inner.h"
#include "linear/memory_object.h"
#include "linear/proof.h"
#include "linear/search.h"
#include "linear/start.h"

#include <math.h>
#include <string.h>

enum {
    FIRST_KEEP = 48,      /* competitors kept by the first scan, */
    LATER_KEEP = 64,      /* by later ones, */
    ROOM = 160,           /* and room for those that proofs add */
    FIRST_ITERATIONS = 5, /* iterations on the first lists: they only have to find the region */
    PATIENCE = 30,        /* iterations after which lists are made anew; grows */
    HISTORY = 10
};
/* Norm bound at which a proof of impossibility is tried: solvable data stay far below, unless they are within
 * a fraction of a per cent of their limit. After a failed proof the next one waits for a bound ten times
 * larger. */
static const double SUSPICIOUS_BOUND = 2e4;

typedef struct store {
    const ireneo_facts *facts;
    ireneo_store_settings settings;
    ireneo_store_info *info;
    ireneo_problem problem;
    ireneo_lists lists;
    ireneo_inner inner;
    ireneo_memory *memory;
    double first_gradient, suspicious;
    ireneo_certificate *certificate;
    ireneo_verify_report verdict;
    size_t max_scans, max_iterations;
} store;

static ireneo_error estimate_memory(const ireneo_facts *f, int threads) {
    double n = (double)f->facts, p = (double)f->candidates, a = (double)f->dim_in, b = (double)f->dim_out;
    double own = f->values == NULL ? n * ROOM * b : 2.0 * p * b;
    double bytes = 4.0 * (n * a + own + n * ROOM * 3.0 + a * b * (2.0 * HISTORY + IRENEO_GROUPS + 8.0)) +
                   8.0 * (3.0 * (a * a + b * b) + 16.0 * fmax(a * a, b * b)) + 8e6 * (double)threads;
    return ireneo_memory_require(bytes, "storing these facts");
}

static ireneo_error describe_law(store *s) {
    ireneo_shape shape = {.dim_in = s->problem.dim_in,
                          .dim_out = s->problem.dim_out,
                          .rank = s->settings.rank,
                          .candidates = (double)s->facts->candidates};
    size_t smaller = shape.dim_in < shape.dim_out ? shape.dim_in : shape.dim_out;
    if (shape.rank >= smaller) shape.rank = 0;
    if (smaller == 0) return IRENEO_OK; /* nothing varies: no capacity at all */
    double dimension = ireneo_effective_dimension(&shape),
           delta; /* the whole report would take longer than a small store */
    IRENEO_TRY(ireneo_cone_delta_rough(shape.candidates, &delta));
    double capacity = dimension / delta;
    if (s->facts->targets == NULL && s->facts->facts == s->facts->candidates && capacity >= 2.0) {
        /* One value a fact: the law with P = n, by a secant step in log P for log(P delta(P)) = log D. */
        double other, l0 = log(shape.candidates), l1 = log(capacity);
        IRENEO_TRY(ireneo_cone_delta_rough(capacity, &other));
        double f0 = l0 + log(delta) - log(dimension), f1 = l1 + log(other) - log(dimension);
        if (fabs(f1 - f0) > 1e-9) capacity = exp(l1 - f1 * (l1 - l0) / (f1 - f0));
    }
    s->info->facts_capacity = capacity;
    s->info->fraction_of_capacity = (double)s->facts->facts / capacity;
    return IRENEO_OK;
}

static ireneo_error prepare(store *s) {
    double t0 = ireneo_seconds();
    IRENEO_TRY(ireneo_problem_make(s->facts, s->settings.threads, &s->problem));
    s->info->span_in = s->problem.dim_in;
    s->info->span_out = s->problem.dim_out;
    IRENEO_TRY(describe_law(s));
    double t1 = ireneo_seconds();
    size_t room = s->facts->candidates - 1 < ROOM ? s->facts->candidates - 1 : ROOM;
    IRENEO_TRY(ireneo_lists_allocate(&s->problem, room, s->settings.rank > 0, &s->lists));
    IRENEO_TRY(ireneo_inner_allocate(&s->problem, &s->lists, s->settings.rank, HISTORY, &s->inner));
    IRENEO_TRY(ireneo_start(&s->problem, s->settings.initial, s->settings.rank, &s->inner));
    double close = s->info->fraction_of_capacity;
    s->inner.margin = (float)(s->settings.margin > 0.0 ? s->settings.margin
                              : close > 1.015          ? 1.0
                              : close > 0.97           ? 0.025
                                                       : 0.05);
    s->inner.required = (float)ireneo_rounding_gap(&s->problem, &s->inner);
    s->info->phases.whiten = t1 - t0;
    s->info->phases.start = ireneo_seconds() - t1;
    return ireneo_memory_allocate(s->facts->dim_in, s->facts->dim_out, s->settings.rank, &s->memory);
}

/* The memory in the caller's coordinates, rounded to float32 as it will be saved. */
static ireneo_error export_memory(store *s) {
    const ireneo_problem *p = &s->problem;
    if (p->dim_in == 0 || p->dim_out == 0) return IRENEO_OK; /* nothing varies: the memory stays zero */
    if (s->settings.rank == 0) return ireneo_matrix_from_white(p, s->inner.point, s->memory->matrix);
    IRENEO_TRY(ireneo_factor_from_white(&p->values, s->inner.point, s->settings.rank, s->memory->left));
    return ireneo_factor_from_white(&p->keys, s->inner.point + p->dim_out * s->settings.rank,
                                    s->settings.rank, s->memory->right);
}

static ireneo_error scan(store *s, size_t keep) {
    double t0 = ireneo_seconds();
    IRENEO_TRY(ireneo_search(&s->problem, s->inner.w, keep, 0.5f * s->inner.margin, s->settings.progress,
                             &s->lists));
    s->info->scans++;
    double t1 = ireneo_seconds();
    ireneo_inner_evaluate(&s->inner);
    s->info->phases.scan += t1 - t0;
    s->info->phases.gradient += ireneo_seconds() - t1;
    if (s->first_gradient == 0.0) s->first_gradient = s->inner.gradient_norm;
    return IRENEO_OK;
}

/* Scores of a listed pair in white coordinates, for pairs that a proof found. */
static void add_pairs(store *s, const ireneo_pairs *pairs) {
    const ireneo_problem *p = &s->problem;
    float *own = NULL, *h = NULL;
    if (IRENEO_ALLOCATE(&own, p->dim_out, "candidate") == IRENEO_OK &&
        IRENEO_ALLOCATE(&h, p->dim_out, "row") == IRENEO_OK) {
        for (size_t k = 0; k < pairs->count; k++) {
            size_t row = pairs->items[k].fact;
            uint32_t index = pairs->items[k].candidate;
            ireneo_row_product(p, s->inner.w, row, h);
            const float *value = own;
            if (p->y != NULL)
                value = p->y + (size_t)index * p->stride;
            else
                p->facts->own_candidates(p->facts->own_context, row, index, 1, own);
            ireneo_list_add(&s->lists, p, row, index, (float)ireneo_dot(h, value, p->dim_out, 1));
        }
    }
    free(own);
    free(h);
}

/* Checks the exported memory against all candidates; adds what comes close to the lists when facts fail. */
static ireneo_error prove(store *s) {
    double t0 = ireneo_seconds();
    ireneo_pairs near = {0};
    ireneo_check_report report;
    ireneo_error failed = export_memory(s);
    if (failed == IRENEO_OK)
        failed = ireneo_proof(s->memory, s->facts, s->settings.threads, s->settings.progress,
                              0.5 * (double)s->inner.margin, 32, &near, NULL, &report);
    if (failed == IRENEO_OK) {
        s->info->scans++;
        s->info->recalled = report.recalled;
        s->info->margin = report.margin;
        if (report.recalled < report.facts) {
            add_pairs(s, &near);
            ireneo_inner_evaluate(&s->inner);
            if (s->inner.violations == 0)
                s->inner.required = fminf(4.0f * s->inner.required, 0.5f * s->inner.margin);
        }
    }
    free(near.items);
    s->info->phases.proof += ireneo_seconds() - t0;
    return failed;
}

static bool stop_asked(const store *s) {
    double recalled = (double)(s->facts->facts - s->inner.violations);
    return ireneo_report(s->settings.progress, "storing facts", recalled, (double)s->facts->facts) != 0;
}

/* No memory of norm below this recalls all facts with margin 1: sum of the weights over the norm of what they
 * fail to cancel. */
static double norm_bound(const ireneo_inner *inner) {
    double norm = sqrt(ireneo_dot(inner->matrix_gradient, inner->matrix_gradient,
                                  inner->problem->dim_out * inner->problem->dim_in, 1));
    return norm > 0.0 ? inner->residual_sum / norm : INFINITY;
}

/* Tries to turn the residuals into a certificate; it counts only if the independent check accepts it. */
static ireneo_error prove_impossible(store *s, bool *proved) {
    double t0 = ireneo_seconds();
    *proved = false;
    ireneo_certificate *certificate = NULL;
    IRENEO_TRY(ireneo_polish(&s->inner, s->settings.progress, &certificate));
    ireneo_error failed = IRENEO_OK;
    if (certificate != NULL) failed = ireneo_verify(certificate, s->facts, s->settings.threads, &s->verdict);
    if (failed == IRENEO_OK && certificate != NULL && s->verdict.accepted) {
        *proved = true;
        s->certificate = certificate;
    } else {
        ireneo_certificate_free(certificate);
    }
    s->info->phases.certificate += ireneo_seconds() - t0;
    return failed;
}

/* Iterates on the lists until they show no violation or something else ends it. *status is set when the work
 * is over. */
static ireneo_error solve_lists(store *s, bool *over, ireneo_status *status) {
    size_t since_scan = 0, patience = PATIENCE;
    *over = true;
    while (s->inner.violations > 0) {
        if (stop_asked(s)) return *status = IRENEO_INTERRUPTED, IRENEO_OK;
        if (s->info->iterations >= s->max_iterations) return *status = IRENEO_UNDECIDED, IRENEO_OK;
        if (since_scan >= patience && s->info->scans < s->max_scans) {
            IRENEO_TRY(scan(s, LATER_KEEP));
            since_scan = 0;
            patience *= 2;
            continue;
        }
        bool moved = ireneo_inner_iterate(&s->inner), proved = false;
        s->info->iterations++;
        since_scan++;
        if (s->settings.rank == 0 && (!moved || norm_bound(&s->inner) > s->suspicious)) {
            IRENEO_TRY(prove_impossible(s, &proved));
            if (proved) return *status = IRENEO_IMPOSSIBLE, IRENEO_OK;
            s->suspicious *= 10.0;
        }
        if (!moved) return *status = IRENEO_UNDECIDED, IRENEO_OK;
    }
    *over = false;
    return IRENEO_OK;
}

static ireneo_error solve(store *s, ireneo_status *status) {
    bool over = false;
    IRENEO_TRY(scan(s, FIRST_KEEP));
    for (int k = 0; k < FIRST_ITERATIONS && s->inner.violations > 0; k++) {
        if (stop_asked(s)) return *status = IRENEO_INTERRUPTED, IRENEO_OK;
        if (!ireneo_inner_iterate(&s->inner)) break;
        s->info->iterations++;
    }
    IRENEO_TRY(scan(s, LATER_KEEP));
    while (!over) {
        IRENEO_TRY(solve_lists(s, &over, status));
        if (over) break;
        IRENEO_TRY(prove(s));
        if (s->info->recalled == s->facts->facts) return *status = IRENEO_STORED, IRENEO_OK;
        if (s->info->scans >= s->max_scans) return *status = IRENEO_UNDECIDED, IRENEO_OK;
    }
    return IRENEO_OK;
}

/* What the memory recalls when the solver ends without a proof of its own. */
static ireneo_error final_count(store *s) {
    ireneo_check_report report;
    IRENEO_TRY(export_memory(s));
    IRENEO_TRY(ireneo_proof(s->memory, s->facts, s->settings.threads, NULL, 0.0, 0, NULL, NULL, &report));
    s->info->scans++;
    s->info->recalled = report.recalled;
    s->info->margin = report.margin;
    return IRENEO_OK;
}

/* Contradictions that can be read off the data end the work before it begins, with the Hebbian memory as the
 * best known. */
static ireneo_error refuse_contradictions(store *s, bool *refused) {
    IRENEO_TRY(ireneo_find_contradiction(s->facts, &s->certificate));
    *refused = s->certificate != NULL;
    if (!*refused) return IRENEO_OK;
    IRENEO_TRY(ireneo_verify(s->certificate, s->facts, s->settings.threads, &s->verdict));
    if (!s->verdict.accepted)
        return ireneo_fail(IRENEO_ERROR_NUMERIC, "a contradiction was found but not confirmed: %s",
                           s->verdict.sentence);
    return IRENEO_OK;
}

static ireneo_error decide(store *s, ireneo_status *status) {
    bool refused = false;
    *status = IRENEO_UNDECIDED;
    if (s->settings.solver == IRENEO_SOLVER_HEBBIAN) return final_count(s);
    IRENEO_TRY(refuse_contradictions(s, &refused));
    if (refused) return *status = IRENEO_IMPOSSIBLE, final_count(s);
    ireneo_error failed = solve(s, status);
    if (failed == IRENEO_ERROR_CANCELLED)
        *status = IRENEO_INTERRUPTED;
    else if (failed != IRENEO_OK)
        return failed;
    return *status == IRENEO_STORED ? IRENEO_OK : final_count(s);
}

static ireneo_error run_store(store *s) {
    ireneo_status status;
    s->suspicious = SUSPICIOUS_BOUND;
    IRENEO_TRY(prepare(s));
    IRENEO_TRY(decide(s, &status));
    if (s->info->recalled == s->facts->facts) status = IRENEO_STORED;
    s->info->status = status;
    s->info->loss = s->inner.loss;
    s->info->gradient_ratio = s->first_gradient > 0.0 ? s->inner.gradient_norm / s->first_gradient : 0.0;
    s->info->certificate_norm_bound = status == IRENEO_IMPOSSIBLE ? s->verdict.norm_bound : 0.0;
    s->info->phases.direction = s->inner.seconds_direction;
    s->info->phases.line_search = s->inner.seconds_line;
    s->info->phases.gradient += s->inner.seconds_gradient;
    s->info->phases.history = s->inner.seconds_history;
    return IRENEO_OK;
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
    ireneo_store_info ignored;
    store s = {.facts = facts, .info = info != NULL ? info : &ignored};
    memset(s.info, 0, sizeof *s.info);
    IRENEO_TRY(ireneo_facts_check(facts));
    if (settings != NULL) s.settings = *settings;
    IRENEO_TRY(check_settings(facts, &s.settings));
    s.settings.threads = ireneo_thread_count(s.settings.threads);
    s.max_scans = s.settings.max_scans > 0 ? s.settings.max_scans : 40;
    s.max_iterations = s.settings.max_iterations > 0 ? s.settings.max_iterations : 3000;
    if (s.settings.certificate != NULL) *s.settings.certificate = NULL;
    s.info->facts = facts->facts;
    IRENEO_TRY(estimate_memory(facts, s.settings.threads));

    int before = ireneo_blas_threads(1);
    ireneo_error failed = run_store(&s);
    ireneo_blas_threads(before);
    if (failed == IRENEO_OK) {
        s.memory->facts_hash = ireneo_facts_hash(facts);
        if (s.settings.certificate != NULL && s.info->status == IRENEO_IMPOSSIBLE) {
            *s.settings.certificate = s.certificate;
            s.certificate = NULL;
        }
        s.info->seconds = ireneo_seconds() - begin;
        s.info->peak_bytes = ireneo_memory_peak();
        *memory = s.memory;
    } else {
        ireneo_memory_free(s.memory);
    }
    ireneo_certificate_free(s.certificate);
    ireneo_inner_free(&s.inner);
    ireneo_lists_free(&s.lists);
    ireneo_problem_free(&s.problem);
    return failed;
}
