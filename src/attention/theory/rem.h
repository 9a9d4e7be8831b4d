/* A row of softmax attention is a random energy model: weights A_k = e^{e_k} / Z over `keys` independent
 * logits e_k ~ N(0, sigma^2). Averages over the logits, exact at every number of keys, and their limits. */
#ifndef IRENEO_ATTENTION_THEORY_REM_H
#define IRENEO_ATTENTION_THEORY_REM_H

#include "base/error.h"

typedef struct ireneo_rem_row {
    double y[5];       /* y[n] = E sum_k A_k^n; y[0] is the number of keys, y[1] is 1 as computed, a check */
    double y2_squared; /* E (sum_k A_k^2)^2 */
    double log_partition; /* E log Z */
    double entropy;       /* E[ -sum_k A_k log A_k ], nats */
    double
        condensed; /* E sum_k f_k^2 A_k^2 (1 - 2 A_k + sum_l A_l^2), which gradients of logits follow: f is the slope of
                             a cap, and 1 without one */
    double slope; /* E sum_k A_k f_k */
} ireneo_rem_row;

/* E[Y_2 - 2 Y_3 + Y_2^2]: `condensed` of a row without a cap. */
static inline double ireneo_rem_condensed(const ireneo_rem_row *row) {
    return row->y[2] - 2.0 * row->y[3] + row->y2_squared;
}

/* S / sigma^4 of a row, S = E sum_{k != l} A_k A_l e_k e_l: what a finite width adds (layer.c). For Gaussian logits; a cap
 * weakens sigma^2 by its slope. */
static inline double ireneo_rem_tilt(const ireneo_rem_row *row) {
    return 1.0 - 5.0 * row->y[2] + 4.0 * row->y[3] + 6.0 * (row->y2_squared - row->y[4]);
}

/* The same of two rows: (1 - Y2)^2 where they are independent, and that of one row where they are the same. */
static inline double ireneo_tilt_of_two(double tilt, double participation, double distance) {
    return tilt + distance * ((1.0 - participation) * (1.0 - participation) - tilt);
}

/* The two averages of a row without a cap. */
static inline void ireneo_rem_uncapped(ireneo_rem_row *row) {
    row->condensed = ireneo_rem_condensed(row);
    row->slope = 1.0;
}

/* Averages of one row; keys >= 2, up to 1e12. */
ireneo_error ireneo_rem_exact(double sigma, double keys, ireneo_rem_row *row);

/* The integral over t of which a row is made, for averages from anywhere (rem_kernel.h): adds one t and says whether
 * smaller t still matter; then the sums times the step. */
int ireneo_rem_add_point(const double *averages, double keys, ireneo_rem_row *sums);
void ireneo_rem_finish(double step, double keys, ireneo_rem_row *row);

/* O12 = E sum_k A_k B_k of two rows whose logits have correlation rho in [0, 1]. */
ireneo_error ireneo_rem_row_overlap(double sigma, double rho, double keys, double *overlap);

/* The same when the second row sees later_keys >= keys of which the first `keys` are those of the first row.
 * In a tenth of a millisecond; good to 1e-4, and to 2e-2 where overlaps hardly differ from 1 / later_keys. */
ireneo_error ireneo_rem_causal_overlap(double sigma, double rho, double keys, double later_keys,
                                       double *overlap);

/* Rows wider than this follow the 1 / sigma law of the top two logits: what is missing to one key shrinks by `factor`. */
#define IRENEO_REM_WIDEST 2000.0
void ireneo_rem_shrink(ireneo_rem_row *row, double factor);

/* The limit of many keys at sigma^2 = b^2 log(keys): Poisson-Dirichlet above b = sqrt 2, spread out below.
 * The entropy needs log(keys) below the transition. log_partition is its leading term. */
void ireneo_rem_limit(double b, double log_keys, ireneo_rem_row *row);

/* Exponents x in E Y2 ~ keys^x and O12 ~ keys^x, logarithms left out. */
double ireneo_rem_participation_exponent(double b);
double ireneo_rem_overlap_exponent(double b, double rho);

/* The digamma function, for x > 0. */
double ireneo_digamma(double x);

#endif
