/* The memory with the largest margin, by an augmented Lagrangian (docs/margin.md).
 *
 *     minimise |W|^2 / 2 subject to (y_target - y_j)^T W x_i >= 1 .
 * With multipliers l >= 0 and a penalty rho, the inner problem of a round is the projection loss of scores
 * shifted by l / rho, plus |W|^2 / (2 rho): convex, smooth, with a sparse gradient. Newton's method solves it in
 * float64 on a working set of close competitors; its residuals times rho are the next multipliers. Scans of all
 * candidates extend the working set.
 *
 * For any l >= 0 with E = sum l_ij (y_target - y_j) x_i^T, a memory with gap g obeys g sum l <= <E, W> <=
 * |E| |W|: no margin exceeds |E| / sum l. The work ends when the margin comes close to that bound. */
#include "base/floats.h"
#include "base/progress.h"
#include "base/ram.h"
#include "base/threads.h"
#include "linear/certificate/newton.h"
#include "linear/facts/facts.h"
#include "linear/facts/whole_facts.h"
#include "linear/kernels/vector.h"
#include "linear/memory/memory.h"
#include "linear/problem/principal_axes.h"
#include "linear/scan/check.h"
#include "linear/scan/competitors.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { KEEP = 48, MOST_ROUNDS = 80, MOST_NEWTON = 60, MOST_PRODUCTS = 400 };

/* A stiff inner problem has many kinks and costs many Newton steps, so rho starts low and grows slowly; the
 * multipliers do the work. */
static const double FIRST_PENALTY = 3.0;                  /* rho in units of the mean multiplier */
static const double GROWTH = 1.2;                         /* of the penalty, a round */
static const double FIRST_ACCURACY = 0.2, SHARPER = 0.75; /* of the inner problem, and its factor a round */
static const double LAST_ACCURACY = 0.1;                  /* of the duality gap that is asked for */
static const double DUALITY_GAP = 1e-3;                   /* when none is asked for */

/* Competitors this far below a target, in units of the gap of one that is asked for, may become active. */
static const float REACH = 1.5f;

/* The line search only shortens: it ends at this share of the first slope, and a secant may not leave less, or
 * more, than these shares of a step. */
static const double FLAT = 0.1, LEAST_LEFT = 0.05, MOST_LEFT = 0.95;
enum { MOST_TRIALS = 20 };

/* How exactly a Newton step is solved for: a third of what is still missing, but no finer than a thousandth and
 * no coarser than a tenth. */
static const double MISSING = 0.3, FINEST_STEP = 1e-3, COARSEST_STEP = 0.1;

/* The first guess of the margin is the law's, enlarged: one that is too small makes the first problem stiff, one
 * that is too large only costs a round. */
static const double GUESS_TIMES = 1.2, GUESS_MORE = 0.1;

typedef struct margin_work {
    const ireneo_facts *facts;
    ireneo_max_margin_settings settings;
    ireneo_max_margin_info *info;
    ireneo_principal_axes axes;
    ireneo_working_set set;
    ireneo_pair_loss loss;
    ireneo_newton_space space;
    double *w, *gradient, *step, *diagonal; /* (dim_out, dim_in) */
    float *f32;                             /* (dim_out, dim_in): w for scans */
    double ridge, last_ridge;               /* 1 / rho, now and when the residuals were formed */
    double value;                           /* of the inner problem over rho */
    double unit;                            /* sqrt(dim_in): |W| over it is the spread of the scores */
    ireneo_memory *memory;
} margin_work;

static double norm(const double *a, size_t count) {
    return sqrt(ireneo_dot_f64(a, a, count));
}

/* ---- the inner problem ---- */

/* gradient becomes that of the loss + ridge |W|^2 / 2. */
static void evaluate(margin_work *s) {
    size_t area = s->loss.area;
    ireneo_pair_loss_evaluate(&s->loss, s->w, s->gradient);
    cblas_daxpy((int)area, s->ridge, s->w, 1, s->gradient, 1);
    s->value = s->loss.loss + 0.5 * s->ridge * ireneo_dot_f64(s->w, s->w, area);
}

