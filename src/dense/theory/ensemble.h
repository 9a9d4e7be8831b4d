/* Random patterns and the random energy model they make: everything at N = infinity.
 *
 * The patterns that are not looked for are a random energy model: P = e^(alpha N) energies x.xi, where x has
 * length rho sqrt(N). Its free energy is known once zeta is (docs/dense.md, "The crowd"):
 *     zeta(lambda)  = lim 1/N log E exp(lambda x.xi)
 *     rate(e)       = sup_lambda (lambda e - zeta)       the Legendre transform of zeta
 *     edge          = e with rate(e) = alpha             the largest overlap among the P patterns
 *     lambda_star   = rate'(edge)                        beyond it a few patterns near the edge make the sum
 *     free_energy   = (alpha + zeta)/lambda for lambda < lambda_star, else edge
 * For binary patterns x is a corner of the hypercube times rho. */
#ifndef IRENEO_DENSE_THEORY_ENSEMBLE_H
#define IRENEO_DENSE_THEORY_ENSEMBLE_H

#include "ireneo.h"

double ireneo_rem_zeta(ireneo_dense_ensemble ensemble, double lambda, double rho);
double ireneo_rem_overlap(ireneo_dense_ensemble ensemble, double lambda, double rho); /* d zeta / d lambda */

/* alpha >= log 2 gives edge rho and lambda_star infinity for binary patterns: every corner is taken. */
double ireneo_rem_edge(ireneo_dense_ensemble ensemble, double alpha, double rho);
double ireneo_rem_lambda_star(ireneo_dense_ensemble ensemble, double alpha, double rho);
double ireneo_rem_alpha_star(ireneo_dense_ensemble ensemble, double lambda, double rho); /* its inverse */
double ireneo_rem_free_energy(ireneo_dense_ensemble ensemble, double alpha, double lambda, double rho);

/* 1 - free_energy at rho = 1, without cancellation: the margin by which a stored pattern wins. */
double ireneo_rem_margin(ireneo_dense_ensemble ensemble, double alpha, double lambda);

/* Largest load at which one given pattern (of length sqrt N) is a fixed point, and its inverse in lambda,
 * which is infinite where no lambda is enough. */
double ireneo_dense_alpha_1(ireneo_dense_ensemble ensemble, double lambda);
double ireneo_dense_lambda_c(ireneo_dense_ensemble ensemble, double alpha);

#endif
