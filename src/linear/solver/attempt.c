/* Preparation, scans and checks of a store. */
#include "linear/solver/attempt.h"
#include "base/ram.h"
#include "linear/kernels/vector.h"
#include "linear/law/top.h"
#include "linear/memory/memory.h"
#include "linear/scan/check.h"
#include "linear/scan/competitors.h"
#include "linear/solver/rounding.h"
#include "linear/solver/start.h"

#include <math.h>

enum {
    LIST_ROOM = 128, /* competitors a row has room for: those of a scan, and what failed checks add */
    HISTORY = 6,     /* pairs that L-BFGS remembers */
    ADDED = 32       /* competitors a fact that a check found close or failing adds at most */
};

/* From this share of the law on stores take many iterations, and want every digit and more competitors. */
static const double HARD = 0.97;

/* And from this one on they hardly ever succeed: a certificate is what the iterations are for. */
static const double BEYOND = 1.015;

/* Margins of the loss, in score spreads. A wide one costs competitors, and close to capacity there is no room
 * for it; beyond capacity it keeps the residuals that a certificate is made of far above float32 rounding. */
static const double MARGIN = 0.05, MARGIN_HARD = 0.025, MARGIN_BEYOND = 1.0;

/* Competitors within this share of the margin below the target are wanted in the working set even when they are
 * not among the best. */
static const double REACH = 0.5;

/* Below HARD the search line makes do with sixteen bits where float32 values, this many of them, do not fit into
 * a core's own cache, and products do where there are enough of them to count. Scores then drift, and the working set has to
 * show a gap that the drift cannot close. */
enum { INT16_FROM = 150000, INT16_PRODUCTS_FROM = 64 * 64 };
static const float DRIFT_GAP = 2e-3f;

/* When the working set saw no violation but the check did, the gap asked for was too small: it grows by this
 * factor, up to this share of the margin. */
static const float GAP_GROWTH = 4.0f, GAP_MOST = 0.5f;

/* What comes on top of the caller's arrays: keys scaled, white and in sixteen bits; values scaled, white, centred for the check, in eight
 * and sixteen bits, or those of the working set where every fact has its own; lists of the working set; fingerprints. */
double ireneo_attempt_bytes(const ireneo_facts *f, size_t top, int threads) {
    double n = (double)f->facts, p = (double)f->candidates, a = (double)f->dim_in, b = (double)f->dim_out;
    double room = fmin(p - 1.0, LIST_ROOM + (double)top);
    const ireneo_ranks *ranks = ireneo_facts_ranks(f);
    double sharers = ranks != NULL ? (double)ranks->ranks_in_node : 1.0; /* of the values */
    double values = f->own_candidates != NULL ? 4.0 * n * (room + 1.0) * b : 15.0 * p * b / sharers;
    double rows = n * (10.0 * a + 12.0 * room + 136.0);
    double matrices = 4.0 * a * b * (2.0 * HISTORY + 8.0) +
                      ireneo_tree_sum_bytes(ireneo_facts_total(f), IRENEO_SUM_F32, a * b, threads) +
                      8.0 * (3.0 * (a * a + b * b) + 16.0 * fmax(a * a, b * b));
    return values + rows + matrices + 8e6 * (double)threads;
}

/* Best competitors that a row need not beat. */
static size_t excused(const ireneo_attempt *a) {
    return a->settings.top - 1;
}

/* Among the K best the law is a bound that no memory need reach, and there are no certificates to make. */
static double choose_margin(const ireneo_attempt *a) {
    if (a->settings.margin > 0.0) return a->settings.margin;
    if (a->settings.top > 1) return MARGIN;
    return a->fraction > BEYOND ? MARGIN_BEYOND : a->fraction > HARD ? MARGIN_HARD : MARGIN;
}

/* The gap that counts as recalled while iterating: what rounding to float32 cannot close, nor the drift of a
 * search line in sixteen bits. */
static void require_gap(ireneo_attempt *a) {
    ireneo_minimiser *m = &a->minimiser;
    m->required = (float)ireneo_rounding_gap(&a->problem, m->w, (double)m->least_margin);
    if (ireneo_minimiser_uses_int16(m)) m->required = fmaxf(m->required, DRIFT_GAP);
}

static void require_larger_gap(ireneo_attempt *a) {
    a->minimiser.required = fminf(GAP_GROWTH * a->minimiser.required, GAP_MOST * a->minimiser.least_margin);
}

/* What the law says; it wants to know all answers. */
static ireneo_error find_capacity(ireneo_attempt *a) {
    ireneo_facts all = *a->facts;
    ireneo_ranks *ranks = ireneo_facts_ranks(a->facts);
    void *targets = NULL;
    size_t total = ireneo_facts_total(a->facts);
    all.facts = total;
    all.holding = NULL;
    if (ranks != NULL && all.targets != NULL) {
        IRENEO_TRY(ireneo_ranks_gather(ranks, IRENEO_ALL_RANKS, all.targets, a->facts->facts,
                                       sizeof *all.targets, &targets, &total));
        all.targets = targets;
    }
    ireneo_error failed =
        ireneo_top_capacity_of_facts(&all, a->settings.top, a->settings.rank, a->info, &a->law);
    free(targets);
    a->fraction = fmax(a->info->fraction_of_capacity, (double)all.facts / a->law);
    return failed;
}

