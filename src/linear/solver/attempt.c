/* Preparation, scans and proofs of a store. */
#include "linear/solver/attempt.h"
#include "base/ram.h"
#include "linear/law/cone.h"
#include "linear/memory/memory.h"
#include "linear/scan/check.h"
#include "linear/scan/competitors.h"
#include "linear/solver/start.h"

#include <math.h>

/* From this share of the law on stores take many iterations, and want every digit and longer lists. Below it
 * the search line makes do with sixteen bits where float32 values do not fit into a core's own cache; the
 * lists then have to show a gap that its drift cannot close. */
enum { SIXTEEN_FROM = 150000 };
static const double HARD = 0.97;
static const float DRIFT_GAP = 2e-3f;

ireneo_error ireneo_attempt_estimate(const ireneo_facts *f, int threads) {
    double n = (double)f->facts, p = (double)f->candidates, a = (double)f->dim_in, b = (double)f->dim_out;
    double own = f->values == NULL ? n * IRENEO_LIST_ROOM * b : 2.0 * p * b;
    double bytes = 4.0 * (n * a + own + n * IRENEO_LIST_ROOM * 3.0 +
                          a * b * (2.0 * IRENEO_HISTORY + IRENEO_GROUPS + 8.0)) +
                   8.0 * (3.0 * (a * a + b * b) + 16.0 * fmax(a * a, b * b)) + 8e6 * (double)threads;
    return ireneo_ram_require(bytes, "storing these facts");
}

