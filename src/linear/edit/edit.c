/* ireneo_edit: from facts and a matrix to the nearest matrix, checked by code that does not know the solver. */
#include "linear/edit/edit.h"
#include "base/ram.h"
#include "base/threads.h"
#include "linear/certificate/certificate.h"
#include "linear/certificate/contradiction.h"
#include "linear/certificate/verify.h"
#include "linear/edit/closed_forms.h"
#include "linear/edit/pair_newton.h"
#include "linear/facts/fingerprint.h"
#include "linear/memory/memory.h"
#include "linear/scan/check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double USUAL_NATS = 0.5, USUAL_SHARE = 0.5;
static const double FLOAT32 = 0x1p-24;
static const double SPREADS = 6.0; /* of the rounding of a score, that a protected gap stays above */

/* About so many pairs a fact bind. */
static const double PAIRS_A_FACT = 8.0;

const char *ireneo_edit_rule_name(ireneo_edit_rule rule) {
    switch (rule) {
    case IRENEO_RULE_LEAST_CHANGE:
        return "least-change";
    case IRENEO_RULE_RIDGE:
        return "ridge";
    case IRENEO_RULE_NULL_SPACE:
        return "null-space";
    }
    return "unknown";
}

void ireneo_edit_result_free(ireneo_edit_result *result) {
    if (result == NULL) return;
    ireneo_certificate_free(result->certificate);
    free((void *)result->all.keys), free((void *)result->all.residuals), free((void *)result->all.targets);
    free(result->kept), free(result->margins);
    *result = (ireneo_edit_result){0};
}

/* ---- margins ---- */

static double root_mean_square(const double *v, size_t count) {
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) sum += v[k] * v[k];
    return sqrt(sum / (double)count);
}

static double margin_of_new(const edit_work *e, size_t row) {
    const ireneo_edit_settings *s = &e->settings;
    double rms = root_mean_square(e->problem.outputs + row * e->problem.dim_out, e->problem.dim_out);
    if (s->margins != NULL && row < e->facts->facts && s->margins[row] > 0.0) return s->margins[row];
    if (s->margin > 0.0 && !s->nats) return s->margin;
    double nats = s->margin > 0.0 ? s->margin : USUAL_NATS;
    return rms > 0.0 ? nats * rms : s->margin > 0.0 ? s->margin : 1.0;
}

/* Scores of a row move by about this when W is rounded: columns (dim_in) are the square norms of W0's columns. */
static double rounding_of(const edit_work *e, size_t row, const double *columns, double values) {
    const float *x = e->result.all.keys + row * e->facts->dim_in;
    double sum = 0.0, unit = e->settings.rounding > 0.0 ? e->settings.rounding : FLOAT32;
    for (size_t b = 0; b < e->facts->dim_in; b++) sum += (double)x[b] * (double)x[b] * columns[b];
    return SPREADS * unit * sqrt(sum / (double)e->facts->dim_out) * values;
}

static void protected_row(edit_work *e, size_t row, double gap, double rounding) {
    double share = e->settings.share > 0.0 ? e->settings.share : USUAL_SHARE, most = margin_of_new(e, row);
    e->problem.margins[row] = fmin(most, fmax(share * gap, rounding));
}

/* Present gaps of all rows decide the margins of protected ones. */
static ireneo_error set_margins(edit_work *e) {
    const ireneo_facts *all = &e->result.all;
    size_t n = e->facts->facts, added;
    double *columns = NULL, *gaps = NULL, values = 0.0;
    ireneo_edit_pairs pairs;
    IRENEO_TRY(ireneo_edit_pairs_make(&e->problem, &pairs));
    ireneo_error failed = IRENEO_ALLOCATE_ZEROED(&columns, all->dim_in, "columns of the matrix");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&gaps, all->facts, "gaps");
    if (failed == IRENEO_OK) failed = ireneo_edit_scan(&pairs, 0, 0.0, gaps, &added);
    for (size_t k = 0; failed == IRENEO_OK && k < all->dim_in * all->dim_out; k++)
        columns[k % all->dim_in] += (double)e->w0->matrix[k] * (double)e->w0->matrix[k];
    for (size_t k = 0; failed == IRENEO_OK && k < all->candidates * all->dim_out; k++)
        values += (double)all->values[k] * (double)all->values[k];
    values = sqrt(2.0 * values / (double)all->candidates);
    for (size_t i = 0; failed == IRENEO_OK && i < all->facts; i++) {
        bool adopted = i >= n && !(gaps[i] > 0.0);
        if (i < n || adopted)
            e->problem.margins[i] = margin_of_new(e, i);
        else
            protected_row(e, i, gaps[i], rounding_of(e, i, columns, values));
        e->info->adopted += adopted;
        if (adopted && !e->settings.adopt)
            failed = ireneo_fail(
                IRENEO_ERROR_DATA,
                "protected row %zu: the matrix does not answer %lld there now (its best competitor leads "
                "by %.3g); leave the row out, or have such rows taken as new facts",
                e->place[i - n], (long long)all->targets[i], -gaps[i]);
        if (failed == IRENEO_OK && !(e->problem.margins[i] > 0.0 && isfinite(e->problem.margins[i])))
            failed = ireneo_fail(IRENEO_ERROR_ARGUMENT, "the margin of fact %zu is not a positive number", i);
    }
    free(columns), free(gaps);
    ireneo_edit_pairs_free(&pairs);
    return failed;
}

