/* The judge of certificates. It shares no code with the solver and starts from the caller's numbers.
 *
 * With every pair's matrix a_k = (y_target - y_j) x^T / (|y_target - y_j| |x|) of norm one and weights w_k > 0, a memory
 * W that recalls all facts with the angular margin g, that is <W, a_k> >= g |W|_F for all k, has
 *
 *     g |W|_F sum w  <=  sum w_k <W, a_k>  =  <W, sum w_k a_k>  <=  |W|_F |sum w_k a_k|_F ,
 *
 * so g <= |sum w_k a_k|_F / sum w. The bound is free of all scales: of keys, values, W and the weights.
 *
 * In the units of scaled_pairs.h: m_i = sum_j w_ij u_ij is summed in float64; E = sum_i m_i x_i^T entry by entry with a
 * running compensation (Neumaier), so that adding n terms costs two roundings instead of n. With U = 2^-53 the
 * computed E differs from the true one, in Frobenius norm, by at most
 *
 *     sum_i |x_i| (k_i + 3) U sum_j w_ij |u_ij|     (k_i terms in m_i; differences and products are rounded once)
 *   + 3 U sum_i |m_i| |x_i|                         (the products m x, the compensated sum)
 *   + n^2 U^2 (...) .
 *
 * Four times that is added to |E| before the bound is formed, which also covers the rounding of the bound itself.
 *
 * Facts with offsets r, or a certificate with margins m: a pair is the longer vector (a_k, b_k) with b_k = u_k^T r - m in
 * units of its own, and W is (W, 1). Gaps above the margins would make sum w_k (<W, a_k> + b_k) positive; so the weights
 * prove something when also sum w_k b_k <= 0, or < 0 where gaps need only reach the margins. By how much the sum may be
 * above zero is added to |E|; with margins it must be below zero by 1e9 |E|. */
#include "linear/certificate/verify.h"
#include "base/parallel.h"
#include "base/ram.h"
#include "base/threads.h"
#include "linear/certificate/scaled_pairs.h"
#include "linear/certificate/verify_cholesky.h"
#include "linear/certificate/verify_rational.h"
#include "linear/facts/facts.h"
#include "linear/facts/fingerprint.h"
#include "linear/facts/whole_facts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double UNIT = 0x1p-53;

/* A hundred times below what float32 scores can tell apart. */
static const double ACCEPTED_MARGIN = 1e-9;

/* Weights that fail to cancel by more than this were altered: nothing exact is looked for around them. */
static const double CLOSE = 1e-6;

typedef struct verifier {
    ireneo_scaled_pairs pairs;
    double *m;       /* (facts in use, dim_out) */
    double *m_error; /* (facts in use) bound on the error of m, in norm */
    double weight_sum;
    double residual, error;
    ireneo_ranks *ranks; /* that share the rows of E, or NULL */
} verifier;

static bool reject(ireneo_verify_report *report, const char *sentence) {
    snprintf(report->sentence, sizeof report->sentence, "rejected: %s", sentence);
    return false;
}

/* Everything that can be wrong without looking at keys and values. */
static bool check_entries(const ireneo_certificate *c, const ireneo_facts *f, const unsigned char *hash,
                          ireneo_verify_report *report) {
    if (memcmp(c->facts_hash, hash, IRENEO_HASH_BYTES) != 0)
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
        if (c->margins == NULL) continue;
        if (!(c->margins[k] >= 0.0 && isfinite(c->margins[k])))
            return reject(report, "a margin is negative or not finite");
        if (k > 0 && c->facts[k] == c->facts[k - 1] && c->margins[k] != c->margins[k - 1])
            return reject(report, "a fact has two margins");
    }
    return true;
}

/* m and its error bound for every fact in use, and the sum of the weights of pairs of norm one. */
static void sum_pairs(verifier *v, double *u, double *x) {
    const ireneo_scaled_pairs *p = &v->pairs;
    size_t dim = p->f->dim_out;
    for (size_t i = 0; i < p->facts; i++) {
        double *m = v->m + i * dim, size = 0.0, terms = (double)(p->start[i + 1] - p->start[i]);
        memset(m, 0, dim * sizeof *m);
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
            ireneo_scaled_pairs_difference(p, i, k, u);
            for (size_t a = 0; a < dim; a++) m[a] += p->weight[k] * u[a];
            size += p->weight[k] * ireneo_norm_f64(u, dim);
            if (p->offset != NULL) v->weight_sum += p->weight[k] * fabs(p->offset[k]);
        }
        ireneo_scaled_pairs_key(p, i, x);
        v->m_error[i] = (terms + 3.0) * UNIT * size;
        v->weight_sum += size * ireneo_norm_f64(x, p->f->dim_in);
    }
}

