/* The standard normal distribution, with tails in the log domain. */
#ifndef IRENEO_BASE_NORMAL_H
#define IRENEO_BASE_NORMAL_H

double ireneo_normal_density(double x);
double ireneo_normal_cdf(double x);      /* Phi(x) */
double ireneo_normal_tail(double x);     /* Q(x) = 1 - Phi(x), no cancellation */
double ireneo_normal_log_tail(double x); /* log Q(x), for any x that a double can hold */
double ireneo_normal_log_cdf(double x);  /* log Phi(x) */

double ireneo_normal_quantile(double probability); /* Phi^-1; -inf and inf at 0 and 1 */
double
ireneo_normal_tail_quantile(double log_tail); /* x with log Q(x) = log_tail, for log_tail < 0, also -1e6 */

#endif
