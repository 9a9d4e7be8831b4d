/* Pairs of a certificate without their scales. */
#include "linear/certificate/scaled_pairs.h"
#include "base/ram.h"
#include "linear/facts/facts.h"
#include "linear/facts/scale.h"

#include <float.h>
#include <gmp.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { UNLIKE = 600 }; /* weights more powers of two apart are refused: no honest certificate has them */

double ireneo_norm_f64(const double *v, size_t count) {
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) sum += v[k] * v[k];
    return sqrt(sum);
}

/* One candidate of a fact, made in slot `which` of the scratch space when it is the fact's own. */
static const float *value_of(const ireneo_scaled_pairs *p, size_t fact, size_t candidate, size_t which) {
    const ireneo_facts *f = p->f;
    if (f->values != NULL) return f->values + candidate * f->dim_out;
    f->own_candidates(f->own_context, fact, candidate, 1, p->scratch + which * f->dim_out);
    return p->scratch + which * f->dim_out;
}

static void difference_of(const ireneo_scaled_pairs *p, size_t place, size_t pair, double factor, double *u) {
    size_t fact = p->fact[place];
    const float *target = value_of(p, fact, ireneo_target_of(p->f, fact), 0),
                *other = value_of(p, fact, (size_t)p->c->candidates[pair], 1);
    for (size_t a = 0; a < p->f->dim_out; a++) u[a] = ((double)target[a] - (double)other[a]) * factor;
}

void ireneo_scaled_pairs_difference(const ireneo_scaled_pairs *p, size_t place, size_t pair, double *u) {
    difference_of(p, place, pair, ldexp(1.0, -p->value_exponent[pair]), u);
}

void ireneo_scaled_pairs_key(const ireneo_scaled_pairs *p, size_t place, double *x) {
    const float *key = p->f->keys + p->fact[place] * p->f->dim_in;
    double factor = ldexp(1.0, -p->key_exponent[place]);
    for (size_t b = 0; b < p->f->dim_in; b++) x[b] = (double)key[b] * factor;
}

static void group_by_fact(ireneo_scaled_pairs *p) {
    for (size_t k = 0; k < p->c->count; k++) {
        if (k > 0 && p->c->facts[k] == p->c->facts[k - 1]) continue;
        p->fact[p->facts] = (size_t)p->c->facts[k];
        p->start[p->facts++] = k;
    }
    p->start[p->facts] = p->c->count;
}

void ireneo_exact_offset(const ireneo_scaled_pairs *p, size_t place, size_t pair, mpq_t sum) {
    const ireneo_facts *f = p->f;
    size_t fact = p->fact[place];
    const float *target = value_of(p, fact, ireneo_target_of(f, fact), 0),
                *other = value_of(p, fact, (size_t)p->c->candidates[pair], 1);
    mpq_t number, factor;
    mpq_inits(number, factor, NULL);
    mpq_set_ui(sum, 0, 1);
    for (size_t a = 0; f->residuals != NULL && a < f->dim_out; a++) {
        mpq_set_d(number, (double)target[a]);
        mpq_set_d(factor, (double)other[a]);
        mpq_sub(number, number, factor);
        mpq_set_d(factor, (double)f->residuals[fact * f->dim_out + a]);
        mpq_mul(number, number, factor);
        mpq_add(sum, sum, number);
    }
    if (p->c->margins != NULL) {
        mpq_set_d(number, p->c->margins[pair]);
        mpq_sub(sum, sum, number);
    }
    mpq_clears(number, factor, NULL);
}

/* Whether a pair whose matrix is zero excludes every memory: its gap is its right-hand side, whatever W. */
static bool excludes(const ireneo_scaled_pairs *p, size_t place, size_t pair) {
    if (p->offset == NULL) return true;
    mpq_t side;
    mpq_init(side);
    ireneo_exact_offset(p, place, pair, side);
    int sign = mpq_sgn(side);
    mpq_clear(side);
    return p->c->margins != NULL ? sign < 0 : sign <= 0;
}

/* Right-hand side of a pair over the scales of its matrix, and the size of what was summed. */
static double offset_of(const ireneo_scaled_pairs *p, size_t place, size_t pair, double *u, double *size) {
    const ireneo_facts *f = p->f;
    const float *r = f->residuals != NULL ? f->residuals + p->fact[place] * f->dim_out : NULL;
    long double sum = 0.0L, all = 0.0L, margin = 0.0L;
    ireneo_scaled_pairs_difference(p, place, pair, u);
    for (size_t a = 0; r != NULL && a < f->dim_out; a++) {
        long double term = (long double)u[a] * (long double)r[a];
        sum += term, all += fabsl(term);
    }
    if (p->c->margins != NULL) margin = ldexpl((long double)p->c->margins[pair], -p->value_exponent[pair]);
    *size = (double)ldexpl(all + margin, -p->key_exponent[place]);
    return (double)ldexpl(sum - margin, -p->key_exponent[place]);
}