/* Slope along the step after a move from one length to another. */
static double move_to(margin_work *s, double from, double to) {
    cblas_daxpy((int)s->loss.area, to - from, s->step, 1, s->w, 1);
    evaluate(s);
    return ireneo_dot_f64(s->gradient, s->step, s->loss.area);
}

/* Moves along the step, but not much beyond the lowest place: where the slope is above a tenth of its start
 * the step is shortened by the secant of the slope, which only rises as the value is convex. False when
 * nothing is gained. */
static bool take_step(margin_work *s) {
    double before = s->value, slope = ireneo_dot_f64(s->gradient, s->step, s->loss.area), at = 1.0;
    double here = move_to(s, 0.0, at);
    for (int trial = 0; trial < MOST_TRIALS && here > FLAT * fabs(slope); trial++) {
        double next = at * fmin(fmax(slope / (slope - here), LEAST_LEFT), MOST_LEFT);
        here = move_to(s, at, next);
        at = next;
    }
    if (s->value <= before) return true;
    move_to(s, at, 0.0);
    return false;
}

/* Newton's method until |gradient| is below `accuracy` of ridge |W|. */
static ireneo_error minimise(margin_work *s, double accuracy) {
    size_t area = s->loss.area;
    evaluate(s);
    for (int newton = 0; newton < MOST_NEWTON; newton++) {
        double size = norm(s->gradient, area), goal = accuracy * s->ridge * norm(s->w, area);
        if (size <= goal) break;
        if (ireneo_report(s->settings.store.progress, "widening the margin", fmax(0.0, s->info->margin),
                          isfinite(s->info->margin_bound) ? s->info->margin_bound : 1.0))
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped while the margin was widened");
        double forcing = fmin(COARSEST_STEP, fmax(MISSING * goal / size, FINEST_STEP));
        ireneo_newton_step(&s->loss, s->gradient, s->ridge, s->diagonal, forcing, MOST_PRODUCTS, &s->space,
                           s->step);
        s->info->newton_steps++;
        if (!take_step(s)) break;
    }
    s->last_ridge = s->ridge;
    return IRENEO_OK;
}

/* ---- scans ---- */

/* Finds the close competitors at w and adds them to the pairs. *gap: smallest gap over all candidates. */
static ireneo_error scan(margin_work *s, double *gap) {
    const ireneo_problem *p = &s->axes.problem;
    for (size_t k = 0; k < p->dim_out * p->dim_in; k++) s->f32[k] = (float)s->w[k];
    IRENEO_TRY(ireneo_find_competitors(p, s->f32, KEEP, REACH, s->settings.store.progress, &s->set));
    s->info->store.scans++;
    *gap = INFINITY;
    for (size_t i = 0; i < p->rows; i++) {
        float best = ireneo_largest_float(s->set.score + i * s->set.capacity, s->set.count[i]);
        *gap = fmin(*gap, (double)s->set.target_score[i] - (double)best);
    }
    return IRENEO_OK;
}

/* Margin bound of the residuals: |E| / sum l, in the units of the report. The loss gradient is -E / rho. */
static double dual_bound(const margin_work *s) {
    size_t area = s->loss.area;
    double square = 0.0;
    for (size_t k = 0; k < area; k++) {
        double e = s->gradient[k] - s->ridge * s->w[k];
        square += e * e;
    }
    return s->loss.weight_sum > 0.0 ? s->unit * sqrt(square) / s->loss.weight_sum : INFINITY;
}

/* ---- rounds of the augmented Lagrangian ---- */

