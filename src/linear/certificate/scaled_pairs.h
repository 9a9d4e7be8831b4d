/* The pairs of a certificate in units that are free of every scale.
 *
 * Pair k stands for the matrix R_k (y_target - y_j) x^T. Its difference u and its key x are divided by powers of two
 * that bring their norms to 1 .. 2, and its weight is multiplied by both and divided by one common power of two that
 * brings the largest to 1/2 .. 1. Powers of two round nothing, whatever float32 data and float64 weights come in; in
 * these units nothing overflows and nothing that matters vanishes.
 *
 * With offsets r, or margins m, a pair has a right-hand side besides: (y_target - y_j)^T r - m, in the same units and
 * divided by one more power of two that brings the largest to 1/2 .. 1. It is the pair's last coordinate: weights prove
 * something when the matrices cancel and the right-hand sides do not sum to more than zero (docs/editing.md). */
#ifndef IRENEO_LINEAR_CERTIFICATE_SCALED_PAIRS_H
#define IRENEO_LINEAR_CERTIFICATE_SCALED_PAIRS_H

#include "base/error.h"

#include <gmp.h>
#include <stdbool.h>

typedef struct ireneo_scaled_pairs {
    const ireneo_certificate *c;
    const ireneo_facts *f;
    size_t facts;        /* facts in use */
    size_t *fact;        /* (facts in use) */
    size_t *start;       /* (facts in use + 1) first pair of each */
    int *key_exponent;   /* (facts in use) */
    int *value_exponent; /* (pairs) */
    double *weight;      /* (pairs) */
    int weight_exponent; /* the caller's weight is weight 2^(weight_exponent - key_exponent - value_exponent) */
    float *scratch;      /* (2, dim_out) own candidates */
    size_t idle;         /* pair whose matrix is zero, so that its gap is zero for every W; count: none */
    double *offset;      /* (pairs) right-hand sides; NULL: all are zero */
    double *offset_error; /* (pairs) bounds on their rounding errors */
    int offset_exponent;  /* that power of two */
    double slack;         /* sum of weight times offset, with its rounding error added: an upper bound */
    bool too_unlike;      /* weights whose sizes are further apart than float64 can add */
} ireneo_scaled_pairs;

/* Looks at every pair. The certificate's indices must be right and its weights positive, sorted by fact. */
ireneo_error ireneo_scaled_pairs_make(const ireneo_certificate *certificate, const ireneo_facts *facts,
                                      ireneo_scaled_pairs *pairs);
void ireneo_scaled_pairs_free(ireneo_scaled_pairs *pairs);

/* u (dim_out) of a pair of the `place`-th fact in use; every entry is rounded once. */
void ireneo_scaled_pairs_difference(const ireneo_scaled_pairs *pairs, size_t place, size_t pair, double *u);

/* x (dim_in) of the `place`-th fact in use, exactly. */
void ireneo_scaled_pairs_key(const ireneo_scaled_pairs *pairs, size_t place, double *x);

/* Right-hand side of a pair of the caller's, exactly. */
void ireneo_exact_offset(const ireneo_scaled_pairs *pairs, size_t place, size_t pair, mpq_t sum);

/* |v| of an array (count), always summed in the same order. */
double ireneo_norm_f64(const double *v, size_t count);

#endif
