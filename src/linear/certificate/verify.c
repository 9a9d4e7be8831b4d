/* The judge of certificates. It shares no code with the solver and starts from the caller's numbers.
 *
 * m_i = sum_j R_ij (y_target - y_j) is summed in float64; E = sum_i m_i x_i^T entry by entry with a running
 * compensation (Neumaier), so that adding n terms costs two roundings instead of n. With u = 2^-53 the
 * computed E differs from the true one by at most sum_i |x_i| ( (k_i + 3) u sum_j R_ij (|y_target| + |y_j|) )
 * +  3 u sum_i |m_i| |x_i|  +  n^2 u^2 (...) in Frobenius norm (k_i terms in m_i; differences of float32
 * numbers are rounded once; the product once; the compensated sum twice). Four times that is added to |E|
 * before the bound is formed, which also covers the rounding of the bound itself. */
#include "base/ram.h"
#include "base/threads.h"
#include "linear/facts/facts.h"

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const double UNIT = 0x1p-53;
static const double ACCEPTED_BOUND = 1e6;

typedef struct verifier {
    const ireneo_certificate *c;
    const ireneo_facts *f;
    double *m;       /* (facts in use, dim_out) */
    size_t *rows;    /* (facts in use) */
    double *m_error; /* (facts in use) bound on the error of m, in norm */
    size_t used;
    double key_scale, value_scale; /* of the normalised data */
    double residual, error, weight_sum;
} verifier;

static bool reject(ireneo_verify_report *report, const char *sentence) {
    snprintf(report->sentence, sizeof report->sentence, "rejected: %s", sentence);
    return false;
}

/* Everything that can be wrong without looking at keys and values. */
static bool check_entries(const ireneo_certificate *c, const ireneo_facts *f, ireneo_verify_report *report) {
    if (c->facts_hash != ireneo_facts_hash(f))
        return reject(report, "it belongs to other facts (the fingerprints differ)");
    if (c->count == 0) return reject(report, "it holds no weights");
    for (size_t k = 0; k < c->count; k++) {
        if (c->facts[k] < 0 || (uint64_t)c->facts[k] >= f->facts)
            return reject(report, "a fact is out of range");
        if (c->candidates[k] < 0 || (uint64_t)c->candidates[k] >= f->candidates)
            return reject(report, "a candidate is out of range");
        if ((size_t)c->candidates[k] == ireneo_target_of(f, (size_t)c->facts[k]))
            return reject(report, "a competitor is the fact's own value");
        if (!(c->weights[k] > 0.0 && isfinite(c->weights[k])))
            return reject(report, "a weight is not a positive number");
        if (k > 0 && c->facts[k] < c->facts[k - 1])
            return reject(report, "its entries are not sorted by fact");
    }
    return true;
}

/* Root-mean-square norm of keys, root-mean-square entry of centred values. */
static void find_scales(verifier *v) {
    const ireneo_facts *f = v->f;
    double keys = 0.0, values = 0.0;
    for (size_t k = 0; k < f->facts * f->dim_in; k++) keys += (double)f->keys[k] * (double)f->keys[k];
    v->key_scale = sqrt(keys / (double)f->facts);
    v->value_scale = 1.0;
    if (f->values == NULL) return; /* own candidates are taken as they are */
    for (size_t a = 0; a < f->dim_out; a++) {
        double mean = 0.0, square = 0.0;
        for (size_t j = 0; j < f->candidates; j++) mean += (double)f->values[j * f->dim_out + a];
        mean /= (double)f->candidates;
        for (size_t j = 0; j < f->candidates; j++) {
            double d = (double)f->values[j * f->dim_out + a] - mean;
            square += d * d;
        }
        values += square / (double)f->candidates;
    }
    v->value_scale = sqrt(values / (double)f->dim_out);
    if (v->value_scale == 0.0) v->value_scale = 1.0;
    if (v->key_scale == 0.0) v->key_scale = 1.0;
}

static double norm(const float *x, size_t count) {
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) sum += (double)x[k] * (double)x[k];
    return sqrt(sum);
}

/* One candidate of a fact, made in scratch when it is the fact's own. */
static const float *value_of(const ireneo_facts *f, size_t fact, size_t candidate, float *scratch) {
    if (f->values != NULL) return f->values + candidate * f->dim_out;
    f->own_candidates(f->own_context, fact, candidate, 1, scratch);
    return scratch;
}

/* m and its error bound for every fact that has weights. */
static void sum_weights(verifier *v, float *scratch) {
    const ireneo_certificate *c = v->c;
    const ireneo_facts *f = v->f;
    float *target_space = scratch, *other_space = scratch + f->dim_out;
    for (size_t k = 0; k < c->count;) {
        size_t fact = (size_t)c->facts[k], terms = 0;
        double *m = v->m + v->used * f->dim_out, size = 0.0;
        memset(m, 0, f->dim_out * sizeof *m);
        const float *target = value_of(f, fact, ireneo_target_of(f, fact), target_space);
        double target_norm = norm(target, f->dim_out);
        for (; k < c->count && (size_t)c->facts[k] == fact; k++, terms++) {
            const float *other = value_of(f, fact, (size_t)c->candidates[k], other_space);
            for (size_t a = 0; a < f->dim_out; a++)
                m[a] += c->weights[k] * ((double)target[a] - (double)other[a]);
            size += c->weights[k] * (target_norm + norm(other, f->dim_out));
            v->weight_sum += c->weights[k];
        }
        bool exact =
            true; /* sums of exact zeros carry no error: contradictions read off the data stay exact */
        for (size_t a = 0; a < f->dim_out; a++) exact = exact && m[a] == 0.0;
        v->m_error[v->used] = exact && terms == 1 ? 0.0 : ((double)terms + 3.0) * UNIT * size;
        v->rows[v->used++] = fact;
    }
}