/* ---- the matrix ---- */

ireneo_error ireneo_edit_write(edit_work *e, const double *change, bool in_metric) {
    size_t area = e->facts->dim_in * e->facts->dim_out;
    double *moved = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&moved, area, "the change"));
    memcpy(moved, change, area * sizeof *moved);
    if (in_metric) ireneo_metric_undo(&e->problem, moved);
    for (size_t k = 0; k < area; k++) e->edited->matrix[k] = (float)((double)e->w0->matrix[k] + moved[k]);
    free(moved);
    return ireneo_memory_check(e->edited);
}

/* |W - W0| in both norms, of the matrix as it was rounded. */
static ireneo_error measure_change(edit_work *e) {
    size_t in = e->facts->dim_in, out = e->facts->dim_out;
    double square = 0.0, before = 0.0, metric = 0.0, *d = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&d, in, "the change"));
    for (size_t a = 0; a < out; a++) {
        for (size_t b = 0; b < in; b++) {
            double old = (double)e->w0->matrix[a * in + b];
            d[b] = (double)e->edited->matrix[a * in + b] - old;
            square += d[b] * d[b], before += old * old;
        }
        for (size_t c = 0; e->metric != NULL && c < in; c++) { /* row a of D = (W - W0) L */
            double sum = 0.0;
            for (size_t b = c; b < in; b++) sum += d[b] * e->metric[b * in + c];
            metric += sum * sum;
        }
    }
    free(d);
    e->info->change = sqrt(square);
    e->info->change_relative = before > 0.0 ? sqrt(square / before) : square > 0.0 ? INFINITY : 0.0;
    e->info->change_metric = e->metric != NULL ? sqrt(metric) : sqrt(square);
    return IRENEO_OK;
}

/* Full passes over all candidates with the matrix as it is, which decide what counts as recalled. */
static ireneo_error check_outcome(edit_work *e) {
    const ireneo_facts *all = &e->result.all;
    size_t n = e->facts->facts;
    ireneo_check_report report;
    ireneo_facts part = *all;
    part.facts = n;
    IRENEO_TRY(ireneo_check_near(e->edited, &part, 1, e->threads, NULL, NULL, e->result.kept, &report));
    e->info->recalled = report.recalled;
    e->info->margin = report.gap;
    e->info->scans++;
    part.facts = all->facts - n;
    if (part.facts == 0) return IRENEO_OK;
    part.keys += n * all->dim_in, part.targets += n;
    if (part.residuals != NULL) part.residuals += n * all->dim_out;
    IRENEO_TRY(ireneo_check_near(e->edited, &part, 1, e->threads, NULL, NULL, NULL, &report));
    e->info->protected_kept = report.recalled;
    return IRENEO_OK;
}

ireneo_error ireneo_edit_measure(edit_work *e) {
    IRENEO_TRY(check_outcome(e));
    return measure_change(e);
}

static bool all_kept(const edit_work *e) {
    return e->info->recalled == e->info->facts && e->info->protected_kept == e->info->protected_facts;
}

/* ---- impossibility ---- */

