/* Facts with offsets: y^T (W x + r).
 *
 * What can be stored without offsets can be stored with any: a larger W outweighs them. So the plain facts are stored first,
 * and W is doubled until a check with the offsets finds all facts recalled. Where the plain facts do not fit, the offsets may
 * still help: equal keys with different values, say. Then the least W that gives all facts a margin is looked for (edit/),
 * starting at zero. A proof that the margin is out of reach, sum R (m - u^T r) > 0, excludes recall at all when also
 * sum R u^T r <= 0; otherwise it bounds the margin, and a smaller one is tried. */
#include "linear/solver/store_offsets.h"
#include "base/clock.h"
#include "base/ram.h"
#include "base/threads.h"
#include "linear/certificate/contradiction.h"
#include "linear/certificate/verify.h"
#include "linear/facts/fingerprint.h"
#include "linear/memory/memory.h"
#include "linear/scan/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DOUBLINGS = 90, MOST_MARGINS = 12 };
static const double FIRST_MARGIN = 0.05;   /* of the typical |u^T r| */
static const double SMALLER_MARGIN = 0.25; /* of what a proof leaves possible */

typedef struct offset_store {
    const ireneo_facts *facts;
    const ireneo_store_settings *settings;
    ireneo_memory *memory;
    ireneo_store_result result;
    ireneo_store_info *info;
    int threads;
} offset_store;

static ireneo_error count_recalled(offset_store *s) {
    ireneo_check_report report;
    IRENEO_TRY(ireneo_check_near(s->memory, s->facts, 1, s->threads, NULL, NULL, s->result.kept, &report));
    s->info->recalled = report.recalled;
    s->info->margin = report.margin;
    s->info->scans++;
    return IRENEO_OK;
}

static void scale_memory(ireneo_memory *m, int exponent) {
    float *entries = m->rank == 0 ? m->matrix : m->left;
    size_t count = m->dim_out * (m->rank == 0 ? m->dim_in : m->rank);
    for (size_t k = 0; k < count; k++) entries[k] = ldexpf(entries[k], exponent);
}

static bool is_finite(const ireneo_memory *m) {
    return ireneo_memory_check(m) == IRENEO_OK;
}

/* Doubles W, faster and faster, until as many facts are recalled as without offsets. */
static ireneo_error outweigh(offset_store *s, size_t wanted) {
    IRENEO_TRY(count_recalled(s));
    for (int exponent = 1, all = 0; s->info->recalled < wanted && all < MOST_DOUBLINGS; exponent *= 2) {
        scale_memory(s->memory, exponent);
        all += exponent;
        if (!is_finite(s->memory)) {
            scale_memory(s->memory, -exponent);
            break;
        }
        IRENEO_TRY(count_recalled(s));
    }
    return IRENEO_OK;
}

/* ---- where offsets must help ---- */

/* Root mean square of y^T r, over facts and a few values. */
static double typical_offset(const ireneo_facts *f) {
    double sum = 0.0, values = 0.0;
    for (size_t k = 0; k < f->facts * f->dim_out; k++)
        sum += (double)f->residuals[k] * (double)f->residuals[k];
    for (size_t k = 0; k < f->candidates * f->dim_out; k++)
        values += (double)f->values[k] * (double)f->values[k];
    double size = sqrt(sum / (double)f->facts) * sqrt(values / (double)f->candidates);
    return size > 0.0 ? size : 1.0;
}

/* sum R u^T r / sum R: no margin above this is possible. */
static double margin_left(const ireneo_certificate *c, const ireneo_facts *f) {
    double sum = 0.0, all = 0.0;
    for (size_t k = 0; k < c->count; k++) {
        size_t i = (size_t)c->facts[k], t = f->targets != NULL ? (size_t)f->targets[i] : i;
        const float *r = f->residuals + i * f->dim_out, *y = f->values + t * f->dim_out,
                    *z = f->values + (size_t)c->candidates[k] * f->dim_out;
        for (size_t a = 0; a < f->dim_out; a++)
            sum += c->weights[k] * ((double)y[a] - (double)z[a]) * (double)r[a];
        all += c->weights[k];
    }
    return sum / all;
}

/* Does the certificate, without its margins, prove that recall is impossible? */
static ireneo_error judge(offset_store *s, ireneo_certificate *c, bool *accepted) {
    ireneo_verify_report report = {0};
    const ireneo_facts *f = s->facts;
    double *margins = c->margins;
    c->margins = NULL;
    ireneo_verify_settings settings = {
        .threads = s->threads, .exact = s->settings->exact, .progress = s->settings->progress};
    ireneo_error failed = ireneo_fingerprint(f, s->threads, c->facts_hash);
    if (failed == IRENEO_OK) failed = ireneo_verify(c, f, &settings, &report);
    *accepted = failed == IRENEO_OK && report.accepted &&
                (report.exact || f->dim_in * f->dim_out > IRENEO_EXACT_ENTRIES);
    if (!*accepted) {
        c->margins = margins;
        return failed;
    }
    free(margins);
    s->info->certificate_norm_bound = report.norm_bound;
    s->info->angular_margin_bound = report.angular_margin_bound;
    s->info->exact = report.exact;
    snprintf(s->info->reason, sizeof s->info->reason, "%s", c->reason);
    return IRENEO_OK;
}

static void take_certificate(offset_store *s, ireneo_certificate **c) {
    ireneo_certificate_free(s->result.certificate);
    s->result.certificate = *c;
    *c = NULL;
    s->info->status = IRENEO_STATUS_IMPOSSIBLE;
}