/* Rows of E = sum_i m_i x_i^T. */
typedef struct residual_rows {
    const verifier *v;
    double *space;      /* (threads, 3, dim_in) */
    double *squares;    /* (dim_out) */
    size_t first, last; /* rows that are summed here */
} residual_rows;

static ireneo_error sum_row(void *context, size_t index, int thread) {
    const residual_rows *r = context;
    size_t a = r->first + index;
    const ireneo_scaled_pairs *p = &r->v->pairs;
    size_t in = p->f->dim_in;
    double *sum = r->space + (size_t)thread * 3 * in, *lost = sum + in, *x = lost + in;
    memset(sum, 0, 2 * in * sizeof *sum);
    for (size_t i = 0; i < p->facts; i++) {
        double m = r->v->m[i * p->f->dim_out + a];
        ireneo_scaled_pairs_key(p, i, x);
        for (size_t b = 0; b < in; b++) {
            double term = m * x[b], old = sum[b], now = old + term;
            double back = now - old; /* two-sum: what the addition lost, exactly */
            lost[b] += (old - (now - back)) + (term - back);
            sum[b] = now;
        }
    }
    for (size_t b = 0; b < in; b++) r->squares[a] += (sum[b] + lost[b]) * (sum[b] + lost[b]);
    return IRENEO_OK;
}

/* The squares of all rows: every rank has summed a part of them. */
static ireneo_error gather_squares(residual_rows *r) {
    ireneo_ranks *ranks = r->v->ranks;
    size_t out = r->v->pairs.f->dim_out, *sizes = NULL;
    if (ranks == NULL) return IRENEO_OK;
    IRENEO_TRY(ireneo_ranks_agree(ranks, IRENEO_ALLOCATE(&sizes, ranks->count, "residual rows")));
    for (size_t k = 0; k < ranks->count; k++)
        sizes[k] = ((k + 1) * out / ranks->count - k * out / ranks->count) * sizeof *r->squares;
    ireneo_ranks_gather_into(ranks, r->squares + r->first, sizes, r->squares);
    free(sizes);
    return IRENEO_OK;
}

/* |E|_F and the bound on its error. */
static ireneo_error find_residual(verifier *v, const ireneo_verify_plan *plan) {
    const ireneo_scaled_pairs *p = &v->pairs;
    size_t in = p->f->dim_in, out = p->f->dim_out;
    residual_rows r = {.v = v, .last = out};
    double square = 0.0;
    if (v->ranks != NULL) {
        r.first = v->ranks->rank * out / v->ranks->count;
        r.last = (v->ranks->rank + 1) * out / v->ranks->count;
    }
    ireneo_error failed = IRENEO_ALLOCATE(&r.space, (size_t)plan->threads * 3 * in, "residual rows");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&r.squares, out, "residual rows");
    if (failed == IRENEO_OK)
        failed = ireneo_parallel(r.last - r.first, plan->threads, plan->progress, "checking the certificate",
                                 sum_row, &r);
    failed = ireneo_ranks_agree(v->ranks, failed);
    if (failed == IRENEO_OK) failed = gather_squares(&r);
    if (failed == IRENEO_OK) {
        for (size_t a = 0; a < out; a++) square += r.squares[a]; /* in one order, whatever the threads */
        v->residual = sqrt(square);
        for (size_t i = 0; i < p->facts; i++) {
            ireneo_scaled_pairs_key(p, i, r.space);
            v->error += ireneo_norm_f64(r.space, in) *
                        (v->m_error[i] + 3.0 * UNIT * ireneo_norm_f64(v->m + i * out, out));
        }
    }
    free(r.space), free(r.squares);
    return failed;
}

static double centred_square(const ireneo_facts *f, size_t column) {
    double mean = 0.0, square = 0.0;
    for (size_t j = 0; j < f->candidates; j++) mean += (double)f->values[j * f->dim_out + column];
    mean /= (double)f->candidates;
    for (size_t j = 0; j < f->candidates; j++) {
        double d = (double)f->values[j * f->dim_out + column] - mean;
        square += d * d;
    }
    return square / (double)f->candidates;
}