/* The weights of a ray as a certificate, sorted by fact. */
static ireneo_error make_certificate(const edit_work *e, const ireneo_least_change *c,
                                     ireneo_certificate **certificate) {
    const ireneo_edit_pairs *p = &c->pairs;
    size_t count = 0;
    for (size_t k = 0; k < p->count; k++) count += c->ray[k] > 0.0;
    IRENEO_TRY(ireneo_certificate_allocate(count, certificate));
    ireneo_certificate *out = *certificate;
    IRENEO_TRY(IRENEO_ALLOCATE(&out->margins, count, "certificate"));
    count = 0;
    for (size_t i = 0; i < p->problem->rows; i++)
        for (int64_t k = p->head[i]; k != IRENEO_NO_PAIR; k = p->next[k]) {
            if (!(c->ray[k] > 0.0)) continue;
            out->facts[count] = (int64_t)i, out->candidates[count] = (int64_t)p->candidate[k];
            out->weights[count] = c->ray[k], out->margins[count++] = e->problem.margins[i];
        }
    return IRENEO_OK;
}

/* Takes a certificate over; it counts only if the judge accepts it. Up to 2500 entries of W it must be exact. */
static ireneo_error judge(edit_work *e, ireneo_certificate *certificate, bool *accepted) {
    const ireneo_facts *all = &e->result.all;
    ireneo_verify_plan plan = {
        .threads = e->threads, .exact_entries = IRENEO_EXACT_ENTRIES, .progress = e->settings.progress};
    ireneo_verify_report report = {0};
    ireneo_error failed = ireneo_fingerprint(all, e->threads, certificate->facts_hash);
    if (failed == IRENEO_OK) failed = ireneo_verify_planned(certificate, all, &plan, &report);
    *accepted = failed == IRENEO_OK && report.accepted &&
                (report.exact || all->dim_in * all->dim_out > IRENEO_EXACT_ENTRIES);
    if (*accepted) {
        ireneo_certificate_free(e->result.certificate);
        e->result.certificate = certificate;
        e->info->exact = report.exact;
        e->info->certificate_norm_bound = report.norm_bound;
        snprintf(e->info->reason, sizeof e->info->reason, "%s", certificate->reason);
    } else {
        ireneo_certificate_free(certificate);
    }
    return failed;
}

ireneo_error ireneo_edit_prove(edit_work *e, const ireneo_least_change *c, bool *accepted) {
    ireneo_certificate *certificate = NULL;
    *accepted = false;
    if (!c->impossible) return IRENEO_OK;
    ireneo_error failed = make_certificate(e, c, &certificate);
    if (failed == IRENEO_OK) return judge(e, certificate, accepted);
    ireneo_certificate_free(certificate);
    return failed;
}

/* Equal candidates, and keys whose offsets do not tell them apart. */
static ireneo_error find_contradiction(edit_work *e, bool *found) {
    ireneo_certificate *certificate = NULL;
    *found = false;
    IRENEO_TRY(ireneo_find_contradiction(&e->result.all, &certificate));
    if (certificate == NULL) return IRENEO_OK;
    size_t n = e->facts->facts, second = (size_t)certificate->facts[certificate->count - 1];
    if (certificate->count == 2 && (size_t)certificate->facts[0] < n && second >= n)
        snprintf(certificate->reason, sizeof certificate->reason,
                 "fact %lld has the key of protected row %zu but another value; leave the row out, or let it "
                 "give way",
                 (long long)certificate->facts[0], e->place[second - n]);
    return judge(e, certificate, found);
}

/* ---- the least change ---- */

/* The change that belongs to the multipliers, whatever the solver was doing when it ended. */
static ireneo_error settle(ireneo_least_change *c) {
    size_t added;
    double sum = 0.0;
    ireneo_edit_pairs *p = &c->pairs;
    memcpy(p->a, p->weight, p->count * sizeof *p->a);
    ireneo_edit_pairs_product(p, p->a, p->gap);
    IRENEO_TRY(ireneo_edit_scan(p, 0, 0.0, c->least, &added));
    for (size_t k = 0; k < p->count; k++) sum += p->weight[k] * p->gap[k];
    c->norm = sqrt(fmax(0.0, sum));
    return IRENEO_OK;
}

static void take_counts(edit_work *e, const ireneo_least_change *c) {
    ireneo_edit_info *info = e->info;
    info->rounds += c->rounds, info->steps += c->steps, info->scans += c->scans;
    info->active = c->active;
    info->bound = c->bound;
    info->shortfall = fmax(0.0, c->shortfall);
}