/* One margin: stored, impossible, or a smaller margin to try; 0 when there is nothing to try any more. */
static ireneo_error try_margin(offset_store *s, double *margin) {
    const ireneo_facts *f = s->facts;
    ireneo_memory *zero = NULL, *found = NULL;
    ireneo_edit_result result;
    ireneo_edit_info info;
    ireneo_edit_settings settings = {
        .margin = *margin, .threads = s->threads, .progress = s->settings->progress, .duality_gap = 0.5};
    IRENEO_TRY(ireneo_memory_allocate(f->dim_in, f->dim_out, 0, &zero));
    ireneo_error failed = ireneo_edit(zero, f, &settings, &found, &result, &info);
    ireneo_memory_free(zero);
    if (failed == IRENEO_ERROR_NUMERIC ||
        failed == IRENEO_ERROR_DATA) /* numbers beyond float32, say: nothing is decided */
        return *margin = 0.0, IRENEO_OK;
    IRENEO_TRY(failed);
    s->info->iterations += info.steps;
    s->info->scans += info.scans;
    if (info.recalled >= s->info->recalled) {
        ireneo_memory *old = s->memory;
        s->memory = found, found = old;
        failed = count_recalled(s);
    }
    bool accepted = false;
    double left = info.status == IRENEO_STATUS_UNDECIDED ? *margin : 0.0;
    if (failed == IRENEO_OK && result.certificate != NULL && s->info->recalled < f->facts) {
        left = margin_left(result.certificate, f);
        failed = judge(s, result.certificate, &accepted);
        if (accepted) take_certificate(s, &result.certificate);
    }
    if (info.status == IRENEO_STATUS_INTERRUPTED) s->info->status = info.status;
    bool over = accepted || s->info->recalled == f->facts || info.status == IRENEO_STATUS_INTERRUPTED;
    *margin = over ? 0.0 : fmin(SMALLER_MARGIN * left, SMALLER_MARGIN * *margin);
    ireneo_edit_result_free(&result);
    ireneo_memory_free(found);
    return failed;
}

static ireneo_error use_offsets(offset_store *s) {
    ireneo_certificate *c = s->result.certificate;
    bool accepted = false;
    double margin = FIRST_MARGIN * typical_offset(s->facts);
    s->info->status = IRENEO_STATUS_UNDECIDED;
    s->info->reason[0] = '\0';
    s->info->certificate_norm_bound = s->info->angular_margin_bound = 0.0, s->info->exact = 0;
    s->result.certificate = NULL;
    if (c == NULL) IRENEO_TRY(ireneo_find_contradiction(s->facts, &c));
    ireneo_error failed = c != NULL ? judge(s, c, &accepted) : IRENEO_OK;
    if (accepted) take_certificate(s, &c);
    ireneo_certificate_free(c);
    for (int k = 0; failed == IRENEO_OK && !accepted && k < MOST_MARGINS && margin > 0.0; k++) {
        failed = try_margin(s, &margin);
        accepted = s->info->status == IRENEO_STATUS_IMPOSSIBLE;
    }
    return failed;
}

/* ---- all of it ---- */

static ireneo_error run(offset_store *s) {
    ireneo_facts plain = *s->facts;
    ireneo_store_settings settings = *s->settings;
    plain.residuals = NULL;
    settings.threads = s->threads;
    IRENEO_TRY(ireneo_store(&plain, &settings, &s->memory, &s->result, s->info));
    ireneo_status first = s->info->status;
    IRENEO_TRY(outweigh(s, s->info->recalled));
    bool helpful = s->info->recalled < s->facts->facts && s->facts->values != NULL && settings.rank == 0 &&
                   settings.solver == IRENEO_SOLVER_PROJECT && !settings.overload &&
                   first != IRENEO_STATUS_INTERRUPTED;
    if (helpful) IRENEO_TRY(use_offsets(s));
    if (s->info->recalled == s->facts->facts) s->info->status = IRENEO_STATUS_STORED;
    if (!helpful &&
        s->info->status == IRENEO_STATUS_IMPOSSIBLE) { /* of the plain facts, which says nothing here */
        s->info->status = IRENEO_STATUS_UNDECIDED;
        snprintf(s->info->reason, sizeof s->info->reason,
                 "without offsets they do not fit; with them this is only decided for full matrices and "
                 "shared values");
    }
    if (s->info->status == IRENEO_STATUS_STORED && s->info->recalled < s->facts->facts)
        s->info->status = IRENEO_STATUS_UNDECIDED;
    if (s->info->status != IRENEO_STATUS_IMPOSSIBLE) {
        ireneo_certificate_free(s->result.certificate);
        s->result.certificate = NULL;
    }
    return ireneo_fingerprint(s->facts, s->threads, s->memory->facts_hash);
}

ireneo_error ireneo_store_offsets(const ireneo_facts *facts, const ireneo_store_settings *settings,
                                  ireneo_memory **memory, ireneo_store_result *result,
                                  ireneo_store_info *info) {
    double begin = ireneo_seconds();
    offset_store s = {.facts = facts, .settings = settings, .info = info};
    IRENEO_TRY(ireneo_enter(settings->threads, &s.threads));
    ireneo_error failed = run(&s);
    info->seconds = ireneo_seconds() - begin;
    info->peak_bytes = ireneo_ram_peak();
    if (failed == IRENEO_OK) *memory = s.memory, s.memory = NULL;
    if (failed == IRENEO_OK && result != NULL) {
        *result = s.result;
        s.result = (ireneo_store_result){0};
    }
    ireneo_memory_free(s.memory);
    ireneo_store_result_free(&s.result);
    return ireneo_leave(failed);
}