/* Root-mean-square norm of keys times root-mean-square entry of centred values; own candidates are taken as they are. */
static double normalised_unit(const ireneo_facts *f) {
    double keys = 0.0, values = 0.0;
    for (size_t k = 0; k < f->facts * f->dim_in; k++) keys += (double)f->keys[k] * (double)f->keys[k];
    for (size_t a = 0; f->values != NULL && a < f->dim_out; a++) values += centred_square(f, a);
    double key_scale = sqrt(keys / (double)f->facts), value_scale = sqrt(values / (double)f->dim_out);
    return (key_scale > 0.0 ? key_scale : 1.0) * (value_scale > 0.0 ? value_scale : 1.0);
}

/* sum R over |E|, with R and E as the caller's data have them, on normalised data. */
static double norm_bound(const verifier *v) {
    const ireneo_scaled_pairs *p = &v->pairs;
    double sum = 0.0, size = v->residual + 4.0 * v->error;
    if (p->offset != NULL) /* every W with these gaps has |W| |E| >= -sum R (u^T r - m) */
        return p->slack < 0.0 ? ldexp(-p->slack, p->offset_exponent) / size : 0.0;
    for (size_t i = 0; i < p->facts; i++)
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++)
            sum += ldexp(p->weight[k], -p->key_exponent[i] - p->value_exponent[k]);
    return size > 0.0 ? sum / size * normalised_unit(p->f) : INFINITY;
}

/* Is there a certificate close by whose sum is exactly zero? */
static ireneo_error find_exact(verifier *v, const ireneo_verify_plan *plan, bool *exact) {
    size_t entries = v->pairs.f->dim_in * v->pairs.f->dim_out;
    *exact = false;
    if (entries <= plan->exact_entries && !(v->pairs.c->margins != NULL && v->pairs.slack >= 0.0))
        IRENEO_TRY(ireneo_verify_cholesky(&v->pairs, plan->threads, plan->progress, exact));
    if (*exact || !ireneo_verify_rational_fits(&v->pairs))
        return IRENEO_OK; /* slower, but takes any condition */
    return ireneo_verify_rational(&v->pairs, exact);
}

static void say(const verifier *v, ireneo_verify_report *report) {
    double bound = report->angular_margin_bound;
    size_t size = sizeof report->sentence;
    const char *with = v->pairs.c->margins != NULL ? " with the margins asked for" : "";
    if (report->exact)
        snprintf(report->sentence, size, "accepted: no memory recalls all facts%s%s%s", with,
                 v->pairs.c->reason[0] != '\0' ? "; " : "", v->pairs.c->reason);
    else if (report->accepted && v->pairs.c->margins != NULL)
        snprintf(report->sentence, size,
                 "accepted: no memory of norm below %.3g recalls all facts with the margins asked for",
                 report->norm_bound);
    else if (v->pairs.slack > 0.0 && bound >= ACCEPTED_MARGIN)
        snprintf(report->sentence, size,
                 "rejected: its weights do not cancel, or the offsets outweigh them; they only show that no "
                 "memory has an angular margin above %.3g",
                 bound);
    else if (report->accepted)
        snprintf(report->sentence, size,
                 "accepted: no memory recalls all facts with an angular margin above %.2g", bound);
    else
        snprintf(report->sentence, size,
                 "rejected: its weights do not cancel; they only show that no memory has an angular margin "
                 "above %.3g",
                 bound);
}

/* With margins the right-hand sides must sum to something that |E| cannot make up for. */
static bool margins_missed(const verifier *v) {
    double size = v->residual + 4.0 * v->error;
    return v->pairs.c->margins == NULL || size < -v->pairs.slack * ACCEPTED_MARGIN;
}

static ireneo_error judge(verifier *v, const ireneo_verify_plan *plan, ireneo_verify_report *report) {
    bool exact = v->pairs.idle < v->pairs.c->count; /* its gap is zero for every memory */
    if (!exact) {
        report->residual = v->residual / v->weight_sum;
        report->rounding_bound = 4.0 * v->error / v->weight_sum;
        report->angular_margin_bound =
            report->residual + report->rounding_bound + fmax(0.0, v->pairs.slack) / v->weight_sum;
        report->norm_bound = norm_bound(v);
        report->accepted = report->angular_margin_bound < ACCEPTED_MARGIN && margins_missed(v);
        if (!(report->angular_margin_bound < CLOSE)) return say(v, report), IRENEO_OK;
        IRENEO_TRY(find_exact(v, plan, &exact));
    }
    if (exact) {
        report->accepted = report->exact = 1;
        report->angular_margin_bound = 0.0;
        if (report->residual == 0.0) report->norm_bound = INFINITY; /* else what these very weights show */
    }
    say(v, report);
    return IRENEO_OK;
}