static ireneo_error describe_law(ireneo_attempt *s) {
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

ireneo_error ireneo_attempt_prepare(ireneo_attempt *s) {
    double t0 = ireneo_seconds();
    IRENEO_TRY(ireneo_problem_make(s->facts, s->settings.threads, &s->problem));
    s->info->span_in = s->problem.dim_in;
    s->info->span_out = s->problem.dim_out;
    IRENEO_TRY(describe_law(s));
    double t1 = ireneo_seconds();
    size_t room = s->facts->candidates - 1 < IRENEO_LIST_ROOM ? s->facts->candidates - 1 : IRENEO_LIST_ROOM;
    IRENEO_TRY(ireneo_working_set_allocate(&s->problem, room, s->settings.rank > 0, &s->set));
    IRENEO_TRY(
        ireneo_minimiser_allocate(&s->problem, &s->set, s->settings.rank, IRENEO_HISTORY, &s->minimiser));
    IRENEO_TRY(ireneo_start(&s->problem, s->settings.initial, s->settings.rank, &s->minimiser));
    double close = s->info->fraction_of_capacity;
    s->minimiser.margin = (float)(s->settings.margin > 0.0 ? s->settings.margin
                                  : close > 1.015          ? 1.0
                                  : close > HARD           ? 0.025
                                                           : 0.05);
    s->minimiser.required = (float)ireneo_rounding_gap(&s->problem, &s->minimiser);
    if (close < HARD && s->facts->candidates * s->problem.stride > SIXTEEN_FROM) {
        IRENEO_TRY(ireneo_minimiser_use_int16(&s->minimiser));
        if (s->minimiser.int16.entries != NULL)
            s->minimiser.required = fmaxf(s->minimiser.required, DRIFT_GAP);
    }
    s->info->phases.whiten = t1 - t0;
    s->info->phases.start = ireneo_seconds() - t1;
    return ireneo_memory_allocate(s->facts->dim_in, s->facts->dim_out, s->settings.rank, &s->memory);
}

void ireneo_attempt_free(ireneo_attempt *s) {
    ireneo_certificate_free(s->certificate);
    ireneo_minimiser_free(&s->minimiser);
    ireneo_working_set_free(&s->set);
    ireneo_problem_free(&s->problem);
}

void ireneo_attempt_leave_int16(ireneo_attempt *s) {
    if (s->minimiser.int16.entries == NULL) return;
    ireneo_minimiser_leave_int16(&s->minimiser);
    s->minimiser.required = (float)ireneo_rounding_gap(&s->problem, &s->minimiser);
}

ireneo_error ireneo_attempt_export(ireneo_attempt *s) {
    const ireneo_problem *p = &s->problem;
    if (p->dim_in == 0 || p->dim_out == 0) return IRENEO_OK; /* nothing varies: the memory stays zero */
    if (s->settings.rank == 0) return ireneo_matrix_from_white(p, s->minimiser.point, s->memory->matrix);
    IRENEO_TRY(ireneo_factor_from_white(&p->values, s->minimiser.point, s->settings.rank, s->memory->left));
    return ireneo_factor_from_white(&p->keys, s->minimiser.point + p->dim_out * s->settings.rank,
                                    s->settings.rank, s->memory->right);
}

void ireneo_attempt_mask(ireneo_attempt *s) {
    for (size_t i = 0; s->given_up != NULL && i < s->facts->facts; i++)
        if (s->given_up[i]) s->set.count[i] = 0;
}

size_t ireneo_attempt_keep(const ireneo_attempt *s) {
    if (s->info->fraction_of_capacity > HARD) return IRENEO_HARD_KEEP;
    double more = 4.0 * log2((double)s->facts->candidates / 64.0);
    return 20 + (size_t)fmax(0.0, more);
}

ireneo_error ireneo_attempt_scan(ireneo_attempt *s, size_t keep) {
    double t0 = ireneo_seconds();
    IRENEO_TRY(ireneo_find_competitors(&s->problem, s->minimiser.w, keep, 0.5f * s->minimiser.margin,
                                       s->settings.progress, &s->set));
    s->info->scans++;
    ireneo_attempt_mask(s);
    double t1 = ireneo_seconds();
    ireneo_minimiser_evaluate(&s->minimiser);
    s->info->phases.scan += t1 - t0;
    s->info->phases.gradient += ireneo_seconds() - t1;
    if (s->first_gradient == 0.0) s->first_gradient = s->minimiser.gradient_norm;
    return IRENEO_OK;
}

/* Scores of a listed pair in white coordinates, for pairs that a proof found. */
static void add_pairs(ireneo_attempt *s, const ireneo_pairs *pairs) {
    const ireneo_problem *p = &s->problem;
    float *own = NULL, *h = NULL;
    if (IRENEO_ALLOCATE(&own, p->dim_out, "candidate") == IRENEO_OK &&
        IRENEO_ALLOCATE(&h, p->dim_out, "row") == IRENEO_OK) {
        for (size_t k = 0; k < pairs->count; k++) {
            size_t row = pairs->items[k].fact;
            if (s->given_up != NULL && s->given_up[row]) continue;
            uint32_t index = pairs->items[k].candidate;
            ireneo_row_product(p, s->minimiser.w, row, h);
            const float *value = own;
            if (p->y != NULL)
                value = p->y + (size_t)index * p->stride;
            else
                p->facts->own_candidates(p->facts->own_context, row, index, 1, own);
            ireneo_working_set_add(&s->set, p, row, index, (float)ireneo_dot(h, value, p->dim_out, 1));
        }
    }
    free(own);
    free(h);
}

ireneo_error ireneo_attempt_check(ireneo_attempt *s, bool *standing) {
    double t0 = ireneo_seconds();
    ireneo_pairs near = {0};
    ireneo_check_report report;
    ireneo_error failed = ireneo_attempt_export(s);
    if (failed == IRENEO_OK)
        failed = ireneo_check_near(s->memory, s->facts, s->settings.threads, s->settings.progress,
                                   0.5 * (double)s->minimiser.margin, 32, &near, s->recalled, &report);
    if (failed == IRENEO_OK) {
        s->info->scans++;
        s->info->recalled = report.recalled;
        s->info->margin = report.margin;
        *standing = report.recalled == report.facts;
        for (size_t i = 0; !*standing && s->recalled != NULL && s->given_up != NULL; i++) {
            if (i == report.facts)
                *standing = true;
            else if (!s->given_up[i] && !s->recalled[i])
                break;
        }
        if (!*standing) {
            ireneo_attempt_leave_int16(s);
            add_pairs(s, &near);
            ireneo_minimiser_evaluate(&s->minimiser);
            if (s->minimiser.violations == 0)
                s->minimiser.required = fminf(4.0f * s->minimiser.required, 0.5f * s->minimiser.margin);
        }
    }
    free(near.items);
    s->info->phases.check += ireneo_seconds() - t0;
    return failed;
}

/* Counts what the memory, as it is, recalls. */
static ireneo_error count_recalled(ireneo_attempt *s) {
    ireneo_check_report report;
    IRENEO_TRY(ireneo_check_near(s->memory, s->facts, s->settings.threads, NULL, 0.0, 0, NULL, s->recalled,
                                 &report));
    s->info->scans++;
    s->info->recalled = report.recalled;
    s->info->margin = report.margin;
    return IRENEO_OK;
}

ireneo_error ireneo_attempt_count(ireneo_attempt *s) {
    IRENEO_TRY(ireneo_attempt_export(s));
    return count_recalled(s);
}

ireneo_error ireneo_attempt_hebbian(ireneo_attempt *s) {
    const ireneo_facts *f = s->facts;
    ireneo_memory *m = s->memory;
    /* The caller's numbers as they are: in white coordinates the rule would be another, better one. */
    const ireneo_problem plain = {.facts = f,
                                  .rows = f->facts,
                                  .columns = f->candidates,
                                  .dim_in = f->dim_in,
                                  .dim_out = f->dim_out,
                                  .stride = f->dim_out,
                                  .x = (float *)f->keys,
                                  .y = (float *)f->values,
                                  .threads = s->settings.threads};
    if (m->rank == 0) {
        IRENEO_TRY(ireneo_problem_hebbian(&plain, m->matrix));
        return count_recalled(s);
    }
    float *matrix = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&matrix, f->dim_out * f->dim_in, "Hebbian matrix"));
    ireneo_error failed = ireneo_problem_hebbian(&plain, matrix);
    if (failed == IRENEO_OK)
        failed = ireneo_factorise(matrix, f->dim_out, f->dim_in, m->rank, m->left, m->right);
    free(matrix);
    return failed == IRENEO_OK ? count_recalled(s) : failed;
}

bool ireneo_attempt_stop_asked(const ireneo_attempt *s) {
    double recalled = (double)(s->facts->facts - s->minimiser.violations);
    return ireneo_report(s->settings.progress, "storing facts", recalled, (double)s->facts->facts) != 0;
}
