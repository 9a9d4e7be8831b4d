/* The chi-squared distribution for any number of degrees of freedom. */
#ifndef IRENEO_DENSE_THEORY_CHI_SQUARED_H
#define IRENEO_DENSE_THEORY_CHI_SQUARED_H

/* Prob(chi^2_n / n > u), n > 0, u >= 0; n may be 1e9. */
double ireneo_chi_squared_tail(double degrees, double u);

#endif