ireneo_error ireneo_edit_least_change(edit_work *e, ireneo_least_change *c, bool *stopped) {
    *stopped = false;
    ireneo_error failed =
        ireneo_least_change_find(&e->problem, e->settings.max_rounds, e->settings.duality_gap, c);
    if (failed == IRENEO_ERROR_CANCELLED && c->least != NULL) *stopped = true, failed = IRENEO_OK;
    if (failed == IRENEO_OK) failed = settle(c);
    if (failed == IRENEO_OK) failed = ireneo_edit_write(e, c->pairs.change, true);
    if (failed == IRENEO_OK) take_counts(e, c);
    return failed;
}

static ireneo_error change_least(edit_work *e) {
    ireneo_least_change c = {.reached = false};
    bool stopped = false, proved = false;
    ireneo_error failed = find_contradiction(e, &proved);
    if (failed == IRENEO_OK && !proved) {
        failed = ireneo_edit_least_change(e, &c, &stopped);
        if (failed == IRENEO_OK && !stopped) failed = ireneo_edit_prove(e, &c, &proved);
    }
    bool reached = c.reached;
    ireneo_least_change_free(&c);
    IRENEO_TRY(failed);
    e->info->status = proved    ? IRENEO_STATUS_IMPOSSIBLE
                      : stopped ? IRENEO_STATUS_INTERRUPTED
                      : reached ? IRENEO_STATUS_EDITED
                                : IRENEO_STATUS_UNDECIDED;
    if (e->info->status != IRENEO_STATUS_EDITED && e->settings.overload && !stopped)
        return ireneo_edit_overload(e);
    return IRENEO_OK;
}

/* ---- before and after ---- */

static ireneo_error check_settings(const ireneo_memory *w0, const ireneo_facts *f,
                                   const ireneo_edit_settings *s) {
    IRENEO_TRY(ireneo_check_reserved(s->reserved, "the settings of an edit"));
    IRENEO_TRY(ireneo_memory_check_facts(w0, f));
    if (w0->rank != 0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the matrix to edit comes as two factors; give their product");
    if (f->values == NULL)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "an edit needs values that all facts share");
    if ((unsigned)s->rule > IRENEO_RULE_NULL_SPACE)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "there is no rule number %d", (int)s->rule);
    if (!(s->margin >= 0.0 && isfinite(s->margin)))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the margin must not be negative");
    for (size_t i = 0; s->margins != NULL && i < f->facts; i++)
        if (!(s->margins[i] >= 0.0 && isfinite(s->margins[i])))
            return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the margin of fact %zu is negative or not finite", i);
    if (!(s->share >= 0.0 && s->share <= 1.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the share of protected gaps must lie between 0 and 1");
    if (!(s->ridge >= 0.0 && s->lambda >= 0.0 && s->rounding >= 0.0 && s->duality_gap >= 0.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "ridge, lambda, rounding and duality gap must not be negative");
    if (s->protect_count > 0 && s->protect_keys == NULL)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "protected positions have no keys");
    if (s->rule == IRENEO_RULE_NULL_SPACE && s->covariance == NULL)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "the null-space rule needs the second moment of ordinary keys");
    return IRENEO_OK;
}

/* Small edits are a crowd of short loops, which a second thread only delays. Results do not depend on the number. */
static int useful_threads(const ireneo_facts *f, const ireneo_edit_settings *s, int threads) {
    static const double WORTH_A_THREAD = 1e8; /* operations of a pass over all candidates, or of a product */
    double rows = (double)(f->facts + s->protect_count), out = (double)f->dim_out;
    double most = 1.0 + 2.0 * rows * out * ((double)f->candidates + 2.0 * (double)f->dim_in) / WORTH_A_THREAD;
    return most < (double)threads ? (int)most : threads;
}

static double bytes_needed(const edit_work *e) {
    const ireneo_facts *f = e->facts;
    double n = (double)(f->facts + e->settings.protect_count), a = (double)f->dim_in, b = (double)f->dim_out,
           p = (double)f->candidates;
    double pairs = ireneo_pair_solve_bytes(fmin(8000.0, PAIRS_A_FACT * (double)f->facts + n));
    return n * (12.0 * a + 36.0 * b + 800.0) + 12.0 * p * b + 60.0 * a * b + 24.0 * a * a + pairs +
           8.0 * (double)e->threads * 32.0 * (p + b) + 8e6 * (double)e->threads;
}