/* The multipliers rho r of the last inner problem become shifts of the next one. */
static void take_multipliers(margin_work *s, double ridge) {
    for (size_t k = 0; k < s->loss.pairs; k++) s->loss.shift[k] = s->loss.residual[k] * ridge / s->last_ridge;
    s->ridge = ridge;
}

/* The Hessian's diagonal, were the active pairs independent of the memory. */
static void estimate_diagonal(margin_work *s) {
    const ireneo_principal_axes *r = &s->axes;
    for (size_t a = 0; a < s->loss.out; a++)
        for (size_t b = 0; b < s->loss.in; b++)
            s->diagonal[a * s->loss.in + b] =
                (double)s->loss.active * r->value_variance[a] * r->key_variance[b];
}

/* 1 / rho for a penalty in units of the mean multiplier: |W|^2 over the number of active pairs, of which
 * there are about as many as W has entries. A memory with this margin has |W| = unit / margin. */
static double ridge_of(const margin_work *s, double margin, double penalty) {
    double size = s->unit / margin;
    return (double)s->loss.area / (penalty * size * size);
}

static ireneo_error run_rounds(margin_work *s) {
    double penalty = FIRST_PENALTY;
    double goal = s->settings.duality_gap > 0.0 ? s->settings.duality_gap : DUALITY_GAP,
           accuracy = FIRST_ACCURACY, gap;
    size_t added;
    s->info->margin = 0.0, s->info->margin_bound = INFINITY;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        evaluate(s);
        estimate_diagonal(s);
        IRENEO_TRY(minimise(s, accuracy));
        s->info->margin_bound = dual_bound(s);
        IRENEO_TRY(scan(s, &gap));
        s->info->margin = gap * s->unit / norm(s->w, s->loss.area);
        s->info->duality_gap = 1.0 - s->info->margin / s->info->margin_bound;
        if (s->info->duality_gap <= goal) break;
        penalty *= GROWTH;
        take_multipliers(s, isfinite(s->info->margin_bound) ? ridge_of(s, s->info->margin_bound, penalty)
                                                            : s->ridge);
        IRENEO_TRY(ireneo_pair_loss_merge(&s->loss, &s->set, &added));
        accuracy = fmax(SHARPER * accuracy, LAST_ACCURACY * goal);
    }
    s->info->products = s->loss.products;
    return IRENEO_OK;
}

static ireneo_error estimate_memory(const ireneo_facts *f, int threads) {
    double n = (double)f->facts, p = (double)f->candidates, a = (double)f->dim_in, b = (double)f->dim_out;
    double values = f->values != NULL ? 12.0 * p * b : 12.0 * 2.0 * n * KEEP * b;
    double bytes = 12.0 * n * a + values + 64.0 * n * KEEP + a * b * (8.0 * (IRENEO_GROUPS + 8.0) + 12.0) +
                   32.0 * (a * a + b * b) + 8e6 * (double)threads;
    return ireneo_ram_require(bytes, "widening the margin of these facts");
}

/* Starts from the stored memory, scaled to the margin that the law expects. */
static ireneo_error prepare(margin_work *s) {
    IRENEO_TRY(estimate_memory(s->facts, s->settings.store.threads));
    IRENEO_TRY(ireneo_principal_axes_make(s->facts, s->settings.store.threads, &s->axes));
    const ireneo_problem *p = &s->axes.problem;
    size_t area = p->dim_in * p->dim_out, room = p->columns - 1 < KEEP ? p->columns - 1 : KEEP;
    double gap;
    IRENEO_TRY(ireneo_working_set_allocate(p, room, false, &s->set));
    IRENEO_TRY(ireneo_newton_space_make(area, &s->space));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->w, area, "memory in float64"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->gradient, area, "gradient in float64"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->step, area, "Newton step"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->diagonal, area, "preconditioner"));
    IRENEO_TRY(IRENEO_ALLOCATE(&s->f32, area, "memory"));
    IRENEO_TRY(ireneo_matrix_to_white(p, s->memory->matrix, s->f32));
    for (size_t k = 0; k < area; k++) s->w[k] = (double)s->f32[k];
    s->unit = sqrt((double)p->dim_in);
    double guess = GUESS_MORE + GUESS_TIMES * (isfinite(s->info->margin_law) ? s->info->margin_law : 1.0);
    cblas_dscal((int)area, s->unit / guess / norm(s->w, area), s->w, 1);
    IRENEO_TRY(scan(s, &gap));
    IRENEO_TRY(ireneo_pair_loss_make(p, &s->set, 1.0, &s->loss));
    s->ridge = ridge_of(s, guess, FIRST_PENALTY);
    return IRENEO_OK;
}