static ireneo_error use_int16(ireneo_attempt *a) {
    const ireneo_problem *p = &a->problem;
    bool values = p->columns * p->stride > INT16_FROM, keys = p->dim_in * p->dim_out >= INT16_PRODUCTS_FROM &&
                                                              p->dim_in <= IRENEO_PRODUCT_MOST_DIM &&
                                                              ireneo_int16_kernel_pays(ireneo_processor());
    return ireneo_minimiser_use_int16(&a->minimiser, values, keys);
}

ireneo_error ireneo_attempt_prepare(ireneo_attempt *a) {
    double t0 = ireneo_seconds();
    IRENEO_TRY(ireneo_scaled_facts_make(a->facts, &a->scaled));
    IRENEO_TRY(ireneo_problem_make(&a->scaled.facts, a->settings.threads, &a->problem));
    IRENEO_TRY(ireneo_problem_pack(&a->problem));
    a->info->span_in = a->problem.dim_in;
    a->info->span_out = a->problem.dim_out;
    IRENEO_TRY(find_capacity(a));
    double t1 = ireneo_seconds();
    size_t most = LIST_ROOM + excused(a),
           room = a->facts->candidates - 1 < most ? a->facts->candidates - 1 : most;
    IRENEO_TRY(ireneo_working_set_allocate(&a->problem, room, a->settings.rank > 0, &a->set));
    IRENEO_TRY(ireneo_minimiser_allocate(&a->problem, &a->set, a->settings.rank, HISTORY, &a->minimiser));
    IRENEO_TRY(ireneo_start(&a->problem, a->settings.initial, a->settings.rank, &a->minimiser));
    a->minimiser.excused = excused(a);
    a->minimiser.margin = a->minimiser.least_margin = (float)choose_margin(a);
    a->minimiser.adapts =
        a->settings.margin == 0.0 && a->settings.rank == 0 && excused(a) == 0 && a->fraction <= BEYOND;
    if (a->fraction < HARD) IRENEO_TRY(use_int16(a));
    require_gap(a);
    a->info->phases.whiten = t1 - t0;
    a->info->phases.start = ireneo_seconds() - t1;
    return ireneo_memory_allocate(a->facts->dim_in, a->facts->dim_out, a->settings.rank, &a->memory);
}

void ireneo_attempt_free(ireneo_attempt *a) {
    ireneo_minimiser_free(&a->minimiser);
    ireneo_working_set_free(&a->set);
    ireneo_problem_free(&a->problem);
    ireneo_scaled_facts_free(&a->scaled);
}

bool ireneo_attempt_leave_int16(ireneo_attempt *a) {
    if (!ireneo_minimiser_uses_int16(&a->minimiser)) return false;
    ireneo_minimiser_leave_int16(&a->minimiser);
    require_gap(a);
    return true;
}

void ireneo_attempt_mask(ireneo_attempt *a) {
    for (size_t i = 0; a->given_up != NULL && i < a->facts->facts; i++)
        if (a->given_up[i]) a->set.count[i] = 0;
}

size_t ireneo_attempt_keep(const ireneo_attempt *a) {
    static const double FEWEST = 20.0, A_DOUBLING = 4.0, FROM = 64.0; /* candidates; measured for d <= 1000 */
    if (a->fraction > HARD || a->settings.top > 1) return IRENEO_HARD_KEEP;
    return (size_t)FEWEST + (size_t)fmax(0.0, A_DOUBLING * log2((double)a->facts->candidates / FROM));
}

ireneo_error ireneo_attempt_scan(ireneo_attempt *a, size_t keep, ireneo_scan_rows rows) {
    double t0 = ireneo_seconds();
    IRENEO_TRY(ireneo_find_competitors(&a->problem, a->minimiser.w, keep + excused(a),
                                       (float)REACH * a->minimiser.least_margin, a->settings.progress,
                                       &a->set));
    a->info->scans++;
    if (rows == IRENEO_SCAN_KEPT_ROWS) ireneo_attempt_mask(a);
    double t1 = ireneo_seconds();
    ireneo_minimiser_evaluate_anew(&a->minimiser);
    a->info->phases.scan += t1 - t0;
    a->info->phases.gradient += ireneo_seconds() - t1;
    if (a->first_gradient == 0.0) a->first_gradient = a->minimiser.gradient_norm;
    return IRENEO_OK;
}

/* The memory in the caller's coordinates, rounded to float32 as it will be saved; its scores are 2^-exponent times
 * those of the solver. */