static ireneo_error prepare(edit_work *e) {
    const ireneo_facts *f = e->facts;
    IRENEO_TRY(ireneo_ram_require(bytes_needed(e), "this edit"));
    IRENEO_TRY(ireneo_edit_join_facts(e));
    if (e->settings.covariance != NULL)
        IRENEO_TRY(ireneo_metric_factor(e->settings.covariance, f->dim_in, e->settings.ridge, e->threads,
                                        &e->metric));
    IRENEO_TRY(ireneo_edit_problem_make(&e->result.all, e->w0->matrix, e->metric, e->threads,
                                        e->settings.progress, &e->problem));
    IRENEO_TRY(set_margins(e));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&e->result.kept, f->facts, "recalled facts"));
    IRENEO_TRY(IRENEO_ALLOCATE(&e->result.margins, e->problem.rows, "margins"));
    memcpy(e->result.margins, e->problem.margins, e->problem.rows * sizeof *e->result.margins);
    IRENEO_TRY(ireneo_memory_allocate(f->dim_in, f->dim_out, 0, &e->edited));
    memcpy(e->edited->matrix, e->w0->matrix, f->dim_in * f->dim_out * sizeof *e->edited->matrix);
    return ireneo_fingerprint(f, e->threads, e->edited->facts_hash);
}

/* What the check found outranks what the solver thought. */
static void set_status(edit_work *e) {
    ireneo_edit_info *info = e->info;
    bool least = e->settings.rule == IRENEO_RULE_LEAST_CHANGE;
    if (!least) info->status = all_kept(e) ? IRENEO_STATUS_EDITED : IRENEO_STATUS_PARTIAL;
    if (least && info->status == IRENEO_STATUS_EDITED && !all_kept(e)) info->status = IRENEO_STATUS_UNDECIDED;
    if (least && info->status == IRENEO_STATUS_UNDECIDED && info->reason[0] == '\0')
        snprintf(info->reason, sizeof info->reason,
                 "margins are missed by up to %.2g of them; more rounds, or a smaller margin",
                 info->shortfall);
    if (!least || info->status == IRENEO_STATUS_IMPOSSIBLE) info->bound = info->duality_gap = NAN;
}

static ireneo_error run(edit_work *e) {
    IRENEO_TRY(prepare(e));
    if (e->settings.rule == IRENEO_RULE_LEAST_CHANGE)
        IRENEO_TRY(change_least(e));
    else
        IRENEO_TRY(ireneo_edit_closed_form(e));
    IRENEO_TRY(ireneo_edit_measure(e));
    e->info->duality_gap =
        e->info->change_metric > 0.0 ? fmax(0.0, 1.0 - e->info->bound / e->info->change_metric) : 0.0;
    set_status(e);
    return IRENEO_OK;
}

ireneo_error ireneo_edit(const ireneo_memory *w0, const ireneo_facts *facts,
                         const ireneo_edit_settings *settings, ireneo_memory **edited,
                         ireneo_edit_result *result, ireneo_edit_info *info) {
    double begin = ireneo_seconds();
    ireneo_edit_info ignored = {0};
    edit_work e = {.w0 = w0, .facts = facts, .info = info != NULL ? info : &ignored};
    if (edited != NULL) *edited = NULL;
    if (result != NULL) *result = (ireneo_edit_result){0};
    memset(e.info, 0, sizeof *e.info);
    IRENEO_REQUIRE(edited != NULL, "an edit needs a place for the matrix");
    if (settings != NULL) e.settings = *settings;
    IRENEO_TRY(check_settings(w0, facts, &e.settings));
    IRENEO_TRY(ireneo_enter(e.settings.threads, &e.threads));
    e.threads = useful_threads(facts, &e.settings, e.threads);
    e.info->facts = facts->facts;
    e.info->protected_facts = e.settings.protect_count;
    e.info->status = IRENEO_STATUS_UNDECIDED;
    ireneo_error failed = run(&e);
    e.info->seconds = ireneo_seconds() - begin;
    e.info->peak_bytes = ireneo_ram_peak();
    ireneo_edit_problem_free(&e.problem);
    free(e.metric), free(e.place);
    if (failed == IRENEO_OK) *edited = e.edited, e.edited = NULL;
    if (failed == IRENEO_OK && result != NULL) {
        *result = e.result;
        e.result = (ireneo_edit_result){0};
    }
    ireneo_memory_free(e.edited);
    ireneo_edit_result_free(&e.result);
    return ireneo_leave(failed);
}
