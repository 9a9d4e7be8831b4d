/* Averages over a uniform direction: modified Bessel functions of any order and argument.
 *
 * For u uniform on the unit sphere of R^N and a fixed unit vector v,
 *     M_N(S) = E exp(S u.v) = Gamma(N/2) (2/S)^(N/2-1) I_(N/2-1)(S)
 * and d log M_N / dS = A_N(S) = I_(N/2)(S) / I_(N/2-1)(S), the mean of u.v under the tilted law. Everything
 * is in the log domain: no order or argument overflows. Relative errors are a few units of rounding. */
#ifndef IRENEO_DENSE_THEORY_BESSEL_H
#define IRENEO_DENSE_THEORY_BESSEL_H

/* log I_order(x), order >= -1/2, x >= 0; -inf at x = 0 unless the order is 0. */
double ireneo_log_bessel_i(double order, double x);

/* log M_N(S) for real N >= 1; even in S. */
double ireneo_sphere_log_mean(double dimension, double s);

/* S - log M_N(S) for S >= 0, which stays exact when S is huge. */
double ireneo_sphere_log_gap(double dimension, double s);

/* A_N(S) for real N >= 1, in (-1, 1); odd in S. */
double ireneo_sphere_overlap(double dimension, double s);

#endif