ireneo_error ireneo_attempt_export(ireneo_attempt *a, int *exponent) {
    const ireneo_problem *p = &a->problem;
    *exponent = 0;
    if (p->dim_in == 0 || p->dim_out == 0) return IRENEO_OK; /* nothing varies: the memory stays zero */
    if (a->settings.rank == 0) {
        IRENEO_TRY(ireneo_matrix_from_white(p, a->minimiser.point, a->memory->matrix));
    } else {
        IRENEO_TRY(
            ireneo_factor_from_white(&p->values, a->minimiser.point, a->settings.rank, a->memory->left));
        IRENEO_TRY(ireneo_factor_from_white(&p->keys, a->minimiser.point + p->dim_out * a->settings.rank,
                                            a->settings.rank, a->memory->right));
    }
    *exponent = ireneo_memory_normalise(a->memory);
    return IRENEO_OK;
}

/* Puts pairs that a check found into the working set, with their scores in white coordinates. */
static void add_pairs(ireneo_attempt *a, const ireneo_pairs *pairs) {
    const ireneo_problem *p = &a->problem;
    float *own = NULL, *h = NULL;
    if (IRENEO_ALLOCATE(&own, p->dim_out, "candidate") == IRENEO_OK &&
        IRENEO_ALLOCATE(&h, p->dim_out, "row") == IRENEO_OK) {
        for (size_t k = 0; k < pairs->count; k++) {
            size_t row = pairs->items[k].fact;
            uint32_t index = pairs->items[k].candidate;
            ireneo_problem_apply(p, a->minimiser.w, row, h);
            const float *value = own;
            if (p->y != NULL)
                value = p->y + (size_t)index * p->stride;
            else
                p->facts->own_candidates(p->facts->own_context, row, index, 1, own);
            ireneo_working_set_add(&a->set, p, row, index, (float)ireneo_dot(h, value, p->dim_out, 1));
        }
    }
    free(own);
    free(h);
}

/* Are all facts recalled that were not given up? */
static bool stands(const ireneo_attempt *a, const ireneo_check_report *report) {
    bool missing = false;
    if (report->recalled == report->facts) return true;
    if (a->recalled == NULL || a->given_up == NULL) return false;
    for (size_t i = 0; i < a->facts->facts; i++) missing |= !a->given_up[i] && !a->recalled[i];
    return !ireneo_ranks_any(ireneo_facts_ranks(a->facts), missing);
}

static void learn_from(ireneo_attempt *a, const ireneo_pairs *near) {
    ireneo_attempt_leave_int16(a);
    add_pairs(a, near);
    ireneo_minimiser_evaluate(&a->minimiser);
    if (a->minimiser.violations == 0) require_larger_gap(a);
}

static ireneo_error check_memory(ireneo_attempt *a, ireneo_near *near, ireneo_check_report *report) {
    int exponent = 0;
    IRENEO_TRY(ireneo_attempt_export(a, &exponent));
    if (near != NULL)
        *near = (ireneo_near){.reach = ldexp(REACH * (double)a->minimiser.least_margin, -exponent),
                              .exponent = a->scaled.key_exponent,
                              .most = ADDED + excused(a),
                              .unwanted = a->given_up};
    IRENEO_TRY(ireneo_check_near(a->memory, a->facts, a->settings.top, a->settings.threads,
                                 near != NULL ? a->settings.progress : NULL, near, a->recalled, report));
    a->info->scans++;
    a->info->recalled = report->recalled;
    a->info->margin = report->margin;
    return IRENEO_OK;
}

ireneo_error ireneo_attempt_check(ireneo_attempt *a, bool *standing) {
    double t0 = ireneo_seconds();
    ireneo_near near = {0};
    ireneo_check_report report;
    ireneo_error failed = check_memory(a, &near, &report);
    if (failed == IRENEO_OK) {
        *standing = stands(a, &report);
        if (!*standing) learn_from(a, &near.pairs);
    }
    free(near.pairs.items);
    a->info->phases.check += ireneo_seconds() - t0;
    return failed;
}

ireneo_error ireneo_attempt_count(ireneo_attempt *a) {
    ireneo_check_report report;
    return check_memory(a, NULL, &report); /* without progress: a store that was stopped counts, too */
}

bool ireneo_attempt_stop_asked(const ireneo_attempt *a) {
    ireneo_ranks *ranks = ireneo_facts_ranks(a->facts);
    size_t total = ireneo_facts_total(a->facts), given_up = 0;
    for (size_t i = 0; a->given_up != NULL && i < a->facts->facts; i++) given_up += a->given_up[i];
    if (a->given_up != NULL) given_up = ireneo_ranks_sum(ranks, given_up);
    size_t lost = a->minimiser.violations + given_up;
    double recalled = (double)(lost < total ? total - lost : 0);
    return ireneo_ranks_any(
        ranks, ireneo_report(a->settings.progress, "storing facts", recalled, (double)total) != 0);
}