/* |E|_F with E = sum_i m_i x_i^T, one row of E at a time. */
static ireneo_error find_residual(verifier *v, int threads) {
    const ireneo_facts *f = v->f;
    double *space = NULL, *squares = NULL, square = 0.0;
    IRENEO_TRY(IRENEO_ALLOCATE(&space, (size_t)threads * 2 * f->dim_in, "residual rows"));
    if (IRENEO_ALLOCATE_ZEROED(&squares, f->dim_out, "residual rows") != IRENEO_OK)
        return free(space), IRENEO_ERROR_MEMORY;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t a = 0; a < f->dim_out; a++) {
        double *sum = space + (size_t)omp_get_thread_num() * 2 * f->dim_in, *lost = sum + f->dim_in;
        memset(sum, 0, 2 * f->dim_in * sizeof *sum);
        for (size_t i = 0; i < v->used; i++) {
            double m = v->m[i * f->dim_out + a];
            const float *x = f->keys + v->rows[i] * f->dim_in;
            for (size_t b = 0; b < f->dim_in; b++) {
                double term = m * (double)x[b], old = sum[b], now = old + term;
                double back = now - old; /* two-sum: what the addition lost, exactly */
                lost[b] += (old - (now - back)) + (term - back);
                sum[b] = now;
            }
        }
        for (size_t b = 0; b < f->dim_in; b++) squares[a] += (sum[b] + lost[b]) * (sum[b] + lost[b]);
    }
    for (size_t a = 0; a < f->dim_out; a++) square += squares[a]; /* in one order, whatever the threads */
    free(space);
    free(squares);
    v->residual = sqrt(square);
    for (size_t i = 0; i < v->used; i++) {
        double m_norm = 0.0, x_norm = norm(f->keys + v->rows[i] * f->dim_in, f->dim_in);
        for (size_t a = 0; a < f->dim_out; a++) m_norm += v->m[i * f->dim_out + a] * v->m[i * f->dim_out + a];
        v->error += x_norm * (v->m_error[i] + 3.0 * UNIT * sqrt(m_norm));
    }
    return IRENEO_OK;
}

/* Equal keys: the two terms of a contradiction cancel exactly, and so do their rounding errors. */
static bool cancels_exactly(const verifier *v) {
    const ireneo_facts *f = v->f;
    if (v->used != 2 || v->c->count != 2 || v->residual != 0.0) return false;
    for (size_t a = 0; a < f->dim_out; a++)
        if (v->m[a] != -v->m[f->dim_out + a]) return false;
    return memcmp(f->keys + v->rows[0] * f->dim_in, f->keys + v->rows[1] * f->dim_in,
                  f->dim_in * sizeof *f->keys) == 0;
}

static void conclude(verifier *v, ireneo_verify_report *report) {
    double unit = v->key_scale * v->value_scale;
    report->weight_sum = v->weight_sum;
    report->residual = v->residual / unit;
    report->rounding_bound = cancels_exactly(v) ? 0.0 : 4.0 * v->error / unit;
    double denominator = report->residual + report->rounding_bound;
    report->norm_bound = denominator > 0.0 ? v->weight_sum / denominator : INFINITY;
    report->accepted = report->norm_bound > ACCEPTED_BOUND;
    if (!report->accepted)
        snprintf(report->sentence, sizeof report->sentence,
                 "rejected: its weights do not cancel; they only show that |W| is at least %.3g",
                 report->norm_bound);
    else if (isinf(report->norm_bound))
        snprintf(report->sentence, sizeof report->sentence, "accepted: no memory recalls all facts%s%s",
                 v->c->reason[0] != '\0' ? "; " : "", v->c->reason);
    else
        snprintf(
            report->sentence, sizeof report->sentence,
            "accepted: no memory with |W|_F below %.3g recalls all facts with margin 1 (normalised data)",
            report->norm_bound);
}

ireneo_error ireneo_verify(const ireneo_certificate *certificate, const ireneo_facts *facts, int threads,
                           ireneo_verify_report *report) {
    if (certificate == NULL || report == NULL)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "verify needs a certificate and a report");
    IRENEO_TRY(ireneo_facts_check(facts));
    memset(report, 0, sizeof *report);
    report->weights = certificate->count;
    if (!check_entries(certificate, facts, report)) return IRENEO_OK;
    verifier v = {.c = certificate, .f = facts};
    float *scratch = NULL;
    size_t most = certificate->count < facts->facts ? certificate->count : facts->facts;
    ireneo_error failed = IRENEO_ALLOCATE(&v.m, most * facts->dim_out, "weighted values");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&v.rows, most, "facts of the certificate");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&v.m_error, most, "error bounds");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&scratch, 2 * facts->dim_out, "candidates");
    if (failed == IRENEO_OK) {
        find_scales(&v);
        sum_weights(&v, scratch);
        failed = find_residual(&v, ireneo_thread_count(threads));
    }
    if (failed == IRENEO_OK) conclude(&v, report);
    free(v.m);
    free(v.rows);
    free(v.m_error);
    free(scratch);
    return failed;
}
