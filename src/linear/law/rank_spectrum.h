/* Singular-value laws of random and of full memories. */
#ifndef IRENEO_LINEAR_LAW_RANK_SPECTRUM_H
#define IRENEO_LINEAR_LAW_RANK_SPECTRUM_H

#include "base/error.h"

/* E(kappa): share of |G|_F^2 held by the top kappa = rank / min(rows, columns) of the singular values of a
 * large rows x columns Gaussian matrix. aspect = min/max of the two dimensions; 0 < aspect, kappa <= 1. */
double ireneo_rank_spectrum_energy(double kappa, double aspect);

/* Quarter-circle law on [0, 2] restricted to its top kappa: the lower edge s0, density and distribution of
 * what is left. */
double ireneo_rank_spectrum_edge(double kappa);
double ireneo_rank_spectrum_density(double s, double kappa);
double ireneo_rank_spectrum_cdf(double s, double kappa);

#endif