/* Frobenius norm of the memory for normalised data. */
static double memory_norm(const margin_work *s) {
    double square = 0.0;
    for (size_t k = 0; k < s->facts->dim_in * s->facts->dim_out; k++)
        square += (double)s->memory->matrix[k] * (double)s->memory->matrix[k];
    return sqrt(square) * s->axes.key_scale * s->axes.value_scale;
}

static ireneo_error measure(margin_work *s) {
    ireneo_max_margin_info *info = s->info;
    ireneo_check_report report;
    IRENEO_TRY(ireneo_check_near(s->memory, s->facts, 1, s->axes.problem.threads, NULL, NULL, NULL, &report));
    info->store.scans++;
    info->store.recalled = report.recalled;
    info->store.margin = report.margin;
    info->margin = report.gap * s->unit / memory_norm(s);
    info->duality_gap = 1.0 - info->margin / info->margin_bound;
    return IRENEO_OK;
}

/* Moves the result to the memory, rounded to float32, and measures that; the memory that was stored first
 * stays if it is better. */
static ireneo_error finish(margin_work *s) {
    size_t area = s->facts->dim_in * s->facts->dim_out;
    float *stored = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&stored, area, "memory"));
    memcpy(stored, s->memory->matrix, area * sizeof *stored);
    ireneo_error failed = measure(s);
    double before = s->info->margin;
    for (size_t k = 0; k < s->loss.area; k++) s->f32[k] = (float)s->w[k];
    if (failed == IRENEO_OK) failed = ireneo_matrix_from_white(&s->axes.problem, s->f32, s->memory->matrix);
    if (failed == IRENEO_OK) failed = measure(s);
    if (failed == IRENEO_OK && s->info->margin < before) {
        memcpy(s->memory->matrix, stored, area * sizeof *stored);
        failed = measure(s);
    }
    free(stored);
    return failed;
}

static void free_work(margin_work *s) {
    ireneo_pair_loss_free(&s->loss);
    ireneo_working_set_free(&s->set);
    ireneo_principal_axes_free(&s->axes);
    ireneo_newton_space_free(&s->space);
    free(s->w), free(s->gradient), free(s->step), free(s->diagonal), free(s->f32);
}

/* What the law expects; NaN when it has nothing to say about this shape. */
static double law_margin(const ireneo_facts *facts, const ireneo_store_info *stored) {
    ireneo_shape shape = {.dim_in = stored->span_in,
                          .dim_out = stored->span_out,
                          .candidates = (double)facts->candidates,
                          .facts = (double)facts->facts};
    double margin = NAN;
    return ireneo_capacity_margin(&shape, &margin) == IRENEO_OK ? margin : NAN;
}

static ireneo_error widen(margin_work *s, ireneo_store_result *result) {
    s->info->margin_law = law_margin(s->facts, &s->info->store);
    ireneo_error failed = prepare(s);
    if (failed == IRENEO_OK) failed = run_rounds(s);
    if (failed == IRENEO_OK) failed = finish(s);
    if (failed == IRENEO_OK && result != NULL)
        failed = ireneo_pair_loss_certificate(&s->loss, s->loss.residual, &result->certificate);
    if (failed == IRENEO_OK && result != NULL)
        memcpy(result->certificate->facts_hash, s->memory->facts_hash, IRENEO_HASH_BYTES);
    return failed;
}