static void find_offsets(ireneo_scaled_pairs *p, double *u) {
    double largest = 0.0, unit = 4.0 * 0x1p-53 + ((double)p->f->dim_out + 8.0) * (double)LDBL_EPSILON;
    for (size_t i = 0; i < p->facts; i++)
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
            double size;
            p->offset[k] = offset_of(p, i, k, u, &size);
            p->offset_error[k] = unit * size;
            largest = fmax(largest, size);
        }
    p->offset_exponent = largest > 0.0 ? ilogb(largest) + 1 : 0;
    for (size_t k = 0; k < p->c->count; k++) {
        p->offset[k] = ldexp(p->offset[k], -p->offset_exponent);
        p->offset_error[k] = ldexp(p->offset_error[k], -p->offset_exponent);
    }
}

/* Sum of weight times offset, from above. */
static void sum_offsets(ireneo_scaled_pairs *p) {
    long double sum = 0.0L, error = 0.0L, size = 0.0L;
    for (size_t k = 0; k < p->c->count; k++) {
        sum += (long double)p->weight[k] * (long double)p->offset[k];
        size += (long double)p->weight[k] * fabsl((long double)p->offset[k]);
        error += (long double)p->weight[k] * (long double)p->offset_error[k];
    }
    error += ((long double)p->c->count + 8.0L) * LDBL_EPSILON * size;
    p->slack = (double)(sum + 1.001L * error);
    p->slack += fabs(p->slack) * 0x1p-52;
}

/* Exponents of keys, differences and weights; weight[] holds the mantissas for now, exponent[] what belongs to them. */
static void find_exponents(ireneo_scaled_pairs *p, double *u, int *exponent) {
    p->idle = p->c->count;
    p->weight_exponent = INT_MIN;
    for (size_t i = 0; i < p->facts; i++) {
        double key_norm = ireneo_norm_f32(p->f->keys + p->fact[i] * p->f->dim_in, p->f->dim_in);
        p->key_exponent[i] = ireneo_exponent(key_norm);
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
            difference_of(p, i, k, 1.0, u);
            double norm = ireneo_norm_f64(u, p->f->dim_out);
            p->value_exponent[k] = ireneo_exponent(norm);
            if ((key_norm == 0.0 || norm == 0.0) && excludes(p, i, k)) p->idle = k;
            p->weight[k] = frexp(p->c->weights[k], &exponent[k]);
            exponent[k] += p->key_exponent[i] + p->value_exponent[k];
            if (exponent[k] > p->weight_exponent) p->weight_exponent = exponent[k];
        }
    }
}

static ireneo_error allocate(ireneo_scaled_pairs *p) {
    size_t count = p->c->count, facts = count < p->f->facts ? count : p->f->facts;
    IRENEO_TRY(IRENEO_ALLOCATE(&p->fact, facts, "facts of the certificate"));
    IRENEO_TRY(IRENEO_ALLOCATE(&p->start, facts + 1, "facts of the certificate"));
    IRENEO_TRY(IRENEO_ALLOCATE(&p->key_exponent, facts, "facts of the certificate"));
    IRENEO_TRY(IRENEO_ALLOCATE(&p->value_exponent, count, "weights of the certificate"));
    IRENEO_TRY(IRENEO_ALLOCATE(&p->weight, count, "weights of the certificate"));
    if (p->f->residuals != NULL || p->c->margins != NULL) {
        IRENEO_TRY(IRENEO_ALLOCATE(&p->offset, count, "right-hand sides"));
        IRENEO_TRY(IRENEO_ALLOCATE(&p->offset_error, count, "right-hand sides"));
    }
    return IRENEO_ALLOCATE(&p->scratch, 2 * p->f->dim_out, "candidates");
}

ireneo_error ireneo_scaled_pairs_make(const ireneo_certificate *certificate, const ireneo_facts *facts,
                                      ireneo_scaled_pairs *p) {
    *p = (ireneo_scaled_pairs){.c = certificate, .f = facts};
    double *u = NULL;
    int *exponent = NULL;
    ireneo_error failed = allocate(p);
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&u, facts->dim_out, "difference of values");
    if (failed == IRENEO_OK)
        failed = IRENEO_ALLOCATE(&exponent, certificate->count, "weights of the certificate");
    if (failed == IRENEO_OK) {
        group_by_fact(p);
        find_exponents(p, u, exponent);
        if (p->offset != NULL) find_offsets(p, u);
        for (size_t k = 0; k < certificate->count; k++) {
            if (exponent[k] < p->weight_exponent - UNLIKE) p->too_unlike = true;
            p->weight[k] = ldexp(p->weight[k], exponent[k] - p->weight_exponent);
        }
        if (p->offset != NULL) sum_offsets(p);
    }
    free(u), free(exponent);
    if (failed != IRENEO_OK) ireneo_scaled_pairs_free(p);
    return failed;
}

void ireneo_scaled_pairs_free(ireneo_scaled_pairs *p) {
    free(p->fact), free(p->start), free(p->key_exponent), free(p->value_exponent), free(p->weight),
        free(p->scratch), free(p->offset), free(p->offset_error);
    memset(p, 0, sizeof *p);
}