/* On facts that are all here. What ranks find is the same; where they could differ, in the exact proof, rank 0 looks. */
static ireneo_error verify_whole(const ireneo_certificate *certificate, const ireneo_facts *facts,
                                 ireneo_ranks *ranks, const ireneo_verify_plan *plan,
                                 ireneo_verify_report *report) {
    memset(report, 0, sizeof *report);
    report->weights = certificate->count;
    report->angular_margin_bound = INFINITY;
    unsigned char hash[IRENEO_HASH_BYTES];
    if (plan->hash != NULL)
        memcpy(hash, plan->hash, sizeof hash);
    else
        IRENEO_TRY(ireneo_ranks_agree(ranks, ireneo_fingerprint(facts, plan->threads, hash)));
    if (!check_entries(certificate, facts, hash, report)) return IRENEO_OK;
    for (size_t k = 0; k < certificate->count; k++)
        report->weight_sum = fmin(report->weight_sum + certificate->weights[k], DBL_MAX);
    verifier v = {.ranks = ranks};
    double *u = NULL, *x = NULL;
    ireneo_error failed = ireneo_scaled_pairs_make(certificate, facts, &v.pairs);
    if (failed == IRENEO_OK && v.pairs.too_unlike) reject(report, "its weights are too unlike to be added");
    bool usable = failed == IRENEO_OK && !v.pairs.too_unlike;
    if (usable) failed = IRENEO_ALLOCATE(&v.m, v.pairs.facts * facts->dim_out, "weighted values");
    if (failed == IRENEO_OK && usable) failed = IRENEO_ALLOCATE(&v.m_error, v.pairs.facts, "error bounds");
    if (failed == IRENEO_OK && usable) failed = IRENEO_ALLOCATE(&u, facts->dim_out, "difference of values");
    if (failed == IRENEO_OK && usable) failed = IRENEO_ALLOCATE(&x, facts->dim_in, "key");
    failed = ireneo_ranks_agree(ranks, failed);
    if (failed == IRENEO_OK && usable) {
        sum_pairs(&v, u, x);
        failed = find_residual(&v, plan);
    }
    bool decides = ranks == NULL || ranks->rank == 0;
    if (failed == IRENEO_OK && usable && decides) failed = judge(&v, plan, report);
    ireneo_scaled_pairs_free(&v.pairs);
    free(v.m), free(v.m_error), free(u), free(x);
    return failed;
}

ireneo_error ireneo_verify_planned(const ireneo_certificate *certificate, const ireneo_facts *facts,
                                   const ireneo_verify_plan *plan, ireneo_verify_report *report) {
    ireneo_ranks *ranks = ireneo_facts_ranks(facts);
    ireneo_whole_facts whole;
    memset(report, 0, sizeof *report);
    IRENEO_TRY(ireneo_whole_facts_make(facts, &whole));
    ireneo_error failed = verify_whole(certificate, &whole.facts, ranks, plan, report);
    ireneo_whole_facts_free(&whole);
    failed = ireneo_ranks_agree(ranks, failed);
    ireneo_ranks_broadcast(ranks, 0, report, sizeof *report);
    return failed;
}

ireneo_error ireneo_verify(const ireneo_certificate *certificate, const ireneo_facts *facts,
                           const ireneo_verify_settings *settings, ireneo_verify_report *report) {
    ireneo_verify_settings s = settings != NULL ? *settings : (ireneo_verify_settings){0};
    ireneo_verify_plan plan = {.exact_entries = s.exact ? SIZE_MAX : IRENEO_EXACT_ENTRIES,
                               .progress = s.progress};
    IRENEO_REQUIRE(report != NULL, "verify needs a certificate and a report");
    memset(report, 0, sizeof *report);
    IRENEO_REQUIRE(certificate != NULL, "verify needs a certificate and a report");
    IRENEO_TRY(ireneo_check_reserved(s.reserved, "the settings of verify"));
    IRENEO_TRY(ireneo_check_reserved(certificate->reserved, "the certificate"));
    IRENEO_REQUIRE(
        certificate->count == 0 ||
            (certificate->facts != NULL && certificate->candidates != NULL && certificate->weights != NULL),
        "the certificate lacks facts, candidates or weights");
    IRENEO_TRY(ireneo_facts_check_held(facts));
    IRENEO_TRY(ireneo_enter(s.threads, &plan.threads));
    return ireneo_leave(ireneo_verify_planned(certificate, facts, &plan, report));
}