/* Of facts that are spread over ranks rank 0 sees all, and widens alone; the others get what it found, but for the certificate. */
static ireneo_error widen_whole(margin_work *s, const ireneo_facts *facts, ireneo_store_result *result) {
    ireneo_ranks *ranks = ireneo_facts_ranks(facts);
    ireneo_whole_facts whole;
    IRENEO_TRY(ireneo_whole_facts_make(facts, &whole));
    s->facts = &whole.facts; /* cppcheck-suppress autoVariables ; until the end of this function */
    ireneo_error failed = ranks == NULL || ranks->rank == 0 ? widen(s, result) : IRENEO_OK;
    free_work(s);
    s->facts = facts;
    ireneo_whole_facts_free(&whole);
    failed = ireneo_ranks_agree(ranks, failed);
    if (failed != IRENEO_OK) return failed;
    ireneo_ranks_broadcast(ranks, 0, s->memory->matrix,
                           facts->dim_in * facts->dim_out * sizeof *s->memory->matrix);
    ireneo_ranks_broadcast(ranks, 0, s->info, sizeof *s->info);
    return IRENEO_OK;
}

ireneo_error ireneo_max_margin(const ireneo_facts *facts, const ireneo_max_margin_settings *settings,
                               ireneo_memory **memory, ireneo_store_result *result,
                               ireneo_max_margin_info *info) {
    ireneo_max_margin_info ignored = {0};
    margin_work s = {.facts = facts, .info = info != NULL ? info : &ignored};
    double begin = ireneo_seconds();
    if (memory != NULL) *memory = NULL;
    if (result != NULL) *result = (ireneo_store_result){0};
    memset(s.info, 0, sizeof *s.info);
    IRENEO_REQUIRE(memory != NULL, "the largest margin needs a place for the memory");
    s.info->margin = s.info->margin_bound = s.info->duality_gap = s.info->margin_law = NAN;
    if (settings != NULL) s.settings = *settings;
    IRENEO_TRY(ireneo_check_reserved(s.settings.reserved, "the margin settings"));
    if (s.settings.store.rank != 0 || s.settings.store.solver != IRENEO_SOLVER_PROJECT)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the largest margin is only found for full matrices and the default solver");
    if (s.settings.store.top > 1)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the largest margin is found for the best answer alone, not for the %zu best",
                           s.settings.store.top);
    if (facts != NULL && facts->residuals != NULL)
        return ireneo_fail(
            IRENEO_ERROR_ARGUMENT,
            "the largest margin is not defined for facts with residuals: a larger W outweighs them; "
            "edit with a margin finds the least change");
    if (!(s.settings.duality_gap >= 0.0 && s.settings.duality_gap < 1.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the duality gap must lie between 0 and 1");
    IRENEO_TRY(ireneo_store(facts, &s.settings.store, memory, result, &s.info->store));
    if (s.info->store.status != IRENEO_STATUS_STORED) return IRENEO_OK;
    s.memory = *memory;
    ireneo_error failed = ireneo_enter(s.settings.store.threads, &s.settings.store.threads);
    if (failed == IRENEO_OK) failed = ireneo_leave(widen_whole(&s, facts, result));
    s.info->store.seconds = ireneo_seconds() - begin;
    s.info->store.peak_bytes = ireneo_ram_peak();
    if (failed == IRENEO_ERROR_CANCELLED) { /* the memory recalls everything, only not with the best margin */
        s.info->store.status = IRENEO_STATUS_INTERRUPTED;
        s.info->margin = s.info->duality_gap = NAN;
        return IRENEO_OK;
    }
    if (failed != IRENEO_OK) {
        ireneo_memory_free(*memory);
        *memory = NULL;
        ireneo_store_result_free(result);
    }
    return failed;
}
