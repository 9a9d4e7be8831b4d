/* The recall cone C = { u in R^P : u_1 >= u_j + K for all j } and the projection of a Gaussian vector on it.
 *
 * A fact is recalled with margin K when its scores lie in C. Everything the capacity law knows about a fact
 * is how far a Gaussian score vector is from this cone (docs/linear.md, "The law"). */
#ifndef IRENEO_LINEAR_LAW_CONE_H
#define IRENEO_LINEAR_LAW_CONE_H

#include "base/error.h"

#include <complex.h>

/* delta(P) = E dist^2(g, C) for K = 0: the mean number of competitors that the projection pulls down.
 * P is real, so that capacity can be a root in P; 2 <= P <= 1e13. */
ireneo_error ireneo_cone_delta(double candidates, double *delta);

/* The same with less effort where it takes any, below 20 candidates: off by 1e-6 of delta, and about twenty times as
 * fast. */
ireneo_error ireneo_cone_delta_rough(double candidates, double *delta);

/* The same with v(P), the variance of that number; and the variance alone. */
ireneo_error ireneo_cone_moments(double candidates, double *delta, double *variance);
ireneo_error ireneo_cone_variance(double candidates, double *variance);

/* Both by quadrature, whatever P: what the table is made of. */
ireneo_error ireneo_cone_quadrature(double candidates, double *delta, double *variance);

/* E dist^2(g, C) for 0 <= K <= 1000 (equal to delta at K = 0); and with it its derivative by K. */
#define IRENEO_CONE_MOST_MARGIN 1e3
ireneo_error ireneo_cone_margin_distance(double candidates, double margin, double *distance);
ireneo_error ireneo_cone_margin(double candidates, double margin, double *distance, double *slope);

/* h_t(w) = E[ e^{iw(g - t)} ; g > t ] of a normal number g. */
double complex ireneo_partial_transform(double t, double w);

/* Pr[ level of the projection <= t ] for n competitors and a target of mean -K. */
double ireneo_cone_level_cdf(double competitors, double margin, double t);

#endif
